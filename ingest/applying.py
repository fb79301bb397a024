"""One window from the inbox into the graph: extracted outside of any transaction, then applied.

What a model replied is durable, with what it cost, before it is applied; so a crash between the
two never pays twice.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from pydantic import TypeAdapter, ValidationError

from bitempo.engine.commit import Batch, Commit, commit
from bitempo.engine.errors import (
    BitempoError,
    BudgetExceededError,
    IngestError,
    ModelError,
    StoreError,
)
from bitempo.engine.model import Session
from bitempo.engine.names import clean_text
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import InboxWindow, Reader, Store, WindowState
from bitempo.engine.time import Clock
from bitempo.ingest import reextraction
from bitempo.ingest.accounting import Spending
from bitempo.ingest.claims import claimed
from bitempo.ingest.exclusion import one_at_a_time
from bitempo.ingest.extraction import Extraction, Extractor, ModelExtractor, Note, Rejection, Window
from bitempo.ingest.metering import Meter, Usage
from bitempo.ingest.resolution import NO_RESOLUTION, Resolver
from bitempo.ingest.secrets import NO_REDACTION, Redactor
from bitempo.ingest.secrets.extractions import secret_free_extraction
from bitempo.ingest.soundness import sound, well_typed
from bitempo.ingest.waiting import record_turns, still_said, taken_back, without
from bitempo.ingest.windows import from_inbox

log = logging.getLogger("bitempo.ingest")
"""Ids, counts and the kinds of errors only: never what anybody said."""


FAILURES_IN_A_ROW = 3
"""After so many windows one after the other that the model's endpoint failed, it is taken to be
down; to go on would burn the retries of all windows that are left."""

INTERRUPTED = "the run was interrupted; what was not extracted waits in the inbox"

NOTHING = Usage()
"""No call was made."""


@dataclass(frozen=True, slots=True)
class Place:
    """Whose memory windows are applied to, and with what."""

    store: Store
    tenant: str
    clock: Clock
    policy: PredicatePolicy
    extractor: Extractor
    resolver: Resolver = NO_RESOLUTION
    redactor: Redactor = NO_REDACTION


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one window.

    `commit` is None when nothing was applied: because of the `error`, because another process
    was faster, or because the run was `stopped`, for this reason. `recorded` is the commit of the
    turns alone, where they could not be extracted.
    """

    window: str
    actor: str | None = None
    turns: int = 0
    commit: Commit | None = None
    recorded: tuple[Commit, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[Note, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = NOTHING
    cached: bool = False
    error: BitempoError | None = None
    stopped: str | None = None


class Applier:
    """Applies windows, one or several at a time. Safe to share between threads.

    Args:
        place: where to.
        meter: counts the calls for all windows, and holds the budget.
    """

    def __init__(self, place: Place, meter: Meter) -> None:
        self._place = place
        self._meter = meter
        self._inbox = place.store.inbox(place.tenant)
        self._stop = _Stop()
        self.fresh: dict[str, InboxWindow] = {}
        """Windows that were read a moment ago, and are applied next."""

    def apply(self, id: str) -> Outcome:
        """Extract the window unless that was done, and apply it.

        Whatever goes wrong with the window itself is part of the outcome: one window that cannot
        be applied must not hold up those after it.

        Raises:
            StoreError: the store failed.
        """
        with one_at_a_time(self._place.store, self._place.tenant, id) as held_before:
            read = self.fresh.pop(id, None)
            if held_before:
                read = None
            if self._stop.reason is not None:
                return Outcome(id, stopped=self._stop.reason)
            if not _may_cost(self._place):
                # Read only now: another process may have applied it meanwhile.
                return self._apply(read or self._inbox.get([id])[id], fresh=read is not None)
            with claimed(self._inbox, id, self._stop.given_up) as stored:
                if stored is None:
                    return Outcome(id, stopped=self._stop.reason or INTERRUPTED)
                return self._apply(stored, fresh=read is not None)

    def record_turns(self, ids: Collection[str]) -> tuple[Commit, ...]:
        """Put the turns of those windows that wait on record, for as long as they have to wait.

        Raises:
            StoreError: the store failed.
        """
        place, found = self._place, self._inbox.get(ids) if ids else {}
        now = place.clock.now()
        return tuple(record_turns(place.store, place.tenant, found.values(), place.policy, now))

    def give_up_waiting(self) -> None:
        """Wait no longer for what other processes work on."""
        self._stop.given_up.set()

    def _apply(self, stored: InboxWindow, *, fresh: bool) -> Outcome:
        id = stored.id
        if stored.state is WindowState.APPLIED:
            return Outcome(id)
        attempt = _Attempt(self._place, self._meter, stored, fresh=fresh)
        try:
            outcome = attempt.run()
        except StoreError:
            attempt.keep_usage()
            raise
        except BudgetExceededError as error:
            attempt.keep_usage()
            self._stop.budget_used_up(error)
            outcome = Outcome(id, attempt.actor, usage=attempt.spent, stopped=str(error))
        except BitempoError as error:
            outcome = self._failed(attempt, error)
        except BaseException:
            attempt.keep_usage()
            raise
        else:
            self._stop.went_well()
        _log(outcome)
        return outcome

    def _failed(self, attempt: _Attempt, error: BitempoError) -> Outcome:
        id = attempt.stored.id
        self._inbox.fail(id, clean_text(str(error)), usage=attempt.unrecorded())
        # Unless another process was faster and did apply it.
        if self._inbox.get([id])[id].state is not WindowState.FAILED:
            return Outcome(id, attempt.actor, usage=attempt.spent)
        self._stop.went_wrong(error, attempt.stored.attempts)
        recorded = self.record_turns([id])
        return Outcome(id, attempt.actor, recorded=recorded, usage=attempt.spent, error=error)


class _Stop:
    """Why a run begins nothing more, once there is a reason. Safe to share between threads."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.given_up = threading.Event()
        """Whether to wait no longer for other processes."""
        self._failures = 0
        self._lock = threading.Lock()

    def budget_used_up(self, error: BudgetExceededError) -> None:
        with self._lock:
            self._begin_nothing_more(str(error))

    def went_well(self) -> None:
        with self._lock:
            self._failures = 0

    def went_wrong(self, error: BitempoError, attempts: int) -> None:
        # A window that failed again and again says nothing of the endpoint, and is not to hold
        # up a resume for ever.
        if not isinstance(error, ModelError) or attempts >= FAILURES_IN_A_ROW:
            return
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                self._begin_nothing_more(
                    f"the model failed for {self._failures} windows in a row, the last time with: "
                    f"{error}. What was taken in waits in the inbox: resume when the model answers"
                )

    def _begin_nothing_more(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.given_up.set()


def _may_cost(place: Place) -> bool:
    """Whether a window may be paid for, and is to be claimed before."""
    return isinstance(place.extractor, ModelExtractor) or place.resolver is not NO_RESOLUTION


def informed(
    extractor: ModelExtractor, stored: InboxWindow, window: Window, reader: Reader
) -> Window:
    """The window with what the memory knows of it, as the extractor is to be given it."""
    window = extractor.informed(window, reader)
    if reextraction.is_again(stored):
        window = reextraction.without_what_it_replaces(window, reader)
    return window


class _Attempt:
    """One attempt at one window, and what it has cost up to now."""

    def __init__(self, place: Place, meter: Meter, stored: InboxWindow, *, fresh: bool) -> None:
        self.stored = stored
        self._fresh = fresh
        self.actor: str | None = None
        self._place = place
        self._inbox = place.store.inbox(place.tenant)
        self._meter = Meter(parent=meter)
        self._recorded = NOTHING
        self._gone: frozenset[str] = frozenset()
        self._redacted: Counter[str] = Counter()

    @property
    def spent(self) -> Usage:
        return self._meter.spent

    def unrecorded(self) -> str | None:
        """What is to be kept of the usage, each part once; None where there is nothing."""
        spent = self.spent
        fresh = spent - self._recorded
        if fresh == NOTHING:
            return None
        self._recorded = spent
        return Spending(self._place.extractor.name, self.actor, fresh).to_json()

    def keep_usage(self) -> None:
        """Keep what was paid, though nothing came of it; as well as it goes."""
        usage = self.unrecorded()
        if usage is not None:
            with contextlib.suppress(StoreError):
                self._inbox.add_usage(self.stored.id, usage)

    def run(self) -> Outcome:
        place = self._place
        session, window = from_inbox(self.stored)
        self.actor = session.actor
        # What has just come in cannot have been taken back, and reading costs.
        if not self._fresh:
            with place.store.read(place.tenant) as reader:
                self._gone = taken_back(window, reader)
        kept = self._kept()
        extraction = self._read(without(window, self._gone), kept)
        with _blaming(f"applying window {self.stored.id}"):
            batch = self._batch(session, window, extraction)
            # Nothing is known before it arrived, also where a clock lags or is a replay's.
            now = max(place.clock.now(), self.stored.received_at)
            done = commit(place.store, place.tenant, batch.batch, place.policy, now)
        return Outcome(
            self.stored.id,
            self.actor,
            turns=len(window.episodes),
            commit=done,
            rejections=batch.rejections,
            notes=extraction.notes,
            redacted=self._redacted,
            usage=self.spent,
            cached=kept is not None,
        )

    def _kept(self) -> Extraction | None:
        """What was extracted before; one in the form of another version can only be made again."""
        if self.stored.extraction is None:
            return None
        with contextlib.suppress(ValidationError):
            return Extraction.from_json(self.stored.extraction)
        return None

    def _read(self, window: Window, kept: Extraction | None) -> Extraction:
        """What the window's turns claim; no call is made where none of them stands any more."""
        if not window.episodes:
            return Extraction(self._place.extractor.name if kept is None else kept.extractor)
        if kept is None:
            extraction = self._extracted(window)
        elif self._gone:
            # The reply was made before some turns were taken back.
            extraction = replace(kept, drafts=still_said(kept.drafts, self._gone))
        else:
            extraction = kept
        return extraction if extraction.resolver else self._resolved(window, extraction)

    def _extracted(self, window: Window) -> Extraction:
        extractor = self._place.extractor
        # Whatever an extractor fails with is its own failure, an error of some store included.
        if isinstance(extractor, ModelExtractor):
            with (
                self._place.store.read(self._place.tenant) as reader,
                _blaming(extractor.name),
            ):
                window = informed(extractor, self.stored, window, reader)
            with _blaming(extractor.name, passing=IngestError):
                made = extractor.extract_metered(window, self._meter)
        else:
            with _blaming(extractor.name, passing=IngestError):
                made = extractor.extract(window)
        with _blaming(extractor.name, passing=IngestError):
            extraction = well_typed(made, extractor.name)
        if isinstance(extractor, ModelExtractor):
            # Turns may hold a secret in parts, of which the model makes the whole.
            extraction = secret_free_extraction(extraction, self._place.redactor, self._redacted)
        self._inbox.store_extraction(
            self.stored.id,
            extraction.to_json(),
            extractor=extractor.name,
            usage=self.unrecorded(),
        )
        return extraction

    def _resolved(self, window: Window, extraction: Extraction) -> Extraction:
        """With which of its names mean one thing: durable as well before it is applied.

        What was extracted is kept by now, so that a resolver that fails does not lose it.
        """
        place, resolver = self._place, self._place.resolver
        before = self.spent
        with _blaming(resolver.name, passing=IngestError):
            read = partial(place.store.read, place.tenant)
            made = resolver.resolve(window, extraction, read, self._meter)
            resolved = well_typed(made, extraction.extractor)
        if resolved == extraction and self.spent == before:
            return extraction
        resolved = replace(resolved, resolver=resolver.name)
        self._inbox.store_extraction(
            self.stored.id,
            resolved.to_json(),
            extractor=extraction.extractor,
            usage=self.unrecorded(),
        )
        return resolved

    def _batch(self, session: Session, window: Window, extraction: Extraction) -> _Whole:
        drafts = tuple(
            draft if draft.extractor else replace(draft, extractor=extraction.extractor)
            for draft in extraction.drafts
        )
        replaced: tuple[str, ...] = ()
        with self._place.store.read(self._place.tenant) as reader:
            if reextraction.is_again(self.stored):
                replaced = reextraction.replaced(window, reader)
                drafts = reextraction.with_new_keys(drafts, reader)
            drafts, unsound = sound(drafts, window, reader)
        rejections = (*extraction.rejections, *unsound)
        batch = Batch(
            (session,),
            window.episodes,
            drafts,
            retract_assertions=replaced,
            window=self.stored.id,
            rejected=_REJECTIONS.dump_json(rejections).decode() if rejections else None,
        )
        return _Whole(batch, rejections)


@dataclass(frozen=True, slots=True)
class _Whole:
    batch: Batch
    rejections: tuple[Rejection, ...]


_REJECTIONS = TypeAdapter(tuple[Rejection, ...])


@contextmanager
def _blaming(culprit: str, passing: type[BitempoError] = BitempoError) -> Iterator[None]:
    """Turn any failure into an IngestError, since no window may hold up those after it."""
    try:
        yield
    except passing:
        raise
    except Exception as error:
        raise IngestError(f"{culprit} failed: {error!r}") from error


def _log(outcome: Outcome) -> None:
    if outcome.error is not None:
        # The error's own text may quote what was said.
        log.warning("window %s failed: %s", outcome.window, type(outcome.error).__name__)
    elif outcome.stopped is not None:
        log.info("window %s waits", outcome.window)
    elif outcome.commit is not None:
        log.debug(
            "window %s applied: %d turns, %d assertions, %d rejected, %d calls, %d tokens%s",
            outcome.window,
            outcome.turns,
            len(outcome.commit.new_assertions),
            len(outcome.rejections),
            outcome.usage.calls,
            outcome.usage.tokens,
            ", from a reply that was kept" if outcome.cached else "",
        )
