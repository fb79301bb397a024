"""A store with the example conversation, and a command line that works on it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bitempo.cli import main
from tests.cli.runner import CONVERSATION, Run, runner


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = (name for name in os.environ if name.startswith("BITEMPO_"))
    for name in [name for name in settings if not name.startswith("BITEMPO_TEST_")]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the tenant "acme" holds the conversation, as if it had been live."""
    path = tmp_path_factory.mktemp("replayed") / "memory.db"
    where = ["--store", str(path), "--tenant", "acme", "--json"]
    assert main([*where, "ingest", str(CONVERSATION), "--replay"]) == 0
    return path


@pytest.fixture
def store(replayed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(replayed, tmp_path / "memory.db"))


@pytest.fixture
def bitempo(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line with nothing set."""
    return runner(capsys)


@pytest.fixture
def acme(store: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line on the tenant with the conversation."""
    return runner(capsys, "--store", str(store), "--tenant", "acme")


@pytest.fixture
def empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line on a store that is not there yet."""
    return runner(capsys, "--store", str(tmp_path / "new.db"), "--tenant", "acme")
