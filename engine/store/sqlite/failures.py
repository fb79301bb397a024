"""SQLite's errors as bitempo's, with what to do about them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from bitempo.engine import errors

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_PERMISSION = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise SQLite's errors as bitempo's; `path` is the file they are about."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise errors.StoreBusyError(busy_message(path)) from error
    except apsw.FullError as error:
        raise _full(path) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise _read_only(path) from error
    except apsw.CantOpenError as error:
        raise cannot_open(path) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise errors.StoreCorruptError(
            f"{path} is not a readable database ({error}); restore it from a backup"
        ) from error
    except apsw.Error as error:
        raise errors.StoreError(f"{path}: {error}") from error


@contextmanager
def writes_translated(path: str, connection: apsw.Connection) -> Iterator[None]:
    """Tell a lack of space or permission from other failures of the disk.

    SQLite itself knows only a full disk; a quota or a limit on the size of files is an
    input/output error to it, of which the system's error number says more.
    """
    try:
        yield
    except (apsw.IOError, apsw.CantOpenError) as error:
        if connection.system_errno in _NO_SPACE:
            raise _full(path) from error
        if connection.system_errno in _NO_PERMISSION:
            raise _read_only(path) from error
        raise


def busy_message(path: str) -> str:
    """What to say when the wait for another writer was in vain."""
    return f"{path} is held by another writer; try again, or open it with a longer busy_timeout"


def cannot_open(path: str) -> errors.StoreError:
    """Why the file cannot be opened, as far as can be seen from outside."""
    file = Path(path)
    if file.is_dir():
        return errors.StoreError(f"{path} is a folder; name a file in it")
    if os.access(file.parent, os.W_OK) and os.access(file if file.exists() else ".", os.R_OK):
        return errors.StoreError(f"{path} cannot be opened")
    return _read_only(path)


def _full(path: str) -> errors.StoreFullError:
    return errors.StoreFullError(
        f"the disk of {path} is full; nothing was written. Free some space and try again"
    )


def _read_only(path: str) -> errors.StoreReadOnlyError:
    return errors.StoreReadOnlyError(
        f"{path} or its folder cannot be read and written; check their permissions"
    )
