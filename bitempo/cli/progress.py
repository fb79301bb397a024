"""The progress of long work, on standard error: for people only, and only in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from bitempo.cli import words
from bitempo.cli.invocation import Invocation

if TYPE_CHECKING:
    from rich.progress import Progress

    from bitempo import Meter


class IngestBar(Protocol):
    """What an ingest tells of its progress."""

    def sessions(self, done: int, total: int | None) -> None:
        """So many sessions are done; the total is None when it is not known."""

    def turns(self, more: int) -> None:
        """So many turns more are done."""


class QuestionsBar(Protocol):
    """What a benchmark tells of its progress."""

    def __call__(self, part: str, done: int, total: int) -> None:
        """So many questions are done; `part` is what they are about."""


@contextmanager
def ingest_bar(invocation: Invocation, meter: Meter | None = None) -> Iterator[IngestBar]:
    """A bar over sessions, with a count of turns and of what the calls to a model took."""
    with _shown(invocation, "ingesting", "sessions, {task.fields[note]}") as shown:
        yield _IngestBar(shown, meter)


@contextmanager
def questions_bar(invocation: Invocation) -> Iterator[QuestionsBar]:
    """A bar over questions, with the conversation that they are about."""
    with _shown(invocation, "asking", "questions, {task.fields[note]}") as shown:

        def tell(part: str, done: int, total: int) -> None:
            if shown is not None:
                shown.update(shown.task_ids[0], completed=done, total=total, note=part)

        yield tell


@contextmanager
def events_bar(
    invocation: Invocation, verb: str, of: str = "records"
) -> Iterator[Callable[[int, int], None]]:
    """A bar over records, or what else they are, told how many of how many are done."""
    with _shown(invocation, verb, of) as shown:

        def tell(done: int, total: int) -> None:
            if shown is not None:
                shown.update(shown.task_ids[0], completed=done, total=total)

        yield tell


class _IngestBar:
    def __init__(self, shown: Progress | None, meter: Meter | None) -> None:
        self._shown = shown
        self._meter = meter
        self._turns = 0

    def sessions(self, done: int, total: int | None) -> None:
        if self._shown is not None:
            self._shown.update(self._shown.task_ids[0], completed=done, total=total)

    def turns(self, more: int) -> None:
        self._turns += more
        if self._shown is not None:
            spent = "" if self._meter is None else words.spent(self._meter.spent)
            note = f"{self._turns} turns{spent}"
            self._shown.update(self._shown.task_ids[0], note=note)


@contextmanager
def _shown(invocation: Invocation, verb: str, note: str) -> Iterator[Progress | None]:
    if invocation.as_json or not invocation.err.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(verb), BarColumn(), MofNCompleteColumn(), TextColumn(note))
    with Progress(*columns, console=invocation.err, transient=True) as shown:
        shown.add_task(verb, total=None, note="")
        yield shown
