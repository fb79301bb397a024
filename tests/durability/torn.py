"""A process that is killed in the middle of its n-th write to the file, half of which is done.

    python -m tests.durability.torn FILE NTH

Prints how many writes there were if it gets through.
"""

from __future__ import annotations

import os
import signal
import sys

import apsw

from bitempo.engine.store.sqlite import SqliteStore
from tests.durability.workload import TENANT, open_memory, tell

FileName = str | apsw.URIFilename | None


class Writes:
    """Counts writes, over all files of the database."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.done = 0


class TearingFile(apsw.VFSFile):
    def __init__(self, name: FileName, flags: list[int], writes: Writes) -> None:
        super().__init__("unix", name, flags)
        self._writes = writes

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._writes.done += 1
        if self._writes.done == self._writes.last:
            super().xWrite(data[: len(data) // 2], offset)
            os.kill(os.getpid(), signal.SIGKILL)
        super().xWrite(data, offset)


class TearingVfs(apsw.VFS):
    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        super().__init__("tearing", "unix", makedefault=True)

    def xOpen(self, name: FileName, flags: list[int]) -> TearingFile:  # noqa: N802
        return TearingFile(name, flags, self._writes)


def main(file: str, nth: str) -> None:
    writes = Writes(int(nth))
    vfs = TearingVfs(writes)
    memory = open_memory(SqliteStore(file))
    tell(memory.tenant(TENANT))
    memory.close()
    vfs.unregister()
    print(writes.done)


if __name__ == "__main__":
    main(*sys.argv[1:])
