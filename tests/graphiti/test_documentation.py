"""Every command and snippet of docs/graphiti.md does what it says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from bitempo import Memory
from bitempo.cli import main
from tests.graphiti.graph import LONDON, PARIS, ROME, Graph

PAGE = Path(__file__).resolve().parents[2] / "docs" / "graphiti.md"


def blocks() -> Iterator[str]:
    """The indented blocks of the page."""
    for found in re.finditer(r"(?:^ {4}.*\n|^\n(?= {4}))+", PAGE.read_text(encoding="utf-8"), re.M):
        yield "\n".join(line.removeprefix("    ") for line in found[0].strip("\n").splitlines())


def test_its_commands_and_snippets_do_what_they_say(
    told: Graph,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("BITEMPO_STORE", "BITEMPO_TENANT"):
        monkeypatch.delenv(name, raising=False)
    before = told.state()
    said: dict[str, str] = {}
    snippets = []
    for block in blocks():
        here = block.replace("bolt://localhost:7687", told.server.location)
        here = here.replace("trips", told.group)
        if not block.startswith("bitempo "):
            snippets.append(here)
            continue
        for line, shown in zip(here.splitlines(), block.splitlines(), strict=True):
            assert main(shlex.split(line)[1:]) == 0, shown
            said[" ".join(shown.split()[1:3])] = capsys.readouterr().out
    assert said["import graphiti"].startswith(f"group '{told.group}'")
    assert "Paris" in said["history Ana"]
    assert "Rome" in said['recall "Where']
    # Graphiti was told all of it just now, so that long ago nothing was known.
    assert said["as-of Ana"] == ""
    assert "4 facts (2 closed)" in said["export graphiti"]
    assert told.state() == before
    moving, deciding = snippets
    exec(moving, {})
    assert told.state() == before
    with Memory.open("memory.db") as memory:
        exec(deciding, {"memory": memory})
        tenant = memory.tenant(told.group)
        assert [f.text for f in tenant.history("Ana", "LIVES_IN")] == [PARIS, LONDON, ROME]
