"""The commands that move whole memories: export, import, backup, restore."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bitempo.cli import graphiti
from bitempo.cli.invocation import Invocation, machine_readable


def export(
    invocation: Invocation,
    target: Annotated[
        Path | None, typer.Argument(help="A file to write. Default, or -: standard output.")
    ] = None,
    server: graphiti.Server = None,
    group_id: graphiti.GroupId = None,
) -> None:
    """Write everything the tenant holds as JSON lines, or what it believes to a Graphiti graph.

    For Graphiti: bitempo export graphiti bolt://host:7687
    """
    if graphiti.is_meant(target, server, group_id):
        graphiti.export_graph(invocation, str(server), group_id)
        return
    with invocation.tenant() as tenant:
        if target is None or str(target) == "-":
            out = machine_readable(sys.stdout)
            for line in tenant.export():
                out.write(f"{line}\n")
            return
        count = tenant.export(target)
    invocation.emit({"file": str(target), "records": count}, f"{count} records in {target}")


def import_(
    invocation: Invocation,
    source: Annotated[str, typer.Argument(help="A file that export wrote; - reads it from stdin.")],
    server: graphiti.Server = None,
    group_id: graphiti.GroupIds = None,
) -> None:
    """Restore an export into a tenant that is empty, or take in the groups of a Graphiti graph.

    An export is restored all of it, or nothing. For Graphiti:
    bitempo import graphiti bolt://host:7687 takes each group into a tenant of its name.
    """
    if graphiti.is_meant(source, server, group_id):
        graphiti.import_graph(invocation, str(server), group_id)
        return
    with invocation.tenant(create=True) as tenant:
        count = tenant.import_(sys.stdin if source == "-" else source)
    invocation.emit({"records": count}, f"{count} records restored")


def backup(
    invocation: Invocation,
    target: Annotated[Path, typer.Argument(help="A new file.")],
) -> None:
    """Copy the whole store, all tenants, while it is in use."""
    with invocation.memory() as memory:
        memory.backup(target)
    invocation.emit(
        {"file": str(target)},
        lambda out: out.print(
            f"{invocation.settings.shown} is backed up to {target}", markup=False
        ),
    )


def restore(
    invocation: Invocation,
    source: Annotated[Path, typer.Argument(help="A file that backup wrote.")],
) -> None:
    """Put a backup where the store is to be; there must be none yet."""
    from bitempo import InvalidInputError

    file = invocation.settings.file
    if file is None:
        raise InvalidInputError(f"{invocation.settings.shown} is no file to restore into")
    _restore(source, Path(file))
    invocation.emit(
        {"store": file, "from": str(source)},
        f"{file} is restored from {source}",
    )


def _restore(source: Path, target: Path) -> None:
    """Copy beside the target, check that it opens, and only then give it the target's name."""
    from bitempo import ConflictError, InvalidInputError, Memory

    if target.exists():
        raise ConflictError(f"{target} exists; move it away, or restore to another --store")
    if not source.is_file():
        raise InvalidInputError(f"{source} is no file; name one that bitempo backup wrote")
    if Path(f"{source}-wal").exists():
        raise InvalidInputError(f"{source} is in use; copy it with bitempo backup instead")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    copy = Path(name)
    try:
        shutil.copyfile(source, copy)
        with Memory.open(copy):
            pass
        with copy.open("rb+") as file:
            os.fsync(file.fileno())
        copy.replace(target)
    finally:
        for left in (copy, Path(f"{copy}-wal"), Path(f"{copy}-shm")):
            left.unlink(missing_ok=True)
