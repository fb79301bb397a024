"""What must be named, what is refused, and how: one line, a code, no traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import apsw
import pytest

import bitempo as package
from bitempo.cli.settings import Settings
from tests.cli.runner import Run

NEED_A_TENANT = (
    ("as-of",),
    ("graph",),
    ("paths", "Ana", "Bo"),
    ("when", "Ana"),
    ("relation", "fact_x", "fact_y"),
    ("related", "fact_x", "during"),
    ("count", "Ana", "LIVES_IN"),
    ("first", "Ana", "LIVES_IN"),
    ("last", "Ana", "LIVES_IN"),
    ("how-long", "Ana", "LIVES_IN"),
    ("history", "Ana"),
    ("diff", "2024"),
    ("why", "fact_x"),
    ("recall", "tea"),
    ("entities",),
    ("stats",),
    ("export",),
    ("resume",),
    ("import", "file"),
    ("ingest", "file"),
    ("assert", "Ana", "LIVES_IN", "Porto"),
    ("retract", "x"),
    ("cardinality", "LIVES_IN", "one"),
    ("merge", "Mel", "Melanie"),
    ("unmerge", "Mel", "Melanie"),
    ("merges",),
    ("replay", "file"),
    ("reembed",),
)

WITHOUT_PRIVILEGE = """
import contextlib, io, os, sys
from bitempo.cli import main

# Permissions do not bind root; what is imported lazily must be loaded before its rights are gone.
with contextlib.redirect_stderr(io.StringIO()):
    main(["--tenant", "t", "stats", "--store", "absent.db"])
    main(["--tenant", "t", "assert", "a", "b", "c", "--store", ":memory:", "--trust", "0"])
    import bitempo.cli.shapes, bitempo.cli.words
if os.getuid() == 0:
    os.setresuid(65534, 65534, 65534)
