"""The commands that compute from intervals: count, first, last, how-long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bitempo.cli.intervals import NOTHING, Object
from bitempo.cli.invocation import Invocation
from bitempo.cli.options import KnownAt, ModalityOption, WhichModality, modality_or_none

if TYPE_CHECKING:
    from bitempo.query.aggregates import Pick

Subject = Annotated[str, typer.Argument(help="An entity: its name, an alias or its id.")]
Predicate = Annotated[str, typer.Argument(help='Such as LIVES_IN or "lives in".')]
_WINDOW = "Window of valid time"
From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="TIME", help="From when on. Default: always.", rich_help_panel=_WINDOW
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="TIME", help="Before when. Default: no end.", rich_help_panel=_WINDOW
    ),
]


def count(
    invocation: Invocation,
    subject: Subject,
    predicate: Predicate,
    object: Object = None,
    from_: From = None,
    to: To = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
) -> None:
    """Count the facts of an entity and a predicate that hold at some time of a window."""
    from bitempo.cli import interval_output

    with invocation.tenant() as tenant:
        found = tenant.count(
            subject,
            predicate,
            object,
            between=(from_, to),
            known_at=known_at,
            modality=modality_or_none(modality),
        )
    invocation.emit(
        interval_output.count(found), lambda out: interval_output.show_count(out, found)
    )


def first(
    invocation: Invocation,
    subject: Subject,
    predicate: Predicate,
    object: Object = None,
    from_: From = None,
    to: To = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
) -> None:
    """Show the fact that began first, of those that hold in a window."""
    with invocation.tenant() as tenant:
        found = tenant.first(
            subject,
            predicate,
            object,
            between=(from_, to),
            known_at=known_at,
            modality=modality_or_none(modality),
        )
    _show_pick(invocation, found)


def last(
    invocation: Invocation,
    subject: Subject,
    predicate: Predicate,
    object: Object = None,
    from_: From = None,
    to: To = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
) -> None:
    """Show the fact that began last, of those that hold in a window."""
    with invocation.tenant() as tenant:
        found = tenant.last(
            subject,
            predicate,
            object,
            between=(from_, to),
            known_at=known_at,
            modality=modality_or_none(modality),
        )
    _show_pick(invocation, found)


def how_long(
    invocation: Invocation,
    subject: Subject,
    predicate: Predicate,
    object: Object = None,
    from_: From = None,
    to: To = None,
    valid_at: Annotated[
        str | None,
        typer.Option("--valid-at", metavar="TIME", help="Until when to measure. Default: now."),
    ] = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
) -> None:
    """Show for how long facts of an entity and a predicate have held, in all."""
    from bitempo.cli import interval_output

    with invocation.tenant() as tenant:
        found = tenant.how_long(
            subject,
            predicate,
            object,
            between=(from_, to),
            valid_at=valid_at,
            known_at=known_at,
            modality=modality_or_none(modality),
        )
    invocation.emit(
        interval_output.duration(found), lambda out: interval_output.show_duration(out, found)
    )


def _show_pick(invocation: Invocation, found: Pick) -> None:
    from bitempo.cli import interval_output

    if found.fact is None:
        invocation.note(NOTHING)
    invocation.emit(interval_output.pick(found), lambda out: interval_output.show_pick(out, found))
