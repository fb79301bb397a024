"""What a caller can set about recall, checked when it is set."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.names import digest

KINDS = ("facts", "turns")
TEXTS = (
    *("turn", "window", "tokens", "pair", "meaning"),
    *("told", "told_window", "told_tokens", "told_pair"),
)
"""The signals of a turn's own relevance."""

_WIDER = {"window": "turn", "pair": "tokens", "told_window": "told", "told_pair": "told_tokens"}
"""Those that see the turns around it too, and what each is without them."""

_AROUND = (
    *("asked", "after", "session", "evidence", "session_evidence", "speaker", "named"),
    *("time", "order"),
)
"""Those that count in the measure of what the former count together."""

_MOST_ITEMS = 1_000


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """How much each signal counts. Signals lie in [0, 1]; a score is their weighted sum.

    A turn's relevance is that of the words of its own text (`turn`), and of the text of the turn
    with the one before and after it (`window`); and by vectors, how well the question's tokens
    are met in it (`tokens`), in it with the turn before (`pair`), and how near it is as a whole
    (`meaning`). `told`, `told_window`, `told_tokens` and `told_pair` are the same with the claims
    that were read out of the turn added to its text. To that come the shares that it takes of the
    turns next to it: of the one before where that asks something (`asked`), and of the one after
    (`after`); the relevance of the best turn of its session (`session`); that of the best claim it
    is evidence of (`evidence`), and of the best of its session (`session_evidence`). `speaker`
    counts for a turn of the speaker that the question names, and `named` for as much of such a
    turn as is relevant.

    A claim lends of its relevance to the claims of the same subject and predicate (`family`) and
    to those of the same object (`object`), and with them to their turns. One that is a whole
    sentence of its turn lends it only as much of its relevance as `sentence` says.

    A claim's relevance is made of the same three kinds: `fact_words`, `fact_tokens` and
    `fact_meaning`; it counts for a fact with `fact`. `entity` and `importance` count for facts,
    `recency` for both.

    `answers` counts for a fact about what the question names, of the predicate that it asks for,
    and `tells` for a turn that is evidence of such a fact. `former` is taken off a turn, or a
    sentence of one, whose claim about what is asked no longer holds. `update` counts for how far a
    turn that tells what holds in place of another's claim has to be lifted to stand above it.
    `rerank` is the word of a reranker, in a memory that has one.

    Where turns are longer than `long_turn` terms on average, those next to a turn say less about
    it: windows and pairs, `asked` and `after` count as much less as they are longer, and the texts
    of the turns themselves as much more. With 0 they count the same at any length.

    Where the question speaks of a time, `time` counts for what was said or holds near it, and
    `order` for what is relevant and near the end asked for ("first", "most recent").

    The numbers were tuned on two conversations of LoCoMo. Which signals there are was decided
    with two more in view, so figures on these four are somewhat kinder than on others. `answers`,
    `tells` and `former` were set by hand, and checked not to cost recall on the same four. So
    were `time` and `order`, on the first two.
    """

    turn: float = 0.2
    window: float = 0.25
    tokens: float = 0.0
    pair: float = 0.0
    meaning: float = 0.0
    told: float = 0.2
    told_window: float = 0.25
    told_tokens: float = 0.0
    told_pair: float = 0.0
    asked: float = 0.2
    after: float = 0.2
    session: float = 0.3
    evidence: float = 0.66
    session_evidence: float = 0.12
    sentence: float = 0.5
    family: float = 0.0
    object: float = 0.0
    fact_words: float = 1.0
    fact_tokens: float = 0.0
    fact_meaning: float = 0.0
    fact: float = 1.7
    speaker: float = 0.2
    named: float = 0.2
    entity: float = 0.25
    recency: float = 0.01
    importance: float = 0.01
    answers: float = 2.0
    tells: float = 1.0
    former: float = 1.0
    update: float = 1.0
    long_turn: float = 60.0
    rerank: float = 1.0
    time: float = 0.3
    order: float = 0.05

    def __post_init__(self) -> None:
        for name, weight in asdict(self).items():
            _require_number(f"the weight {name}", weight, 0, 1_000)

    @staticmethod
    def for_vectors(kind: str | None) -> RecallWeights:
        """The weights that suit the vectors there are: "static", "contextual", "pooled" or none.

        What vectors of tokens find is worth more than what words find, and the more so where a
        token's vector depends on the text around it.
        """
        return _BY_KIND[kind]

    @property
    def texts(self) -> float:
        """What the signals of a turn's own relevance count together."""
        return sum(float(getattr(self, name)) for name in TEXTS)

    def for_turns(self, mean_length: float) -> RecallWeights:
        """The weights that suit turns of so many terms on average."""
        if not self.long_turn or mean_length <= self.long_turn:
            return self
        share = self.long_turn / mean_length
        changed = {name: share * getattr(self, name) for name in ("asked", "after")}
        for wide, own in _WIDER.items():
            changed[wide] = share * getattr(self, wide)
            changed[own] = getattr(self, own) + getattr(self, wide) - changed[wide]
        return replace(self, **changed)

    def of(self, kind: str) -> dict[str, float]:
        """The weight of each signal of a "turn" or a "fact"."""
        if kind == "fact":
            return {
                "fact": self.fact,
                "entity": self.entity,
                "recency": self.recency,
                "importance": self.importance,
                "answers": self.answers,
                "former": -self.former,
                "time": self.time * self.fact,
                "order": self.order * self.fact,
            }
        return {
            **{name: getattr(self, name) for name in TEXTS},
            **{name: getattr(self, name) * self.texts for name in _AROUND},
            "recency": self.recency,
            "tells": self.tells,
            "former": -self.former,
            "update": self.update,
        }


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How to recall.

    Args:
        limit: how many items at most.
        include: which kinds of item: "facts", "turns".
        weights: how much each signal counts; by default what suits the vectors there are.
        half_life: days after which recency has halved.
        k1: how soon repeating a term stops to count (BM25).
        b: how much a long text is held against it, 0 to 1 (BM25).
        candidates: how many texts of each kind the store is asked for.
        rerank_candidates: how many of the best items a reranker scores, where there is one.
        rerank_required: whether a reranker that fails is an error; otherwise recall goes on
            without it, and `Recall.rerank_error` says why.
        rewrite_required: whether a rewriter that fails is an error; otherwise recall goes on
            with the question as it is, and `Recall.rewrite_error` says why.

    Raises:
        InvalidInputError: a value is out of its range.
    """

    limit: int = 10
    include: tuple[str, ...] = KINDS
    weights: RecallWeights | None = None
    half_life: float = 30.0
    k1: float = 1.2
    b: float = 0.75
    candidates: int = 64
    rerank_candidates: int = 50
    rerank_required: bool = True
    rewrite_required: bool = False

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("limit", self.limit, 1, _MOST_ITEMS),
            ("candidates", self.candidates, 1, 100_000),
            ("rerank_candidates", self.rerank_candidates, 1, _MOST_ITEMS),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InvalidInputError(
                    f"{name} must be a whole number from {low} to {high}, not {value!r}"
                )
        for name in ("rerank_required", "rewrite_required"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInputError(
                    f"{name} must be True or False, not {getattr(self, name)!r}"
                )
        _require_number("half_life", self.half_life, 1e-6, 1e9)
        _require_number("k1", self.k1, 0, 100)
        _require_number("b", self.b, 0, 1)
        unknown = sorted(set(self.include) - set(KINDS))
        if isinstance(self.include, str) or unknown or not self.include:
            raise InvalidInputError(
                f"include must name facts, turns or both as a tuple, not {self.include!r}"
            )

    @property
    def hash(self) -> str:
        """What stands for these settings in a receipt: equal for equal settings."""
        values = self.to_record() | {"include": sorted(set(self.include))}
        return digest(json.dumps(values, sort_keys=True))

    def to_record(self) -> dict[str, Any]:
        """The settings as a receipt holds them.

        `rewrite_required` stands there only where it is set: receipts that are older than it have
        to stay what they were.
        """
        values = asdict(self)
        if not self.rewrite_required:
            del values["rewrite_required"]
        return values


def _require_number(name: str, value: object, low: float, high: float) -> None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        raise InvalidInputError(f"{name} must be a number from {low} to {high}, not {value!r}")


_BY_KIND: dict[str | None, RecallWeights] = {
    None: RecallWeights(),
    "pooled": RecallWeights(meaning=0.5, fact_meaning=0.5),
    "static": RecallWeights(
        turn=0.1,
        window=0.25,
        tokens=0.25,
        pair=0.3,
        meaning=0.15,
        told=0.1,
        told_window=0.25,
        told_tokens=0.25,
        told_pair=0.3,
        asked=0.3,
        after=0.1,
        session=0.5,
        evidence=0.75,
        session_evidence=0.12,
        sentence=0.5,
        family=0.05,
        object=0.1,
        speaker=0.1,
        named=0.3,
        fact_words=0.4,
        fact_tokens=0.5,
        fact_meaning=0.1,
        fact=1.9,
    ),
    "contextual": RecallWeights(
        turn=0.05,
        window=0.1,
        tokens=0.3,
        pair=0.5,
        meaning=0.1,
        told=0.1,
        told_window=0.1,
        told_tokens=0.3,
        told_pair=0.5,
        asked=0.25,
        after=0.2,
        session=0.6,
        evidence=0.45,
        session_evidence=0.12,
        sentence=1.0,
        family=0.05,
        object=0.1,
        speaker=0.1,
        named=0.25,
        fact_words=0.5,
        fact_tokens=0.3,
        fact_meaning=0.6,
        fact=1.3,
    ),
}
