"""A reader of JSON that gives what it could read when the text ends too early.

An element of an array is given whole or not at all, so that no item is ever half an item. What is
cut inside of an object that is no element loses only its unfinished entries.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, where its text ends, and whether all of it was there."""

    value: Any
    end: int
    complete: bool


def parse_at(text: str, start: int) -> Parsed | None:
    """The JSON value that starts there; None when there is nothing to be read as one.

    NaN and infinities read as null, as no store can hold them; comments and commas before a
    closing bracket are passed over. Raises nothing.
    """
    reader = _Reader(text)
    try:
        value = reader.value(start, 0)
    except _BrokenError as broken:
        if broken.partial is _NOTHING:
            return None
        return Parsed(broken.partial, broken.at, complete=False)
    return Parsed(value, reader.at, complete=True)


_NOTHING = object()
_DEEPEST = 40
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.S)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_WORD = re.compile(r"-?[A-Za-z]+")
_WORDS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "NaN": None, "nan": None, "Infinity": None, "-Infinity": None, "undefined": None,
}  # fmt: skip
_LONGEST_NUMBER = 300


class _BrokenError(Exception):
    """The text ended, or went on as no JSON does; `partial` is what was whole before."""

    def __init__(self, at: int, partial: Any = _NOTHING) -> None:
        super().__init__(at)
        self.at = at
        self.partial = partial


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def value(self, start: int, depth: int) -> Any:
        text = self._text
        at = self._after_space(start)
        char = text[at : at + 1]
        if char in ("{", "[") and char:
            if depth >= _DEEPEST:
                raise _BrokenError(at)
            return self._object(at, depth) if char == "{" else self._array(at, depth)
        if char == '"':
            return self._string(at)
        number = _NUMBER.match(text, at)
        # A number that reaches the end may have lost digits.
        if number is not None and number.end() < len(text):
            return self._number(number)
        word = _WORD.match(text, at)
        if word is not None and word.group() in _WORDS:
            self.at = word.end()
            return _WORDS[word.group()]
        raise _BrokenError(at)

    def _object(self, start: int, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        at = self._after_space(start + 1)
        while True:
            char = self._text[at : at + 1]
            if char == "}":
                self.at = at + 1
                return result
            if char != '"':
                raise _BrokenError(at, result)
            try:
                key = self._string(at)
                at = self._after_space(self.at)
                if self._text[at : at + 1] != ":":
                    raise _BrokenError(at)
                result[key] = self.value(at + 1, depth + 1)
            except _BrokenError as broken:
                if broken.partial is not _NOTHING:
                    result[key] = broken.partial
                raise _BrokenError(broken.at, result) from None
            at = self._next(result)

    def _array(self, start: int, depth: int) -> list[Any]:
        result: list[Any] = []
        at = self._after_space(start + 1)
        while True:
            if self._text[at : at + 1] == "]":
                self.at = at + 1
                return result
            try:
                result.append(self.value(at, depth + 1))
            except _BrokenError as broken:
                raise _BrokenError(broken.at, result) from None
            at = self._next(result)

    def _next(self, result: Any) -> int:
        """Where the next entry starts, or the closing bracket stands."""
        at = self._after_space(self.at)
        char = self._text[at : at + 1]
        if char == ",":
            return self._after_space(at + 1)
        if char and char in "]}":
            return at
        raise _BrokenError(at, result)

    def _string(self, start: int) -> str:
        match = _STRING.match(self._text, start)
        if match is None:
            raise _BrokenError(len(self._text))
        try:
            text: str = json.loads(match.group(), strict=False)
        except ValueError:
            text = match.group()[1:-1]
        self.at = match.end()
        return text

    def _number(self, match: re.Match[str]) -> Any:
        self.at = match.end()
        if len(match.group()) > _LONGEST_NUMBER:
            return match.group()
        number = json.loads(match.group()) if _is_json(match.group()) else float(match.group())
        # 1e999 reads as infinity.
        return None if number in (float("inf"), float("-inf")) else number

    def _after_space(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return at if match is None else match.end()


def _is_json(number: str) -> bool:
    return not re.match(r"-?0\d", number)
