"""The commands that are about intervals of validity: when, relation, related."""

from __future__ import annotations

from typing import Annotated

import typer

from bitempo.cli.invocation import Invocation
from bitempo.cli.options import KnownAt, ModalityOption, WhichModality, modality_or_none

FactId = Annotated[str, typer.Argument(metavar="FACT_ID", help="A fact, by its id.")]
Object = Annotated[
    str | None, typer.Argument(help="Only facts with this entity or value. Default: any.")
]
NOTHING = "nothing is known of it at that time"


def when(
    invocation: Invocation,
    fact_or_subject: Annotated[
        str, typer.Argument(metavar="FACT_ID|SUBJECT", help="A fact's id; or an entity.")
    ],
    predicate: Annotated[
        str | None, typer.Argument(help="With an entity: facts of this predicate. Default: all.")
    ] = None,
    object: Object = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
) -> None:
    """Show when facts hold, what each end of that comes from, and how sure it is."""
    from bitempo.cli import interval_output

    with invocation.tenant() as tenant:
        found = tenant.when(
            fact_or_subject,
            predicate,
            object,
            known_at=known_at,
            modality=modality_or_none(modality),
        )
    if not found:
        invocation.note(NOTHING)
    invocation.emit(
        {"intervals": [interval_output.bounds(one) for one in found]},
        lambda out: out.print(interval_output.bounds_table(found)) if found else None,
    )


def relation(
    invocation: Invocation,
    one: FactId,
    other: Annotated[str, typer.Argument(metavar="FACT_ID", help="Another.")],
    known_at: KnownAt = None,
) -> None:
    """Show how the interval of one fact lies to that of another, as Allen's relations name it."""
    with invocation.tenant() as tenant:
        found = tenant.relation(one, other, known_at=known_at)
    invocation.emit({"relation": str(found), "converse": str(found.converse)}, str(found))


def related(
    invocation: Invocation,
    fact: FactId,
    relations: Annotated[
        list[str],
        typer.Argument(
            metavar="RELATION...",
            help="before, meets, overlaps, starts, during, finishes, equals, finished_by, "
            "contains, started_by, overlapped_by, met_by or after: how they lie to it.",
        ),
    ],
    subject: Annotated[
        str | None,
        typer.Option("--subject", help="Whose facts. Default: those of its own subject."),
    ] = None,
    predicate: Annotated[
        str | None, typer.Option("--predicate", help="Facts of this predicate. Default: all.")
    ] = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
) -> None:
    """Show the facts whose intervals lie so to that of a fact: during it, before it."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.related(
            fact,
            relations,
            subject=subject,
            predicate=predicate,
            known_at=known_at,
            modality=modality_or_none(modality),
        )
    if not found:
        invocation.note("no fact lies so to it")
    invocation.emit(
        shapes.facts(found),
        lambda out: out.print(tables.facts(found, width=out.width)) if found else None,
    )
