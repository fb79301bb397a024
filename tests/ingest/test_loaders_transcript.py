"""Transcripts in plain text and Markdown."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.time import format_instant, parse_instant
from bitempo.ingest.loaders import load_sessions
from bitempo.ingest.sessions import Malformed
from tests.ingest.loading import load, told

START = "2024-05-01T12:00:00Z"


def write(folder: Path, text: str, name: str = "talk.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana: hi\nTom: yo", [("Ana", "hi"), ("Tom", "yo")]),
        ("Ana: hi\r\nTom: yo\r\n", [("Ana", "hi"), ("Tom", "yo")]),
        ("\ufeffAna: hi", [("Ana", "hi")]),
        ("**Ana:** hi\n\n**Tom**: yo", [("Ana", "hi"), ("Tom", "yo")]),
        ("- **Ana:** hi\n- **Tom:** yo", [("Ana", "hi"), ("Tom", "yo")]),
        ("[2024-05-01 10:32] Ana: hi", [("Ana", "hi")]),
        ("[2024-05-01 10:32] **Ana:** hi", [("Ana", "hi")]),
        ("Dr. Ana-Maria O’Neill: hi", [("Dr. Ana-Maria O’Neill", "hi")]),
        ("Ωmega: γεια\n佐藤: やあ", [("Ωmega", "γεια"), ("佐藤", "やあ")]),
        ("Ana: hi\nand more\n\nstill more\n", [("Ana", "hi\nand more\n\nstill more")]),
        ("Ana:\nbelow", [("Ana", "below")]),
        ("Ana: see http://example.org: it is\nhttps://example.org/a", None),
        ("Ana: hi\n  Note: indented", [("Ana", "hi\n  Note: indented")]),
        ("**Ana:** hi\nNote: mine", [("Ana", "hi\nNote: mine")]),
        ("[2024-05-01 10:32] Ana: hi\nTom: no turn", [("Ana", "hi\nTom: no turn")]),
        (
            "Ana: hi\n```\nTom: code\n```\nTom: yo",
            [("Ana", "hi\n```\nTom: code\n```"), ("Tom", "yo")],
        ),
        ("Ana: hi\n```\nTom: yo", [("Ana", "hi\n```"), ("Tom", "yo")]),
        ("Ana: hi\n---\nTom: yo", [("Ana", "hi"), ("Tom", "yo")]),
        ("Ana: hi\n# A heading of hers", [("Ana", "hi\n# A heading of hers")]),
        (
            "Ana: hi\nthis is far too long to be the name of anyone who speaks: indeed",
            [("Ana", "hi\nthis is far too long to be the name of anyone who speaks: indeed")],
        ),
        ("Ana: hi\nat five we said this: no", [("Ana", "hi\nat five we said this: no")]),
    ],
)
def test_turns_are_told_from_the_lines_that_go_on(
    tmp_path: Path, text: str, expected: list[tuple[str, str]] | None
) -> None:
    sessions, malformed = load(write(tmp_path, text), started_at=START)
    assert malformed == []
    assert told(sessions[0]) == (expected or [("Ana", text.removeprefix("Ana: "))])


DATED = """\
# Our talks

## 2024-05-01 10:00
Ana: hi

### Second talk, 2 May 2024
Ana: again
Tom: yo

