"""A server's home folder: its locks, its state file and its password.

A running server holds `server.lock`: it inherits the locked file from its starter, and the
system releases the lock when the process is gone, however it went. So a state file that was
left behind by a killed server is never taken for a running one, even if its process id is in
use again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import signal
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

SHORTEST_PASSWORD = 8


@dataclass(frozen=True)
class State:
    """What is known of the server on a home; `pid` is None while it is not running."""

    version: str
    port: int
    pid: int | None = None
    ready: bool = False


class Home:
    """One home folder. Only one process at a time starts or stops its server (`exclusive`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.log = self.folder / "server.log"
        self.password_file = self.folder / "password"
        self._state_file = self.folder / "server.json"

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the right to start or stop the server of this home."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / "control.lock"):
            yield

    def claim(self, wait: float) -> int | None:
        """The descriptor of the locked `server.lock`, or None while a server holds it.

        `wait` is in seconds: how long to let a server that is going away be gone.
        """
        return _lock(self.folder / "server.lock", wait)

    def running(self) -> bool:
        """Whether a server holds this home."""
        if not self._state_file.exists():
            return False
        descriptor = self.claim(wait=0.5)
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def state(self) -> State | None:
        """What the last start wrote, whether or not that server still runs."""
        try:
            return State(**json.loads(self._state_file.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def write_state(self, state: State) -> None:
        """Replace the state file in one step."""
        partial = self._state_file.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(state)))
        partial.replace(self._state_file)

    def password(self, given: str | None) -> str:
        """The password to start with: the one given, else that of this home's file, else a new one.

        A given password is not written down. A generated one is, readable by its owner only.
        """
        if given is not None:
            self.password_file.unlink(missing_ok=True)
            return given
        if not self.password_file.exists():
            partial = self.password_file.with_suffix(".partial")
            partial.unlink(missing_ok=True)
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(18))
            partial.replace(self.password_file)
        return self.password_file.read_text().strip()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file, waiting for it as long as it takes."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _lock(path: Path, wait: float) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with _deadline(wait):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except TimeoutError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    def expire(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
