"""Whether the words that a model cites stand in the turns that it cites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.lexical import STOP_WORDS, words
from bitempo.engine.model import Episode
from bitempo.engine.names import clean_text


class UnverifiedError(ValueError):
    """A claim cannot be traced to the turns; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The turns that carry a claim, the one that holds the quote first, and remarks on them."""

    labels: tuple[str, ...]
    remarks: tuple[str, ...] = ()


class Sources:
    """The turns of one prompt by label: t1 and so on, and c1 and so on for the context."""

    def __init__(self, turns: Mapping[str, Episode]) -> None:
        self.turns = turns
        self._texts = {label: levelled(episode.text) for label, episode in turns.items()}

    def evidence(self, cited: Sequence[str], quote: str) -> Evidence:
        """What carries a claim of these cited labels and this quote.

        A quote from another turn of the window than the one cited moves the evidence there.

        Raises:
            UnverifiedError: no cited turn exists, or the quote stands in none of the window, or
                has no word that says anything and is not the whole turn ("Yes.").
        """
        wanted = levelled(quote)
        if not any(char.isalnum() for char in wanted):
            raise UnverifiedError("there is no quote")
        labels = [label for given in cited if (label := _label(given)) in self.turns]
        unknown = [given for given in cited if _label(given) not in self.turns]
        if not labels:
            raise UnverifiedError(f"no turn has the label {', '.join(map(repr, cited[:3]))}")
        main = self._holder(labels, wanted)
        remarks = [f"there is no turn {given!r}" for given in unknown]
        if main is None:
            raise UnverifiedError("the quote does not occur in the turns")
        if not _says_something(wanted) and wanted.strip(_EDGES) != self._whole(main):
            raise UnverifiedError(f"the quote {quote.strip()!r} has no word that says anything")
        if main != labels[0]:
            remarks.append(f"the quote is of {main}, not of {labels[0]}")
        return Evidence(tuple(dict.fromkeys([main, *labels])), tuple(remarks))

    def holds(self, label: str, words: str) -> bool:
        """Whether the words occur in the turn."""
        return _occurs(levelled(words), self._texts[label])

    def _whole(self, label: str) -> str:
        return self._texts[label].strip(_EDGES)

    def _holder(self, cited: Sequence[str], quote: str) -> str | None:
        """The turn that holds the quote: a cited one if there is, never one of the context."""
        labels = [*cited, *(label for label in self.turns if label not in cited)]
        window = (label for label in labels if label.startswith("t"))
        found = next((label for label in window if _occurs(quote, self._texts[label])), None)
        if found is None and any(_occurs(quote, self._texts[label]) for label in labels):
            raise UnverifiedError("the quote is of the context, which was extracted before")
        return found


_LABEL = re.compile(r"\s*[\[(\"']?\s*(?:turn\s*)?([tc]?)\s*#?(\d{1,9})\s*[\])\"']?\s*", re.I)
_LONGEST_LABEL = 40
"""Spaces between its parts can be told apart in many ways, and all would be tried."""
_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("*_\u200b\u200e\u200f\u00ad\ufeff", None),
    }
)
_PICTURE = re.compile(r"\[(?:photo|picture|image)\s*:")
_SPACES = re.compile(r"\s+")
_EDGES = " .,;:!?\"'()[]-"
_LEFT_OUT = re.compile(r"\s*(?:\.\.\.|\[\.\.\.\])\s*")
_END_OF_WORD = re.compile(r"[\W_]")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3040-\u30ff"
    "\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""Scripts in which no space ends a word, or in which endings are joined to it."""


def levelled(text: str) -> str:
    """Text as quotes are compared: without differences of case, spacing, quotes, dashes, marks."""
    # Marks first: NFKC would part the acute accent that stands for an apostrophe.
    level = unicodedata.normalize("NFKC", clean_text(text).translate(_MARKS)).translate(_MARKS)
    return _SPACES.sub(" ", _PICTURE.sub("[image:", level.casefold())).strip()


def _occurs(quote: str, text: str) -> bool:
    """Whether all parts of the quote occur in order; parts are told apart by three dots."""
    if _find(quote, text) >= 0:
        return True
    at = 0
    for part in _parts(quote):
        found = _find(part, text, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _find(part: str, text: str, at: int = 0) -> int:
    """Where the part stands in the text as whole words, from `at` on; -1 if it does not."""
    while (found := text.find(part, at)) >= 0:
        if _inside_word(text, found):
            end = _END_OF_WORD.search(text, found)
            at = end.start() if end is not None else len(text)
        elif _inside_word(text, found + len(part)):
            at = found + 1
        else:
            return found
    return -1


def _inside_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    around = text[at - 1 : at + 1]
    return all(char.isalnum() for char in around) and not _SPACELESS.search(around)


def _says_something(quote: str) -> bool:
    return any(word not in STOP_WORDS for word in words(quote))


def _parts(quote: str) -> Iterator[str]:
    parts = [part.strip(_EDGES) for part in _LEFT_OUT.split(quote.strip(_EDGES))]
    whole = [part for part in parts if part]
    # Single letters around dots would be found anywhere.
    if len(whole) > 1 and any(len(part) < 4 for part in whole):
        yield quote
        return
    yield from whole


def _label(given: str) -> str:
    match = _LABEL.fullmatch(given) if len(given) <= _LONGEST_LABEL else None
    return f"{match.group(1).lower() or 't'}{int(match.group(2))}" if match else given
