"""A run over many windows: several at a time, stopped cleanly, counted in one place."""

from __future__ import annotations

import contextlib
import logging
from types import TracebackType
from typing import Self

from bitempo.engine.errors import BitempoError, StoreError
from bitempo.engine.store.port import InboxWindow
from bitempo.ingest.applying import Applier, Outcome
from bitempo.ingest.lanes import Lanes
from bitempo.ingest.report import IngestReport, Progress

log = logging.getLogger("bitempo.ingest")


class Run:
    """Applies windows in the background, in order within an actor, and counts what came of them.

    A context manager: it ends when everything is done, or was stopped. When it is left by an
    error of the caller's, such as a conflict, what was added before is finished first; on Ctrl-C
    and when the store fails, only what has begun. Whatever was not done waits in the
    inbox, and its turns are put on record, but for what Ctrl-C or a failing store left.

    Args:
        applier: what applies a window.
        concurrency: how many windows at a time; those of one actor never are.
        report: what is counted; touched by the caller's thread only.
        progress: told of the turns that are done, by the caller's thread.
    """

    def __init__(
        self,
        applier: Applier,
        concurrency: int,
        report: IngestReport,
        progress: Progress | None,
    ) -> None:
        self._applier = applier
        self._lanes = Lanes(applier.apply, concurrency)
        self._report = report
        self._progress = progress
        self._left: list[str] = []

    @property
    def stopped(self) -> bool:
        """Whether nothing more is begun, because of the budget or the endpoint."""
        return self._report.stopped is not None

    @property
    def open(self) -> bool:
        """Whether windows are being applied, or wait for it."""
        return self._lanes.open > 0

    def add(self, actor: str | None, window: str, fresh: InboxWindow | None = None) -> None:
        """Apply the window after those of the same actor that were added before.

        `fresh` is how it was read a moment ago; where nothing comes before it, it need not be
        read again.
        """
        if self.stopped:
            self._left.append(window)
            return
        if fresh is not None and not self.open:
            self._applier.fresh[window] = fresh
        self._lanes.add(actor, window)

    def make_room(self) -> None:
        """Count what is done, and wait until more is to be added; without threads, do it all."""
        while self._lanes.open and not self._lanes.has_room:
            self._collect()

    def finish(self) -> None:
        """Do everything that was added."""
        while self._lanes.open:
            self._collect()

    def tell(self, turns: int) -> None:
        """Tell the progress of turns that need nothing done."""
        if self._progress is not None:
            self._progress(turns)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None or (
                isinstance(error, BitempoError) and not isinstance(error, StoreError)
            ):
                self.finish()
                self._record_what_is_left()
            else:
                self._abandon()
        except BaseException:
            self._abandon()
            raise
        finally:
            self._lanes.close()
            self._log()

    def _collect(self) -> None:
        outcome = self._lanes.collect()
        self._count(outcome)
        self.tell(outcome.turns if outcome.commit is not None else 0)

    def _abandon(self) -> None:
        """Begin nothing more; what has begun is waited for, so that what it paid for is kept."""
        self._left.extend(self._lanes.drop_what_waits())
        self._applier.give_up_waiting()
        while self._lanes.open:
            # One reason to stop is enough.
            with contextlib.suppress(Exception):
                self._count(self._lanes.collect())

    def _record_what_is_left(self) -> None:
        """Let recall find the turns that wait, also when this run is the last for a long time."""
        for recorded in self._applier.record_turns(self._left):
            self._report.count_turns(recorded)

    def _count(self, outcome: Outcome) -> None:
        report = self._report
        report.spend(outcome.actor, outcome.usage)
        for recorded in outcome.recorded:
            report.count_turns(recorded)
        if outcome.stopped is not None:
            self._left.append(outcome.window)
            self._stop(outcome.stopped)
        elif outcome.error is not None:
            report.failed[outcome.window] = str(outcome.error)
        elif outcome.commit is not None:
            report.count(outcome.commit)
            report.rejections.extend(outcome.rejections)
            report.notes.extend(outcome.notes)
            report.redacted.update(outcome.redacted)
            report.cached += outcome.cached

    def _stop(self, why: str) -> None:
        if not self.stopped:
            self._report.stopped = why
            self._left.extend(self._lanes.drop_what_waits())

    def _log(self) -> None:
        report = self._report
        log.info(
            "%s: %d windows applied, %d failed, %d assertions, %d calls, %d tokens",
            "stopped" if self.stopped else "done",
            report.windows,
            len(report.failed),
            report.assertions,
            report.usage.calls,
            report.usage.tokens,
        )
