"""Recalled items as lines of text that cannot be taken for anything else than what they quote."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bitempo.engine.lexical import is_sentence, predicate_words
from bitempo.engine.model import Episode, Fact
from bitempo.engine.time import Instant
from bitempo.query import wording

if TYPE_CHECKING:
    from bitempo.query.results import Recall, RecallItem

CUT = " [cut]"
_USUAL_TRUST = 5
_KEPT = frozenset("\u200c\u200d")
"""Joiners, by which words and emoji differ."""

_ANGLES = str.maketrans(
    dict.fromkeys("<\ufe64\uff1c", "&lt;") | dict.fromkeys(">\ufe65\uff1e", "&gt;")
)


@dataclass(frozen=True, slots=True)
class Line:
    """One item as it is written, with what it is grouped and ordered by.

    `section` is 0 for facts and 1 for turns, and `group` what stands under one heading. `quote` is
    what a fact was taken from, where that has other words. `before` is what held before it. All
    texts are neutral.
    """

    id: str
    section: int
    group: str
    heading: str
    order: tuple[Instant, int]
    head: str
    text: str
    quote: str = ""
    sources: tuple[str, ...] = ()
    before: tuple[Line, ...] = field(default=())

    def cut_to(self, characters: int) -> Line:
        """With no more of its text than that, marked as cut, and without what goes with it."""
        if characters >= len(self.text):
            return replace(self, quote="", before=())
        return replace(self, text=self.text[:characters].rstrip() + CUT, quote="", before=())


def lines_of(recall: Recall) -> list[Line]:
    """A line for each item, best first."""
    clock = recall.receipt.clock
    return [_line(item, clock) for item in recall.items]


def arranged(lines: Sequence[Line]) -> Iterator[str]:
    """The lines under their headings: facts by entity, the best first; then turns by their day.

    Within a heading they come in the order of time. What would say the same again is left out: a
    quote whose turn is there, what was before where it is there itself, and a line that only
    differs in its id, which then stands beside the other's.
    """
    there = {line.id for line in lines}
    for of_it in _groups(lines):
        yield of_it[0].heading
        written: dict[str, list[str]] = {}
        for line in sorted([*of_it, *_before(of_it, there)], key=lambda one: (one.order, one.id)):
            quote = "" if there.intersection(line.sources) else line.quote
            written.setdefault(f"{line.head}{line.text}{quote}", []).append(_cited(line))
        for text, ids in written.items():
            yield f"[{' '.join(ids)}] {text}"


def neutral(text: str) -> str:
    """The text on one line, without what could be taken for the end of the frame around it.

    Angle brackets are written as `&lt;` and `&gt;`; characters that are not seen, and with which
    text can be hidden or turned around, are taken out; all space is one space.
    """
    return " ".join("".join(map(_seen, text)).split()).translate(_ANGLES)


def _line(item: RecallItem, clock: Instant) -> Line:
    if item.fact is not None:
        line = _fact_line(item.fact, former=item.former or item.fact.valid.end <= clock)
        before = item.superseded
        return replace(
            line,
            sources=tuple(map(neutral, item.sources)),
            before=() if before is None else (_fact_line(before, former=True),),
        )
    if item.episode is not None:
        return _turn_line(item.episode, former=item.former)
    raise ValueError(f"the item {item.id} is neither a fact nor a turn")


def _fact_line(fact: Fact, *, former: bool) -> Line:
    doubt = f"trust {fact.trust} of 10" if fact.trust < _USUAL_TRUST else ""
    marks = ["former" if former else "", wording.valid(fact), wording.marks(fact), doubt]
    said, quote = fact.text, ""
    if not is_sentence(fact):
        said = f"{fact.subject.name} {predicate_words(fact.predicate)} {fact.answer}"
        quote = "" if said.casefold() == fact.text.casefold() else f' ("{neutral(fact.text)}")'
    return Line(
        id=neutral(fact.id),
        section=0,
        group=fact.subject.id,
        heading=f"Known of {neutral(fact.subject.name)}:",
        order=(fact.valid.start, 0),
        head=", ".join(mark for mark in marks if mark) + ": ",
        text=neutral(said),
        quote=quote,
    )


def _turn_line(episode: Episode, *, former: bool) -> Line:
    moment = wording.moment(episode.occurred_at)
    day, _, hour = moment.partition(" ")
    session = "" if episode.session is None else f", session {neutral(episode.session)}"
    who = neutral(episode.actor or "someone")
    head = [hour, "former" if former else "", who]
    return Line(
        id=neutral(episode.id),
        section=1,
        group=f"{day} {episode.session}",
        heading=f"Said on {day}{session}:",
        order=(episode.occurred_at, episode.position or 0),
        head=" ".join(part for part in head if part) + ": ",
        text=neutral(episode.text),
    )


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Those of facts in the order of their best item, then those of turns in the order of time."""
    said = sorted((line for line in lines if line.section == 1), key=lambda line: line.order)
    groups: dict[tuple[int, str], list[Line]] = {}
    for line in [*(line for line in lines if line.section == 0), *said]:
        groups.setdefault((line.section, line.group), []).append(line)
    return list(groups.values())


def _before(lines: Iterable[Line], there: set[str]) -> list[Line]:
    """What was before these, each once, where it is not among the items itself."""
    former = {old.id: old for line in lines for old in line.before if old.id not in there}
    return list(former.values())


def _cited(line: Line) -> str:
    return " ".join([line.id, *(f"from {id}" for id in line.sources[:1])])


def _seen(char: str) -> str:
    kind = unicodedata.category(char)
    if char.isspace():
        return " "
    if kind == "Cs":
        return "\ufffd"
    hidden = kind in ("Cc", "Cf") or "\U000e0100" <= char <= "\U000e01ef"
    return "" if hidden and char not in _KEPT else char
