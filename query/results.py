"""What recall gives back: items that can explain themselves, and a receipt that replays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bitempo.engine.lexical import is_sentence, predicate_words
from bitempo.engine.model import Episode, Fact
from bitempo.engine.store.port import Point
from bitempo.engine.time import Instant, format_instant

RECEIPT_FORMAT = 1


@dataclass(frozen=True, slots=True)
class RecallItem:
    """A fact or a turn that answers the question, with what spoke for it.

    `signals` are the values of the signals, each in [0, 1]; `contributions` what each added to
    the score, which is their sum. `sources` are ids of episodes: the turn itself, or the
    evidence of the fact, which is cited whole even where a part of it has been retracted.

    The text of a fact says what is known and quotes what it was taken from, if that is another
    text; `fact.text` is the quote alone. `superseded` is what held before the fact.
    """

    kind: str
    id: str
    text: str
    score: float
    signals: Mapping[str, float]
    contributions: Mapping[str, float]
    sources: tuple[str, ...]
    fact: Fact | None = None
    episode: Episode | None = None
    superseded: Fact | None = None

    @property
    def former(self) -> bool:
        """Whether it told something of what is asked that does not hold at the point."""
        return self.signals.get("former", 0.0) > 0

    @property
    def contested(self) -> bool:
        """Whether a fact withstood a claim of lower trust, or was decided against an equal one."""
        return self.fact is not None and bool(self.fact.contested or self.fact.conflicts)

    def explain(self) -> str:
        """Why this item, in lines that a person can read."""
        return "\n".join([self._heading(), *self._about(), *self._parts()])

    def _heading(self) -> str:
        return f"{self.kind} {self.id}, score {self.score:.3f}: {self.text}"

    def _about(self) -> list[str]:
        if self.fact is not None:
            start = "inferred from when it was said" if self.fact.from_inferred else "as stated"
            lines = [f"  holds over {self.fact.valid} (start {start})"]
            if self.superseded is not None:
                before = self.superseded
                lines.append(f"  superseded {before.answer}, which held over {before.valid}")
            if self.fact.contested:
                lines.append(f"  contested by {', '.join(self.fact.contested)}")
            if self.fact.conflicts:
                lines.append(f"  in conflict with {', '.join(self.fact.conflicts)}")
            return [*lines, f"  from {', '.join(self.sources)}"]
        if self.episode is not None:
            who = self.episode.actor or "someone"
            former = ["  tells what no longer holds"] if self.former else []
            return [f"  said by {who} at {format_instant(self.episode.occurred_at)}", *former]
        return []

    def _parts(self) -> list[str]:
        ordered = sorted(self.contributions.items(), key=lambda part: (-part[1], part[0]))
        return [
            f"  {name}: {added:+.3f} ({self.signals[name]:.2f} of 1)"
            for name, added in ordered
            if added
        ]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a recall was asked, against which memory, and what it answered.

    The basis is the point in both times and the last transaction that the memory had then.
    """

    question: str
    point: Point
    last_tx: Instant | None
    settings: str
    items: tuple[tuple[str, str, float], ...]
    """Triples (kind, id, score)."""
    embedder: str | None = None
    """The identity of the embedder whose vectors were compared."""

    def to_json(self) -> str:
        """One line of JSON, the same for the same recall, byte for byte."""
        return json.dumps(
            {
                "format": RECEIPT_FORMAT,
                "question": self.question,
                "basis": {
                    "known_at": format_instant(self.point.known_at),
                    "valid_at": _optional(self.point.valid_at),
                    "last_tx": _optional(self.last_tx),
                },
                "settings": self.settings,
                "embedder": self.embedder,
                "items": [
                    {"kind": kind, "id": id, "score": score} for kind, id, score in self.items
                ],
            },
            sort_keys=True,
        )


@dataclass(frozen=True, slots=True)
class Recall:
    """The items, best first, and the receipt."""

    items: tuple[RecallItem, ...]
    receipt: Receipt


def fact_text(fact: Fact) -> str:
    """The fact in words, with the text that it was taken from: `Anna lives in Porto ("...")`."""
    if is_sentence(fact):
        return fact.text
    said = f"{fact.subject.name} {predicate_words(fact.predicate)} {fact.answer}".rstrip()
    return said if said.casefold() == fact.text.casefold() else f'{said} ("{fact.text}")'


def _optional(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)
