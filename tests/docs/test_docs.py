"""Every command and snippet of the documentation does what the documentation says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCUMENTS, ROOT, Outcome, outcomes, tidy

LINK = re.compile(r"\]\(([^)#]+)(#[^)]*)?\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_holds(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = [
        f"{document.name}, line {outcome.line}\nsays:\n{tidy(outcome.expected)}"
        f"but it gives:\n{tidy(outcome.actual)}"
        for outcome in outcomes(document, tmp_path)
        if not outcome.agrees
    ]
    assert not wrong, "\n".join([*wrong, "python -m tests.docs.update writes what is given now"])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_its_links_lead_somewhere(document: Path) -> None:
    targets = [found[1] for found in LINK.finditer(document.read_text(encoding="utf-8"))]
    missing = [name for name in targets if not (document.parent / name).exists()]
    assert [name for name in missing if not name.startswith("http")] == []


def test_every_document_is_run() -> None:
    assert {path.name for path in DOCUMENTS} >= {
        "README.md",
        "concepts.md",
        "timeline.md",
        "cli.md",
        "sdk.md",
        "store.md",
    }
    assert all(path.is_relative_to(ROOT) for path in DOCUMENTS)


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        ("one\ntwo\n", "one  \ntwo\n\n", True),
        ("one\n", "two\n", False),
        ("one\n...\nfour\n", "one\ntwo\nthree\nfour\n", True),
        ("one\n...\n", "one\n", True),
        ("id fact_...\n", "id fact_12ab\n", True),
        ("id fact_...\n", "id ep_12ab\n", False),
        ("a.c\n", "abc\n", False),
        ("", "anything\n", False),
    ],
)
def test_only_what_is_elided_may_differ(expected: str, actual: str, agrees: bool) -> None:
    assert Outcome(expected, actual, 0, 0).agrees is agrees
