"""The progress of a long ingest, on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from bitempo.cli.invocation import Invocation


class Bar(Protocol):
    """What an ingest tells of its progress."""

    def sessions(self, done: int, total: int | None) -> None:
        """So many sessions are done; the total is None when it is not known."""

    def turns(self, more: int) -> None:
        """So many turns more are done."""


@contextmanager
def progress_bar(invocation: Invocation) -> Iterator[Bar]:
    """A bar for people; nothing with `--json` or where standard error is no terminal."""
    if invocation.as_json or not invocation.err.is_terminal:
        yield _Silent()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("ingesting"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("sessions, {task.fields[turns]} turns"),
    )
    with Progress(*columns, console=invocation.err, transient=True) as shown:
        task = shown.add_task("ingest", total=None, turns=0)
        turns = 0

        class Shown:
            def sessions(self, done: int, total: int | None) -> None:
                shown.update(task, completed=done, total=total)

            def turns(self, more: int) -> None:
                nonlocal turns
                turns += more
                shown.update(task, turns=turns)

        yield Shown()


class _Silent:
    def sessions(self, done: int, total: int | None) -> None:
        pass

    def turns(self, more: int) -> None:
        pass
