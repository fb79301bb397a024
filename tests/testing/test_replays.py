"""Replays: whatever part of a session a request holds, what was recorded of it is replied."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bitempo import InvalidRecordError, SourceSession, load_sessions
from bitempo.engine.model import Episode
from bitempo.ingest.extraction import Window
from bitempo.ingest.llm.prompt import PromptSettings, prompt_of
from bitempo.ingest.windows import episodes_of
from bitempo.testing import Call, Replay, ScriptError, replay_extractions

HELLO = "Hello!"
TURNS = [HELLO, "I moved to Cusco last May.", "Nice photo!", HELLO, "No, it was in June, sorry."]


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    """A conversation of two sessions that begin with the same words."""
    turns: list[dict[str, Any]] = [
        {"dia_id": f"D1:{n}", "speaker": "Ana" if n % 2 else "Ben", "text": text}
        for n, text in enumerate(TURNS, start=1)
    ]
    turns[2]["blip_caption"] = "a dog on a bench"
    told = {
        "session_1_date_time": "1:56 pm on 8 May, 2024",
        "session_1": turns,
        "session_2_date_time": "1:56 pm on 9 May, 2024",
        "session_2": [{"dia_id": "D2:1", "speaker": "Ana", "text": HELLO}],
    }
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"sample_id": "one", "conversation": told}]))
    return path


def assertion(id: str, evidence: Sequence[str], quote: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "subject": "Ana",
        "predicate": "LIVES_IN",
        "object": "Cusco",
        "text": f"Ana lives in Cusco ({id}).",
        "evidence": list(evidence),
        "quote": quote,
    } | fields


RECORDED = [
    assertion("S1#1", ["D1:2", "D1:1"], "moved to Cusco", **{"from": "2023-05-01T00:00:00Z"}),
    assertion("S1#2", ["D1:3"], "photo! [photo: a dog", object=None, value="a dog"),
    assertion("S1#3", ["D1:5", "D1:2"], "it was in June", corrects="S1#1", granularity="month"),
]


def replay(folder: Path, conversations: Path, *assertions: dict[str, Any]) -> Replay:
    line = {
        "session": 1,
        "date": "2024-05-08T13:56:00Z",
        "entities": [{"name": "Cusco", "type": "place", "aliases": ["the city"]}],
        "assertions": list(assertions),
    }
    path = folder / "one.jsonl"
    path.write_text(json.dumps(line) + "\n\n")
    return replay_extractions(path, conversations)


def sessions(path: Path) -> list[list[Episode]]:
    return [
        episodes_of("t", session.id, session.turns)
        for session in load_sessions(path)
        if isinstance(session, SourceSession)
    ]


def request(episodes: Sequence[Episode], context: Sequence[Episode] = ()) -> Call:
    """The request that the product makes for a window."""
    prompt = prompt_of(Window("w", "s", tuple(episodes), tuple(context)), PromptSettings())
    messages = [{"role": role, "content": text} for role, text in prompt.messages]
    return Call(1, "/v1/chat/completions", {}, {"messages": messages})


def test_a_whole_session_gets_all_that_was_recorded_of_it(
    tmp_path: Path, conversations: Path
) -> None:
    script = replay(tmp_path, conversations, *RECORDED)
    first, second = sessions(conversations)
    reply = script(request(first))
    assert [(claim.evidence, claim.quote) for claim in reply.assertions] == [
        (["t2", "t1"], "moved to Cusco"),
        (["t3"], "photo! [image: a dog"),
        (["t5", "t2"], "it was in June"),
    ]
    assert [claim.corrects for claim in reply.assertions] == [None, None, "a1"]
    assert [claim.valid_from for claim in reply.assertions] == ["2023-05-01T00:00:00Z", None, None]
    assert [claim.granularity for claim in reply.assertions] == ["unknown", "unknown", "month"]
    assert [(entity.name, entity.aliases) for entity in reply.entities] == [("Cusco", ["the city"])]
    assert script(request(second)).assertions == []
    assert script.given == {("one", f"S1#{n}"): 1 for n in (1, 2, 3)}
    assert script.given.keys() == script.assertions


def test_a_window_gets_what_its_own_turns_say(tmp_path: Path, conversations: Path) -> None:
    script = replay(tmp_path, conversations, *RECORDED)
    turns = sessions(conversations)[0]
    assert [c.evidence for c in script(request(turns[:2])).assertions] == [["t2", "t1"]]
    # The last one stands on a turn that is only context now, or is not there at all.
    assert [c.evidence for c in script(request(turns[3:], turns[1:3])).assertions] == [["t2", "c1"]]
    assert [c.evidence for c in script(request(turns[3:], turns[2:3])).assertions] == [["t2"]]


def test_turns_that_were_not_recorded_are_refused(tmp_path: Path, conversations: Path) -> None:
    script = replay(tmp_path, conversations, *RECORDED)
    first = sessions(conversations)[0]
    other = Episode("e", "Something else.", first[0].occurred_at, actor="Ana")
    with pytest.raises(ScriptError, match="no session of the recording"):
        script(request([other]))
    with pytest.raises(ScriptError, match="no session of the recording"):
        script(request([first[0], first[2]]))
    with pytest.raises(ScriptError, match="no turns"):
        script(Call(1, "", {}, {"messages": [{"role": "user", "content": "?"}]}))


def test_evidence_that_there_is_not_is_refused(tmp_path: Path, conversations: Path) -> None:
    with pytest.raises(InvalidRecordError, match=r"one, S1#1: there is no turn 'D9:1'"):
        replay(tmp_path, conversations, assertion("S1#1", ["D9:1"], "x"))


def test_a_line_that_is_no_recording_is_refused_with_its_place(
    tmp_path: Path, conversations: Path
) -> None:
    with pytest.raises(InvalidRecordError, match=r"one\.jsonl, line 1: no recorded session"):
        replay(tmp_path, conversations, {"id": "S1#1"})
    with pytest.raises(InvalidRecordError, match="cannot be read"):
        replay_extractions(tmp_path / "none.jsonl", conversations)


def test_sessions_are_counted_by_date_and_turns_from_one(tmp_path: Path) -> None:
    question = {
        "question_id": "q",
        "haystack_session_ids": ["b", "a"],
        "haystack_dates": ["2024/06/02 (Sun) 10:00", "2024/06/01 (Sat) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "later"}],
            [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "earlier"}],
        ],
    }
    told = tmp_path / "questions.json"
    told.write_text(json.dumps([question, question | {"question_id": "unrecorded"}]))
    recorded = tmp_path / "file.jsonl"
    lines = [
        {"question_id": "q", "session": 1, "assertions": [assertion("S1#1", ["S1:2"], "earlier")]},
        {"question_id": "q", "session": 2, "assertions": [assertion("S2#1", ["S2:1"], "later")]},
    ]
    recorded.write_text("\n".join(map(json.dumps, lines)))
    script = replay_extractions(recorded, told)
    later, earlier = sessions(told)[:2]
    assert [claim.evidence for claim in script(request(earlier)).assertions] == [["t2"]]
    assert [claim.evidence for claim in script(request(later)).assertions] == [["t1"]]
    assert replay_extractions(recorded, told, only=["other"]).assertions == set()
