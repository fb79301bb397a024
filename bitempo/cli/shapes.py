"""The JSON that `--json` prints. The shapes are documented in docs/cli.md and stay stable.

Times are ISO 8601 in UTC with `Z`; null stands for an end that is unbounded or open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from bitempo._written import Written
from bitempo.engine.model import Assertion, Entity, Episode, Fact
from bitempo.engine.store.port import Neighbour, Stats
from bitempo.engine.time import BEGINNING, FOREVER, Instant, Interval, format_instant
from bitempo.ingest.extraction import Request
from bitempo.ingest.metering import Usage
from bitempo.ingest.preview import Preview
from bitempo.ingest.report import IngestReport
from bitempo.ingest.sessions import Malformed
from bitempo.query.context import Context
from bitempo.query.history import Diff, Evidence, Why
from bitempo.query.merges import Merge
from bitempo.query.recall import Recall, RecallItem
from bitempo.query.replaying import Replay
from bitempo.query.spans import SourceSpan

Shape = dict[str, Any]


def time(instant: Instant | None) -> str | None:
    """One instant; null for None and for both unbounded ends."""
    return None if instant in (None, BEGINNING, FOREVER) else format_instant(instant)


def entity(value: Entity) -> Shape:
    return {
        "id": value.id,
        "name": value.name,
        "type": value.type,
        "aliases": list(value.aliases),
        "created_at": time(value.created_at),
    }


def fact(value: Fact) -> Shape:
    return {
        "id": value.id,
        "slot": value.slot,
        "subject": _named(value.subject),
        "predicate": value.predicate,
        "object": None if value.object is None else _named(value.object),
        "value": value.value,
        "text": value.text,
        "valid_from": time(value.valid.start),
        "valid_to": time(value.valid.end),
        "granularity": str(value.granularity),
        "from_inferred": value.from_inferred,
        "tx_from": time(value.believed.start),
        "tx_to": time(value.believed.end),
        "modality": str(value.modality),
        "due": _interval(value.due),
        "importance": value.importance,
        "confidence": value.confidence,
        "trust": value.trust,
        "inferred": value.inferred,
        "support": list(value.support),
        "contested": list(value.contested),
        "conflicts": list(value.conflicts),
    }


def facts(values: list[Fact]) -> Shape:
    return {"facts": [fact(value) for value in values]}


def neighbours(values: list[Neighbour]) -> Shape:
    return {"facts": [{"distance": one.distance, **fact(one.fact)} for one in values]}


def episode(value: Episode) -> Shape:
    believed = value.believed or Interval()
    return {
        "id": value.id,
        "kind": str(value.kind),
        "session": value.session,
        "position": value.position,
        "actor": value.actor,
        "text": value.text,
        "occurred_at": time(value.occurred_at),
        "recorded_at": time(believed.start),
        "retracted_at": time(believed.end),
    }


def assertion(value: Assertion) -> Shape:
    return {
        "id": value.id,
        "subject": value.subject,
        "predicate": value.predicate,
        "object": value.object,
        "value": value.value,
        "text": value.text,
        "polarity": str(value.polarity),
        "modality": str(value.modality),
        "valid_from": time(value.valid.start),
        "valid_to": time(value.valid.end),
        "granularity": str(value.granularity),
        "from_inferred": value.from_inferred,
        "recorded_at": time(value.believed.start),
        "retracted_at": time(value.believed.end),
        "time_text": value.time_text,
        "due": _interval(value.due),
        "importance": value.importance,
        "confidence": value.confidence,
        "trust": value.trust,
        "inferred": value.inferred,
        "quote": value.quote,
        "corrects": value.corrects,
        "evidence": list(value.evidence),
        "extractor": value.extractor,
    }


def diff(value: Diff) -> Shape:
    return {
        "known_a": time(value.known_a),
        "known_b": time(value.known_b),
        "believed": [fact(one) for one in value.believed],
        "no_longer": [fact(one) for one in value.no_longer],
    }


def why(value: Why) -> Shape:
    return {
        "fact": fact(value.fact),
        "support": [_evidence(one) for one in value.support],
        "contested": [_evidence(one) for one in value.contested],
        "conflicts": [_evidence(one) for one in value.conflicts],
        "corrected": [_evidence(one) for one in value.corrected],
        "merges": [_evidence(one) for one in value.merges],
        "superseded": None if value.superseded is None else fact(value.superseded),
        "superseded_by": None if value.superseded_by is None else fact(value.superseded_by),
    }


def merge(value: Merge) -> Shape:
    return {
        "entity": _named(value.entity),
        "into": _named(value.into),
        "canonical": _named(value.canonical),
        "reason": value.reason,
        "fact": fact(value.fact),
    }


def recall(value: Recall) -> Shape:
    receipt = value.receipt
    return {
        "question": receipt.question,
        "valid_at": time(receipt.point.valid_at),
        "known_at": time(receipt.point.known_at),
        "last_tx": time(receipt.last_tx),
        "settings": receipt.settings_hash,
        "embedder": receipt.embedder,
        "reranker": receipt.reranker,
        "rewriter": None if receipt.rewriting is None else receipt.rewriting.rewriter,
        "rewritten": None if receipt.rewriting is None else receipt.rewriting.text,
        "rewrite_error": value.rewrite_error,
        "confidence": value.confidence,
        "time": value.time.to_record(),
        "items": [_item(item) for item in value.items],
    }


def context(value: Context) -> Shape:
    return {
        "text": value.text,
        "tokens": value.tokens,
        "items": [item.id for item in value.items],
        "dropped": [item.id for item in value.dropped],
        "cut": value.cut,
    }


def replay(value: Replay) -> Shape:
    difference = value.difference
    return {
        "same": value.same,
        "difference": None
        if difference is None
        else {
            "missing": [_key(kind, id) for kind, id in difference.missing],
            "lost": [_key(kind, id) for kind, id in difference.lost],
            "added": [_key(kind, id) for kind, id in difference.added],
            "changed": [
                {**_key(kind, id), "score": now, "score_then": then}
                for kind, id, then, now in difference.changed
            ],
        },
        "recall": recall(value.recall),
    }


def stats(value: Stats) -> Shape:
    times = {"first_tx": time(value.first_tx), "last_tx": time(value.last_tx)}
    return asdict(value) | times


def written(value: Written) -> Shape:
    return {
        "tx": None if value.tx is None else value.tx.isoformat().replace("+00:00", "Z"),
        "assertions": list(value.assertion_ids),
        "retracted": list(value.retracted),
        "facts_opened": list(value.facts_opened),
        "facts_closed": list(value.facts_closed),
        "embedding_error": value.embedding_error,
        "redacted": dict(value.redacted),
    }


def ingest(value: IngestReport) -> Shape:
    counts = {
        field.name: getattr(value, field.name)
        for field in fields(value)
        if isinstance(getattr(value, field.name), int) and field.name != "last_tx"
    }
    return counts | {
        "last_tx": time(value.last_tx),
        "malformed": [_malformed(one) for one in value.malformed],
        "skipped": [_malformed(one) for one in value.skipped],
        "rejections": [asdict(one) for one in value.rejections],
        "failed": dict(value.failed),
        "embedding_error": value.embedding_error,
        "redacted": dict(sorted(value.redacted.items())),
        "notes": [asdict(one) for one in value.notes],
        "usage": usage(value.usage),
        "usage_by_actor": [
            {"actor": actor, **usage(spent)} for actor, spent in value.usage_by_actor.items()
        ],
        "stopped": value.stopped,
    }


def usage(value: Usage) -> Shape:
    return asdict(value) | {"tokens": value.tokens}


def usage_by(by: str, found: Mapping[str | None, Usage]) -> Shape:
    total = sum(found.values(), Usage())
    return {
        "by": by,
        "total": usage(total),
        "usage": [{by: key, **usage(spent)} for key, spent in found.items()],
    }


def preview(value: Preview) -> Shape:
    return {
        "extractor": value.extractor,
        "sessions": value.sessions,
        "new_turns": value.new_turns,
        "estimate": usage(value.usage),
        "redacted": dict(sorted(value.redacted.items())),
        "malformed": [_malformed(one) for one in value.malformed],
        "windows": [
            {
                "session": window.session,
                "actor": window.actor,
                "turns": window.turns,
                "requests": [_request(request) for request in window.requests],
            }
            for window in value.windows
        ],
    }


def _request(value: Request) -> Shape:
    messages = [{"role": role, "content": text} for role, text in value.messages]
    return asdict(value) | {"messages": messages}


def _named(value: Entity) -> Shape:
    return {"id": value.id, "name": value.name, "type": value.type}


def _interval(value: Interval | None) -> Shape | None:
    return None if value is None else {"from": time(value.start), "to": time(value.end)}


def _evidence(value: Evidence) -> Shape:
    return {
        "assertion": assertion(value.assertion),
        "episodes": [episode(one) for one in value.episodes],
    }


def _item(value: RecallItem) -> Shape:
    return {
        "kind": value.kind,
        "id": value.id,
        "text": value.text,
        "score": value.score,
        "signals": dict(value.signals),
        "contributions": dict(value.contributions),
        "weights": dict(value.weights),
        "sources": list(value.sources),
        "spans": [_span(one) for one in value.spans],
        "former": value.former,
        "contested": value.contested,
        "inferred": value.inferred,
        "superseded": None if value.superseded is None else fact(value.superseded),
        "fact": None if value.fact is None else fact(value.fact),
        "episode": None if value.episode is None else episode(value.episode),
    }


def _key(kind: str, id: str) -> Shape:
    return {"kind": kind, "id": id}


def _span(value: SourceSpan) -> Shape:
    return {
        "episode": value.episode.id,
        "actor": value.episode.actor,
        "occurred_at": time(value.episode.occurred_at),
        "text": value.text,
        "start": value.start,
        "end": value.end,
        "assertion": value.assertion,
    }


def _malformed(value: Malformed) -> Shape:
    return {"place": value.place, "reason": value.reason}
