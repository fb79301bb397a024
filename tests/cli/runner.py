"""Runs command lines in this process, and says what came out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from bitempo.cli import main

CONVERSATION = Path(str(resources.files("bitempo.examples").joinpath("conversation.jsonl")))


@dataclass(frozen=True)
class Result:
    """The exit code, and what was written to standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON; there is nothing else on it."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Standard output without the spaces that pad a table."""
        return [line.rstrip() for line in self.out.splitlines()]

    def refused(self, code: int, *words: str) -> None:
        """It failed with this code: one line that holds the words, and nothing on stdout."""
        assert self.code == code, self
        assert self.out == ""
        (line,) = self.err.splitlines()
        assert line.startswith("bitempo: ")
        for word in words:
            assert word in line


Run = Callable[..., Result]


def runner(capsys: pytest.CaptureFixture[str], *before: str) -> Run:
    """A function that runs `bitempo` with `before` in front of its arguments."""

    def run(*arguments: str) -> Result:
        capsys.readouterr()
        code = main([*before, *arguments])
        written = capsys.readouterr()
        return Result(code, written.out, written.err)

    return run
