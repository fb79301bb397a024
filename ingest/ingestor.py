"""The way of a session into the graph: inbox, extraction, one commit a window.

Whatever is stopped, and wherever, can be resumed: a window is durable before it is extracted,
and its parsed extraction is durable before it is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from bitempo.engine.commit import Batch, Commit, commit, content_hash
from bitempo.engine.errors import (
    BitempoError,
    EpisodeConflictError,
    IngestError,
    InvalidInputError,
    StoreError,
)
from bitempo.engine.model import AssertionDraft, Episode, Session
from bitempo.engine.place import validate
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import InboxWindow, Store, WindowState
from bitempo.engine.time import Clock
from bitempo.ingest.extraction import Extraction, Extractor, Rejection, Window
from bitempo.ingest.sessions import Malformed, SourceSession, Turn
from bitempo.ingest.windows import episodes_of, from_inbox, session_of, to_inbox, windows_of

Progress = Callable[[int], None]
"""Called with the number of turns that have been applied since the last call."""


@dataclass(slots=True)
class IngestReport:
    """What an ingest did. `failed` maps a window's id to why it could not be applied yet."""

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

    def count(self, done: Commit) -> None:
        """Add what one commit did."""
        self.windows += 1
        self.new_turns += len(done.new_episodes)
        self.assertions += len(done.new_assertions)
        self.facts_opened += len(done.opened)
        self.facts_closed += len(done.closed)
        self.last_tx = done.tx or self.last_tx


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
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._clock = clock
        self._policy = policy
        self._extractor = extractor
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
        self._process(self._waiting(retry=False), report, None)
        for source in sessions:
            if isinstance(source, Malformed):
                report.malformed.append(source)
                continue
            report.sessions += 1
            report.turns += len(source.turns)
            report.skipped.extend(source.skipped)
            episodes = episodes_of(self._tenant, source.id, source.turns)
            self._take(session_of(source), episodes, report, progress)
        return report

    def append(self, session: Session, turns: Sequence[Turn]) -> IngestReport:
        """Add turns at the end of a session, as they happen."""
        report = IngestReport(turns=len(turns))
        self._process(self._waiting(retry=False), report, None)
        with self._store.read(self._tenant) as reader:
            stored = reader.turns(session.id)
        following = 1 + max((e.position for e in stored if e.position is not None), default=-1)
        episodes = episodes_of(self._tenant, session.id, turns, following)
        known = {episode.id: episode for episode in stored}
        # A turn that comes again under its own id keeps its place.
        placed = [known.get(e.id, e) if e.text == known.get(e.id, e).text else e for e in episodes]
        self._take(session, placed, report, None)
        return report

    def resume(self, progress: Progress | None = None) -> IngestReport:
        """Apply whatever waits in the inbox, what failed before included."""
        report = IngestReport()
        self._process(self._waiting(retry=True), report, progress)
        return report

    def _take(
        self,
        session: Session,
        episodes: Sequence[Episode],
        report: IngestReport,
        progress: Progress | None,
    ) -> None:
        new = self._new(episodes)
        if progress is not None and len(new) < len(episodes):
            progress(len(episodes) - len(new))
        now = self._clock.now()
        windows = [to_inbox(session, window, now) for session, window in windows_of(session, new)]
        if windows:
            self._inbox.put(windows)
            stored = self._inbox.get([window.id for window in windows])
            self._process(stored.values(), report, progress)

    def _new(self, episodes: Sequence[Episode]) -> list[Episode]:
        """The episodes that are not stored yet; a replay ends here and costs nothing."""
        with self._store.read(self._tenant) as reader:
            stored = reader.episodes([episode.id for episode in episodes])
        for episode in episodes:
            other = stored.get(episode.id)
            if other is not None and content_hash(other) != content_hash(episode):
                raise EpisodeConflictError(
                    f"turn {episode.id!r} exists with other content; episodes are immutable. "
                    "Give the new turn an id of its own, or retract the old one first"
                )
        return [episode for episode in episodes if episode.id not in stored]

    def _waiting(self, *, retry: bool) -> list[InboxWindow]:
        return [
            window
            for window in self._inbox.pending()
            if retry or window.state is not WindowState.FAILED
        ]

    def _process(
        self, windows: Iterable[InboxWindow], report: IngestReport, progress: Progress | None
    ) -> None:
        for stored in windows:
            if stored.state is WindowState.APPLIED:
                continue
            session, window = from_inbox(stored)
            try:
                extraction = self._extraction(stored, window)
                drafts, unsound = _sound(extraction.drafts)
                rejections = [*extraction.rejections, *unsound]
                batch = Batch(
                    (session,),
                    window.episodes,
                    drafts,
                    window=stored.id,
                    rejected=_REJECTIONS.dump_json(rejections).decode() if rejections else None,
                )
                done = commit(self._store, self._tenant, batch, self._policy, self._clock.now())
            except StoreError:
                raise
            except BitempoError as error:
                self._inbox.fail(stored.id, str(error))
                report.failed[stored.id] = str(error)
                continue
            report.count(done)
            report.rejections.extend(rejections)
            if progress is not None:
                progress(len(window.episodes))

    def _extraction(self, stored: InboxWindow, window: Window) -> Extraction:
        if stored.extraction is not None:
            return Extraction.from_json(stored.extraction)
        try:
            extraction = self._extractor.extract(window)
        except Exception as error:
            # One window that its extractor cannot take must not hold up all that come after.
            raise IngestError(f"{self._extractor.name} failed: {error!r}") from error
        self._inbox.store_extraction(stored.id, extraction.to_json())
        return extraction


_REJECTIONS = TypeAdapter(list[Rejection])


def _sound(
    drafts: Iterable[AssertionDraft],
) -> tuple[tuple[AssertionDraft, ...], list[Rejection]]:
    """The drafts that can be applied; a malformed one is rejected alone."""
    sound: list[AssertionDraft] = []
    rejections: list[Rejection] = []
    for draft in drafts:
        try:
            validate(draft)
            sound.append(draft)
        except InvalidInputError as error:
            rejections.append(Rejection(draft.text, str(error)))
    return tuple(sound), rejections
