"""The names that resolution asks about, read back from the request, and replies to it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from bitempo.engine.names import normalise_name
from bitempo.ingest.resolution.model import Decision, Decisions
from bitempo.testing.call import Call


@dataclass(frozen=True, slots=True)
class PromptPair:
    """Two names of which resolution asks whether they name one thing; `number` is its label."""

    number: int
    new: str
    known: str


def read_pairs(call: Call) -> tuple[PromptPair, ...]:
    """The pairs that the request asks about; none where it asks for something else."""
    try:
        found = json.loads(call.prompt)
    except ValueError:
        return ()
    if not isinstance(found, list) or not all(isinstance(pair, dict) for pair in found):
        return ()
    return tuple(
        PromptPair(int(pair["pair"]), str(pair["new"]["name"]), str(pair["known"]["name"]))
        for pair in found
        if {"pair", "new", "known"} <= pair.keys()
    )


def deciding(call: Call, same: Collection[tuple[str, str]]) -> Decisions | None:
    """The reply that takes these pairs of names, in either order, for one thing each.

    It is unsure of all others. None where the request asks for something else.
    """
    pairs = read_pairs(call)
    if not pairs:
        return None
    wanted = {frozenset(map(normalise_name, names)) for names in same}
    return Decisions(
        decisions=[
            Decision(
                pair=pair.number,
                decision="same" if _names(pair) in wanted else "unsure",
                reason="the script says so",
            )
            for pair in pairs
        ]
    )


def _names(pair: PromptPair) -> frozenset[str]:
    return frozenset((normalise_name(pair.new), normalise_name(pair.known)))
