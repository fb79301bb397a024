"""A test server in a container, where Docker runs.

The container is made by testcontainers and written down in a file, so that the processes of a
test run can share it; its port on this machine is fixed, so that it comes back on the same one.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import time
from pathlib import Path
from typing import Any

import docker  # type: ignore[import-untyped]
import neo4j
from docker.errors import DockerException, NotFound  # type: ignore[import-untyped]
from testcontainers.community.neo4j import Neo4jContainer
from testcontainers.core.config import testcontainers_config

from tests.servers.running import Neo4jServer

BOLT = 7687
READY_SECONDS = 180


def docker_runs() -> bool:
    """Whether an engine answers, not merely whether a client is installed."""
    try:
        client = docker.from_env()
    except DockerException:
        return False
    try:
        return bool(client.ping())
    except DockerException:
        return False
    finally:
        client.close()


class ContainerServer(Neo4jServer):
    """A community server of a version, written down in `folder`."""

    user = "neo4j"

    def __init__(self, folder: Path, version: str) -> None:
        self._record = folder / "container.json"
        self._image = f"neo4j:{version}-community"

    def start(self) -> None:
        if not self._record.exists():
            self._create()
        record = self._read()
        self.uri, self.password = record["uri"], record["password"]
        self._container().start()
        self._await_ready()

    def stop(self) -> None:
        self._container().stop(timeout=60)

    def kill(self) -> None:
        self._container().kill()

    def remove(self) -> None:
        if not self._record.exists():
            return
        with contextlib.suppress(NotFound):
            self._container().remove(force=True, v=True)
        self._record.unlink()

    def _create(self) -> None:
        # Its reaper would remove the container once the process that made it is gone, while
        # others still use it; the last user removes it instead.
        testcontainers_config.ryuk_disabled = True
        password = secrets.token_urlsafe(18)
        container = Neo4jContainer(self._image, password=password, username=self.user)
        container.with_bind_ports(BOLT, _free_port())
        container.with_env("NEO4J_server_memory_heap_max__size", "1g")
        container.with_env("NEO4J_server_memory_pagecache_size", "256m")
        # As the script's `--quick`: plans are kept, whatever the few data of the tests become.
        container.with_env("NEO4J_dbms_cypher_min__replan__interval", "1d")
        container.start()
        descriptor = os.open(self._record, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(
                {
                    "id": container.get_wrapped_container().id,
                    "uri": container.get_connection_url(),
                    "password": password,
                },
                file,
            )

    def _read(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self._record.read_text())
        return record

    def _container(self) -> Any:
        return docker.from_env().containers.get(self._read()["id"])

    def _await_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        with self.driver() as driver:
            while True:
                try:
                    driver.verify_connectivity()
                    return
                except (neo4j.exceptions.ServiceUnavailable, OSError):
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
