"""The shape of the package: what it exports, what imports what, and what its files may hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import bitempo
from bitempo.engine import errors

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "ingest", "query", "bitempo", "api")
MAY_IMPORT = {
    "engine": set(),
    "ingest": {"engine"},
    "query": {"engine"},
    "bitempo": {"engine", "ingest", "query"},
    "api": {"engine", "ingest", "query", "bitempo"},
}
LONGEST_FILE = 500
LONGEST_FUNCTION = 50


def product_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def folder_of(module: str) -> str | None:
    """The folder that a module of ours lives in; None for one of others."""
    parts = module.split(".")
    if parts[0] != "bitempo":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in FOLDERS else "bitempo"


def test_all_is_what_is_public() -> None:
    module = ast.parse((ROOT / "bitempo" / "__init__.py").read_text(encoding="utf-8"))
    public = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bitempo")
        for alias in node.names
    }
    assert sorted(public) == sorted(bitempo.__all__)
    assert len(set(bitempo.__all__)) == len(bitempo.__all__)
    assert all(hasattr(bitempo, name) for name in bitempo.__all__)


def test_a_name_that_there_is_not_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
        _ = bitempo.Memroy  # type: ignore[attr-defined]


def test_every_exception_is_exported() -> None:
    tree = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.BitempoError)
    }
    assert tree <= set(bitempo.__all__)
    assert all(getattr(bitempo, name) is getattr(errors, name) for name in tree)


def test_the_version_is_that_of_the_installed_package() -> None:
    assert metadata.version("bitempo") == bitempo.__version__


def test_imports_point_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for folder in FOLDERS
        for path in product_files(folder)
        for module in imported(path)
        if (target := folder_of(module)) is not None
        and target != folder
        and target not in MAY_IMPORT[folder]
    ]
    assert wrong == []


def test_time_comes_from_a_clock_that_is_handed_in() -> None:
    clocks = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
    clocks |= {("time", name) for name in ("time", "time_ns", "monotonic", "localtime", "gmtime")}
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in product_files("engine", "ingest", "query")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (ast.unparse(node.func.value).split(".")[-1], node.func.attr) in clocks
    ]
    assert wrong == []


def test_files_and_functions_stay_short() -> None:
    long = []
    for path in product_files(*FOLDERS):
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) >= LONGEST_FILE:
            long.append(f"{path.relative_to(ROOT)}: {len(text.splitlines())} lines")
        long.extend(
            f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {body_lines(node)} lines"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and body_lines(node) >= LONGEST_FUNCTION
        )
    assert long == []


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its signature and docstring, which document it."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_pickle_in_the_product() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in product_files(*FOLDERS)
        if {"pickle", "marshal", "shelve", "dill"} & set(imported(path))
    ]
    assert wrong == []


@pytest.mark.parametrize("store", ["sqlite", "neo4j"])
def test_the_as_of_predicate_is_written_once_per_store(store: str) -> None:
    folder = ROOT / "engine" / "store" / store
    if not tracked(f"engine/store/{store}"):
        assert store != "sqlite"
        return
    comparison = re.compile(
        r"(known_at|valid_at)\s*<\s*[\w.{}]*(tx_to|valid_to)"
        r"|(tx_to|valid_to)\W*>\s*[:$]?(known_at|valid_at)"
    )
    holding = {
        path.name
        for path in sorted(folder.rglob("*.py"))
        if comparison.search(path.read_text(encoding="utf-8"))
    }
    assert holding == {"asof.py"}


def test_no_tracked_file_names_a_registry_or_this_machine() -> None:
    forbidden = re.compile(
        "|".join(
            [
                "pypi" + r"\.org",
                "pythonhosted" + r"\.org",
                r"--(index|extra-index)" + r"-url\s*[=\s]\s*http",
                r"--find" + r"-links\s*[=\s]\s*\S",
                r"(?<![\w.])/(work|root|home|Users)" + r"/\w",
            ]
        )
    )
    found = [
        f"{name}:{number}"
        for name in tracked(".")
        if not name.endswith((".xz", ".gz", ".png", ".npy"))
        for number, line in enumerate(
            (ROOT / name).read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        )
        if forbidden.search(line)
    ]
    assert found == []


def test_the_wheel_holds_the_package_and_nothing_beside_it(tmp_path: Path) -> None:
    names = wheel_names(tmp_path)
    top = {name.split("/")[0] for name in names}
    assert {part for part in top if not part.endswith(".dist-info")} == {"bitempo"}
    for name in (
        "py.typed",
        "engine/predicates.toml",
        "ingest/embedders/minilm_tokens.npy",
        "examples/conversation.jsonl",
        "engine/store/sqlite/asof.py",
        "cli/app.py",
        "query/recall.py",
    ):
        assert f"bitempo/{name}" in names
    modules = {
        (f"bitempo/{name}" if not name.startswith("bitempo/") else name)
        for folder in (*FOLDERS, "examples")
        for name in tracked(folder)
        if name.endswith(".py")
    }
    assert modules - names == set()
    assert not [name for name in names if "test_" in name or name.endswith((".pyc", ".db"))]


def wheel_names(folder: Path) -> set[str]:
    """Build the wheel from a copy of what is tracked, so that no stale build gets in."""
    source = folder / "source"
    for name in tracked("."):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    options = ["--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *options, str(source)],
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def tracked(folder: str) -> list[str]:
    """The files under version control that are there, by their path from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", folder], cwd=ROOT, check=True, capture_output=True
    )
    names = listed.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]
