"""The command that makes vectors: reembed."""

from __future__ import annotations

import typer

from bitempo.cli.failure import INTERRUPTED
from bitempo.cli.invocation import Invocation


def reembed(invocation: Invocation) -> None:
    """Make the vectors of all turns and assertions with the --embedder named, or those that lack.

    Until all are there, those of the embedder before stay in use. Stopped in the middle, the same
    command goes on where it was.
    """
    from bitempo.cli.progress import events_bar

    try:
        with events_bar(invocation, "embedding", "vectors") as bar, invocation.tenant() as tenant:
            made = tenant.reembed(bar)
            found = tenant.stats()
    except KeyboardInterrupt:
        typer.echo(
            "bitempo: interrupted; the vectors made so far are kept. Go on with the same command",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    invocation.emit(
        {"embedder": found.embedder, "made": made, "vectors": found.vectors},
        f"{made} vectors made, {found.vectors} by {found.embedder or 'no embedder'}",
    )
