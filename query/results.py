"""What recall gives back: items that can explain themselves, and a receipt that replays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bitempo.engine.lexical import is_sentence, predicate_words
from bitempo.engine.model import Episode, Fact
from bitempo.query.confidence import confidence
from bitempo.query.context import Context, TokenCounter, to_context
from bitempo.query.explaining import explanation, reading
from bitempo.query.receipts import Receipt
from bitempo.query.spans import SourceSpan
from bitempo.query.times import NO_TIME, AskedTime

__all__ = ["Recall", "RecallItem", "Receipt", "fact_text"]


@dataclass(frozen=True, slots=True)
class RecallItem:
    """A fact or a turn that answers the question, with what spoke for it.

    `signals` are the values of the signals, each in [0, 1], and `weights` what each counts;
    `contributions` are their products, and the score is the sum of these. `sources` are ids of
    episodes: the turn itself, or the evidence of the fact, which is cited whole even where a part
    of it has been retracted. `spans` are the words in them that the item rests on, with their
    place in the episode; a fact that was asserted directly has none.

    The text of a fact says what is known and quotes what it was taken from, if that is another
    text; `fact.text` is the quote alone. When it holds, and how precisely that is known, are
    `fact.valid` and `fact.granularity`. `superseded` is what held before the fact.
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
    weights: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[SourceSpan, ...] = ()

    @property
    def former(self) -> bool:
        """Whether it told something of what is asked that does not hold at the point."""
        return self.signals.get("former", 0.0) > 0

    @property
    def contested(self) -> bool:
        """Whether a fact withstood a claim of lower trust, or was decided against an equal one."""
        return self.fact is not None and bool(self.fact.contested or self.fact.conflicts)

    @property
    def inferred(self) -> bool:
        """Whether a fact was read out of what was said, rather than stated as such."""
        return self.fact is not None and self.fact.inferred

    def explain(self) -> str:
        """Why this item, in lines that a person can read."""
        return explanation(self)


@dataclass(frozen=True, slots=True)
class Recall:
    """The items, best first, and the receipt.

    `time` is what the question was read to say of time: the windows, those of events in the
    memory included, and which of several it asks for. Its anchors are events that were not found.

    `rerank_error` is why the reranker had no say, if it failed and the settings let recall go on;
    `rewrite_error` is the same of the rewriter: the question was searched as it is.
    """

    items: tuple[RecallItem, ...]
    receipt: Receipt
    rerank_error: str | None = None
    time: AskedTime = NO_TIME
    rewrite_error: str | None = None

    @property
    def confidence(self) -> float:
        """How sure it is that the answer is among the items, from 0 to 1; 0 without items.

        It is judged by how far the items have the words of the question, and does not depend on
        the size of the memory. It tells well a question of what was never spoken of, and poorly
        one that asks of one person what another said.
        """
        return confidence(self.receipt.searched, self.items)

    def explain(self) -> str:
        """How the question was read, and why each item, in lines that a person can read."""
        return "\n".join([*reading(self), *(item.explain() for item in self.items)])

    def to_context(self, max_tokens: int, counter: TokenCounter | None = None) -> Context:
        """The items as text for a prompt, of at most `max_tokens`.

        Facts are grouped by the entity they are about and turns by their day, in the order of
        time; each line has its ids and dates, and what no longer holds is marked as former. The
        text is framed as data, and nothing in it can close the frame. Where there is no room for
        all, the items with the lowest scores are left out first. If there is none for the best
        item alone, it is cut short and marked so, and if not even that fits, the text is empty.

        Args:
            max_tokens: the most tokens that the whole text may have, its frame included.
            counter: counts the tokens of a text, by the tokeniser of the model that will read it;
                without, `estimated_tokens`, which rather counts too many.

        Raises:
            InvalidInputError: `max_tokens` is no whole number from 0, or the counter counts more
                than that in an empty text.
        """
        return to_context(self, max_tokens, counter)


def fact_text(fact: Fact) -> str:
    """The fact in words, with the text that it was taken from: `Anna lives in Porto ("...")`."""
    if is_sentence(fact):
        return fact.text
    said = f"{fact.subject.name} {predicate_words(fact.predicate)} {fact.answer}".rstrip()
    return said if said.casefold() == fact.text.casefold() else f'{said} ("{fact.text}")'
