"""Ingest by a model from the command line: budgets, dry runs, re-extraction, and what it cost."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bitempo.testing import ScriptedModel
from tests.cli.runner import Run
from tests.cli.test_ingest import messages

TEXTS = ("I live in Porto.", "I keep bees.", "I like Fado.")


def reply(request: Any) -> dict[str, Any]:
    """One claim of the first turn, whatever it says."""
    said = request.messages[-1]["content"]
    text = next(text for text in TEXTS if text in said)
    return {
        "assertions": [
            {
                "subject": "Ana",
                "predicate": "SAID",
                "value": text,
                "text": f"Ana said: {text}",
                "evidence": ["t1"],
                "quote": text,
            }
        ]
    }


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(reply) as scripted:
        yield scripted


@pytest.fixture
def by_model(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    return ("--extractor", "llm", "--model", "scripted", "--base-url", model.url)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.jsonl"
    lines = [messages(text, id=f"s{number}") for number, text in enumerate(TEXTS)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_ingest_by_a_model_says_what_it_cost(
    empty: Run, file: Path, by_model: tuple[str, ...]
) -> None:
    prices = ("--prompt-price", "1000000", "--completion-price", "0")
    report = empty("ingest", str(file), *by_model, *prices, "--json").json
    assert (report["usage"]["calls"], report["stopped"]) == (3, None)
    assert report["usage"]["cost"] == report["usage"]["prompt_tokens"] > 0
    assert [one["actor"] for one in report["usage_by_actor"]] == [None]
    usage = empty("usage", "--by", "session", "--json").json
    assert usage["total"] == report["usage"]
    assert sorted(one["session"] for one in usage["usage"]) == ["s0", "s1", "s2"]
    shown = empty("usage").lines
    assert shown[-1].split()[:2] == ["total", "3"]


def test_a_budget_that_is_used_up_exits_with_1_and_says_how_to_go_on(
    empty: Run, file: Path, by_model: tuple[str, ...], model: ScriptedModel
) -> None:
    stopped = empty("ingest", str(file), *by_model, "--budget-calls", "1")
    assert stopped.code == 1
    assert "max_calls=1" in stopped.err
    assert f"bitempo ingest {file} --extractor llm" in stopped.err
    assert len(model.calls) == 1
    done = empty("ingest", str(file), *by_model, "--json")
    assert (done.code, done.json["stopped"]) == (0, None)
    assert len(model.calls) == 3


def test_a_dry_run_shows_the_messages_and_touches_nothing(
    empty: Run, file: Path, by_model: tuple[str, ...], model: ScriptedModel, tmp_path: Path
) -> None:
    shown = empty("ingest", str(file), *by_model, "--dry-run")
    assert shown.code == 0
    for text in TEXTS:
        assert text in shown.out
    assert "3 windows with 3 calls or more" in shown.lines[-1]
    plan = empty("ingest", str(file), *by_model, "--dry-run", "--json").json
    assert plan["estimate"]["calls"] == len(plan["windows"]) == 3
    assert {one["role"] for one in plan["windows"][0]["requests"][0]["messages"]} >= {"system"}
    assert model.calls == []
    assert not (tmp_path / "new.db").exists()


def test_a_dry_run_of_the_rules_would_call_nobody(empty: Run, file: Path) -> None:
    plan = empty("ingest", str(file), "--dry-run", "--json").json
    assert (plan["extractor"], plan["estimate"]["calls"], plan["new_turns"]) == ("rules-en/1", 0, 3)


def test_what_the_rules_read_is_read_again_by_a_model_once(
    empty: Run, file: Path, by_model: tuple[str, ...], model: ScriptedModel
) -> None:
    empty("ingest", str(file))
    plan = empty("reextract", "--all", *by_model, "--dry-run", "--json").json
    assert (len(plan["windows"]), model.calls) == (3, [])
    report = empty("reextract", "--session", "s0", *by_model, "--json").json
    assert (report["windows"], report["assertions"]) == (1, 1)
    assert report["retracted"] >= 1
    rest = empty("reextract", "--all", *by_model, "--json").json
    assert rest["windows"] == 2
    again = empty("reextract", "--all", *by_model, "--json").json
    assert (again["windows"], again["usage"]["calls"], len(model.calls)) == (0, 0, 3)
    said = empty("as-of", "Ana", "SAID", "--json").json["facts"]
    assert {fact["value"] for fact in said} == set(TEXTS)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--extractor", "magic"), "'magic'"),
        (("--extractor", "llm"), "--model"),
        (("--model", "m"), "--extractor llm"),
        (("--extractor", "llm", "--model", "m", "--instructions", "absent.txt"), "absent.txt"),
        (("--replay", "--concurrency", "2"), "--concurrency"),
    ],
)
def test_bad_options(
    empty: Run,
    file: Path,
    arguments: tuple[str, ...],
    word: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    empty("ingest", str(file), *arguments).refused(2, word)


@pytest.mark.parametrize("arguments", [(), ("--all", "--session", "s0")])
def test_what_to_read_again_must_be_said(empty: Run, arguments: tuple[str, ...]) -> None:
    empty("reextract", *arguments).refused(2, "--session ID, or --all")


def test_a_session_that_is_not_there_is_not_found(acme: Run) -> None:
    acme("reextract", "--session", "nowhere").refused(1, "'nowhere'")


def test_the_environment_chooses_the_model(
    empty: Run, file: Path, by_model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in zip(("EXTRACTOR", "MODEL", "BASE_URL"), by_model[1::2], strict=True):
        monkeypatch.setenv(f"BITEMPO_{name}", value)
    assert empty("ingest", str(file), "--json").json["usage"]["calls"] == 3


def test_no_text_of_a_turn_is_logged(
    empty: Run, file: Path, by_model: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="bitempo"):
        empty("ingest", str(file), *by_model)
        empty("reextract", "--all")
    ours = [record for record in caplog.records if record.name.startswith("bitempo")]
    assert len(ours) >= 4
    logged = json.dumps([record.getMessage() for record in ours])
    for word in ("Porto", "bees", "Fado", "Ana"):
        assert word not in logged


def test_what_a_model_began_is_left_to_it_unless_the_rules_are_said(
    empty: Run, file: Path, by_model: tuple[str, ...]
) -> None:
    empty("ingest", str(file), *by_model, "--budget-calls", "1", "--concurrency", "1")
    for command in (["resume"], ["reextract", "--all"], ["reextract", "--all", "--dry-run"]):
        empty(*command).refused(1, "waits for llm/1/scripted", "--extractor llm --model scripted")
    assert empty("resume", "--extractor", "rules", "--json").json["windows"] >= 1
    empty("reextract", "--all").refused(1, "was read by llm/1/scripted", "--extractor rules")
