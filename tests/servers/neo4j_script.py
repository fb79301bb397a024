"""A test server started by tools/neo4j/server.py."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.servers.running import Neo4jServer, unavailable

MISSING = 3


class ScriptServer(Neo4jServer):
    """A server of a version on a home folder, through the commands of the script."""

    def __init__(self, home: Path, version: str, script: Path) -> None:
        self._home, self._version, self._script = home, version, script

    def start(self) -> None:
        options = ("--quick", "--json", "--version", self._version)
        done = self._run("start", *options)
        if done.returncode == MISSING:
            unavailable(
                "Docker does not run, BITEMPO_TEST_NEO4J_URI is not set, and "
                f"{done.stderr.strip().splitlines()[-1]}"
            )
        self._check(done)
        told: dict[str, Any] = json.loads(done.stdout)
        self.uri, self.user = told["uri"], told["user"]
        self.password = Path(told["password_file"]).read_text()

    def stop(self) -> None:
        self._check(self._run("stop"))

    def kill(self) -> None:
        self._check(self._run("stop", "--kill"))

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self._home, ignore_errors=True)

    def _run(self, command: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(self._script), command, "--home", str(self._home), *options],
            capture_output=True,
            text=True,
            check=False,
        )

    def _check(self, done: subprocess.CompletedProcess[str]) -> None:
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(done.args)} failed: {done.stderr or done.stdout}")
