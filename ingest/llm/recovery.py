"""From the text of a reply to its JSON, whatever stands around it and wherever it was cut.

Models wrap JSON in code fences and prose, think aloud before it, repeat the schema they were
given, encode it twice, write NaN, or are stopped in the middle. What was cut is recovered up to
the last whole item, and said to be incomplete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bitempo.ingest.llm.tolerant import parse_at


@dataclass(frozen=True, slots=True)
class Shape:
    """What the object looked for has: its keys, and the keys of the items of each of its lists."""

    keys: frozenset[str]
    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def list_of(self, item: Mapping[str, Any]) -> str | None:
        """The list that an object of these keys is an item of; None for no item."""
        shared = {key: len(names & item.keys()) for key, names in self.lists.items()}
        best = max(shared, key=lambda key: shared[key], default=None)
        return best if best is not None and shared[best] >= _ENOUGH else None


_ENOUGH = 3
"""Keys that tell an item from an object that merely has a word in common with it."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The object of a reply. Not `complete`: something was cut off or could not be read."""

    data: Mapping[str, Any]
    complete: bool


def recover(text: str, shape: Shape) -> Recovered | None:
    """The first object in the text that has any of the shape's keys; None when there is none.

    A bare list of items, or a bare item, is taken as the object that has it. Raises nothing, on
    any text.
    """
    return next(_answers(text, shape, _DEPTH), None)


_DEPTH = 3
"""How many wrappings or encodings are taken off."""
_STARTS = 200
"""How many places in the text are tried."""

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.S | re.I)
_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)
_START = re.compile(r"[\[{]|\"(?=(?:\\[nrt]|\s)*[\[{])")


def _answers(text: str, shape: Shape, depth: int) -> Iterator[Recovered]:
    for part in _parts(text):
        at = 0
        for _ in range(_STARTS):
            match = _START.search(part, at)
            if match is None:
                break
            parsed = parse_at(part, match.start())
            if parsed is None:
                at = match.start() + 1
                continue
            at = max(parsed.end, match.start() + 1)
            yield from _within(parsed.value, parsed.complete, shape, depth)


def _parts(text: str) -> Iterator[str]:
    """The text without what was thought aloud, in the ways this is told apart."""
    stripped = text.strip()
    if stripped[:1] in ("{", "[", '"', "`"):
        yield stripped
        return
    opened = _THOUGHT.match(stripped)
    if opened is not None:
        yield _THOUGHT.sub(" ", stripped)
        return
    # Some endpoints swallow the opening tag, so that only the closing one is seen.
    ended = list(_END_OF_THOUGHT.finditer(stripped))
    if ended:
        yield stripped[ended[-1].end() :]
    yield stripped


def _within(value: Any, complete: bool, shape: Shape, depth: int) -> Iterator[Recovered]:
    if depth == 0:
        return
    if isinstance(value, str):
        for inner in _answers(value, shape, depth - 1):
            yield Recovered(inner.data, inner.complete and complete)
    elif isinstance(value, list):
        key = next((shape.list_of(item) for item in value if isinstance(item, Mapping)), None)
        if key is not None:
            yield Recovered({key: value}, complete)
        elif len(value) == 1:
            yield from _within(value[0], complete, shape, depth - 1)
    elif isinstance(value, Mapping):
        yield from _in_object(value, complete, shape, depth)


def _in_object(
    value: Mapping[str, Any], complete: bool, shape: Shape, depth: int
) -> Iterator[Recovered]:
    if any(key in value for key in shape.keys):
        if not any(_describes(value.get(key)) for key in shape.keys):
            data, whole = _decoded(value, shape)
            yield Recovered(data, complete and whole)
        return
    key = shape.list_of(value)
    if key is not None:
        yield Recovered({key: [value]}, complete)
        return
    for inner in value.values():
        if isinstance(inner, Mapping | list | str):
            yield from _within(inner, complete, shape, depth - 1)


def _describes(value: object) -> bool:
    """Whether it is a part of the schema itself, repeated, which describes a list and is none."""
    return isinstance(value, Mapping) and "type" in value and ("items" in value or len(value) < 3)


def _decoded(value: Mapping[str, Any], shape: Shape) -> tuple[dict[str, Any], bool]:
    """The object with its lists decoded where they are JSON in text, or hold a lone item."""
    data, whole = dict(value), True
    for key in shape.lists:
        inner = data.get(key)
        if isinstance(inner, str) and inner.lstrip()[:1] in ("[", "{"):
            parsed = parse_at(inner, len(inner) - len(inner.lstrip()))
            if parsed is not None:
                data[key], whole = parsed.value, whole and parsed.complete
        if isinstance(data.get(key), Mapping):
            data[key] = [data[key]]
    return data, whole
