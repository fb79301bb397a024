"""The command line: `bitempo`, one command per verb of the SDK."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    0 is done, 1 means that the memory says no (not found, a conflict, failed windows, a store
    that cannot be used), 2 a usage error or bad input, 130 an interrupt.
    """
    from bitempo.cli.app import run

    return run(arguments)
