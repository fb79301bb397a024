"""What every kind of test server can do."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import NoReturn
from urllib.parse import quote

import neo4j
import pytest


class Neo4jServer(ABC):
    """A server with the address and the credentials that reach it while it runs."""

    uri: str
    user: str
    password: str

    @abstractmethod
    def start(self) -> None:
        """Start it where it does not run yet, on the data and the port of before."""

    @abstractmethod
    def stop(self) -> None:
        """Stop it gracefully; its data stay."""

    @abstractmethod
    def kill(self) -> None:
        """End it as a crash would (SIGKILL); its data stay as they are."""

    @abstractmethod
    def remove(self) -> None:
        """End it, if it runs, and delete its data."""

    def restart(self) -> None:
        """Stop it gracefully and start it again."""
        self.stop()
        self.start()

    @property
    def location(self) -> str:
        """What `Memory.open` takes, credentials included."""
        scheme, _, host = self.uri.partition("://")
        return f"{scheme}://{quote(self.user, safe='')}:{quote(self.password, safe='')}@{host}"

    def driver(self) -> neo4j.Driver:
        """A new driver, which the caller closes."""
        return neo4j.GraphDatabase.driver(self.uri, auth=(self.user, self.password))


def unavailable(reason: str) -> NoReturn:
    """Leave the test out and say why; in CI, where nothing may be left out, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"no Neo4j for this test: {reason}", pytrace=False)
    pytest.skip(f"no Neo4j for this test: {reason}")
