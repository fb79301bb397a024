"""A tenant's sessions: taken in, read again, and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from bitempo._embedding import Embeddings
from bitempo._sources import Said, Source, sessions_of, turns_of
from bitempo._statement import choice
from bitempo.engine.model import Session
from bitempo.engine.store.port import Store
from bitempo.engine.time import TimeLike
from bitempo.ingest.accounting import UsageBy, added_up
from bitempo.ingest.ingestor import Ingestor, RunOptions
from bitempo.ingest.metering import Budget, Meter, Usage
from bitempo.ingest.preview import Preview
from bitempo.ingest.report import IngestReport, Progress
from bitempo.ingest.sessions import Turn

if TYPE_CHECKING:
    from bitempo._memory import Memory


class TenantIngest:
    """The part of `Tenant` that deals with sessions."""

    name: str
    _memory: Memory
    _store: Store
    _embeddings: Embeddings

    def ingest(
        self,
        source: Source,
        *,
        session: str | None = None,
        started_at: TimeLike | None = None,
        actor: str | None = None,
        progress: Progress | None = None,
        budget: Budget | Meter | None = None,
        concurrency: int | None = None,
    ) -> IngestReport:
        """Take in whole sessions: one, many (from a loader), or a list of messages.

        What is there already is left alone, so handing in a session again costs nothing and a
        longer version of it adds only the new turns. Sessions of different actors go side by
        side, those of one actor (and of nobody) one after the other.

        Args:
            source: a session, sessions as `load_sessions` gives them, or OpenAI-style messages.
            session: the session's id; needed with messages, and only there.
            started_at: when it began, for messages without times of their own.
            actor: who speaks in messages of the role "user" that name nobody.
            progress: called with the number of turns done since its last call.
            budget: the most to spend on calls to a model, or a `Meter` that counts what several
                calls of ours spend together. When it is used up the run ends with
                `IngestReport.stopped`; what was taken in waits for `resume`, and what was not
                read yet for the same call again.
            concurrency: how many windows at a time; by default 4 for a model, 1 for rules.

        Raises:
            InvalidRecordError: a message is malformed.
            EpisodeConflictError: a turn's id is taken by other content.
        """
        sessions = sessions_of(source, session, started_at, actor)
        options = RunOptions(progress, budget, concurrency)
        return self._ingested(lambda ingestor: ingestor.ingest(sessions, options))

    def append(
        self,
        session: str,
        turns: Said | Sequence[Said],
        *,
        actor: str | None = None,
        budget: Budget | Meter | None = None,
    ) -> IngestReport:
        """Add turns at the end of a session, as they happen. A turn with an id goes in once.

        Args:
            session: the session's id; it is made when it is new.
            turns: one or several, as `Turn` or as OpenAI-style messages. A message without a
                time happens now.
            actor: whose session it is, and who speaks in messages of the role "user".
            budget: the most to spend on calls to a model; the turns are kept in any case.

        Raises:
            InvalidRecordError: a message is malformed.
            EpisodeConflictError: a turn's id is taken by other content.
        """
        given = [turns] if isinstance(turns, Turn | Mapping) else list(turns)
        now = self._memory.clock.now()
        added = turns_of(given, session, actor, now)
        started = added[0].occurred_at if added else now
        appended = Session(session, started, actor)
        return self._ingested(lambda ingestor: ingestor.append(appended, added, budget))

    def resume(
        self,
        *,
        progress: Progress | None = None,
        budget: Budget | Meter | None = None,
        concurrency: int | None = None,
    ) -> IngestReport:
        """Finish what an earlier ingest left in the inbox, failed windows included.

        The arguments are those of `ingest`.

        Raises:
            ConflictError: another extractor began it, and this memory was opened without one.
        """
        options = RunOptions(progress, budget, concurrency)
        return self._ingested(lambda ingestor: ingestor.resume(options))

    def preview(
        self,
        source: Source,
        *,
        session: str | None = None,
        started_at: TimeLike | None = None,
        actor: str | None = None,
    ) -> Preview:
        """What `ingest` would send to the model now, and about what it would cost.

        Nothing is written and no call is made. The arguments are those of `ingest`.
        """
        return self._ingestor().preview(sessions_of(source, session, started_at, actor))

    def reextract(
        self,
        session: str | None = None,
        *,
        progress: Progress | None = None,
        budget: Budget | Meter | None = None,
        concurrency: int | None = None,
    ) -> IngestReport:
        """Read turns again that another extractor, or another version of it, read last.

        What this one makes of them is added, and what extractors made of them before is
        retracted, in one commit a window: what was known earlier stays as it was. What was
        asserted by hand or imported stays. Done again, there is nothing to do and nothing to pay.

        Args:
            session: only the turns of this session; those of all by default.
            progress: as in `ingest`.
            budget: as in `ingest`.
            concurrency: as in `ingest`.

        Raises:
            NotFoundError: there is no such session.
            ConflictError: another extractor began or has read the turns, and this memory was
                opened without one.
        """
        options = RunOptions(progress, budget, concurrency)
        return self._ingested(lambda ingestor: ingestor.reextract(session, options))

    def preview_reextract(self, session: str | None = None) -> Preview:
        """What `reextract` would send to the model now; nothing is written, no call is made."""
        return self._ingestor().preview_reextract(session)

    def usage(self, by: UsageBy | str = UsageBy.ACTOR) -> dict[str | None, Usage]:
        """What calls to a model have taken up to now, the most expensive first.

        Args:
            by: what to tell apart: "actor" (whose sessions; None where nobody's), "session" or
                "extractor".

        Raises:
            InvalidInputError: it is none of these.
        """
        return added_up(self._store.inbox(self.name).usage(), choice(UsageBy, by))

    def _ingested(self, run: Callable[[Ingestor], IngestReport]) -> IngestReport:
        self._embeddings.check(self.name)
        report = run(self._ingestor())
        report.embedding_error = self._embeddings.complete(self.name)
        return report

    def _ingestor(self) -> Ingestor:
        return Ingestor(
            self._store,
            self.name,
            clock=self._memory.clock,
            policy=self._memory.policy,
            extractor=self._memory.extractor,
            resolver=self._memory.resolver,
            redactor=self._memory.redactor,
            chosen=self._memory.extractor_chosen,
        )
