"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

_POINT = "Point in time"

ValidAt = Annotated[
    str | None,
    typer.Option(
        "--valid-at",
        metavar="TIME",
        help="What was true in the world then: 2024-05, 2024-05-01, 2024-05-01T12:00:00Z. "
        "Default: now.",
        rich_help_panel=_POINT,
    ),
]
KnownAt = Annotated[
    str | None,
    typer.Option(
        "--known-at",
        metavar="TIME",
        help="What the memory believed then. Default: now.",
        rich_help_panel=_POINT,
    ),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="How many at most.")]
NoSentences = Annotated[
    bool,
    typer.Option(
        "--no-sentences",
        help="Leave out the facts that are whole sentences (the predicate STATES).",
    ),
]


class WhichModality(StrEnum):
    """The modalities to choose from in a read."""

    ACTUAL = "actual"
    PLANNED = "planned"
    HYPOTHETICAL = "hypothetical"
    ANY = "any"


ModalityOption = Annotated[
    WhichModality,
    typer.Option("--modality", help="Facts about the world, plans, suppositions, or any."),
]


def modality_or_none(chosen: WhichModality) -> str | None:
    """What the SDK calls it: None for any."""
    return None if chosen is WhichModality.ANY else chosen.value
