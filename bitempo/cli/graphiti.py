"""Moving between Graphiti and a memory: the `graphiti` forms of import and export."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitempo.cli.invocation import Invocation

if TYPE_CHECKING:
    from bitempo.ingest.graphiti import GraphitiExport, GraphitiImport

KIND = "graphiti"
"""What stands where a file would, to say that a server with a Graphiti graph follows."""

Server = Annotated[
    str | None,
    typer.Argument(
        metavar="[URL]",
        help="After the word graphiti: the Neo4j server of a Graphiti graph, as "
        "bolt://user:password@host:7687/database.",
        show_default=False,
    ),
]
GroupIds = Annotated[
    list[str] | None,
    typer.Option("--group-id", metavar="ID", help="With graphiti: this group; can be repeated."),
]
GroupId = Annotated[
    str | None,
    typer.Option(
        "--group-id", metavar="ID", help="With graphiti: the group. Default: the tenant's name."
    ),
]

_MOST_SHOWN = 10


def is_meant(file: object, server: str | None, group_ids: object) -> bool:
    """Whether the arguments are those of the `graphiti` form.

    Raises:
        InvalidInputError: a server or a group is named, and not that it is Graphiti's.
    """
    from bitempo import InvalidInputError

    if server is None and group_ids in (None, []):
        return False
    if str(file) != KIND:
        raise InvalidInputError(
            f"a second argument and --group-id go with {KIND}: bitempo import {KIND} "
            "bolt://host:7687"
        )
    if server is None:
        raise InvalidInputError(f"name the server: {KIND} bolt://host:7687")
    return True


def import_graph(invocation: Invocation, server: str, group_ids: list[str] | None) -> None:
    """Take groups of a Graphiti graph into tenants."""
    from bitempo.cli.progress import events_bar
    from bitempo.graphiti import import_graphiti

    with invocation.memory(create=True) as memory, events_bar(invocation, "importing") as bar:
        found = import_graphiti(
            memory,
            server,
            group_ids=group_ids,
            tenant=invocation.settings.tenant,
            progress=bar,
        )
    for one in found:
        for remark in _remarks(one):
            invocation.note(remark)
    invocation.emit({"groups": [_imported(one) for one in found]}, "\n".join(map(_taken, found)))


def export_graph(invocation: Invocation, server: str, group_id: str | None) -> None:
    """Write a tenant's belief into a group of a Graphiti graph."""
    from bitempo.cli.progress import events_bar
    from bitempo.graphiti import export_graphiti

    with invocation.tenant() as tenant, events_bar(invocation, "exporting") as bar:
        done = export_graphiti(tenant, server, group_id=group_id, progress=bar)
    if done.plans:
        invocation.note(f"{done.plans} plans and suppositions left out: Graphiti has none")
    invocation.note(
        "no embeddings were written: until Graphiti makes them, its vector search does not find "
        "what is new"
    )
    invocation.emit(asdict(done), _written(done))


def _taken(done: GraphitiImport) -> str:
    return (
        f"group {done.group_id!r} into tenant {done.tenant!r}: {done.episodes} episodes, "
        f"{done.facts} facts, {done.entities} entities; {done.changed} facts changed, "
        f"{done.unchanged} there already"
    )


def _written(done: GraphitiExport) -> str:
    return (
        f"tenant {done.tenant!r} into group {done.group_id!r}: {done.episodes} episodes, "
        f"{done.facts} facts ({done.closed} closed), {done.entities} entities; "
        f"{done.expired_since} facts of an earlier export expired"
    )


def _remarks(done: GraphitiImport) -> list[str]:
    """What a reader should know beside the counts."""
    from bitempo.cli import words

    found = [f"{one.place}: {one.reason}; left out" for one in done.malformed[:_MOST_SHOWN]]
    if len(done.malformed) > _MOST_SHOWN:
        found.append(f"{len(done.malformed) - _MOST_SHOWN} more left out; --json lists them all")
    if done.redacted:
        found.append(words.redacted(done.redacted))
    if done.without_offset:
        found.append(f"{done.without_offset} times had no UTC offset and were taken as UTC")
    if done.late:
        found.append(
            f"tenant {done.tenant!r} held later transactions: {done.late} of these came after "
            "them, so known-at does not show them at Graphiti's times"
        )
    if done.communities:
        found.append(f"{done.communities} communities not taken: Graphiti can make them again")
    if done.single:
        found.append(
            f"tenant {done.tenant!r} holds {', '.join(done.single)} to one value at a time, "
            "which Graphiti does not; what overlaps there is decided by bitempo's rules"
        )
    return found


def _imported(done: GraphitiImport) -> dict[str, Any]:
    from bitempo.cli import shapes

    times = {"first_tx": shapes.time(done.first_tx), "last_tx": shapes.time(done.last_tx)}
    return asdict(done) | times
