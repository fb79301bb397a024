"""What a language must bring, and the languages there are.

To add one: write a class with the methods of `DateLanguage`, and `register` it under its ISO 639-1
code. The meanings it builds are shared by all languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from bitempo.engine.errors import InvalidInputError
from bitempo.ingest.dates.meaning import Meaning, Tense


@dataclass(frozen=True, slots=True)
class Candidate:
    """A time expression as read from the text, not yet resolved: `[start, end)` and its meaning."""

    start: int
    end: int
    meaning: Meaning


class Reading(Protocol):
    """One text as a language reads it."""

    def candidates(self) -> Iterable[Candidate]:
        """The expressions, in text order, without overlaps, the longest at each place."""
        ...

    def tense_at(self, position: int) -> Tense:
        """Which way the sentence round the position leans."""
        ...

    def perfect_at(self, position: int) -> bool:
        """Whether the sentence before the position tells of what still goes on ("has lived")."""
        ...


class DateLanguage(Protocol):
    """A language in which times are told."""

    code: str

    def may_tell_time(self, text: str) -> bool:
        """A quick test: False only if the text holds no time expression."""
        ...

    def read(self, text: str) -> Reading:
        """The text, read. Never raises, and takes time linear in the length of the text."""
        ...

    def looks_explicit(self, text: str) -> bool:
        """Whether the text seems to hold an explicit date, with a month name or in digits."""
        ...


def register(code: str, load: Callable[[], DateLanguage]) -> None:
    """Make a language available; `load` is called when it is first used."""
    _loaders[code] = load
    _loaded.pop(code, None)


def language_for(code: str) -> DateLanguage:
    """The language of an ISO 639-1 code.

    Raises:
        InvalidInputError: no such language is registered.
    """
    if code not in _loaded:
        if code not in _loaders:
            known = ", ".join(sorted(_loaders))
            raise InvalidInputError(
                f"no date language {code!r}; the languages are: {known}. "
                "Register another with bitempo.ingest.dates.register"
            )
        _loaded[code] = _loaders[code]()
    return _loaded[code]


_loaders: dict[str, Callable[[], DateLanguage]] = {}
_loaded: dict[str, DateLanguage] = {}


def _english() -> DateLanguage:
    from bitempo.ingest.dates.english import English

    return English()


register("en", _english)
