"""A copy of the whole file while it is in use."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

import apsw

from bitempo.engine.errors import StoreError
from bitempo.engine.store.sqlite.failures import translated, writes_translated


def copy(source: apsw.Connection, target: Path) -> None:
    """Write what the source's open transaction sees to a new file, complete or not at all.

    Raises:
        StoreError: the target exists, or its folder does not.
        StoreFullError, StoreReadOnlyError: the target cannot be written.
    """
    if not target.parent.is_dir():
        raise StoreError(f"the folder {target.parent} does not exist; make it first")
    if target.exists():
        raise _exists(target)
    unfinished = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        with translated(str(target)):
            _write(source, unfinished, target)
        _put(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _write(source: apsw.Connection, unfinished: Path, target: Path) -> None:
    connection = apsw.Connection(str(unfinished))
    try:
        with (
            writes_translated(str(target), connection),
            connection.backup("main", source, "main") as backup,
        ):
            backup.step()
    finally:
        connection.close()


def _put(unfinished: Path, target: Path) -> None:
    """Give the finished copy its name, unless another file has taken it meanwhile."""
    try:
        os.link(unfinished, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:
        # A file system without hard links.
        unfinished.replace(target)


def _exists(target: Path) -> StoreError:
    return StoreError(f"{target} exists; name a new file for the backup")
