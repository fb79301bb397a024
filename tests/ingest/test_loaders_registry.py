"""The registry: recognising, refusing, strictness, and files in every state."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidRecordError, InvalidTimeError
from bitempo.ingest.loaders import LOADERS, load_sessions, loader_names
from bitempo.ingest.sessions import Malformed, SourceSession
from tests.ingest.loading import load, told, write_json, write_lines

START = "2024-05-01T12:00:00Z"
MESSAGE = {"role": "user", "content": "hi"}
TURN = {"speaker": "Ana", "dia_id": "D1:1", "text": "hi"}
LOCOMO = {
    "sample_id": "one",
    "conversation": {"session_1": [TURN], "session_1_date_time": "1:56 pm on 8 May, 2023"},
}
QUESTION = {
    "question_id": "q",
    "haystack_session_ids": ["s"],
    "haystack_dates": ["2023/04/10 (Mon) 23:07"],
    "haystack_sessions": [[MESSAGE]],
}
SHARED = {
    "sessions": {"s": [MESSAGE]},
    "questions": [{"id": "q", "haystack": [["s", "2023/04/10 (Mon) 23:07"]]}],
}
NODE = {"parent": None, "message": {"author": {"role": "user"}, "content": {"parts": ["hi"]}}}
CHAT = {"id": "c", "create_time": 1.0, "mapping": {"n": NODE}, "current_node": "n"}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_names_are_those_of_the_registry() -> None:
    assert loader_names() == ("locomo", "longmemeval", "chatgpt", "messages", "transcript")
    assert all(loader.name == name and loader.description for name, loader in LOADERS.items())


@pytest.mark.parametrize(
    ("document", "format"),
    [
        ([LOCOMO], "locomo"),
        (LOCOMO, "locomo"),
        ([QUESTION], "longmemeval"),
        (QUESTION, "longmemeval"),
        (SHARED, "longmemeval"),
        ([CHAT], "chatgpt"),
        (CHAT, "chatgpt"),
        ([MESSAGE], "messages"),
        ({"messages": [MESSAGE]}, "messages"),
        ([{"messages": [MESSAGE]}], "messages"),
        ([[MESSAGE], [MESSAGE]], "messages"),
    ],
)
@pytest.mark.parametrize("name", ["file.json", "file"])
def test_each_json_format_is_recognised_and_by_one_loader_only(
    tmp_path: Path, document: object, format: str, name: str
) -> None:
    path = write_json(tmp_path, document, name)
    sessions, malformed = load(path, started_at=START)
    assert malformed == []
    assert sessions == load(path, started_at=START, format=format)[0]
    assert {text for session in sessions for _, text in told(session)} == {"hi"}


@pytest.mark.parametrize("name", ["file.jsonl", "file.ndjson", "file.json", "file", "file.txt"])
def test_json_lines_are_recognised_by_their_lines(tmp_path: Path, name: str) -> None:
    sessions, malformed = load(write_lines(tmp_path, MESSAGE, MESSAGE, name=name), started_at=START)
    assert (len(sessions), malformed) == (1, [])
    assert told(sessions[0]) == [("user", "hi"), ("user", "hi")]


@pytest.mark.parametrize("line", ["Ana: hi", "[2024-05-01 10:32] Ana: hi", "**Ana:** hi"])
@pytest.mark.parametrize("name", ["file.txt", "file.md", "file"])
def test_transcripts_are_recognised_by_a_line(tmp_path: Path, name: str, line: str) -> None:
    sessions, malformed = load(write_lines(tmp_path, line, name=name), started_at=START)
    assert (told(sessions[0]), malformed) == ([("Ana", "hi")], [])


@pytest.mark.parametrize("document", [[], {}, 3, "text", None, [1, 2], {"a": 1}, [[]], [[1]]])
def test_json_of_no_known_format_is_refused_with_the_names(
    tmp_path: Path, document: object
) -> None:
    with pytest.raises(InvalidRecordError, match="locomo, longmemeval, chatgpt, messages"):
        load_sessions(write_json(tmp_path, document))


def test_an_unknown_format_is_refused_with_the_names(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecordError, match="no format 'xml'; known are locomo, longmem"):
        load_sessions(write_json(tmp_path, [MESSAGE]), format="xml")


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gz", "xz"])
@pytest.mark.parametrize("suffix", [".gz", ".xz", ""])
def test_compression_is_told_by_the_bytes(tmp_path: Path, compress: Any, suffix: str) -> None:
    path = tmp_path / f"talk.json{suffix}"
    path.write_bytes(compress(json.dumps([MESSAGE]).encode()))
    sessions, _ = load(path, started_at=START)
    assert [session.id for session in sessions] == ["talk"]


@pytest.mark.parametrize(
    ("data", "name", "place", "reason"),
    [
        (b"", "a.json", "a.json", "is empty"),
        (b" \r\n\t", "a.txt", "a.txt", "is empty"),
        (b"\xef\xbb\xbf", "a.jsonl", "a.jsonl", "is empty"),
        (b'[{"role": "user",\n  "content" 3}]', "a.json", "a.json, line 2, column 13", "not JSON"),
        (b'[{"role": "user"}', "a.json", "a.json, line 1, column 18", "not JSON"),
        (b"[" * 100_000, "a.json", "a.json", "nested too deeply"),
        (b"[" + b"1" * 5_000 + b"]", "a.json", "a.json", "not JSON that can be read"),
        (b'[\n{"role": "\xe9"}]', "a.json", "a.json, line 2", "not UTF-8 .byte 0xe9."),
        (b"Ana: hi\nTom: caf\xe9", "a.txt", "a.txt, line 2", "not UTF-8"),
        ("Ana: hi".encode("utf-16"), "a.txt", "a.txt, line 1", "UTF-16"),
        (b"just words", "a.txt", "a.txt", "not recognised"),
        (lzma.compress(b"[" * 1000)[:40], "a.json.xz", "a.json.xz", "cut off"),
        (gzip.compress(b"[" * 1000, mtime=0)[:20], "a.json.gz", "a.json.gz", "cut off"),
        (b"\xfd7zXZ\x00 and no more of it", "a.json.xz", "a.json.xz", "damaged"),
        (b"\x1f\x8b\x08 and no more of it", "a.json.gz", "a.json.gz", "damaged"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_file_that_cannot_be_read_is_refused_at_the_call(
    tmp_path: Path, data: bytes, name: str, place: str, reason: str, strict: bool
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidRecordError, match=reason) as caught:
        load_sessions(path, started_at=START, strict=strict)
    assert caught.value.place.endswith(place)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecordError, match="no such file") as caught:
        load_sessions(tmp_path / "none.json")
    assert caught.value.place == str(tmp_path / "none.json")
    with pytest.raises(InvalidRecordError) as refused:
        load_sessions(tmp_path)
    assert str(refused.value) == f"{tmp_path}: is a folder; give a file"
    with pytest.raises(InvalidRecordError, match="cannot be read"):
        load_sessions("null\x00byte.json")


@pytest.mark.parametrize("name", ["file.json", "file.jsonl"])
def test_a_byte_order_mark_and_crlf_are_no_part_of_the_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"messages": [MESSAGE]}).encode() + b"\r\n")
    assert told(load(path, started_at=START)[0][0]) == [("user", "hi")]


def test_a_line_that_cannot_be_read_is_reported_and_the_rest_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    good = json.dumps(MESSAGE).encode()
    path.write_bytes(b"\n".join([good, b'{"role": ', b"\xff\xfe", b"[1]", b"", good]))
    sessions, malformed = load(path, started_at=START)
    assert len(sessions[0].turns) == 2
    assert [one.place for one in malformed] == [
        "file.jsonl, line 2, column 10",
        "file.jsonl, line 3",
        "file.jsonl, line 4",
    ]


def test_lines_before_the_break_of_a_cut_off_file_are_loaded_and_the_break_reported(
    tmp_path: Path,
) -> None:
    # Words that do not compress, so that the break falls far behind the first 64 KiB.
    lines = [json.dumps({**MESSAGE, "content": f"{n * n:x} {n**9:x}"}) for n in range(40_000)]
    path = tmp_path / "file.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0)[:-5_000])
    sessions, malformed = load(path, started_at=START)
    assert 30_000 < len(sessions[0].turns) < 40_000
    assert malformed[-1].place.startswith("file.jsonl.gz, after line")
    assert "cut off" in malformed[-1].reason


BROKEN: list[tuple[str, object]] = [
    ("locomo", [LOCOMO, {"sample_id": "two", "conversation": 3}]),
    ("longmemeval", [QUESTION, {**QUESTION, "question_id": 4}]),
    ("chatgpt", [CHAT, {**CHAT, "id": "d", "current_node": "x"}]),
    ("messages", [MESSAGE, {"role": "user"}]),
    ("transcript", "Ana: hi\n\n# 2024-02-31\nAna: lost\n"),
]


def test_every_format_is_tried_for_strictness() -> None:
    assert {format for format, _ in BROKEN} == set(loader_names())


@pytest.mark.parametrize(("format", "content"), BROKEN)
def test_strict_refuses_before_the_first_session_and_lenient_loads_the_rest(
    tmp_path: Path, format: str, content: object
) -> None:
    path = tmp_path / "file"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    sessions, malformed = load(path, format=format, started_at=START)
    assert [told(session)[0][1] for session in sessions] == ["hi"]
    assert len(malformed) == 1
    calls: list[int] = []
    with pytest.raises(InvalidRecordError) as caught:
        load_sessions(
            path,
            format=format,
            started_at=START,
            strict=True,
            progress=lambda done, _: calls.append(done),
        )
    assert (caught.value.place, calls) == (malformed[0].place, [])
    assert malformed[0].reason in str(caught.value)


def test_strict_says_how_many_more_are_malformed(tmp_path: Path) -> None:
    path = write_lines(tmp_path, MESSAGE, "{", "[]", "3")
    with pytest.raises(InvalidRecordError, match=r"and 2 more") as caught:
        load_sessions(path, started_at=START, strict=True)
    assert caught.value.place == "file.jsonl, line 2, column 2"


def test_strict_accepts_empty_turns_and_reports_them(tmp_path: Path) -> None:
    path = write_json(tmp_path, [MESSAGE, {"role": "user", "content": ""}])
    sessions = list(load_sessions(path, started_at=START, strict=True))
    assert isinstance(sessions[0], SourceSession)
    assert sessions[0].skipped == (Malformed("file.json, message 2", "the turn has no text"),)


def test_progress_counts_sessions_and_knows_the_total_unless_streamed(tmp_path: Path) -> None:
    conversations = [{"messages": [MESSAGE]}, 3, {"messages": [MESSAGE]}]
    calls: list[tuple[int, int | None]] = []

    def note(done: int, total: int | None) -> None:
        calls.append((done, total))

    list(load_sessions(write_json(tmp_path, conversations), started_at=START, progress=note))
    list(load_sessions(write_lines(tmp_path, *conversations), started_at=START, progress=note))
    assert calls == [(1, 2), (2, 2), (1, None), (2, None)]


def test_json_lines_are_streamed(tmp_path: Path) -> None:
    path = write_lines(tmp_path, *({"messages": [MESSAGE]} for _ in range(3)), "{")
    items = load_sessions(path, started_at=START)
    first = next(items)
    assert isinstance(first, SourceSession)
    assert first.id == "file/1"
    assert isinstance(list(items)[-1], Malformed)


def test_a_naive_start_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidTimeError):
        load_sessions(write_json(tmp_path, [MESSAGE]), started_at="2024-05-01T12:00:00")


@pytest.mark.parametrize("name", ["conversation.jsonl", "transcript.md"])
def test_the_shipped_examples_load_strictly(name: str) -> None:
    sessions = [
        item
        for item in load_sessions(EXAMPLES / name, strict=True)
        if isinstance(item, SourceSession)
    ]
    assert len(sessions) >= 2
    assert all(session.turns and not session.skipped for session in sessions)
    starts = [session.started_at for session in sessions]
    assert starts == sorted(set(starts))


# JSON that comes near the formats: their keys and values, in any arrangement.
_KEYS = st.sampled_from(
    [
        "sample_id",
        "conversation",
        "session_1",
        "session_1_date_time",
        "speaker",
        "dia_id",
        "text",
        "blip_caption",
        "question_id",
        "haystack_session_ids",
        "haystack_dates",
        "haystack_sessions",
        "sessions",
        "questions",
        "haystack",
        "id",
        "mapping",
        "current_node",
        "parent",
        "message",
        "author",
        "role",
        "content",
        "parts",
        "create_time",
        "content_type",
        "metadata",
        "recipient",
        "messages",
        "name",
        "timestamp",
        "created_at",
        "started_at",
        "actor",
        "a",
    ]
)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=8)
    | st.sampled_from(["1:56 pm on 8 May, 2023", "2023/04/10 (Mon) 23:07", "user", "a", "tool"])
)
_JSON = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=8),
    max_leaves=30,
)


_GOOD = [[LOCOMO], [QUESTION], SHARED, [CHAT], [MESSAGE], [{"id": "s", "messages": [MESSAGE]}]]


@st.composite
def _damaged(draw: st.DrawFn) -> object:
    """A good document with arbitrary JSON in one place."""
    document = json.loads(json.dumps(draw(st.sampled_from(_GOOD))))
    at: Any = document
    while True:
        key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not at[key] or not isinstance(at[key], dict | list) or draw(st.booleans()):
            at[key] = draw(_JSON)
            return document
        at = at[key]


@pytest.mark.parametrize("format", [None, *LOADERS])
@given(document=_JSON | _damaged(), suffix=st.sampled_from([".json", ".jsonl", ".txt"]))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_json_loads_or_is_refused_as_an_invalid_record(
    tmp_path: Path, format: str | None, document: object, suffix: str
) -> None:
    path = write_json(tmp_path, document, f"file{suffix}")
    try:
        items = list(load_sessions(path, format=format, started_at=START))
    except InvalidRecordError:
        return
    for item in items:
        assert isinstance(item, SourceSession | Malformed)
        if isinstance(item, SourceSession):
            assert all(turn.text.strip() and turn.text.encode() for turn in item.turns)


@given(
    text=st.text(st.sampled_from("Ana: [2024-05-01]#*\n`"), max_size=200)
    | st.text(st.characters(codec="utf-8"), max_size=200)
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_loads_or_is_refused_as_an_invalid_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.txt"
    path.write_text(text, encoding="utf-8")
    try:
        sessions, malformed = load(path, format="transcript", started_at=START)
    except InvalidRecordError:
        return
    assert sessions or malformed
