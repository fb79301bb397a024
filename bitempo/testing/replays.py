"""Replays: recorded extractions as the script of a model, window by window."""

from __future__ import annotations

import itertools
import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.time import Instant
from bitempo.ingest.llm.reply import Reply
from bitempo.ingest.loaders import load_sessions
from bitempo.ingest.resolution.model import Decisions
from bitempo.ingest.sessions import SourceSession, Turn
from bitempo.testing.call import Call
from bitempo.testing.claims import Claim, Named, reply_with
from bitempo.testing.pairs import deciding
from bitempo.testing.prompts import ExtractionPrompt, PromptTurn, read_prompt
from bitempo.testing.recordings import RecordedAssertion, RecordedSession, read_recordings
from bitempo.testing.script import ScriptError


class Replay:
    """A script that answers for each window what the recorded model found in its turns.

    It tells the turns by their texts and times, whatever part of a session a window holds. A
    claim is made where its main evidence is in the window; further evidence is cited where the
    prompt has it, as context too, and is left out elsewhere.
    """

    def __init__(self, sessions: Sequence[_ReplayedSession]) -> None:
        self._sessions = sessions
        self._by_text: dict[str, list[_ReplayedSession]] = defaultdict(list)
        for session in sessions:
            for text in {turn.text for turn in session.turns}:
                self._by_text[text].append(session)
        self._lock = threading.Lock()
        self._given: dict[tuple[str, str], int] = defaultdict(int)

    @property
    def assertions(self) -> set[tuple[str, str]]:
        """All that were recorded: pairs of conversation and id."""
        return {
            (session.conversation, recorded.id)
            for session in self._sessions
            for recorded in session.assertions
        }

    @property
    def given(self) -> Mapping[tuple[str, str], int]:
        """How often each recorded assertion was part of a reply, by conversation and id."""
        with self._lock:
            return dict(self._given)

    def __call__(self, call: Call) -> Reply | Decisions:
        """The reply to a call. Of two names of one recorded entity it says that they are the same.

        Raises:
            ScriptError: the turns are those of no session of the recording, or of several.
        """
        decisions = deciding(call, self._same())
        if decisions is not None:
            return decisions
        prompt = read_prompt(call)
        session, start = self._located(prompt.turns)
        labels = session.labels(prompt, start)
        found: list[tuple[Claim, list[str]]] = []
        given: list[tuple[str, str]] = []
        for recorded in session.assertions:
            main = labels.get(recorded.evidence[0], "")
            if main.startswith("t"):
                cited = [labels[id] for id in recorded.evidence if id in labels]
                found.append((session.claim(recorded), list(dict.fromkeys(cited))))
                given.append((session.conversation, recorded.id))
        with self._lock:
            for key in given:
                self._given[key] += 1
        return reply_with(prompt, found, session.entities)

    def _same(self) -> set[tuple[str, str]]:
        return {
            pair
            for session in self._sessions
            for entity in session.entities
            for pair in itertools.combinations((entity.name, *entity.aliases), 2)
        }

    def _located(self, turns: Sequence[PromptTurn]) -> tuple[_ReplayedSession, int]:
        if not turns:
            raise ScriptError("the request holds no turns to extract from")
        found = [
            (session, start)
            for session in self._by_text.get(turns[0].text, ())
            if (start := session.find(turns)) is not None
        ]
        if len(found) != 1:
            many = "several sessions" if found else "no session"
            raise ScriptError(f"{many} of the recording hold these turns: {turns[0].text[:80]!r} …")
        return found[0]


def replay_extractions(
    extractions: str | Path | Iterable[str | Path],
    conversations: str | Path,
    *,
    only: Iterable[str] | None = None,
) -> Replay:
    """A script of recorded extractions (see `recordings`), with the conversations they are of.

    Args:
        extractions: one file or several, as JSON lines.
        conversations: the file of the conversations, in any format that `load_sessions` reads.
            Evidence is the id of a turn there, without the conversation's name before it; or
            `S<session>:<turn>`, both counted from 1, sessions in the order of their dates.
        only: names of the conversations to replay; by default all that are recorded.

    Raises:
        InvalidRecordError: a file cannot be read, or evidence names a turn that there is not.
    """
    paths = [extractions] if isinstance(extractions, str | Path) else list(extractions)
    wanted = None if only is None else set(only)
    recorded: dict[str, list[RecordedSession]] = defaultdict(list)
    for name, session in read_recordings(Path(path) for path in paths):
        if wanted is None or name in wanted:
            recorded[name].append(session)
    told: dict[str, list[SourceSession]] = defaultdict(list)
    for item in load_sessions(conversations):
        if isinstance(item, SourceSession) and (name := item.id.partition("/")[0]) in recorded:
            told[name].append(item)
    return Replay(
        [
            replayed
            for name, sessions in recorded.items()
            for replayed in _replayed(name, sessions, told[name])
        ]
    )


