"""The runner of black-box cases: what it prints, its exit codes, and the shared cases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.case_format import Case, read_cases
from tests.cases import main, run
from tests.shared import shared

DATA = Path(__file__).parent / "data"


def test_the_shared_cases_pass_on_both_faces(capsys: pytest.CaptureFixture[str]) -> None:
    path = shared("cases", "timeline.json")
    assert main([str(path)]) == 0, capsys.readouterr().out
    lines = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in lines] == ["ok   "] * len(read_cases(path))


@pytest.mark.parametrize("path", ["shared", "ours"])
def test_the_cases_pass_through_the_model_path_too(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = DATA / "cases_pass.json" if path == "ours" else shared("cases", "timeline.json")
    code = main([str(file), "--through-model"])
    captured = capsys.readouterr()
    assert code == 0, captured.out
    assert captured.out.count("ok  ") == len(read_cases(file))


def test_one_line_per_case_when_all_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(DATA / "cases_pass.json")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok   whole-slot-denied a denial without an object ends whatever the slot holds",
        "ok   correction-withdrawn retracting a correction brings the corrected statement back",
        "ok   corrected-in-one-breath a statement corrects an earlier one of the same step",
        "ok   literal a literal and an offset",
    ]


def test_a_failing_case_shows_what_was_expected_and_what_came(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([str(DATA / "cases_fail.json")]) == 1
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[:7] == [
        "FAIL wrong-value expects what was superseded",
        "     on Memory: Mo LIVES_IN, valid at 2024-04-01",
        "       expected: Porto",
        "       got:      Faro",
        "     on Memory: Mo LIVES_IN, valid at 2023-04-01, known at 2024-02-01",
        "       expected: Porto",
        "       got:      nothing",
    ]
    assert lines[7:13] == [line.replace("on Memory", "on AsyncMemory") for line in lines[1:7]]
    assert lines[13] == "FAIL impossible-step a step that is refused"
    for line, face in zip(lines[14:16], ("Memory", "AsyncMemory"), strict=True):
        start = f"     on {face}: steps[0] (retract_episode never-written): NotFoundError: "
        assert line.startswith(start)
    assert lines[16:] == ["ok   right a case that holds"]
    assert captured.err.endswith("1 of 3 cases pass\n")


def test_cases_can_be_run_again_on_a_store_that_stays(tmp_path: Path) -> None:
    store = str(tmp_path / "memory.db")
    for _ in range(2):
        assert main([str(DATA / "cases_pass.json"), "--store", store]) == 0


@pytest.mark.parametrize("case", read_cases(DATA / "cases_pass.json"), ids=lambda case: case.id)
def test_a_case_that_expects_something_else_fails(case: Case) -> None:
    first = case.expect[0]
    wrong = replace(first, values=(*first.values, "something else"))
    assert len(run(replace(case, expect=(wrong,)))) == 2


CASE: dict[str, Any] = {
    "id": "c",
    "title": "t",
    "steps": [
        {
            "op": "assert",
            "episode": "E1",
            "at": "2024-01-01",
            "statements": [{"s": "Ana", "p": "LIVES_IN", "o": "Lima", "from": None}],
        }
    ],
    "expect": [{"s": "Ana", "p": "LIVES_IN", "valid": "2024-01-01", "values": ["Lima"]}],
}


def altered(*path: str | int, value: Any) -> dict[str, Any]:
    """A file with one good case, in which one place holds something else."""
    case = json.loads(json.dumps(CASE))
    place = case
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return {"cases": [case]}


STATEMENT = ("steps", 0, "statements", 0)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "the file must be an object"),
        ({}, "the file.cases must be a list"),
        ({"cases": []}, "the file holds no cases"),
        ({"cases": [1]}, "cases[0] must be an object"),
        ({"cases": [CASE, CASE]}, "case id 'c' is given twice"),
        (altered("id", value=""), "cases[0].id must be text"),
        (altered("steps", value=None), "cases[0].steps must be a list"),
        (altered("expect", value=[]), "cases[0].expect must hold at least one expectation"),
        (altered("single", value=[1]), "cases[0].single must be a list of texts"),
        (altered("steps", 0, "op", value="erase"), "op must be one of assert, retract_episode"),
        (altered("steps", 0, "at", value="soon"), "cases[0] (c).steps[0].at 'soon' is not a time"),
        (altered("steps", 0, "episode", value=7), "steps[0].episode must be text"),
        (altered(*STATEMENT, "s", value=None), "steps[0].statements[0].s must be text"),
        (altered(*STATEMENT, "o", value=None), "only a denial can be about the whole slot"),
        (altered(*STATEMENT, "from", value="2024-02-30"), "statements[0].from '2024-02-30'"),
        (altered(*STATEMENT, "polarity", value="no"), "polarity must be one of +, -"),
        (altered(*STATEMENT, "trust", value="high"), "trust must be a whole number"),
        (altered(*STATEMENT, "corrects", value="k9"), "no earlier statement has the key 'k9'"),
        (altered("expect", 0, "valid", value=None), "expect[0].valid must be text"),
        (altered("expect", 0, "values", value="Lima"), "expect[0].values must be a list"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], document: Any, complaint: str
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main([str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(path) in captured.err
    assert complaint in captured.err


def test_the_good_case_that_the_malformed_ones_are_made_of_passes(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": [CASE]}), encoding="utf-8")
    assert main([str(path)]) == 0


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b""])
def test_what_is_not_json_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(content)
    assert main([str(path)]) == 2
    assert "is not JSON in UTF-8" in capsys.readouterr().err


def test_an_unreadable_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        assert main([str(path)]) == 2
        assert f"{path} cannot be read" in capsys.readouterr().err


def test_a_field_that_is_not_read_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(altered(*STATEMENT, "form", value="2023")), encoding="utf-8")
    assert main([str(path)]) == 0
    captured = capsys.readouterr()
    assert "cases[0] (c).steps[0].statements[0].form is not read" in captured.err


def test_a_store_that_cannot_be_opened_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = f"nosuch://{tmp_path}"
    assert main([str(DATA / "cases_pass.json"), "--store", store]) == 2
    assert f"error: {store} cannot be used" in capsys.readouterr().err
