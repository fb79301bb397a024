"""What an ingest did, counted as it goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bitempo.engine.commit import Commit
from bitempo.ingest.extraction import Note, Rejection
from bitempo.ingest.metering import Usage
from bitempo.ingest.secrets import Counts
from bitempo.ingest.sessions import Malformed

Progress = Callable[[int], None]
"""Called with the number of turns that are done since the last call, which may be none; always
from the thread that called ingest."""


@dataclass(slots=True)
class IngestReport:
    """What an ingest did.

    `new_turns` counts those put on record, also of windows whose extraction has to wait. `failed`
    maps a window's id to why it could not be applied yet. `stopped` says why the run
    ended before everything was done, and how to go on; None when nothing stopped it. `usage` is
    what calls to a model took in this run, `usage_by_actor` the same by whose session it was for.
    `cached` counts the windows whose reply was there already, and was not paid for again.
    `retracted` counts the assertions that a re-extraction replaced, `redacted` the secrets that
    were taken out of the turns handed in, by kind. `notes` tell of claims that were taken, but not
    quite as the extractor proposed them. `embedding_error` is why some of it has no vector yet, if
    the embedder failed.
    """

    sessions: int = 0
    turns: int = 0
    new_turns: int = 0
    assertions: int = 0
    retracted: int = 0
    facts_opened: int = 0
    facts_closed: int = 0
    windows: int = 0
    cached: int = 0
    last_tx: int | None = None
    malformed: list[Malformed] = field(default_factory=list)
    skipped: list[Malformed] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    redacted: Counts = field(default_factory=Counts)
    usage: Usage = field(default_factory=Usage)
    usage_by_actor: dict[str | None, Usage] = field(default_factory=dict)
    stopped: str | None = None
    embedding_error: str | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be resumed."""
        return self.stopped is None and not self.failed

    def count(self, done: Commit) -> None:
        """Add what one commit did."""
        self.windows += 1
        self.count_turns(done)
        self.assertions += len(done.new_assertions)
        self.retracted += len(done.retracted)
        self.facts_opened += len(done.opened)
        self.facts_closed += len(done.closed)

    def count_turns(self, done: Commit) -> None:
        """Add the turns that one commit put on record."""
        self.new_turns += len(done.new_episodes)
        if done.tx is not None:
            self.last_tx = max(done.tx, self.last_tx or done.tx)

    def spend(self, actor: str | None, usage: Usage) -> None:
        """Add what the calls for one window took."""
        if usage != Usage():
            self.usage += usage
            self.usage_by_actor[actor] = self.usage_by_actor.get(actor, Usage()) + usage
