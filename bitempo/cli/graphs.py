"""The commands that see facts as a graph: graph and paths."""

from __future__ import annotations

from typing import Annotated

import typer

from bitempo.cli.invocation import Invocation
from bitempo.cli.options import KnownAt, ModalityOption, ValidAt, WhichModality, modality_or_none

Sentences = Annotated[
    bool,
    typer.Option(
        "--sentences", help="Take the facts that are whole sentences too (the predicate STATES)."
    ),
]


def graph(
    invocation: Invocation,
    subject: Annotated[
        str | None, typer.Argument(help="Take what stands around this entity. Default: all.")
    ] = None,
    hops: Annotated[
        int | None,
        typer.Option(
            "--hops", min=1, max=8, help="How many facts to go from it at most. Default: 1."
        ),
    ] = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
    sentences: Sentences = False,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="How many facts it may have.")
    ] = 10_000,
) -> None:
    """Show the graph of what holds at one point in both times; --json gives it whole."""
    from bitempo.cli import graph_output

    with invocation.tenant() as tenant:
        found = tenant.graph(
            subject,
            hops=hops,
            valid_at=valid_at,
            known_at=known_at,
            modality=modality_or_none(modality),
            sentences=sentences,
            limit=limit,
        )
    if not found:
        invocation.note("nothing is known of it at that point")
    invocation.emit(
        graph_output.shape(found),
        lambda out: out.print(graph_output.table(found)) if found else None,
    )


def paths(
    invocation: Invocation,
    start: Annotated[str, typer.Argument(help="An entity: its name, an alias or its id.")],
    goal: Annotated[str, typer.Argument(help="Another.")],
    most_hops: Annotated[
        int, typer.Option("--most-hops", min=1, max=8, help="How many facts a path may have.")
    ] = 6,
    fan_out: Annotated[
        int,
        typer.Option(
            "--fan-out",
            min=1,
            help="How many facts to go along from one entity at most: the most important, of those "
            "the latest to begin.",
        ),
    ] = 50,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
    sentences: Sentences = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many paths at most.")] = 10,
) -> None:
    """Show the shortest ways from one entity to another, at one point in both times."""
    from bitempo.cli import graph_output

    with invocation.tenant() as tenant:
        found = tenant.paths(
            start,
            goal,
            most_hops=most_hops,
            fan_out=fan_out,
            valid_at=valid_at,
            known_at=known_at,
            modality=modality_or_none(modality),
            sentences=sentences,
            limit=limit,
        )
    if not found:
        invocation.note(f"nothing leads from {start} to {goal} at that point")
    elif not found.paths[0]:
        invocation.note(f"{start} and {goal} are one entity")
    if not found.whole:
        invocation.note("there may be more, or shorter ones: see --fan-out and --limit")
    invocation.emit(
        graph_output.paths_shape(found), lambda out: graph_output.show_paths(out, found)
    )
