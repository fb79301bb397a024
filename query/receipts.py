"""The receipt of a recall: what was asked of which memory, how, and what it answered.

It holds all that a recall depends on, so that the same answer can be computed again later (see
`bitempo.query.replaying`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import isfinite
from typing import Any

from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.store.port import Point
from bitempo.engine.time import Instant, format_instant, parse_instant
from bitempo.query.settings import RecallSettings, RecallWeights
from bitempo.query.times import NO_TIME, AskedTime, clock_of

RECEIPT_FORMAT = 3


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The text that was searched with in place of a question, and the rewriter's identity."""

    text: str
    rewriter: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a recall was asked, against which memory, and what it answered.

    The basis is the tenant, the point in both times and `last_tx`, the last transaction that the
    memory had then; None for a memory that was empty. `settings` are those that counted, with the
    weights that were chosen for the vectors that there were.
    """

    question: str
    point: Point
    last_tx: Instant | None
    settings: RecallSettings
    items: tuple[tuple[str, str, float], ...]
    """Triples (kind, id, score), best first."""
    embedder: str | None = None
    """The identity of the embedder whose vectors were compared."""
    tenant: str = ""
    reranker: str | None = None
    """The identity of the reranker that had a say in the order."""
    time: AskedTime = NO_TIME
    """What the question was read to say of time, before the events it names were looked up."""
    rewriting: Rewriting | None = None
    """What a rewriter made of the question; None where there was none, or it failed."""

    @property
    def searched(self) -> str:
        """What was searched and ranked by: the rewritten text, or the question itself."""
        return self.question if self.rewriting is None else self.rewriting.text

    @property
    def clock(self) -> Instant:
        """From when recency was measured."""
        return clock_of(self.point)

    @property
    def settings_hash(self) -> str:
        """What stands for the settings: equal for equal ones."""
        return self.settings.hash

    def to_json(self) -> str:
        """One line of JSON, the same for the same recall, byte for byte."""
        return json.dumps(
            {
                "format": RECEIPT_FORMAT,
                "question": self.question,
                "basis": {
                    "tenant": self.tenant,
                    "known_at": format_instant(self.point.known_at),
                    "valid_at": _optional(self.point.valid_at),
                    "last_tx": _optional(self.last_tx),
                },
                "clock": format_instant(self.clock),
                "settings": self.settings.to_record(),
                "settings_hash": self.settings_hash,
                "embedder": self.embedder,
                "reranker": self.reranker,
                "time": self.time.to_record(),
                # Only where there is one: receipts that are older than rewriters stay as they were.
                **({} if self.rewriting is None else {"rewriting": asdict(self.rewriting)}),
                "items": [
                    {"kind": kind, "id": id, "score": score} for kind, id, score in self.items
                ],
            },
            sort_keys=True,
        )

    @staticmethod
    def from_json(text: str) -> Receipt:
        """The receipt that `to_json` wrote.

        Raises:
            InvalidRecordError: it is no receipt, was changed, or is of another version's format.
        """
        try:
            record = json.loads(text)
        except ValueError as error:
            raise InvalidRecordError(f"the receipt is not JSON: {error}") from error
        if not isinstance(record, Mapping) or "format" not in record:
            raise InvalidRecordError("this is no receipt of a recall")
        if record["format"] != RECEIPT_FORMAT:
            raise InvalidRecordError(
                f"the receipt has the format {record['format']!r}, and this bitempo reads "
                f"{RECEIPT_FORMAT}; recall again to get a new one"
            )
        try:
            receipt = _read(record)
        except (InvalidInputError, KeyError, TypeError, ValueError) as error:
            raise InvalidRecordError(f"the receipt cannot be read: {error}") from error
        if json.loads(receipt.to_json()) != record:
            raise InvalidRecordError(
                "the receipt does not agree with itself; it was changed after it was written"
            )
        return receipt


def _read(record: Mapping[str, Any]) -> Receipt:
    basis = record["basis"]
    rewriting = record.get("rewriting")
    return Receipt(
        question=str(record["question"]),
        point=Point(parse_instant(basis["known_at"]), _instant(basis["valid_at"])),
        last_tx=_instant(basis["last_tx"]),
        settings=_settings(record["settings"]),
        items=tuple(_item(item) for item in record["items"]),
        embedder=record["embedder"],
        reranker=record["reranker"],
        tenant=str(basis["tenant"]),
        time=AskedTime.from_record(record["time"]),
        rewriting=None
        if rewriting is None
        else Rewriting(str(rewriting["text"]), str(rewriting["rewriter"])),
    )


def _item(record: Mapping[str, Any]) -> tuple[str, str, float]:
    kind, score = str(record["kind"]), float(record["score"])
    if kind not in ("fact", "turn") or not isfinite(score):
        raise ValueError(f"an item of the kind {kind!r} with the score {score}")
    return kind, str(record["id"]), score


def _settings(record: Mapping[str, Any]) -> RecallSettings:
    weights = record["weights"]
    known = {field.name for field in fields(RecallWeights)}
    if set(weights) != known:
        raise InvalidRecordError(
            "its weights are of other signals than this bitempo's: "
            + ", ".join(sorted(known ^ set(weights)))
        )
    plain = RecallSettings(**{**record, "include": tuple(record["include"]), "weights": None})
    return replace(plain, weights=RecallWeights(**weights))


def _instant(text: str | None) -> Instant | None:
    return None if text is None else parse_instant(text)


def _optional(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)
