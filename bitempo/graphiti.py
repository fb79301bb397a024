"""Moving between Graphiti and bitempo: a Graphiti graph on Neo4j into a memory, and back.

Needs the Neo4j driver (`pip install 'bitempo[neo4j]'`), and not Graphiti itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from bitempo._memory import Memory, Tenant
from bitempo.engine.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from bitempo.ingest.graphiti import (
        Embed,
        GraphitiExport,
        GraphitiImport,
        GraphitiServer,
        Progress,
    )

__all__ = ["export_graphiti", "import_graphiti"]

_MOST_GROUPS = 10


def import_graphiti(
    memory: Memory,
    location: str,
    *,
    group_ids: Sequence[str] | None = None,
    tenant: str | None = None,
    progress: Progress | None = None,
) -> list[GraphitiImport]:
    """Take the groups of a Graphiti graph into tenants of the same names.

    Doing it again adds only what is new. Into a new tenant, Graphiti's `created_at` and
    `expired_at` become transaction times; where the tenant holds later ones, what is imported is
    believed from after them.

    Args:
        memory: where to.
        location: Graphiti's server, `bolt://user:password@host:7687/database`. The user and the
            password come from BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD where it has none.
        group_ids: which groups; all by default.
        tenant: the tenant, for one group; needed for the group whose id is empty.
        progress: called with the number of events done in the current group, and of all.

    Raises:
        NotFoundError: there is no such group, or nothing of Graphiti's.
        InvalidInputError: a group has no id and no tenant is named, or several groups have one.
        StoreError: the server cannot be reached or refuses the password.
    """
    server = _server(location)
    from bitempo.ingest import graphiti

    with closing(server):
        chosen = chosen_groups(graphiti.group_ids(server), group_ids, server.uri)
        tenants = _tenants(memory, chosen, tenant)
        return [
            graphiti.import_group(
                graphiti.GraphitiSource(server, group, memory.redactor),
                memory._store,
                name,
                progress,
            )
            for group, name in zip(chosen, tenants, strict=True)
        ]


def export_graphiti(
    tenant: Tenant,
    location: str,
    *,
    group_id: str | None = None,
    embed: Embed | None = None,
    progress: Progress | None = None,
) -> GraphitiExport:
    """Write what a tenant believes into a group of a Graphiti graph.

    Doing it again brings the group up to date. Several tenants go into one database, each into a
    group of its own. The whole tenant but its texts is held in memory.

    Args:
        tenant: whose belief.
        location: as in `import_graphiti`.
        group_id: the group; the tenant's name by default.
        embed: makes vectors of texts, as long as those of the embedder that Graphiti will be
            used with; without it Graphiti finds what is new by its words alone.
        progress: called with the number of records written, and of all.

    Raises:
        NotFoundError: the tenant holds nothing.
        InvalidInputError: the group id is none that Graphiti allows.
        ConflictError: the server holds some of what came from Graphiti in another group already.
        StoreError: the server cannot be reached or refuses the password.
    """
    server = _server(location)
    from bitempo.ingest import graphiti

    with closing(server):
        return graphiti.export_group(
            tenant._store,
            tenant.name,
            server,
            now=tenant._memory.clock.now(),
            group=group_id,
            embed=embed,
            progress=progress,
        )


def chosen_groups(there: Sequence[str], wanted: Sequence[str] | None, uri: str) -> list[str]:
    """The groups that are wanted of those that a server has; all of them by default.

    Raises:
        NotFoundError: it has none at all, or not one of those.
    """
    if not there:
        raise NotFoundError(
            f"{uri} has no Graphiti data: no Entity and no Episodic with a group_id; "
            "check the address and the database"
        )
    chosen = list(dict.fromkeys(wanted)) if wanted else list(there)
    missing = [repr(group) for group in chosen if group not in there]
    if missing:
        shown = ", ".join(map(repr, there[:_MOST_GROUPS]))
        more = f" and {len(there) - _MOST_GROUPS} more" if len(there) > _MOST_GROUPS else ""
        raise NotFoundError(f"{uri} has no group {', '.join(missing)}; it has {shown}{more}")
    return chosen


def _server(location: str) -> GraphitiServer:
    try:
        from bitempo.ingest.graphiti import GraphitiServer
    except ImportError as error:
        raise InvalidInputError(
            "a Graphiti graph is read with the Neo4j driver: pip install 'bitempo[neo4j]'"
        ) from error
    return GraphitiServer(
        location,
        user=os.environ.get("BITEMPO_NEO4J_USER"),
        password=os.environ.get("BITEMPO_NEO4J_PASSWORD"),
    )


def _tenants(memory: Memory, groups: Sequence[str], tenant: str | None) -> list[str]:
    """The name of each group's tenant."""
    if tenant is not None and len(groups) > 1:
        raise InvalidInputError(
            f"there are {len(groups)} groups and one tenant, {tenant!r}: choose a group with "
            "--group-id, or name no tenant, and each goes into one of its own name"
        )
    if tenant is None and "" in groups:
        raise InvalidInputError(
            "Graphiti's default group has an empty id, which is no name for a tenant: choose "
            "the group with --group-id '' and name the tenant with --tenant"
        )
    return [memory.tenant(group if tenant is None else tenant).name for group in groups]
