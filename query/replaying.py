"""Replaying a recall: the same question at the basis of its receipt, compared with the receipt.

All that ranking reads is read as it was believed at the receipt's last transaction, so what was
written later changes nothing. What can change a replay is that something was erased, or that a
text got its vector only after the recall.
"""

from __future__ import annotations

from dataclasses import dataclass

from bitempo.engine.errors import EmbedderMismatchError, NotFoundError, RerankerMismatchError
from bitempo.engine.store.port import FactQuery, Reader
from bitempo.engine.time import format_instant
from bitempo.query.recall import recall_at
from bitempo.query.receipts import Receipt
from bitempo.query.reranking import deep_enough
from bitempo.query.results import Recall
from bitempo.query.rewriting import told_of_rewriting
from bitempo.query.vectors import QuestionVectors

ItemKey = tuple[str, str]
"""The kind and the id of an item."""


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """How a replay differs from its receipt, each item by its kind and id.

    `missing` are items that the memory does not hold any more: they were erased, or it is not the
    memory that was asked. `lost` are still there and no longer among the answers, `added` are
    among them and not in the receipt. `changed` are in both, with the score then and now; where
    these are equal, the item has another place.
    """

    missing: tuple[ItemKey, ...] = ()
    lost: tuple[ItemKey, ...] = ()
    added: tuple[ItemKey, ...] = ()
    changed: tuple[tuple[str, str, float, float], ...] = ()

    def to_text(self) -> str:
        """A line for each item."""
        lines = [f"{kind} {id} is gone from the memory" for kind, id in self.missing]
        lines += [f"{kind} {id} is no longer among the answers" for kind, id in self.lost]
        lines += [f"{kind} {id} was not among the answers" for kind, id in self.added]
        for kind, id, then, now in self.changed:
            what = "has another place" if then == now else f"scored {then} and scores {now}"
            lines.append(f"{kind} {id} {what}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Replay:
    """The recall as it was computed again, and how it differs; None if it does not.

    The records of its items say more where more is known by now: when a fact ceased to be
    believed, or what type an entity has.
    """

    recall: Recall
    difference: ReplayDifference | None = None

    @property
    def same(self) -> bool:
        """Whether it gave the same receipt, byte for byte."""
        return self.difference is None


def recall_again(
    reader: Reader, receipt: Receipt, vectors: QuestionVectors | None = None
) -> Recall:
    """Compute the recall of a receipt again; where a reranker had a say, up to its turn.

    Args:
        vectors: of what the receipt searched with, by the receipt's embedder; None if it had none.

    Raises:
        NotFoundError: the memory does not have the receipt's last transaction: it was restored
            from an older copy, or is another one.
        EmbedderMismatchError: the vectors are not by the receipt's embedder.
    """
    identity = None if vectors is None else vectors.identity
    if identity != receipt.embedder:
        raise EmbedderMismatchError(
            f"the receipt was made with {_named(receipt.embedder)}, and this is "
            f"{_named(identity)}; open the memory with the receipt's embedder, and see that its "
            "vectors are of it (bitempo reembed)"
        )
    last = receipt.last_tx
    if last is not None and reader.last_tx(last) != last:
        raise NotFoundError(
            f"this memory has no transaction of {format_instant(last)}, which the receipt "
            "rests on; it is another memory, or an older copy of it"
        )
    settings = receipt.settings if receipt.reranker is None else deep_enough(receipt.settings)
    again = recall_at(
        reader,
        receipt.searched,
        receipt.point,
        last,
        settings,
        vectors,
        receipt.tenant,
        receipt.time,
    )
    # By the text on record: a rewriter may say something else each time.
    return told_of_rewriting(again, receipt.question, receipt.rewriting)


def check_reranker(receipt: Receipt, identity: str | None) -> None:
    """Refuse a reranker that is not the receipt's; `identity` is None where there is none.

    Raises:
        RerankerMismatchError: it is another, or there is none.
    """
    if receipt.reranker is not None and receipt.reranker != identity:
        found = "no reranker" if identity is None else f"the reranker {identity}"
        raise RerankerMismatchError(
            f"the receipt was made with the reranker {receipt.reranker}, and this is {found}; "
            "open the memory with the receipt's reranker"
        )


def compared(reader: Reader, receipt: Receipt, again: Recall) -> Replay:
    """The recall that was computed again, and how it differs from the receipt."""
    if again.receipt.to_json() == receipt.to_json():
        return Replay(again)
    return Replay(again, _difference(reader, receipt, again.receipt))


def _difference(reader: Reader, then: Receipt, now: Receipt) -> ReplayDifference:
    before = {(kind, id): (place, score) for place, (kind, id, score) in enumerate(then.items)}
    after = {(kind, id): (place, score) for place, (kind, id, score) in enumerate(now.items)}
    gone = [key for key in before if key not in after]
    held = _held(reader, gone)
    return ReplayDifference(
        missing=tuple(key for key in gone if key not in held),
        lost=tuple(key for key in gone if key in held),
        added=tuple(key for key in after if key not in before),
        changed=tuple(
            (*key, before[key][1], after[key][1])
            for key in before
            if key in after and before[key] != after[key]
        ),
    )


def _held(reader: Reader, keys: list[ItemKey]) -> set[ItemKey]:
    """Those of the items that the memory holds, believed or not."""
    turns = reader.episodes([id for kind, id in keys if kind == "turn"])
    facts = reader.facts(FactQuery(ids=[id for kind, id in keys if kind == "fact"]))
    return {("turn", id) for id in turns} | {("fact", fact.id) for fact in facts}


def _named(identity: str | None) -> str:
    return "no embedder" if identity is None else f"the embedder {identity}"
