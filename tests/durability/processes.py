"""Other processes, run on the modules beside this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def start(module: str, *arguments: object) -> subprocess.Popen[str]:
    """The module of this folder as a process of its own, with pipes to all its streams."""
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.durability.{module}", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for a process that has to end well; what it printed."""
    printed, complaint = process.communicate()
    assert process.returncode == 0, complaint
    return printed


def go(*processes: subprocess.Popen[str]) -> None:
    """Wait until each is ready, and let all go on."""
    for process in processes:
        assert process.stdout is not None
        ready = process.stdout.readline()
        if ready != "ready\n":
            raise AssertionError(process.communicate()[1])
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
