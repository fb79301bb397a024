"""What an extraction prompt holds, read back from the request that carried it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bitempo.engine.time import Instant, from_datetime
from bitempo.testing.call import Call


@dataclass(frozen=True, slots=True)
class PromptTurn:
    """A turn of the prompt. `label` is what evidence cites it by: t1, or c1 for context.

    `occurred_at` is exact to the minute, as the prompt gives it.
    """

    label: str
    actor: str
    text: str
    occurred_at: Instant | None

    @property
    def is_context(self) -> bool:
        """Whether it was said before the window, and is there only to be understood."""
        return self.label.startswith("c")


@dataclass(frozen=True, slots=True)
class PromptFact:
    """A fact that the memory knew; `label` (f1 …) is what a correction names."""

    label: str
    subject: str
    predicate: str
    answer: str


@dataclass(frozen=True, slots=True)
class ExtractionPrompt:
    """The turns to extract from, the turns before them, and the facts known."""

    turns: tuple[PromptTurn, ...]
    context: tuple[PromptTurn, ...]
    facts: tuple[PromptFact, ...]


def read_prompt(call: Call) -> ExtractionPrompt:
    """What the request asks to extract from.

    Turns and facts stand in it as JSON objects, one a line; everything else is passed over.
    """
    turns, facts = [], []
    for line in _objects(call.prompt):
        label = str(line.get("label", ""))
        if "text" in line and label[:1] in ("t", "c"):
            turns.append(
                PromptTurn(
                    label, str(line.get("actor", "")), str(line["text"]), _time(line.get("time"))
                )
            )
        elif "answer" in line and label.startswith("f"):
            said = (str(line.get(name, "")) for name in ("subject", "predicate", "answer"))
            facts.append(PromptFact(label, *said))
    return ExtractionPrompt(
        turns=tuple(turn for turn in turns if not turn.is_context),
        context=tuple(turn for turn in turns if turn.is_context),
        facts=tuple(facts),
    )


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                parsed = json.loads(line)
            except ValueError:
                continue
            if isinstance(parsed, dict):
                yield parsed


def _time(stamp: object) -> Instant | None:
    """The instant of a stamp such as `2023-05-08T13:56Z Monday`."""
    try:
        return from_datetime(datetime.fromisoformat(str(stamp).partition(" ")[0]))
    except ValueError:
        return None
