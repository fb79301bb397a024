"""Runs what the documentation shows, and compares it with what the documentation says comes out.

A document is read from its top to its end in one folder, which holds a copy of examples/:

- a `python` block is executed, all in one namespace; a `text` block right after it is its output;
- in a `console` block, a line that starts with `$ ` is a command, and what follows its output;
- a `toml` block whose first line is `# name` is that file; a `sh` block may hold make targets.

`...` stands for any text: within a line, or as a line of its own for any number of lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bitempo.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COLUMNS = "130"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPTS = str(Path(sys.executable).parent)
SHOWN = {"text", "json"}
RUN_ELSEWHERE = {"cypher"}
"""The queries of neo4j.md want a server: tests/neo4j/test_docs.py runs every one of them."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, where its text starts, and on which line."""

    language: str
    text: str
    start: int
    line: int


@dataclass(frozen=True)
class Outcome:
    """What a part of a document said would come out, and what did; and where it says so."""

    expected: str
    actual: str
    start: int
    line: int

    @property
    def agrees(self) -> bool:
        """Whether they are the same but for what is elided."""
        return re.fullmatch(pattern(self.expected), tidy(self.actual)) is not None


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a document."""
    return [
        Block(found[1], found[2], found.start(2), text.count("\n", 0, found.start(2)) + 1)
        for found in FENCE.finditer(text)
    ]


def outcomes(document: Path, folder: Path) -> Iterator[Outcome]:
    """Run the document in the folder, part by part."""
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shell = Shell(folder)
    found = blocks(document.read_text(encoding="utf-8"))
    for block, following in zip_longest(found, found[1:]):
        match block.language:
            case "python":
                actual = execute(block, namespace)
                shown = following if following and following.language in SHOWN else None
                at = shown or block
                yield Outcome(shown.text if shown else "", actual, at.start, at.line)
            case "console":
                yield from shell.run_block(block)
            case "toml":
                name = block.text.partition("\n")[0].removeprefix("#").strip()
                (folder / name).write_text(block.text, encoding="utf-8")
            case "sh":
                dry_run(block)
            case language if language not in RUN_ELSEWHERE:
                assert language in SHOWN, f"line {block.line}: nothing runs {language!r} blocks"


def pattern(expected: str) -> str:
    """The expected output as a regular expression."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == "..." else _line(line) + r"\n"
        for line in tidy(expected).splitlines()
    ]
    return "".join(lines)


def tidy(output: str) -> str:
    """Without the spaces that pad lines, and without empty lines around it."""
    lines = "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")
    return f"{lines}\n" if lines else ""


def _line(line: str) -> str:
    # Columns are padded to what stands in them, so the spaces around an elision are free.
    return ".*".join(re.escape(part) for part in re.split(r" *\.\.\. *", line))


def execute(block: Block, namespace: dict[str, Any]) -> str:
    """Run Python and return what it printed, its traceback included."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        try:
            exec(compile(block.text, f"line {block.line}", "exec"), namespace)
        except Exception:  # noqa: BLE001 - whatever it is, the document does not hold
            written.write(traceback.format_exc())
    return written.getvalue()


class Shell:
    """Runs `$` lines; what `export` sets stays for the lines after it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {"COLUMNS": COLUMNS}

    def run_block(self, block: Block) -> Iterator[Outcome]:
        """Each command of the block with the output that is shown under it."""
        position = 0
        for part in re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE):
            command, _, expected = part.partition("\n")
            start = position + len(command) + 1
            if part:
                line = block.line + block.text.count("\n", 0, position)
                actual = self._run(command.removeprefix("$ "))
                yield Outcome(expected, actual, block.start + start, line)
            position += len(part)

    def _run(self, command: str) -> str:
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self._environment[name] = value
            return ""
        words = shlex.split(command)
        if words[0] == "bitempo" and not {"|", ">", "&&"} & set(words):
            return self._run_here(words[1:])
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env={
                **os.environ,
                **self._environment,
                "PATH": SCRIPTS + os.pathsep + os.environ["PATH"],
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        ).stdout

    def _run_here(self, arguments: list[str]) -> str:
        written = io.StringIO()
        with (
            contextlib.redirect_stdout(written),
            contextlib.redirect_stderr(written),
            contextlib.chdir(self._folder),
            environment(self._environment),
        ):
            main(arguments)
        return written.getvalue()


@contextlib.contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """These variables, and none of bitempo's own from outside."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("BITEMPO_")]:
        del os.environ[name]
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def dry_run(block: Block) -> None:
    """Check that the make targets exist, without making them: they would run these tests."""
    for line in block.text.splitlines():
        command = line.partition("#")[0].split()
        if command:
            assert command[0] == "make", f"line {block.line}: only make stands in sh blocks"
            subprocess.run(["make", "-n", *command[1:]], cwd=ROOT, check=True, capture_output=True)
