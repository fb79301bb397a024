"""A real Neo4j for tests.

In this order: the server named by BITEMPO_TEST_NEO4J_URI (with _USER and _PASSWORD), a container
where Docker runs, a server started by tools/neo4j/server.py. BITEMPO_TEST_NEO4J_VERSION chooses
the version of the last two. Where none can be had, the test is skipped with the reason; in CI
(`CI=true`) it fails.

All processes of a test run, and runs at the same time, share one server: each holds a shared
lock, which the system releases however the process ends. The first finds itself alone and starts
afresh; the last removes the server with its data.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from tests.servers.neo4j_docker import ContainerServer, docker_runs
from tests.servers.neo4j_script import ScriptServer
from tests.servers.running import Neo4jServer, unavailable

LONG_TERM_SUPPORT = "5.26.28"
ROOT = Path(__file__).resolve().parents[2]


def version_under_test() -> str:
    """Which Neo4j the servers that we start are."""
    return os.environ.get("BITEMPO_TEST_NEO4J_VERSION") or LONG_TERM_SUPPORT


@contextlib.contextmanager
def neo4j_server() -> Iterator[Neo4jServer]:
    """The server that all tests share; tests keep apart by tenants of their own.

    It must not be stopped by a test: that is what `own_neo4j_server` is for.
    """
    uri = os.environ.get("BITEMPO_TEST_NEO4J_URI")
    if uri:
        user = os.environ.get("BITEMPO_TEST_NEO4J_USER", "neo4j")
        yield GivenServer(uri, user, os.environ.get("BITEMPO_TEST_NEO4J_PASSWORD", ""))
        return
    version = version_under_test()
    folder = _cache() / f"tests-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    server = _server(folder, version)
    with contextlib.ExitStack() as users:
        with _exclusive(folder):
            if _alone(folder):
                server.remove()
            users.enter_context(_locked(folder / "users.lock", fcntl.LOCK_SH))
            server.start()
        try:
            yield server
        finally:
            with _exclusive(folder):
                users.close()
                if _alone(folder):
                    server.remove()


@contextlib.contextmanager
def own_neo4j_server(folder: Path) -> Iterator[Neo4jServer]:
    """A server for one test alone, with its data under `folder`, to be stopped and killed."""
    server = _server(folder, version_under_test())
    try:
        server.start()
        yield server
    finally:
        server.remove()


class GivenServer(Neo4jServer):
    """A person's own server, which is only connected to."""

    def __init__(self, uri: str, user: str, password: str) -> None:
        self.uri, self.user, self.password = uri, user, password

    def start(self) -> None:
        unavailable("a server named by BITEMPO_TEST_NEO4J_URI is not started by tests")

    def stop(self) -> None:
        unavailable("a server named by BITEMPO_TEST_NEO4J_URI is not stopped by tests")

    def kill(self) -> None:
        unavailable("a server named by BITEMPO_TEST_NEO4J_URI is not killed by tests")

    def remove(self) -> None:
        unavailable("a server named by BITEMPO_TEST_NEO4J_URI is not removed by tests")


def _server(folder: Path, version: str) -> Neo4jServer:
    if docker_runs():
        return ContainerServer(folder, version)
    return ScriptServer(folder / "home", version, ROOT / "tools" / "neo4j" / "server.py")


def _cache() -> Path:
    chosen = os.environ.get("BITEMPO_NEO4J_CACHE")
    return Path(chosen) if chosen else ROOT / ".cache" / "neo4j"


def _exclusive(folder: Path) -> contextlib.AbstractContextManager[None]:
    # Held while joining and leaving, so that none starts what another is about to remove.
    return _locked(folder / "joining.lock", fcntl.LOCK_EX)


def _alone(folder: Path) -> bool:
    try:
        with _locked(folder / "users.lock", fcntl.LOCK_EX | fcntl.LOCK_NB):
            return True
    except BlockingIOError:
        return False


@contextlib.contextmanager
def _locked(path: Path, kind: int) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)
