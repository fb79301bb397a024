"""Rows of a store as records of the model, and back: the same columns for every store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

from bitempo.engine.model import (
    Assertion,
    Cardinality,
    Entity,
    Episode,
    EpisodeKind,
    Fact,
    Literal,
    Modality,
    Polarity,
    Session,
)
from bitempo.engine.store.port import FactVersion, Neighbour, PlacedAssertion, Role, Slot
from bitempo.engine.time import Granularity, Instant, Interval

Row = tuple[Any, ...]

MOST_KEPT = 8_192
"""How many assertions made of rows are kept in memory."""

LONGEST_KEPT = 2_000
"""The longest text, in characters, of one that is kept."""

# Looking a member up costs a third of calling its enumeration, and recall reads some thousands.
_KINDS = {str(member): member for member in EpisodeKind}
_CARDINALITIES = {str(member): member for member in Cardinality}
_POLARITIES = {str(member): member for member in Polarity}
_MODALITIES = {str(member): member for member in Modality}
_GRANULARITIES = {str(member): member for member in Granularity}

ASSERTION_COLUMNS = (
    "id", "slot", "family", "cardinality", "value_key", "subject", "predicate", "object", "value",
    "polarity", "modality", "valid_from", "valid_to", "tx_from", "tx_to", "granularity",
    "from_inferred", "time_text", "due_from", "due_to", "importance", "confidence", "trust",
    "inferred", "text", "quote", "corrects", "mentions", "extractor",
)  # fmt: skip
FACT_COLUMNS = (
    "id", "slot", "value_key", "subject", "predicate", "object", "value", "modality",
    "valid_from", "valid_to", "granularity", "from_inferred", "due_from", "due_to", "importance",
    "confidence", "trust", "inferred", "text", "lead",
)  # fmt: skip


def session_values(session: Session) -> Row:
    """In the order id, actor, started_at, metadata."""
    return (session.id, session.actor, session.started_at, json.dumps(dict(session.metadata)))


def session(row: Row) -> Session:
    """From id, started_at, actor, metadata."""
    return Session(row[0], row[1], row[2], json.loads(row[3]))


def episode(row: Row) -> Episode:
    """From the columns EPISODE."""
    return Episode(
        id=row[0],
        text=row[1],
        occurred_at=row[2],
        kind=_KINDS[row[3]],
        session=row[4],
        position=row[5],
        actor=row[6],
        metadata=json.loads(row[7]) if row[7] != "{}" else {},
        believed=_interval(row[8], row[9]),
    )


def entity(row: Row, known_at: Instant | None = None) -> Entity:
    """From the columns ENTITY, with the aliases known then; None: all.

    The name itself is not among the aliases.
    """
    names: list[list[Any]] = json.loads(row[4]) if isinstance(row[4], str) else row[4]
    if len(names) == 1:
        return Entity(row[0], row[1], row[2], (), row[3])
    aliases = sorted(
        (name, learnt)
        for name, learnt in names
        if name != row[1] and (known_at is None or learnt <= known_at)
    )
    return Entity(
        row[0],
        row[1],
        row[2],
        tuple(name for name, _ in aliases),
        row[3],
        tuple(learnt for _, learnt in aliases),
    )


def assertion_values(placed: PlacedAssertion) -> Row:
    """In the order of ASSERTION_COLUMNS."""
    a, slot = placed.assertion, placed.slot
    return (
        a.id, slot.key, slot.family, slot.cardinality, placed.value_key, a.subject, a.predicate,
        a.object, dump_value(a.value), a.polarity, a.modality, a.valid.start, a.valid.end,
        a.believed.start, a.believed.end, a.granularity, a.from_inferred, a.time_text,
        a.due.start if a.due else None, a.due.end if a.due else None, a.importance,
        a.confidence, a.trust, a.inferred, a.text, a.quote, a.corrects,
        json.dumps(a.mentions), a.extractor,
    )  # fmt: skip


def placed_assertion(row: Row) -> PlacedAssertion:
    """From the columns ASSERTION, evidence last: as JSON, or as a list.

    Recall reads the same ones again and again, so the latest are kept, under all of the row.
    """
    if not isinstance(row[-1], str):
        row = (*row[:-1], tuple(row[-1]))
    return _kept(row) if len(row[24]) <= LONGEST_KEPT else _placed_assertion(row)


def _placed_assertion(row: Row) -> PlacedAssertion:
    slot = Slot(row[1], row[2], _CARDINALITIES[row[3]])
    record = Assertion(
        id=row[0],
        subject=row[5],
        predicate=row[6],
        object=row[7],
        value=load_value(row[8]),
        polarity=_POLARITIES[row[9]],
        modality=_MODALITIES[row[10]],
        valid=_interval(row[11], row[12]),
        believed=_interval(row[13], row[14]),
        granularity=_GRANULARITIES[row[15]],
        from_inferred=bool(row[16]),
        time_text=row[17],
        due=_due(row[18], row[19]),
        importance=row[20],
        confidence=row[21],
        trust=row[22],
        inferred=bool(row[23]),
        text=row[24],
        quote=row[25],
        corrects=row[26],
        mentions=tuple(json.loads(row[27])) if row[27] != "[]" else (),
        extractor=row[28],
        evidence=_texts(row[29]),
    )
    return PlacedAssertion(record, slot, row[4])


def fact_values(fact: FactVersion) -> Row:
    """In the order of FACT_COLUMNS."""
    return (
        fact.id, fact.slot, fact.value_key, fact.subject, fact.predicate, fact.object,
        dump_value(fact.value), fact.modality, fact.valid.start, fact.valid.end,
        fact.granularity, fact.from_inferred, fact.due.start if fact.due else None,
        fact.due.end if fact.due else None, fact.importance, fact.confidence, fact.trust,
        fact.inferred, fact.text, fact.lead,
    )  # fmt: skip


def fact_version(row: Row, links: Sequence[tuple[str, str]]) -> FactVersion:
    """From the columns FACT, with its links."""
    return FactVersion(
        id=row[0],
        slot=row[1],
        value_key=row[2],
        subject=row[3],
        object=row[5],
        **_in_common(row),
        lead=row[19],
        links=frozenset(links),
    )


def fact(
    row: Row, links: Sequence[tuple[str, str]], subject: Entity, object: Entity | None
) -> Fact:
    """From the columns FACT with tx_from and tx_to last, its links as (role, assertion)."""
    by_role = grouped(links)
    return Fact(
        id=row[0],
        slot=row[1],
        subject=subject,
        object=object,
        believed=_interval(row[-2], row[-1]),
        **_in_common(row),
        support=tuple(by_role.get(Role.SUPPORTS, ())),
        contested=tuple(by_role.get(Role.CONTESTS, ())),
        conflicts=tuple(by_role.get(Role.CONFLICTS, ())),
    )


def nearest_first(found: Iterable[Neighbour]) -> list[Neighbour]:
    """In the order of `Reader.neighbourhood`."""
    return sorted(
        found,
        key=lambda one: (
            one.distance,
            -one.fact.importance,
            -one.fact.valid.start,
            one.fact.id,
        ),
    )


def grouped(pairs: Iterable[Sequence[Any]]) -> dict[str, list[str]]:
    """The second of each pair by the first, in the order given."""
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def dump_value(value: Literal | None) -> str | None:
    """A literal as JSON text, so that `1`, `1.0`, `"1"` and `true` stay apart."""
    return None if value is None else json.dumps(value, ensure_ascii=False)


def load_value(text: str | None) -> Literal | None:
    """The literal that `dump_value` wrote."""
    if text is None:
        return None
    if text[0] == '"' and "\\" not in text:
        # Almost all are text without escapes, and recall reads some hundreds: no need to parse.
        return text[1:-1]
    return cast(Literal, json.loads(text))


def _in_common(row: Row) -> dict[str, Any]:
    """What a fact and a version of it have in common, from the columns FACT."""
    return {
        "predicate": row[4],
        "value": load_value(row[6]),
        "modality": _MODALITIES[row[7]],
        "valid": _interval(row[8], row[9]),
        "granularity": _GRANULARITIES[row[10]],
        "from_inferred": bool(row[11]),
        "due": _due(row[12], row[13]),
        "importance": row[14],
        "confidence": row[15],
        "trust": row[16],
        "inferred": bool(row[17]),
        "text": row[18],
    }


def _texts(found: str | tuple[str, ...]) -> tuple[str, ...]:
    """Texts as they are, or as JSON."""
    if isinstance(found, str) and found[:2] == '["' and "\\" not in found:
        # As it almost always is: no text in it has a quote or an escape.
        return tuple(found[2:-2].split('","'))
    return tuple(json.loads(found)) if isinstance(found, str) else found


_interval = lru_cache(maxsize=MOST_KEPT)(Interval)
_kept = lru_cache(maxsize=MOST_KEPT)(_placed_assertion)


def _due(start: int | None, end: int | None) -> Interval | None:
    return None if start is None or end is None else Interval(start, end)
