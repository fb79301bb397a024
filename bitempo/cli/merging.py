"""The commands that say which entities are one: merge, unmerge, merges."""

from __future__ import annotations

from typing import Annotated

import typer

from bitempo.cli.invocation import Invocation
from bitempo.cli.options import KnownAt
from bitempo.cli.writes import show_written

Entity = Annotated[str, typer.Argument(help="A name, an alias or an id.")]


def merge(
    invocation: Invocation,
    entity: Entity,
    into: Entity,
    reason: Annotated[str, typer.Option("--reason", help="Why, for whoever asks.")] = "",
    trust: Annotated[int, typer.Option("--trust", min=1, max=10)] = 5,
    occurred_at: Annotated[
        str | None, typer.Option("--occurred-at", metavar="TIME", help="Default: now.")
    ] = None,
) -> None:
    """Say that two entities are one; what was known before stays, and `unmerge` takes it back."""
    with invocation.tenant() as tenant:
        done = tenant.merge(entity, into, reason=reason, trust=trust, occurred_at=occurred_at)
    show_written(invocation, done)


def unmerge(invocation: Invocation, entity: Entity, into: Entity) -> None:
    """Take back that two entities are one; each has its own facts again."""
    with invocation.tenant() as tenant:
        done = tenant.unmerge(entity, into)
    show_written(invocation, done)


def merges(invocation: Invocation, known_at: KnownAt = None) -> None:
    """List which entities are one, and why."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.merges(known_at)
    if not found:
        invocation.note("nothing is merged at that point")
    invocation.emit(
        {"merges": [shapes.merge(one) for one in found]},
        lambda out: out.print(tables.merges(found)) if found else None,
    )
