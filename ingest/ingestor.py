"""The way of a session into the graph: inbox, extraction, one commit a window.

Whatever is stopped, and wherever, can be resumed: a window is durable before it is extracted,
and its parsed extraction is durable before it is applied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.commit import content_hash
from bitempo.engine.errors import (
    EpisodeConflictError,
    IngestError,
    InvalidInputError,
    NotFoundError,
)
from bitempo.engine.model import Episode, Session
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import InboxWindow, Reading, Store, WindowState
from bitempo.engine.time import Clock
from bitempo.ingest.applying import Applier, Place, informed
from bitempo.ingest.extraction import Extractor, ModelExtractor, Request
from bitempo.ingest.metering import Budget, Meter
from bitempo.ingest.preview import Preview, PreviewedWindow
from bitempo.ingest.readers import of_others, read_by_others, refuse_unchosen
from bitempo.ingest.reextraction import is_again, windows_to_read_again
from bitempo.ingest.report import IngestReport, Progress
from bitempo.ingest.resolution import NO_RESOLUTION, Resolver
from bitempo.ingest.running import Run
from bitempo.ingest.secrets import (
    Redactor,
    SecretRedactor,
    secret_free_session,
    secret_free_turns,
)
from bitempo.ingest.sessions import Malformed, SourceSession, Turn
from bitempo.ingest.windows import (
    WindowSettings,
    checked,
    episodes_of,
    from_inbox,
    session_of,
    to_inbox,
    windows_for,
    windows_of,
)

MODEL_CONCURRENCY = 4
"""How many windows are given to a model at a time, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run goes.

    Args:
        progress: told of the turns that are done.
        budget: the most that it may spend on calls to a model, or a meter that counts what
            several runs spend together; None means no limit.
        concurrency: how many windows at a time, those of one actor one after the other; by
            default 4 for a model and 1 for rules.

    Raises:
        InvalidInputError: the concurrency is no positive number.
    """

    progress: Progress | None = None
    budget: Budget | Meter | None = None
    concurrency: int | None = None

    def __post_init__(self) -> None:
        if self.concurrency is not None and self.concurrency < 1:
            raise InvalidInputError(
                f"a concurrency is at least 1, not {self.concurrency}: how many windows at a time"
            )


@dataclass(frozen=True, slots=True)
class _Standing:
    """How a session stands before turns are added: which of them are stored already, the
    episodes of its windows that wait, and what was said just before."""

    stored: Mapping[str, Episode]
    waiting: Mapping[str, tuple[Episode, ...]]
    before: Sequence[Episode] = ()
    left: Collection[str] = ()
    """Ids of the windows that wait for an extractor other than ours."""


class Ingestor:
    """Ingests for one tenant.

    Args:
        windows: how large windows are; by default as the extractor wants them.
        chosen: whether the extractor was chosen, and not merely taken for want of another; if not,
            it reads nothing that another one began or has read.
    """

    def __init__(
        self,
        store: Store,
        tenant: str,
        *,
        clock: Clock,
        policy: PredicatePolicy,
        extractor: Extractor,
        resolver: Resolver = NO_RESOLUTION,
        redactor: Redactor | None = None,
        windows: WindowSettings | None = None,
        chosen: bool = True,
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._clock = clock
        self._extractor = extractor
        self._redactor = redactor or SecretRedactor()
        self._place = Place(store, tenant, clock, policy, extractor, resolver, self._redactor)
        self._windows = windows or windows_for(extractor)
        self._inbox = store.inbox(tenant)
        self._chosen = chosen

    def ingest(
        self,
        sessions: Iterable[SourceSession | Malformed],
        options: RunOptions = RunOptions(),
    ) -> IngestReport:
        """Take in whole sessions; turns that are there already are left.

        What an earlier run left behind is applied first, so that nothing overtakes it. Sessions
        are read as they are needed. A run that is stopped reads no more of them.

        Raises:
            EpisodeConflictError: a turn's id is taken by other content; what came before it
                stays applied.
            StoreError: the store failed; what is in the inbox can be resumed.
        """
        report = IngestReport()
        with self._run(report, options) as run:
            unread = {window.session for window in self._ahead(run)}
            for source in () if run.stopped else sessions:
                if isinstance(source, Malformed):
                    report.malformed.append(source)
                    continue
                report.sessions += 1
                report.turns += len(source.turns)
                report.skipped.extend(source.skipped)
                free = secret_free_session(source, self._redactor, report.redacted)
                session = checked(session_of(free))
                episodes = episodes_of(self._tenant, free.id, free.turns)
                ids = {episode.id for episode in episodes}
                standing = self._standing(free.id, ids, free.id in unread, moving=run.open)
                self._take(session, episodes, run, standing)
                run.make_room()
                if run.stopped:
                    break
        return report

    def append(
        self, session: Session, turns: Sequence[Turn], budget: Budget | Meter | None = None
    ) -> IngestReport:
        """Add turns at the end of a session, as they happen.

        A turn with an id of its own goes in once. Where several processes append to one session
        at the same time, give turns ids, and their times say which came first. The turns are
        taken in also when the budget is used up.

        Raises:
            EpisodeConflictError, StoreError: as `ingest`.
        """
        report = IngestReport(turns=len(turns))
        session = checked(secret_free_session(session, self._redactor, report.redacted))
        turns = secret_free_turns(turns, self._redactor, report.redacted)
        with self._run(report, RunOptions(budget=budget, concurrency=1)) as run:
            ahead = self._ahead(run)
            waiting = dict(_in_order(ahead, session.id))
            with self._store.read(self._tenant) as reader:
                last = reader.turns(session.id, self._windows.context_turns)
                stored = reader.episodes([turn.id for turn in turns if turn.id])
            coming = {episode.id: episode for window in waiting.values() for episode in window}
            # Read after what waits, so that what was applied meanwhile stands in both.
            near = coming | {episode.id: episode for episode in last}
            before = sorted(near.values(), key=lambda episode: episode.position or 0)
            following = 1 + (before[-1].position or 0) if before else 0
            known = stored | coming
            episodes = episodes_of(self._tenant, session.id, turns, following)
            # A turn that comes again under its own id keeps its place.
            placed = [
                known[e.id] if e.id in known and known[e.id].text == e.text else e for e in episodes
            ]
            # What follows all that is there under an id of ours cannot be there already.
            standing = _Standing(stored, waiting, before, self._left(ahead))
            self._take(session, placed, run, standing)
        return report

    def resume(self, options: RunOptions = RunOptions()) -> IngestReport:
        """Apply whatever waits in the inbox, what failed before included and last.

        Raises:
            ConflictError: another extractor began it, and ours was not chosen.
            StoreError: the store failed.
        """
        self._refuse_unchosen()
        report = IngestReport()
        with self._run(report, options) as run:
            self._add(run, self._to_retry())
        return report

    def reextract(
        self, session: str | None = None, options: RunOptions = RunOptions()
    ) -> IngestReport:
        """Read the turns again that another extractor, or version of it, read last.

        One commit a window adds what the extractor makes of them now and retracts what
        extractors made of them before. Done again, there is nothing to do.

        Args:
            session: only those of one session.
            options: how the run goes.

        Raises:
            NotFoundError: there is no such session.
            ConflictError: another extractor began or has read it, and ours was not chosen.
            StoreError: the store failed; what is in the inbox can be resumed.
        """
        self._require_session(session)
        self._refuse_unchosen(session, again=True)
        report = IngestReport()
        with self._run(report, options) as run:
            self._add(run, self._to_retry(session))
            # First what waits, so that it is known who read what.
            run.finish()
            for _, windows in self._to_read_again(session):
                if run.stopped:
                    break
                report.sessions += 1
                self._inbox.put(windows)
                self._add(run, windows)
                run.make_room()
        return report

    def preview(self, sessions: Iterable[SourceSession | Malformed]) -> Preview:
        """What `ingest` would send now; nothing is written, and no call is made."""
        found = Preview(self._extractor.name)
        waiting = self._inbox.pending()
        left = self._left(waiting)
        for stored in waiting:
            if stored.state is WindowState.RECEIVED and stored.id not in left:
                self._show(found, stored)
        taken = {stored.id for stored in waiting}
        for source in sessions:
            if isinstance(source, Malformed):
                found.malformed.append(source)
                continue
            found.sessions += 1
            free = secret_free_session(source, self._redactor, found.redacted)
            session = session_of(free)
            wanted = _distinct(episodes_of(self._tenant, free.id, free.turns))
            unread = any(stored.session == session.id for stored in waiting)
            standing = self._standing(session.id, wanted.keys(), unread, moving=False)
            new = _new(wanted, standing)
            for episodes in standing.waiting.values():
                for episode in episodes:
                    new.pop(episode.id, None)
            found.new_turns += len(new)
            for window in windows_of(session, list(wanted.values()), new, (), self._windows):
                if window.id not in taken:
                    taken.add(window.id)
                    self._show(found, to_inbox(session, window, self._clock.now()))
        return found

    def preview_reextract(self, session: str | None = None) -> Preview:
        """What `reextract` would send now; nothing is written, and no call is made.

        Raises:
            NotFoundError: there is no such session.
            ConflictError: as `reextract`.
        """
        self._require_session(session)
        self._refuse_unchosen(session, again=True)
        found = Preview(self._extractor.name)
        for stored in self._to_retry(session):
            if stored.extraction is None:
                self._show(found, stored)
        for _, windows in self._to_read_again(session):
            found.sessions += 1
            for stored in windows:
                self._show(found, stored)
        return found

    def _show(self, found: Preview, stored: InboxWindow) -> None:
        """Add the calls that the window would take."""
        try:
            session, window = from_inbox(stored)
        except IngestError:
            return
        requests: tuple[Request, ...] = ()
        if isinstance(self._extractor, ModelExtractor):
            with self._store.read(self._tenant) as reader:
                window = informed(self._extractor, stored, window, reader)
            requests = self._extractor.requests(window)
        found.windows.append(
            PreviewedWindow(session.id, session.actor, len(window.episodes), requests)
        )

    def _require_session(self, session: str | None) -> None:
        if session is None:
            return
        with self._store.read(self._tenant) as reader:
            if reader.turns(session, 1):
                return
        if not self._inbox.pending(session):
            raise NotFoundError(f"there is no session {session!r} in this tenant")

    def _to_read_again(self, session: str | None = None) -> Iterator[tuple[str, list[InboxWindow]]]:
        """By session, the windows that `reextract` would read again."""
        readings: dict[str, list[Reading]] = {}
        for reading in self._inbox.readings(session):
            readings.setdefault(reading.session, []).append(reading)
        for id in readings if session is None else [session]:
            waiting = self._inbox.pending(id)
            with self._store.read(self._tenant) as reader:
                found = windows_to_read_again(
                    id,
                    self._extractor.name,
                    readings.get(id, []),
                    waiting,
                    reader,
                    self._windows,
                    self._clock.now(),
                )
                windows = list(found)
            if windows:
                yield id, windows

    def _run(self, report: IngestReport, options: RunOptions) -> Run:
        usual = MODEL_CONCURRENCY if isinstance(self._extractor, ModelExtractor) else 1
        concurrency = usual if options.concurrency is None else options.concurrency
        budget = options.budget
        meter = budget if isinstance(budget, Meter) else Meter(budget)
        applier = Applier(self._place, meter)
        return Run(applier, concurrency, report, options.progress)

    def _add(self, run: Run, windows: Iterable[InboxWindow]) -> None:
        for window in windows:
            actor = None
            # One that cannot be read says so when it is applied.
            with contextlib.suppress(IngestError):
                actor = from_inbox(window)[0].actor
            run.add(actor, window.id)

    def _take(
        self,
        session: Session,
        episodes: Sequence[Episode],
        run: Run,
        standing: _Standing,
    ) -> None:
        wanted = _distinct(episodes)
        new = _new(wanted, standing)
        if len(new) < len(episodes):
            run.tell(len(episodes) - len(new))
        if not new:
            return
        again = []
        for id, waiting in standing.waiting.items():
            shared = {episode.id for episode in waiting} & new.keys()
            for episode in waiting:
                _refuse_other_content(new.get(episode.id), episode)
            if shared:
                again.append(id)
                new = {id: episode for id, episode in new.items() if id not in shared}
        now = self._clock.now()
        windows = [
            to_inbox(session, window, now, self._extractor.name)
            for window in windows_of(
                session, list(wanted.values()), new, standing.before, self._windows
            )
        ]
        for id in again:
            if id not in standing.left:
                run.add(session.actor, id)
        for stored in self._inbox.put(windows) if windows else ():
            run.add(session.actor, stored.id, fresh=stored)

    def _ahead(self, run: Run) -> list[InboxWindow]:
        """Apply what waits and has not failed; gives what waits then, in the order received."""
        waiting = self._inbox.pending()
        left = self._left(waiting)
        ready = [
            window
            for window in waiting
            if window.state is not WindowState.FAILED and window.id not in left
        ]
        if not ready:
            return waiting
        self._add(run, ready)
        run.make_room()
        return self._inbox.pending()

    def _standing(
        self, session: str, episodes: Collection[str], unread: bool, *, moving: bool
    ) -> _Standing:
        with self._store.read(self._tenant) as reader:
            stored = reader.episodes(episodes)
        # A replay ends here and costs nothing.
        done = len(stored) == len(episodes) and not unread
        waiting = [] if done else self._inbox.pending(session)
        if moving and len(stored) < len(episodes):
            # What is applied just now may have left the inbox since it was not stored yet.
            with self._store.read(self._tenant) as reader:
                stored = reader.episodes(episodes)
        left = self._left(waiting)
        return _Standing(stored, dict(_in_order(waiting, session)), left=left)

    def _left(self, waiting: Iterable[InboxWindow]) -> frozenset[str]:
        """Ids of the windows that are left to the extractor that they were taken in for."""
        if self._chosen:
            return frozenset()
        return frozenset(window.id for window in of_others(self._extractor.name, waiting))

    def _refuse_unchosen(self, session: str | None = None, *, again: bool = False) -> None:
        if self._chosen:
            return
        name = self._extractor.name
        refuse_unchosen(
            name, of_others(name, self._inbox.pending(session)), ("waits for", "wait for")
        )
        if again:
            readings = self._inbox.readings(session)
            refuse_unchosen(name, read_by_others(name, readings), ("was read by", "were read by"))

    def _to_retry(self, session: str | None = None) -> list[InboxWindow]:
        """What waits; what failed before comes last, since all after it were not held up by it."""
        return sorted(self._inbox.pending(session), key=lambda window: window.attempts > 0)


def _in_order(
    waiting: Iterable[InboxWindow], session: str
) -> Iterator[tuple[str, tuple[Episode, ...]]]:
    """The windows of the session that wait with new turns, and these."""
    for stored in waiting:
        # One that cannot be read says so when it is processed.
        with contextlib.suppress(IngestError):
            if stored.session == session and not is_again(stored):
                yield stored.id, from_inbox(stored)[1].episodes


def _new(episodes: Mapping[str, Episode], standing: _Standing) -> dict[str, Episode]:
    """The episodes that were not extracted yet, whether their turns are on record or not."""
    for id, episode in standing.stored.items():
        _refuse_other_content(episodes.get(id), episode)
    waiting = {episode.id for window in standing.waiting.values() for episode in window}
    extracted = standing.stored.keys() - waiting
    return {id: episode for id, episode in episodes.items() if id not in extracted}


def _distinct(episodes: Iterable[Episode]) -> dict[str, Episode]:
    """By id, in order; the same turn twice is one."""
    distinct: dict[str, Episode] = {}
    for episode in episodes:
        _refuse_other_content(distinct.setdefault(episode.id, episode), episode)
    return distinct


def _refuse_other_content(given: Episode | None, other: Episode) -> None:
    if given is not None and content_hash(given) != content_hash(other):
        raise EpisodeConflictError(
            f"turn {given.id!r} exists with other content; episodes are immutable. "
            "Give the new turn an id of its own, or retract the old one first"
        )
