"""Reading a question: its terms, and the names in it."""

from __future__ import annotations

from collections.abc import Iterable
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
_ASKERS = frozenset({"user", "human"})
"""What chats call whoever asks."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as recall reads it.

    `names` are its 1- to 4-grams in normalised form. `said` are its terms with the stop words,
    and with the prepositions that "where" stands for. `of_earlier` is whether it asks for what
    was before: "Where did Anna live before?"; `of_asker` is whether they who ask speak of
    themselves: "Where did I park?".
    """

    text: str
    terms: tuple[str, ...]
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
    return Question(
        text, tuple(query_terms(start)), frozenset(_names(start)), said, of_earlier, of_asker
    )


def require_text(question: str) -> str:
    """The question, if it is text.

    Raises:
        InvalidInputError: it is not.
    """
    if not isinstance(question, str):
        raise InvalidInputError(f"a question must be text, not {type(question).__name__}")
    return question


def speaker_named(question: Question, speakers: Iterable[str | None]) -> str | None:
    """The one speaker that the question names; None when it names none or several.

    A speaker is named by the whole name or, where no other speaker shares it, its first word. Who
    says "I", and names nobody, means the one that chats call the user.
    """
    normal = {speaker: name for speaker in speakers if speaker and (name := _normal(speaker))}
    first: dict[str, list[str]] = {}
    for speaker, name in normal.items():
        first.setdefault(name.split(" ")[0], []).append(speaker)
    named = {
        speaker
        for speaker, name in normal.items()
        if name in question.names
        or (len(first[name.split(" ")[0]]) == 1 and name.split(" ")[0] in question.names)
    }
    if not named and question.of_asker:
        named = {speaker for speaker, name in normal.items() if name in _ASKERS}
    return named.pop() if len(named) == 1 else None


def asks(text: str) -> bool:
    """Whether a turn ends in a question, so that the next one is likely to answer it."""
    return text.rstrip(" \t\r\n\"')*_").endswith(("?", "？", "؟"))


def _names(text: str) -> Iterable[str]:
    words = [word for word in (_normal(part) for part in text.split()[:_MOST_WORDS]) if word]
    plain = [_without_possessive(word) for word in words]
    for size in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - size + 1):
            # Only the last word of a name takes the possessive: "Anna Lind's sister".
            yield " ".join([*words[start : start + size - 1], plain[start + size - 1]])
            yield " ".join(words[start : start + size])


def _without_possessive(word: str) -> str:
    return word.removesuffix("'s")


def _normal(name: str) -> str:
    with suppress(InvalidInputError):
        return normalise_name(name)
    return ""