=== 2024-05-03 ===
Tom: third
2024-05-04 18:30
Tom: fourth
"""


def test_headings_and_lines_with_a_date_start_sessions(tmp_path: Path) -> None:
    sessions, malformed = load(write(tmp_path, DATED), timezone=ZoneInfo("Europe/Berlin"))
    assert malformed == []
    assert [(one.id, format_instant(one.started_at), told(one)) for one in sessions] == [
        ("talk/1", "2024-05-01T08:00:00Z", [("Ana", "hi")]),
        ("talk/2", "2024-05-01T22:00:00Z", [("Ana", "again"), ("Tom", "yo")]),
        ("talk/3", "2024-05-02T22:00:00Z", [("Tom", "third")]),
        ("talk/4", "2024-05-04T16:30:00Z", [("Tom", "fourth")]),
    ]
    assert sessions[1].metadata == {"title": "Second talk, 2 May 2024"}


def test_a_date_within_what_is_said_starts_no_session(tmp_path: Path) -> None:
    text = "Ana: hi\nI was born on 2 May 1990 in Rome\nTom: on 2024-05-01?"
    sessions, _ = load(write(tmp_path, text), started_at=START)
    assert [len(session.turns) for session in sessions] == [2]


def test_stamps_in_brackets_are_the_times_of_the_turns(tmp_path: Path) -> None:
    text = (
        "[2024-05-01 23:50] Ana: a\n[23:59] Tom: b\n[23:58] Tom: c\n"
        "[00:05] Ana: d\n[May 3, 2024 1:05 pm] Ana: e\n[2024-05-03T13:06:00+02:00] Ana: f\n"
    )
    sessions, malformed = load(write(tmp_path, text))
    assert malformed == []
    assert [format_instant(turn.occurred_at) for turn in sessions[0].turns] == [
        "2024-05-01T23:50:00Z",
        "2024-05-01T23:59:00Z",
        "2024-05-01T23:58:00Z",
        "2024-05-02T00:05:00Z",
        "2024-05-03T13:05:00Z",
        "2024-05-03T11:06:00Z",
    ]
    assert sessions[0].started_at == parse_instant("2024-05-01T23:50:00Z")


def test_a_time_alone_is_on_the_day_of_the_heading_in_the_zone_of_the_load(tmp_path: Path) -> None:
    text = "# 2024-05-01\n[08:00] Ana: hi"
    sessions, _ = load(write(tmp_path, text), timezone=ZoneInfo("Asia/Tokyo"))
    assert format_instant(sessions[0].turns[0].occurred_at) == "2024-04-30T23:00:00Z"


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("[2024-02-31 10:00] Ana: x\n[2024-03-01 10:00] Ana: good", 1, "not a date"),
        ("[10:00] Ana: x\n[2024-03-01 10:00] Ana: good", 1, "give started_at"),
        ("[99 bottles] Ana: x\n[2024-03-01 10:00] Ana: good", 1, "not a date"),
        ("# 2024-03-01\nprologue\nmore of it\nAna: good", 2, "before the first speaker"),
        ("# 2024-02-31\nAna: x\nTom: y\n# 2024-03-01\nAna: good", 1, "not a date"),
        ("Ana: x\n# 2024-03-01\nAna: good", 1, "give started_at"),
    ],
)
def test_what_is_malformed_is_reported_with_its_line_and_the_rest_is_loaded(
    tmp_path: Path, text: str, place: int, reason: str
) -> None:
    sessions, malformed = load(write(tmp_path, text))
    assert [told(session) for session in sessions] == [[("Ana", "good")]]
    assert [one.place for one in malformed] == [f"talk.md, line {place}"]
    assert reason in malformed[0].reason


def test_the_name_of_a_session_does_not_change_when_one_before_it_is_mended(
    tmp_path: Path,
) -> None:
    broken, _ = load(write(tmp_path, "# 2024-02-31\nAna: a\n# 2024-03-01\nAna: b"))
    mended, _ = load(write(tmp_path, "# 2024-02-29\nAna: a\n# 2024-03-01\nAna: b"))
    assert broken[0].id == mended[1].id == "talk/2"


def test_an_empty_turn_is_reported(tmp_path: Path) -> None:
    sessions, malformed = load(write(tmp_path, "Ana:\nTom: yo"), started_at=START)
    assert (told(sessions[0]), malformed) == ([("Tom", "yo")], [])
    assert sessions[0].skipped == (Malformed("talk.md, line 1", "the turn has no text"),)


def test_a_file_in_which_nobody_speaks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecordError, match="Name: text"):
        load_sessions(write(tmp_path, "just\nwords"), format="transcript", started_at=START)


def test_a_turn_of_a_megabyte_is_fine(tmp_path: Path) -> None:
    sessions, _ = load(write(tmp_path, "Ana: " + "word " * 200_000), started_at=START)
    assert len(sessions[0].turns[0].text) == 999_999
