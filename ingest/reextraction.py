"""Turns on record that are read again by another extractor, or another version of it.

What an extractor made of the turns is retracted in the commit that adds what the current one
makes of them; so the past as it was known earlier stays. What was asserted by hand or imported is
not an extractor's, and stays too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import (
    Assertion,
    AssertionDraft,
    Correction,
    Episode,
    EpisodeKind,
    Session,
)
from bitempo.engine.names import digest
from bitempo.engine.place import assertion_id
from bitempo.engine.store.port import InboxWindow, Reader, Reading
from bitempo.engine.time import FOREVER, Instant
from bitempo.ingest.extraction import Window
from bitempo.ingest.windows import AGAIN, WindowSettings, to_inbox, windows_of

NOT_EXTRACTED = frozenset({"statement", "graphiti"})
"""Whose assertions no extractor made: those asserted by hand, and those of a Graphiti graph.

Nor did one make the merges of resolution, which hold whoever reads the turns.
"""


def is_again(stored: InboxWindow) -> bool:
    """Whether the window is one whose turns are read again."""
    return stored.id.startswith(AGAIN)


def windows_to_read_again(
    session: str,
    extractor: str,
    readings: Sequence[Reading],
    waiting: Iterable[InboxWindow],
    reader: Reader,
    settings: WindowSettings,
    now: Instant,
) -> Iterator[InboxWindow]:
    """Windows of the session's turns that another than `extractor` read last.

    Args:
        session: whose turns.
        extractor: the name and version of the current one.
        readings: the windows of the session that were applied, in order.
        waiting: those that are not applied yet; their turns are as good as read again.
        reader: the memory.
        settings: how large windows are.
        now: when they are received.
    """
    turns = [turn for turn in reader.turns(session) if _stands(turn)]
    spans = [stored.turns for stored in waiting if is_again(stored) and stored.turns]
    wanted = {
        turn.id
        for turn in _read_by_others(turns, extractor, readings, reader)
        if not any(first <= (turn.position or 0) <= last for first, last in spans)
    }
    if not wanted:
        return
    record = reader.sessions([session]).get(session) or Session(session, turns[0].occurred_at)
    for window in windows_of(record, turns, wanted, settings=settings):
        # Read by A, then by B, then by A again: the third reading is not the first.
        earlier = sum(1 for reading in readings if _overlap(reading, window.episodes))
        id = AGAIN + digest(window.id, extractor, str(earlier))
        yield to_inbox(record, replace(window, id=id), now, extractor)


def replaced(window: Window, reader: Reader) -> tuple[str, ...]:
    """Ids of what extractors claimed on the evidence of the window's turns first of all."""
    return tuple(assertion.id for assertion in _extracted_from(window.episodes, reader))


def without_what_it_replaces(window: Window, reader: Reader) -> Window:
    """The window, knowing nothing that is known only from an earlier reading of it.

    Else the model would take for known what is about to be retracted, and leave it out.
    """
    gone = set(replaced(window, reader))
    facts = tuple(fact for fact in window.known.facts if not gone.issuperset(fact.support))
    return replace(window, known=replace(window.known, facts=facts))


def with_new_keys(drafts: Sequence[AssertionDraft], reader: Reader) -> tuple[AssertionDraft, ...]:
    """The drafts with keys that no assertion on record has, the retracted ones included.

    A key that is taken gets a number ("a", then "a~2"), and what corrects the draft follows.
    """
    renamed: dict[str, str] = {}
    keys = [draft.key for draft in drafts]
    number = 1
    while True:
        ids = {index: _id(replace(draft, key=keys[index])) for index, draft in enumerate(drafts)}
        taken = reader.assertions([id for id in ids.values() if id is not None])
        clashing = [index for index, id in ids.items() if id in taken]
        if not clashing:
            break
        number += 1
        for index in clashing:
            keys[index] = f"{drafts[index].key}~{number}"
    for draft, key in zip(drafts, keys, strict=True):
        old, new = _id(draft), _id(replace(draft, key=key))
        if old is not None and new is not None and old != new:
            renamed[old] = new
    return tuple(
        replace(draft, key=key, corrects=_followed(draft, renamed))
        for draft, key in zip(drafts, keys, strict=True)
    )


def _read_by_others(
    turns: Sequence[Episode], extractor: str, readings: Sequence[Reading], reader: Reader
) -> Iterator[Episode]:
    last: dict[str, str | None] = {}
    for reading in readings:
        for turn in turns:
            if reading.turns and reading.turns[0] <= (turn.position or 0) <= reading.turns[1]:
                last[turn.id] = reading.extractor
    # Of turns that an older version took in, or that were imported, only their claims tell.
    unknown = [turn for turn in turns if last.get(turn.id) is None]
    told: dict[str, set[str]] = {}
    for assertion in _extracted_from(unknown, reader):
        told.setdefault(assertion.evidence[0], set()).add(assertion.extractor)
    for turn in turns:
        readers = {last[turn.id]} if last.get(turn.id) is not None else told.get(turn.id, set())
        if readers - {extractor}:
            yield turn


def _extracted_from(episodes: Sequence[Episode], reader: Reader) -> list[Assertion]:
    """What stands of what extractors claimed, on the evidence of one of these first of all.

    That two entities are one is a decision on the whole memory, and is not part of a reading.
    """
    ids = {episode.id for episode in episodes if episode.kind is EpisodeKind.TURN}
    known_at = reader.last_tx()
    if not ids or known_at is None:
        return []
    citing = reader.evidenced_by(ids, known_at)
    found: Mapping[str, Assertion] = reader.assertions(
        {assertion for cited in citing.values() for assertion in cited}
    )
    return [
        assertion
        for assertion in found.values()
        if assertion.evidence[0] in ids
        and assertion.extractor not in NOT_EXTRACTED
        and assertion.predicate != SAME_AS
    ]


def _stands(turn: Episode) -> bool:
    return turn.believed is not None and turn.believed.end == FOREVER


def _overlap(reading: Reading, episodes: Sequence[Episode]) -> bool:
    if reading.turns is None:
        return True
    first, last = reading.turns
    return any(first <= (episode.position or 0) <= last for episode in episodes)


def _id(draft: AssertionDraft) -> str | None:
    """The id that it would have; None for a draft that cannot have one, and will be rejected."""
    try:
        return assertion_id(draft)
    except InvalidInputError:
        return None


def _followed(draft: AssertionDraft, renamed: Mapping[str, str]) -> str | Correction | None:
    corrects = draft.corrects
    return renamed.get(corrects, corrects) if isinstance(corrects, str) else corrects
