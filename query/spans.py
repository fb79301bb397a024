"""Where in the turns an item stands: the words that are its evidence, with their place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from bitempo.engine.lexical import is_stated
from bitempo.engine.model import Assertion, Episode

_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("*_\u200b\u200e\u200f\u00ad\ufeff", None),
    }
)
_LEFT_OUT = re.compile(r"\s*(?:\[\.\.\.\]|\.\.\.|\u2026)\s*")


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A stretch of an episode that an item rests on.

    `start` and `end` count characters of `episode.text`: it is `episode.text[start:end]` that is
    meant. Both are None where the words do not stand there as they were quoted, which is so for a
    claim that was put in other words; `text` is the quote then. `assertion` is the id of the
    claim that cites it; None for a turn that was found itself.
    """

    episode: Episode
    text: str
    start: int | None
    end: int | None
    assertion: str | None = None


def whole_turn(episode: Episode) -> SourceSpan:
    """The span of a turn that was found itself: all of it."""
    return SourceSpan(episode, episode.text, 0, len(episode.text))


def cited_spans(
    claims: Iterable[Assertion], episodes: Mapping[str, Episode]
) -> tuple[SourceSpan, ...]:
    """What the claims quote of the episodes that they cite, in the order of the claims.

    Episodes that are not among those given are left out. Of several episodes of one claim, those
    that do not hold the quote are given without a place. Claims that quote the same words of the
    same episode give them once.
    """
    spans: dict[tuple[str, str], SourceSpan] = {}
    for claim in claims:
        quote = claim.quote or claim.text
        for id in claim.evidence:
            if id in episodes and (id, quote) not in spans:
                spans[id, quote] = _span(episodes[id], quote, claim.id)
    return tuple(spans.values())


def quoted_episodes(claims: Iterable[Assertion]) -> set[str]:
    """The ids of the episodes that the claims quote.

    A claim that was asserted directly quotes nothing: its episode is but the record of the call,
    which can hold thousands of claims.
    """
    return {id for claim in claims if not is_stated(claim) for id in claim.evidence}


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where the quote stands in the text, as `(start, end)` in characters.

    Case, spacing, and the forms of quotation marks, dashes and compatible characters may differ;
    three dots in the quote stand for anything that was left out. None if it is not there.
    """
    at = text.find(quote) if quote else -1
    if at >= 0:
        return at, at + len(quote)
    level, starts, ends = _levelled(text)
    parts = [part for part in (_level(p) for p in _LEFT_OUT.split(quote)) if part]
    first, after = -1, 0
    for part in parts:
        found = level.find(part, after)
        if found < 0:
            return None
        first = found if first < 0 else first
        after = found + len(part)
    return None if first < 0 else (starts[first], ends[after - 1])


def _span(episode: Episode, quote: str, assertion: str) -> SourceSpan:
    place = find_quote(quote, episode.text)
    if place is None:
        return SourceSpan(episode, quote, None, None, assertion)
    return SourceSpan(episode, episode.text[slice(*place)], *place, assertion)


def _level(text: str) -> str:
    return _levelled(text)[0].strip()


def _levelled(text: str) -> tuple[str, list[int], list[int]]:
    """The text without differences of form; of each character, where it began and ended."""
    level: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        plain = _plain(text[start:end])
        if plain.isspace():
            plain = "" if level and level[-1] == " " else " "
        level.extend(plain)
        starts.extend([start] * len(plain))
        ends.extend([end] * len(plain))
    return "".join(level), starts, ends


@lru_cache(maxsize=1_024)
def _plain(cluster: str) -> str:
    # Marks first: NFKC would part the acute accent that stands for an apostrophe.
    plain = unicodedata.normalize("NFKC", cluster.translate(_MARKS))
    return plain.translate(_MARKS).casefold()


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Each character with the marks that are combined with it."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at
