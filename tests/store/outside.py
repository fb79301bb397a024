"""Work that is done in a forked process, with fewer rights or less room than this one."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bitempo import Memory

NOBODY = 65534


def check_in_fork(work: Callable[[], None], *, unprivileged: bool = False) -> None:
    """Run checks in a forked process; where this one is root's, without root's rights."""
    # What is imported late might not be readable without rights.
    with Memory.open(":memory:") as memory:
        memory.tenant("warm").assert_fact("Ana", "LIVES_IN", "Lima")
        memory.tenant("warm").as_of()
    child = os.fork()
    if child == 0:
        try:
            if unprivileged and os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - pytest's failures among them
            traceback.print_exc()
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, "the checks in the forked process failed; see its traceback"


@contextmanager
def public_folder() -> Iterator[Path]:
    """A folder that an unprivileged process reaches and owns, and that is removed at the end."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    try:
        yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
