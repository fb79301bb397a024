"""A TCP proxy before a server, which can lose a connection at a chosen place."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit, urlunsplit

_COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""A COMMIT message of Bolt with the frame around it."""


@dataclass(frozen=True)
class Loss:
    """Where a connection is lost.

    At the n-th COMMIT, before it reaches the server or (`delivered`) when the server has answered
    it, which the client does not hear; or after so many bytes from the client.
    """

    commit: int | None = None
    delivered: bool = False
    after_bytes: int | None = None
    then: Callable[[], None] = lambda: None


class Wire:
    """Passes on what comes, until the place of a loss; `losses` are taken one after the other.

    Bytes and commits are counted over all connections, anew after each loss.
    """

    def __init__(self, location: str, *losses: Loss) -> None:
        parts = urlsplit(location)
        self._target = (parts.hostname or "", parts.port or 7687)
        self._listening = socket.create_server(("127.0.0.1", 0))
        port = self._listening.getsockname()[1]
        credentials = parts.netloc.rpartition("@")[0]
        netloc = f"{credentials}@127.0.0.1:{port}"
        self.location = urlunsplit((parts.scheme, netloc, parts.path, parts.query, ""))
        self.lost = 0
        self.bytes = 0
        self.commits = 0
        self._losses = list(losses)
        self._delivered = Loss()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = [self._listening]

    def __enter__(self) -> Self:
        self._run(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for open_one in self._sockets:
            _cut(open_one)
        for thread in self._threads:
            thread.join(10)

    def lose(self, *losses: Loss) -> None:
        """Lose connections there from now on; counting starts anew."""
        with self._lock:
            self._losses = list(losses)
            self.bytes = self.commits = 0

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self._sockets.append(client)
            try:
                server = socket.create_connection(self._target)
            except OSError:
                _cut(client)
                continue
            self._sockets.append(server)
            silent = threading.Event()
            self._run(partial(self._forth, client, server, silent))
            self._run(partial(self._back, server, client, silent))

    def _run(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _forth(self, client: socket.socket, server: socket.socket, silent: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                passed, loss = self._until_loss(data)
                if loss is None:
                    server.sendall(data)
                    continue
                if loss.delivered:
                    # Whoever answers is not heard any more; that it answered is what we wait for.
                    silent.set()
                    server.sendall(data)
                    return
                server.sendall(data[:passed])
                self._lose(loss, client, server)
        _cut(client)
        _cut(server)

    def _back(self, server: socket.socket, client: socket.socket, silent: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65_536):
                if silent.is_set():
                    self._lose(self._delivered, client, server)
                    break
                client.sendall(data)
        _cut(client)
        _cut(server)

    def _until_loss(self, data: bytes) -> tuple[int, Loss | None]:
        """How much of the data goes through, and the loss that comes then."""
        with self._lock:
            before = self.bytes
            self.bytes += len(data)
            at = data.find(_COMMIT)
            self.commits += at >= 0
            if not self._losses:
                return len(data), None
            loss = self._losses[0]
            if loss.commit is not None and at >= 0 and self.commits == loss.commit:
                return at, self._take(loss)
            if loss.after_bytes is not None and before + len(data) >= loss.after_bytes:
                return loss.after_bytes - before, self._take(loss)
            return len(data), None

    def _take(self, loss: Loss) -> Loss:
        self._losses.pop(0)
        self.bytes = self.commits = 0
        if loss.delivered:
            self._delivered = loss
        return loss

    def _lose(self, loss: Loss, *ends: socket.socket) -> None:
        loss.then()
        self.lost += 1
        for end in ends:
            _cut(end)


def _cut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
