"""Records of the model as rows for `UNWIND`: properties, and keys of the nodes to connect."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bitempo.engine.lexical import assertion_text, is_turn, terms, turn_text
from bitempo.engine.model import Entity, Episode, Session
from bitempo.engine.names import digest, name_words, normalise_name
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j.graph import Scope
from bitempo.engine.store.neo4j.statements import ASSERTION_TIMES
from bitempo.engine.store.neo4j.times import moment
from bitempo.engine.store.port import Corpus, FactVersion, PlacedAssertion, Predicate
from bitempo.engine.time import Instant, Interval

LONGEST_START = 500
"""How much of an entity's id is in the index by which entities are paged through."""


@dataclass(frozen=True, slots=True)
class Node:
    """A row, and how many terms full text finds it by (None: it is not found by text)."""

    row: dict[str, Any]
    corpus: Corpus
    length: int | None


def session(scope: Scope, record: Session, tx: Instant) -> dict[str, Any]:
    """The properties and times of a session that was first met at `tx`."""
    properties = {
        "key": session_key(scope, record.id),
        "tenant": scope.tenant,
        "id": record.id,
        "actor": record.actor,
        "metadata": json.dumps(dict(record.metadata), ensure_ascii=False),
    }
    return {"properties": properties, "times": [moment(record.started_at), moment(tx)]}


def session_key(scope: Scope, id: str) -> str:
    """The key of a session. A session and an episode may have one id."""
    return scope.key("session\x1f" + id)


def predicate(scope: Scope, record: Predicate, tx: Instant) -> dict[str, Any]:
    """The properties and times of a predicate that was first met at `tx`."""
    properties = {
        "key": scope.key(record.name),
        "tenant": scope.tenant,
        "name": record.name,
        "cardinality": record.cardinality,
        "source": record.source,
    }
    return {"properties": properties, "times": [moment(tx)]}


def entity(scope: Scope, record: Entity, tx: Instant) -> dict[str, Any]:
    """The properties and times of an entity that was first met at `tx`."""
    names = record.names_learnt()
    properties = {
        "key": scope.key(record.id),
        "tenant": scope.tenant,
        "id": record.id,
        "name": record.name,
        "type": record.type,
        "id_start": record.id[:LONGEST_START],
        "names": [name for name, _ in names],
        "terms": entity_terms(scope.tenant, [name for name, _ in names]),
    }
    return {
        "properties": properties,
        "times": [moment(record.created_at), moment(tx)],
        "learnt": [moment(learnt) for _, learnt in names],
    }


def name(scope: Scope, entity: str, alias: str, learnt: Instant) -> dict[str, Any]:
    """What an entity is called, since it was learnt, and the key of the name that it shares."""
    normal = normalise_name(alias)
    return {
        "entity": scope.key(entity),
        "key": scope.key("name\x1f" + normal),
        "normal": normal,
        "name": alias,
        "terms": entity_terms(scope.tenant, [alias]),
        "learnt": moment(learnt),
    }


def one_with(scope: Scope, entity: str, canonical: str, believed: Interval) -> list[Any]:
    """The keys of an entity and of the one that stood for it, and the time over which it did."""
    return [scope.key(entity), scope.key(canonical), *_ends(believed)]


def episode(scope: Scope, record: Episode, tx: Instant) -> Node:
    """An episode, recorded at `tx` unless it says otherwise, and the key of its session."""
    found = terms(turn_text(record)) if is_turn(record) else None
    key = None if record.session is None else session_key(scope, record.session)
    properties = {
        "key": scope.key(record.id),
        "tenant": scope.tenant,
        "id": record.id,
        "text": record.text,
        "kind": record.kind,
        "session": record.session,
        "session_key": key,
        "position": record.position,
        "actor": record.actor,
        "metadata": json.dumps(dict(record.metadata), ensure_ascii=False),
        "terms": None if found is None else marked(scope.tenant, found),
    }
    row = {
        "session": key,
        "properties": properties,
        "times": [moment(record.occurred_at), *_ends(record.believed or Interval(tx))],
    }
    return Node(row, Corpus.TURNS, None if found is None else len(found))


def assertion(scope: Scope, placed: PlacedAssertion, names: Mapping[str, str]) -> Node:
    """An assertion with the keys of what it is about and cites; `names` are those of entities."""
    record = placed.assertion
    found = terms(assertion_text(record, names))
    properties = _columns(rows.ASSERTION_COLUMNS, rows.assertion_values(placed))
    corrects = scope.key(record.corrects) if record.corrects else None
    row = {
        "subject": scope.key(record.subject),
        "object": scope.key(record.object) if record.object else None,
        "mentions": scope.keys(record.mentions),
        "evidence": scope.keys(record.evidence),
        "corrects": corrects,
        "properties": {
            **properties,
            "key": scope.key(record.id),
            "tenant": scope.tenant,
            "predicate_key": scope.key(record.predicate),
            "corrects_key": corrects,
            "evidence": list(record.evidence),
            "terms": marked(scope.tenant, found),
        },
        "times": [*_ends(record.valid), *_ends(record.believed), *_ends(record.due)],
    }
    return Node(row, Corpus.ASSERTIONS, len(found))


def fact(scope: Scope, record: FactVersion, believed: Interval) -> dict[str, Any]:
    """A fact version with the keys of its subject and object."""
    subject = scope.key(record.subject)
    object = scope.key(record.object) if record.object else None
    return {
        "subject": subject,
        "object": object,
        "properties": {
            **_columns(rows.FACT_COLUMNS, rows.fact_values(record)),
            "key": scope.key(record.id),
            "tenant": scope.tenant,
            "subject_key": subject,
            "predicate_key": scope.key(record.predicate),
            "object_key": object,
        },
        "times": [*_ends(record.valid), *_ends(believed), *_ends(record.due)],
    }


def marked(tenant: str, found: Iterable[str]) -> str:
    """The terms with the tenant's mark, as the text that is indexed."""
    mark = digest(tenant)
    return " ".join(f"{mark}_{term}" for term in found)


def quoted(tenant: str, term: str) -> str:
    """A full-text query for the term."""
    # A phrase of one word: nothing in it is read as an operator. Terms hold no quotes.
    return f'"{marked(tenant, [term])}"'


def entity_terms(tenant: str, names: Iterable[str]) -> str:
    """The words of an entity's names, as the text that is indexed."""
    return marked(tenant, sorted({word for name in names for word in name_words(name)}))


def _columns(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """The properties that are there, without the times, which go apart."""
    return {
        name: value
        for name, value in zip(names, values, strict=True)
        if value is not None and name not in ASSERTION_TIMES
    }


def _ends(interval: Interval | None) -> tuple[list[int] | None, list[int] | None]:
    return (None, None) if interval is None else (moment(interval.start), moment(interval.end))
