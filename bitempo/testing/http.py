"""The HTTP of the scripted model: JSON in and out, and connections that can be broken."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that waits for its response; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, Any] | None:
        """The body as a JSON object; None when it is none."""
        try:
            parsed = json.loads(self.body)
        except ValueError:
            return None
        return parsed if isinstance(parsed, dict) else None


@dataclass(frozen=True, slots=True)
class JsonResponse:
    """A response. Only the part `sent` of its body goes out when that is given."""

    body: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: float | None = None
    held: bool = False


class HttpServer:
    """Serves on 127.0.0.1 in threads of its own until it is closed."""

    def __init__(self, respond: Callable[[Exchange], JsonResponse], port: int) -> None:
        self._server = _Server(respond, port)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": _POLL_SECONDS},
            name="bitempo scripted model",
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        """Take no more requests, and break off every connection; a second time does nothing."""
        self._server.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.break_off()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, respond: Callable[[Exchange], JsonResponse], port: int) -> None:
        self.respond = respond
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""

    def break_off(self) -> None:
        """End the connections that are open, so that their threads end too."""
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: it would be the text of users."""

    def _answer(self) -> None:
        server = cast(_Server, self.server)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        response = server.respond(Exchange(self.command, self.path, headers, body))
        if response.held:
            self._hold(server.closing)
            return
        content = json.dumps(response.body, ensure_ascii=False).encode("utf-8", "replace")
        self.send_response(response.status, _phrase(response.status))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if response.sent is None:
            self.wfile.write(content)
            self.wfile.flush()
            return
        # Less than was announced, and then the end of the connection.
        self.wfile.write(content[: min(int(len(content) * response.sent), len(content) - 1)])
        self.wfile.flush()
        self.close_connection = True

    def _hold(self, closing: threading.Event) -> None:
        """Wait until the server closes or the client does."""
        self.close_connection = True
        while not closing.wait(_POLL_SECONDS):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Scripted"
