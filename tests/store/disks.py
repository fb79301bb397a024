"""Disks that are full: a small file system in memory where it can be mounted, else a pretence."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

SIZE = 2_000_000
FileName = str | apsw.URIFilename | None


@dataclass
class SmallDisk:
    """A folder with little room; `use` takes some of it, and `free` makes as much as is wanted."""

    folder: Path
    quota: Quota | None = None

    def use(self, size: int) -> None:
        """Leave no more than `SIZE - size` bytes."""
        if self.quota is not None:
            self.quota.left = SIZE - size
            return
        with (self.folder / "filler").open("wb", buffering=0) as filler:
            while size > 0:
                try:
                    size -= filler.write(b"x" * min(size, 4096))
                except OSError:
                    return

    def free(self) -> None:
        """Give back all that `use` took."""
        if self.quota is not None:
            self.quota.left = 1_000_000_000
            return
        (self.folder / "filler").unlink()


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """A file system of its own at the folder; without the right to mount, SQLite is told so."""
    options = ["-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs"]
    mounted = os.getuid() == 0 and (
        subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False)
    )
    if mounted and mounted.returncode == 0:
        try:
            yield SmallDisk(folder)
        finally:
            subprocess.run(["umount", str(folder)], check=True)
        return
    quota = Quota()
    vfs = QuotaVfs(quota)
    try:
        yield SmallDisk(folder, quota)
    finally:
        vfs.unregister()


@dataclass
class Quota:
    """How many bytes may still be added to files."""

    left: int = SIZE


class QuotaFile(apsw.VFSFile):
    def __init__(self, name: FileName, flags: list[int], quota: Quota) -> None:
        super().__init__("unix", name, flags)
        self._quota = quota

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        added = max(0, offset + len(data) - self.xFileSize())
        if added > self._quota.left:
            raise apsw.FullError("no room")
        self._quota.left -= added
        super().xWrite(data, offset)


class QuotaVfs(apsw.VFS):
    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        super().__init__("quota", "unix", makedefault=True)

    def xOpen(self, name: FileName, flags: list[int]) -> QuotaFile:  # noqa: N802
        return QuotaFile(name, flags, self._quota)