@dataclass(frozen=True, eq=False)
class _ReplayedSession:
    """A session with what was recorded of it; `ids` are those of its turns in the recording."""

    conversation: str
    turns: tuple[Turn, ...]
    ids: tuple[str, ...]
    assertions: tuple[RecordedAssertion, ...]
    entities: tuple[Named, ...]
    by_id: Mapping[str, RecordedAssertion]

    def find(self, turns: Sequence[PromptTurn]) -> int | None:
        """Where in the session the turns stand one after the other; None when they do not."""
        for start in range(len(self.turns) - len(turns) + 1):
            pairs = zip(turns, self.turns[start:], strict=False)
            if all(_same(said, turn) for said, turn in pairs):
                return start
        return None

    def labels(self, prompt: ExtractionPrompt, start: int) -> dict[str, str]:
        """The labels of the prompt by the ids of the turns that they stand for."""
        labelled = dict(zip(self.ids[start:], (turn.label for turn in prompt.turns), strict=False))
        before = list(zip(self.ids[:start], self.turns[:start], strict=True))
        for said, (id, turn) in zip(reversed(prompt.context), reversed(before), strict=False):
            # A long turn is cut in the context, which changes nothing of its place.
            if said.actor == turn.actor:
                labelled[id] = said.label
        return labelled

    def claim(self, recorded: RecordedAssertion) -> Claim:
        wrong = self.by_id.get(recorded.corrects or "")
        claim = recorded.claim(wrong.said if wrong else None)
        told = self.turns[self.ids.index(recorded.evidence[0])].text
        if claim.quote not in told:
            # Pictures stand in the text of a turn, and each reader of the file marks its own way.
            marked = _PICTURE.sub("[image: ", claim.quote)
            claim = replace(claim, quote=marked if marked in told else claim.quote)
        return claim


def _replayed(
    name: str, recorded: Sequence[RecordedSession], told: Sequence[SourceSession]
) -> list[_ReplayedSession]:
    ids = _turn_ids(name, told)
    # A later session may arrive first, so that all it names is told with it.
    entities = tuple(entity.named() for session in recorded for entity in session.entities)
    by_id = {item.id: item for session in recorded for item in session.assertions}
    place = {id: number for number, session in enumerate(ids) for id in session}
    by_session: dict[int, list[RecordedAssertion]] = defaultdict(list)
    for item in by_id.values():
        if item.evidence[0] not in place:
            raise InvalidRecordError(
                f"there is no turn {item.evidence[0]!r}", place=f"{name}, {item.id}"
            )
        by_session[place[item.evidence[0]]].append(item)
    return [
        _ReplayedSession(
            name,
            session.turns,
            names,
            tuple(by_session[number]),
            entities,
            by_id,
        )
        for number, (session, names) in enumerate(zip(told, ids, strict=True))
    ]


_PICTURE = re.compile(r"\[(?:photo|picture|image): ")
_TURN_INDEX = re.compile(r".*/(\d+)")


def _turn_ids(name: str, told: Sequence[SourceSession]) -> list[tuple[str, ...]]:
    """The ids of the turns in the recording, session by session."""
    places = sorted(range(len(told)), key=lambda place: told[place].started_at)
    number = {place: count for count, place in enumerate(places, start=1)}
    found = []
    for place, session in enumerate(told):
        own = [(turn.id or "").removeprefix(f"{name}/") for turn in session.turns]
        indexed = [_TURN_INDEX.fullmatch(id) for id in own]
        found.append(
            tuple(
                f"S{number[place]}:{int(match[1]) + 1}" if match else id
                for id, match in zip(own, indexed, strict=True)
            )
        )
    return found


def _same(said: PromptTurn, turn: Turn) -> bool:
    if said.text != turn.text:
        return False
    return said.occurred_at is None or _minute(said.occurred_at) == _minute(turn.occurred_at)


def _minute(instant: Instant) -> int:
    return instant // 60_000_000
