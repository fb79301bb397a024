"""The way of a session into the graph: inbox, extraction, one commit a window.

Whatever is stopped, and wherever, can be resumed: a window is durable before it is extracted,
and its parsed extraction is durable before it is applied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from bitempo.engine.commit import Batch, Commit, commit, content_hash
from bitempo.engine.errors import (
    BitempoError,
    EpisodeConflictError,
    IngestError,
    StoreError,
)
from bitempo.engine.model import Episode, Session
from bitempo.engine.names import clean_text
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import InboxWindow, Store, WindowState
from bitempo.engine.time import Clock
from bitempo.ingest.extraction import Extraction, Extractor, Rejection, Window
from bitempo.ingest.secrets import (
    Counts,
    Redactor,
    SecretRedactor,
    secret_free_session,
    secret_free_turns,
)
from bitempo.ingest.sessions import Malformed, SourceSession, Turn
from bitempo.ingest.soundness import sound, well_typed
from bitempo.ingest.windows import (
    CONTEXT_TURNS,
    checked,
    episodes_of,
    from_inbox,
    session_of,
    to_inbox,
    windows_of,
)

Progress = Callable[[int], None]
"""Called with the number of turns that have been applied since the last call."""


@dataclass(slots=True)
class IngestReport:
    """What an ingest did. `failed` maps a window's id to why it could not be applied yet.

    `redacted` counts the secrets that were taken out of the turns handed in, by kind.
    `embedding_error` is why some of it has no vector yet, if the embedder failed.
    """

    sessions: int = 0
    turns: int = 0
    new_turns: int = 0
    assertions: int = 0
    facts_opened: int = 0
    facts_closed: int = 0
    windows: int = 0
    last_tx: int | None = None
    malformed: list[Malformed] = field(default_factory=list)
    skipped: list[Malformed] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    redacted: Counts = field(default_factory=Counts)
    embedding_error: str | None = None

    def count(self, done: Commit) -> None:
        """Add what one commit did."""
        self.windows += 1
        self.new_turns += len(done.new_episodes)
        self.assertions += len(done.new_assertions)
        self.facts_opened += len(done.opened)
        self.facts_closed += len(done.closed)
        self.last_tx = done.tx or self.last_tx


@dataclass(frozen=True, slots=True)
class _Standing:
    """How a session stands before turns are added: which of them are stored already, the
    episodes of its windows that wait, and what was said just before."""

    stored: Mapping[str, Episode]
    waiting: Mapping[str, tuple[Episode, ...]]
    before: Sequence[Episode] = ()


class Ingestor:
    """Ingests for one tenant."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        *,
        clock: Clock,
        policy: PredicatePolicy,
        extractor: Extractor,
        redactor: Redactor | None = None,
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._clock = clock
        self._policy = policy
        self._extractor = extractor
        self._redactor = redactor or SecretRedactor()
        self._inbox = store.inbox(tenant)

    def ingest(
        self, sessions: Iterable[SourceSession | Malformed], progress: Progress | None = None
    ) -> IngestReport:
        """Take in whole sessions, one after the other; turns that are there already are left.

        What an earlier run left behind is applied first, so that nothing overtakes it.

        Raises:
            EpisodeConflictError: a turn's id is taken by other content; what came before it
                stays applied.
            StoreError: the store failed; what is in the inbox can be resumed.
        """
        report = IngestReport()
        self._ahead(report)
        for source in sessions:
            if isinstance(source, Malformed):
                report.malformed.append(source)
                continue
            report.sessions += 1
            report.turns += len(source.turns)
            report.skipped.extend(source.skipped)
            free = secret_free_session(source, self._redactor, report.redacted)
            episodes = episodes_of(self._tenant, free.id, free.turns)
            self._take(session_of(free), episodes, report, progress)
        return report

    def append(self, session: Session, turns: Sequence[Turn]) -> IngestReport:
        """Add turns at the end of a session, as they happen.

        A turn with an id of its own goes in once. Where several processes append to one session
        at the same time, give turns ids, and their times say which came first.

        Raises:
            EpisodeConflictError, StoreError: as `ingest`.
        """
        report = IngestReport(turns=len(turns))
        session = checked(secret_free_session(session, self._redactor, report.redacted))
        turns = secret_free_turns(turns, self._redactor, report.redacted)
        waiting = dict(_in_order(self._ahead(report), session.id))
        with self._store.read(self._tenant) as reader:
            last = reader.turns(session.id, CONTEXT_TURNS)
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
        self._take(session, placed, report, None, _Standing(stored, waiting, before))
        return report

    def resume(self, progress: Progress | None = None) -> IngestReport:
        """Apply whatever waits in the inbox, what failed before included."""
        report = IngestReport()
        self._process([window.id for window in self._inbox.pending()], report, progress)
        return report

    def _ahead(self, report: IngestReport) -> list[InboxWindow]:
        """Apply what waits and has not failed; gives what waits then, in the order received."""
        waiting = self._inbox.pending()
        ready = [window.id for window in waiting if window.state is not WindowState.FAILED]
        if not ready:
            return waiting
        self._process(ready, report, None)
        return self._inbox.pending()

    def _take(
        self,
        session: Session,
        episodes: Sequence[Episode],
        report: IngestReport,
        progress: Progress | None,
        standing: _Standing | None = None,
    ) -> None:
        wanted = _distinct(episodes)
        if standing is None:
            standing = self._standing(session.id, wanted)
        new = _new(wanted, standing.stored)
        if progress is not None and len(new) < len(episodes):
            progress(len(episodes) - len(new))
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
            to_inbox(session, window, now)
            for window in windows_of(session, list(wanted.values()), new, standing.before)
        ]
        put = self._inbox.put(windows) if windows else []
        # What was put a moment ago need not be read again, if it is the first to be applied.
        fresh = {} if again else {window.id: window for window in put[:1]}
        self._process([*again, *(window.id for window in put)], report, progress, fresh)

    def _standing(self, session: str, episodes: Mapping[str, Episode]) -> _Standing:
        with self._store.read(self._tenant) as reader:
            stored = reader.episodes(episodes.keys())
        # A replay ends here and costs nothing.
        waiting = [] if len(stored) == len(episodes) else self._inbox.pending(session)
        return _Standing(stored, dict(_in_order(waiting, session)))

    def _process(
        self,
        windows: Iterable[str],
        report: IngestReport,
        progress: Progress | None,
        fresh: Mapping[str, InboxWindow] = MappingProxyType({}),
    ) -> None:
        for id in windows:
            # Read only now: another process may have extracted or applied it meanwhile.
            stored = fresh[id] if id in fresh else self._inbox.get([id])[id]
            if stored.state is WindowState.APPLIED:
                continue
            try:
                turns, done, rejections = self._apply(stored)
            except StoreError:
                raise
            except BitempoError as error:
                # One window that cannot be applied must not hold up all that come after.
                self._inbox.fail(id, clean_text(str(error)))
                # Unless another process was faster and did apply it.
                if self._inbox.get([id])[id].state is WindowState.FAILED:
                    report.failed[id] = str(error)
                continue
            report.count(done)
            report.rejections.extend(rejections)
            if progress is not None:
                progress(turns)

    def _apply(self, stored: InboxWindow) -> tuple[int, Commit, list[Rejection]]:
        session, window = from_inbox(stored)
        extraction = self._extraction(stored, window)
        with _blaming(f"applying window {stored.id}"):
            with self._store.read(self._tenant) as reader:
                drafts, unsound = sound(extraction.drafts, window, reader)
            rejections = [*extraction.rejections, *unsound]
            batch = Batch(
                (session,),
                window.episodes,
                drafts,
                window=stored.id,
                rejected=_REJECTIONS.dump_json(rejections).decode() if rejections else None,
            )
            # Nothing is known before it arrived, also where a clock lags or is a replay's.
            now = max(self._clock.now(), stored.received_at)
            done = commit(self._store, self._tenant, batch, self._policy, now)
        return len(window.episodes), done, rejections

    def _extraction(self, stored: InboxWindow, window: Window) -> Extraction:
        if stored.extraction is not None:
            # One in the form of another version is not kept: it can only be made again.
            with contextlib.suppress(ValidationError):
                return Extraction.from_json(stored.extraction)
        # Whatever an extractor fails with is its own failure, an error of some store included.
        with _blaming(self._extractor.name, passing=IngestError):
            extraction = well_typed(self._extractor.extract(window), self._extractor.name)
        self._inbox.store_extraction(stored.id, extraction.to_json())
        return extraction


_REJECTIONS = TypeAdapter(list[Rejection])


@contextmanager
def _blaming(culprit: str, passing: type[BitempoError] = BitempoError) -> Iterator[None]:
    """Turn any failure into an IngestError, since no window may hold up those after it."""
    try:
        yield
    except passing:
        raise
    except Exception as error:
        raise IngestError(f"{culprit} failed: {error!r}") from error


def _in_order(
    waiting: Iterable[InboxWindow], session: str
) -> Iterator[tuple[str, tuple[Episode, ...]]]:
    """The windows of the session that wait, with their episodes."""
    for stored in waiting:
        # One that cannot be read says so when it is processed.
        with contextlib.suppress(IngestError):
            if stored.session == session:
                yield stored.id, from_inbox(stored)[1].episodes


def _new(episodes: Mapping[str, Episode], stored: Mapping[str, Episode]) -> dict[str, Episode]:
    """The episodes that are not stored yet."""
    for id, episode in stored.items():
        _refuse_other_content(episodes.get(id), episode)
    return {id: episode for id, episode in episodes.items() if id not in stored}


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
