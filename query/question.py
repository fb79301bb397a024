"""Reading a question: its terms, and the names in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.lexical import query_terms, terms, words
from bitempo.engine.names import clean_text, normalise_name

MOST_TERMS = 64
"""How many distinct terms of a question are scored: the rarest of those that occur at all."""

_LONGEST = 20_000
_MOST_WORDS = 256
_LONGEST_NAME = 4
_PLACE_LINKS = frozenset({"at", "from", "in"})
_EARLIER = frozenset("before earlier former formerly originally previous previously used".split())

_FIRST_PERSON = frozenset("i me mine my myself our ours us we".split())


@dataclass(frozen=True, slots=True)
class Question:
    """A question as recall reads it.

    `words` are its words in normalised form, and `names` its 1- to 4-grams. `said` are its terms
    with the stop words, and with the prepositions that "where" stands for. `of_earlier` is whether
    it asks for what was before: "Where did Anna live before?"; `of_asker` is whether they who ask
    speak of themselves: "Where did I park?".
    """

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    names: frozenset[str]
    said: frozenset[str]
    of_earlier: bool = False
    of_asker: bool = False


def read_question(text: str) -> Question:
    """The terms and possible names of the question.

    Of a text far too long for a question the first 20,000 characters are read, and of these
    the first 256 words for names.

    Raises:
        InvalidInputError: it is not text.
    """
    start = clean_text(require_text(text)[:_LONGEST])
    said = frozenset(terms(start))
    asked = words(start)
    # "More than before" compares with what was before, and asks of now.
    of_earlier = not _EARLIER.isdisjoint(asked) and "than" not in asked
    of_asker = not _FIRST_PERSON.isdisjoint(asked)
    said |= _PLACE_LINKS if "where" in said else frozenset()
    named = tuple(word for part in start.split()[:_MOST_WORDS] if (word := normal(part)))
    return Question(
        text,
        tuple(query_terms(start)),
        named,
        frozenset(_names(named)),
        said,
        of_earlier,
        of_asker,
    )


def require_text(question: str) -> str:
    """The question, if it is text.

    Raises:
        InvalidInputError: it is not.
    """
    if not isinstance(question, str):
        raise InvalidInputError(f"a question must be text, not {type(question).__name__}")
    return question


def asks(text: str) -> bool:
    """Whether a turn ends in a question, so that the next one is likely to answer it."""
    return text.rstrip(" \t\r\n\"')*_").endswith(("?", "？", "؟"))


def normal(name: str) -> str:
    """The normalised form of a name; empty where nothing is left of it."""
    with suppress(InvalidInputError):
        return normalise_name(name)
    return ""


def without_possessive(word: str) -> str:
    """The word, if it is a possessive ("Anna's") that of which it is one."""
    return word.removesuffix("'s")


def _names(words: Sequence[str]) -> Iterable[str]:
    plain = [without_possessive(word) for word in words]
    for size in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - size + 1):
            # Only the last word of a name takes the possessive: "Anna Lind's sister".
            yield " ".join([*words[start : start + size - 1], plain[start + size - 1]])
            yield " ".join(words[start : start + size])