sys.exit(main([*sys.argv[1:], "assert", "Ana", "LIVES_IN", "Porto"]))
"""


@pytest.mark.parametrize("arguments", NEED_A_TENANT, ids=lambda arguments: arguments[0])
def test_there_is_no_default_tenant(bitempo: Run, store: Path, arguments: tuple[str, ...]) -> None:
    bitempo("--store", str(store), *arguments).refused(2, "--tenant", "BITEMPO_TENANT")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201])
def test_a_tenant_needs_a_proper_name(bitempo: Run, store: Path, name: str) -> None:
    bitempo("--store", str(store), "--tenant", name, "stats").refused(2, "tenant")


def test_settings_come_from_the_environment(
    bitempo: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITEMPO_STORE", str(store))
    monkeypatch.setenv("BITEMPO_TENANT", "acme")
    assert bitempo("stats", "--json").json["episodes"] == 43
    assert bitempo("stats", "--json", "--tenant", "other").json["episodes"] == 0
    monkeypatch.setenv("BITEMPO_POLICY", "absent.toml")
    bitempo("stats").refused(2, "absent.toml")


def test_global_options_stand_before_or_after_the_command(bitempo: Run, store: Path) -> None:
    before = bitempo("--store", str(store), "--tenant", "acme", "--json", "stats")
    after = bitempo("stats", "--store", str(store), "--tenant", "acme", "--json")
    both = bitempo("--tenant", "other", "stats", "--store", str(store), "--tenant=acme", "--json")
    assert before.json == after.json == both.json


def test_a_read_does_not_make_a_store(bitempo: Run, tmp_path: Path) -> None:
    bitempo("--tenant", "t", "--store", "typo.db", "stats").refused(1, "typo.db", "bitempo init")
    bitempo("--tenant", "t", "--store", "sqlite:///typo.db", "stats").refused(1, "typo.db")
    assert list(tmp_path.iterdir()) == []


def test_a_url_names_the_same_store(bitempo: Run, store: Path) -> None:
    found = bitempo("--tenant", "acme", "--store", f"sqlite:///{store}", "stats", "--json")
    assert found.json["episodes"] == 43


def test_a_store_of_an_unknown_kind(bitempo: Run) -> None:
    for command in (("stats",), ("init",)):
        bitempo("--tenant", "t", "--store", "mongo://there", *command).refused(1, "mongo://")


def test_a_password_in_the_location_is_not_shown(bitempo: Run) -> None:
    there = Settings(store="neo4j+s://ana:pa%40ss@host:7687/memory?pool_size=5")
    assert there.shown == "neo4j+s://host:7687/memory?pool_size=5"
    assert Settings(store="a@b.db").shown == "a@b.db"
    refused = bitempo("--store", "bolt://ana:secret-word@127.0.0.1:1", "init")
    refused.refused(1, "127.0.0.1:1")
    assert "secret-word" not in refused.err


def test_a_file_that_is_no_database(bitempo: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("plain text, " * 500, encoding="utf-8")
    bitempo("--tenant", "t", "--store", "notes.db", "stats").refused(1, "notes.db")


def test_a_store_of_a_newer_schema(bitempo: Run, store: Path) -> None:
    connection = apsw.Connection(str(store))
    connection.pragma("user_version", 9_999)
    connection.close()
    bitempo("--tenant", "acme", "--store", str(store), "stats").refused(1, "9999", "upgrade")


def test_a_folder_that_is_not_there(bitempo: Run) -> None:
    bitempo("--store", "absent/new.db", "init").refused(1, "absent")


def test_a_folder_is_no_store(bitempo: Run, tmp_path: Path) -> None:
    bitempo("--tenant", "t", "--store", str(tmp_path), "stats").refused(1, str(tmp_path))


def test_a_file_that_cannot_be_written(store: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(shutil.copy(store, folder))
        kept.chmod(0o444)
        Path(folder).chmod(0o555)
        arguments = ["--tenant", "acme", "--store", str(kept)]
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_PRIVILEGE, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        Path(folder).chmod(0o755)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("bitempo: ")
    assert "written" in line


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("remember",), "remember"),
        (("why",), "FACT_ID|SUBJECT"),
        (("stats", "--loud"), "--loud"),
        (("recall", "tea", "--limit", "0"), "--limit"),
        (("bench",), "Missing command"),
        (("as-of", "--modality", "maybe"), "maybe"),
    ],
)
def test_a_usage_error_is_one_line(bitempo: Run, arguments: tuple[str, ...], word: str) -> None:
    bitempo("--tenant", "t", *arguments).refused(2, word, "--help")


def test_debug_adds_the_traceback(acme: Run) -> None:
    found = acme("why", "fact_unknown", "--debug")
    assert found.code == 1
    assert "Traceback" in found.err
    assert found.err.splitlines()[-1].startswith("bitempo: no fact")


def test_version_and_help(bitempo: Run) -> None:
    assert bitempo("--version").out == f"bitempo {package.__version__}\n"
    for arguments in ((), ("--help",)):
        found = bitempo(*arguments)
        assert found.code == 0
        for command in (*(name for name, *_ in NEED_A_TENANT), "demo", "bench", "backup"):
            assert command in found.out


def test_help_loads_neither_rules_nor_dates() -> None:
    code = (
        "import sys; from bitempo.cli import main; main(['--help']); "
        "print([m for m in ('dateparser', 'bitempo.ingest.rules', 'pydantic_settings') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_goes_away_is_no_error(store: Path) -> None:
    where = f"--store {store} --tenant acme"
    done = subprocess.run(
        [
            "bash",
            "-o",
            "pipefail",
            "-c",
            f"{sys.executable} -m bitempo.cli {where} export | head -1",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('{"format"')


def test_what_people_wrote_is_shown_as_it_is(empty: Run) -> None:
    empty("assert", "Ana [bold]", "LIKES", "[red]tea[/]", "--text", "[link=x]tea[/link]")
    assert "[red]tea[/]" in empty("as-of", "Ana [bold]").out
    assert "[link=x]tea[/link]" in empty("recall", "tea").out


def test_a_terminal_that_knows_only_ascii_loses_nothing(empty: Run, tmp_path: Path) -> None:
    empty("assert", "Ana", "LIKES", "\u6771\u4eac")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "bitempo.cli", "--tenant", "acme", *arguments],
            env={**os.environ, "PYTHONIOENCODING": "ascii", "BITEMPO_STORE": "new.db"},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode("utf-8")

    assert "\\u6771\\u4eac" in run("as-of")
    (fact,) = json.loads(run("as-of", "--json"))["facts"]
    assert fact["object"]["name"] == "\u6771\u4eac"
    assert run("export") == empty("export").out


def test_an_empty_tenant_is_refused_whatever_the_environment_says(
    bitempo: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITEMPO_TENANT", "leo")
    bitempo("--store", str(store), "--tenant", "", "stats").refused(2, "no tenant is named")
    bitempo("--store", str(store), "stats", "--tenant", "").refused(2, "no tenant is named")
