"""The conversations.json of a ChatGPT export."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitempo.engine.time import parse_instant
from tests.ingest.loading import load, told, write_json

CREATED = 1_714_564_800.5


def message(text: object = "hi", role: object = "user", **extra: object) -> dict[str, object]:
    return {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text]},
        "create_time": None,
        **extra,
    }


def chat(*messages: object, **extra: object) -> dict[str, object]:
    """A conversation without branches: nodes n0, n1, … below an empty root."""
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
    parent = "root"
    for number, one in enumerate(messages):
        mapping[f"n{number}"] = {"message": one, "parent": parent}
        parent = f"n{number}"
    return {
        "title": "Talk",
        "create_time": CREATED,
        "conversation_id": "c",
        "mapping": mapping,
        "current_node": parent,
        **extra,
    }


def test_a_conversation_is_a_session_with_the_ids_and_times_of_its_messages(
    tmp_path: Path,
) -> None:
    document = chat(
        message("hi", id="m1", create_time=CREATED + 1), message("yo", role="assistant")
    )
    sessions, malformed = load(write_json(tmp_path, [document]))
    assert malformed == []
    session = sessions[0]
    start = parse_instant("2024-05-01T12:00:00.500000Z")
    assert (session.id, session.started_at, session.actor) == ("c", start, "user")
    assert session.metadata == {"title": "Talk"}
    assert told(session) == [("user", "hi"), ("assistant", "yo")]
    assert [(turn.id, turn.occurred_at - start) for turn in session.turns] == [
        ("m1", 1_000_000),
        ("n1", 1_000_001),
    ]


def test_only_the_branch_of_the_current_node_was_said(tmp_path: Path) -> None:
    document = chat(message("question"), message("second answer", role="assistant"))
    mapping = document["mapping"]
    assert isinstance(mapping, dict)
    mapping["other"] = {"message": message("first answer", role="assistant"), "parent": "n0"}
    mapping["after"] = {"message": message("thanks"), "parent": "other"}
    sessions, _ = load(write_json(tmp_path, [document]))
    assert told(sessions[0]) == [("user", "question"), ("assistant", "second answer")]


@pytest.mark.parametrize(
    ("unspoken", "reason"),
    [
        (message(role="system"), "role system"),
        (message(role="tool"), "role tool"),
        (message(metadata={"is_visually_hidden_from_conversation": True}), "hidden"),
        (message(role="assistant", recipient="browser"), "to browser"),
        (message(content={"content_type": "code", "text": "x"}), "type code"),
        (message(content={"content_type": "user_editable_context"}), "user_editable_context"),
        (message(""), "no text"),
        (message(content={"content_type": "text"}), "no text"),
        (message({"content_type": "image_asset_pointer"}), "no text"),
    ],
)
def test_what_nobody_said_is_no_turn_and_is_reported(
    tmp_path: Path, unspoken: object, reason: str
) -> None:
    sessions, malformed = load(write_json(tmp_path, [chat(unspoken, message("said"))]))
    assert (told(sessions[0]), malformed) == ([("user", "said")], [])
    assert [one.place for one in sessions[0].skipped] == ["file.json, conversation 1, message n0"]
    assert reason in sessions[0].skipped[0].reason


def test_the_texts_among_the_parts_are_joined(tmp_path: Path) -> None:
    parts = [
        "Look.",
        {"content_type": "image_asset_pointer"},
        {"content_type": "audio_transcription", "text": "Do you see it?"},
        "",
    ]
    content = {"content_type": "multimodal_text", "parts": parts}
    sessions, _ = load(write_json(tmp_path, [chat(message(content=content))]))
    assert told(sessions[0]) == [("user", "Look.\nDo you see it?")]


def test_the_actor_of_the_load_speaks_as_the_user(tmp_path: Path) -> None:
    sessions, _ = load(write_json(tmp_path, [chat(message())]), actor="Mara")
    assert told(sessions[0]) == [("Mara", "hi")]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (3, "must be an object"),
        ({"conversation_id": "d"}, "mapping must be an object"),
        (chat(message(), conversation_id=3), "id of a session must be text"),
        (chat(message(), conversation_id="d", current_node=None), "no current_node"),
        (chat(message(), conversation_id="d", current_node="n7"), "current_node names no node"),
        (chat(message(), conversation_id="d", current_node=["n0"]), "current_node names no node"),
        (chat(message(), conversation_id="d", create_time="now"), "create_time"),
        (chat(message(), conversation_id="d", create_time=1e18), "create_time"),
        (chat(message(), conversation_id="d", create_time=None), "started_at"),
        (
            chat(conversation_id="d", mapping={"a": {"parent": "b"}}, current_node="a"),
            "the parent of a names no node",
        ),
        (
            chat(
                conversation_id="d",
                mapping={"a": {"parent": "b"}, "b": {"parent": "a"}},
                current_node="a",
            ),
            "its own ancestor",
        ),
    ],
)
def test_a_malformed_conversation_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object, reason: str
) -> None:
    sessions, malformed = load(write_json(tmp_path, [bad, chat(message()), chat(message())]))
    assert [session.id for session in sessions] == ["c"]
    assert [one.place for one in malformed] == [
        "file.json, conversation 1",
        "file.json, conversation 3",
    ]
    assert reason in malformed[0].reason
    assert "used twice" in malformed[1].reason


@pytest.mark.parametrize(
    "bad",
    [
        3,
        {"author": {"role": "user"}},
        {"content": {"parts": ["x"]}},
        message(role=None),
        message(create_time="now"),
        message(content={"content_type": "text", "parts": "x"}),
        message(id=3),
        message(id="n2"),
    ],
)
def test_a_malformed_message_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object
) -> None:
    document = chat(message("a", id="n2"), bad, message("c", id="m"))
    sessions, malformed = load(write_json(tmp_path, [document]))
    assert told(sessions[0]) == [("user", "a"), ("user", "c")]
    assert [one.place for one in malformed] == ["file.json, conversation 1, message n1"]


def test_a_long_conversation_is_followed_to_its_root(tmp_path: Path) -> None:
    document = chat(*(message(str(number)) for number in range(10_000)))
    sessions, _ = load(write_json(tmp_path, [document]))
    assert [turn.text for turn in sessions[0].turns] == [str(number) for number in range(10_000)]
