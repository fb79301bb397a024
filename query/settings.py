"""What a caller can set about recall, checked when it is set."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.names import digest

KINDS = ("facts", "turns")
_MOST_ITEMS = 1_000


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """How much each signal counts. Signals lie in [0, 1]; a score is their weighted sum.

    A turn's relevance is that of its own text (`turn`) and of the text of the turn with the one
    before and after it (`window`); the shares it takes of both from the turns next to it
    (`before`, `after`); that of the best window of its session (`session`); and that of the
    best claim it is evidence of (`evidence`). A fact's is that of its own text (`fact`).
    `speaker` counts for turns, `entity` and `importance` for facts, `recency` for both.

    `answers` counts for a fact about what the question names, of the predicate that it asks for,
    and `tells` for a turn that is evidence of such a fact. `former` is taken off a turn, or a
    sentence of one, whose claim about what is asked no longer holds.

    The numbers were tuned on two conversations of LoCoMo. Which signals there are was decided
    with two more in view, so figures on these four are somewhat kinder than on others. `answers`,
    `tells` and `former` were set by hand, and checked not to cost recall on the same four.
    """

    turn: float = 0.5
    window: float = 0.5
    before: float = 0.35
    after: float = 0.2
    session: float = 0.3
    evidence: float = 0.3
    fact: float = 1.3
    speaker: float = 0.25
    entity: float = 0.25
    recency: float = 0.01
    importance: float = 0.01
    answers: float = 2.0
    tells: float = 1.0
    former: float = 1.0

    def __post_init__(self) -> None:
        for name, weight in asdict(self).items():
            _require_number(f"the weight {name}", weight, 0, 100)

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
            }
        texts = self.turn + self.window
        return {
            "turn": self.turn,
            "window": self.window,
            "before": self.before * texts,
            "after": self.after * texts,
            "session": self.session,
            "evidence": self.evidence,
            "speaker": self.speaker,
            "recency": self.recency,
            "tells": self.tells,
            "former": -self.former,
        }


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How to recall.

    Args:
        limit: how many items at most.
        include: which kinds of item: "facts", "turns".
        weights: how much each signal counts.
        half_life: days after which recency has halved.
        k1: how soon repeating a term stops to count (BM25).
        b: how much a long text is held against it, 0 to 1 (BM25).
        candidates: how many texts of each kind the store is asked for.

    Raises:
        InvalidInputError: a value is out of its range.
    """

    limit: int = 10
    include: tuple[str, ...] = KINDS
    weights: RecallWeights = field(default_factory=RecallWeights)
    half_life: float = 30.0
    k1: float = 1.2
    b: float = 0.75
    candidates: int = 200

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("limit", self.limit, 1, _MOST_ITEMS),
            ("candidates", self.candidates, 1, 100_000),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InvalidInputError(
                    f"{name} must be a whole number from {low} to {high}, not {value!r}"
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
        values = asdict(self) | {"include": sorted(set(self.include))}
        return digest(json.dumps(values, sort_keys=True))


def _require_number(name: str, value: object, low: float, high: float) -> None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        raise InvalidInputError(f"{name} must be a number from {low} to {high}, not {value!r}")
