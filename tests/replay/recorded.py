"""Recorded extractions of real conversations, on their way through the whole of ingest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bitempo import LLMExtractor, Memory, PredicatePolicy, SourceSession, load_sessions
from bitempo.engine.time import to_datetime
from bitempo.testing import FixedClock, Replay, ScriptedModel, replay_extractions
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh
from tests.shared import shared

Rejected = tuple[str, str, str]
"""A conversation, the item that was not taken, and why."""


@dataclass
class Replayed:
    """A memory with a tenant for each conversation, and what became of the ingest."""

    memory: Memory
    clock: FixedClock
    model: ScriptedModel
    replay: Replay
    tenants: dict[str, str] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    known_at: dict[tuple[str, int], int] = field(default_factory=dict)
    """When all of a session was recorded, by conversation and start of the session."""

    def ingest(self, name: str, sessions: list[SourceSession]) -> int:
        """Ingest the sessions of a conversation, each when it happened; how many turns were new."""
        if name not in self.tenants:
            self.tenants[name] = fresh(self.memory).name
        tenant = self.memory.tenant(self.tenants[name])
        new = 0
        for session in sessions:
            self.clock.set(to_datetime(session.started_at) or "")
            report = tenant.ingest(session)
            assert not report.failed, report.failed
            assert not report.malformed, report.malformed
            self.rejected += [(name, r.item, r.reason) for r in report.rejections]
            if report.last_tx is not None:
                self.known_at[name, session.started_at] = report.last_tx
            new += report.new_turns
        return new


def locomo_replay(*names: str) -> Replay:
    """The replay of the LoCoMo conversations of these names."""
    return replay_extractions(
        [shared("data", "extractions", f"{name}.jsonl") for name in names], _locomo()
    )


def knowledge_replay() -> Replay:
    """The replay of the chats in which something changes."""
    return replay_extractions(shared("data", "extractions", "knowledge_update.jsonl"), _chats())


@cache
def locomo_sessions() -> dict[str, list[SourceSession]]:
    """The sessions of LoCoMo by conversation, in order."""
    return _by_conversation(_locomo())


@cache
def chat_sessions() -> dict[str, list[SourceSession]]:
    """The sessions of the chats by question, in the order of their dates."""
    return {
        name: sorted(sessions, key=lambda session: session.started_at)
        for name, sessions in _by_conversation(_chats()).items()
    }


@contextmanager
def replaying(open_memory: Opener, replay: Replay) -> Iterator[Replayed]:
    """A memory whose extractor asks a model that replies what is recorded, and nothing else."""
    clock = FixedClock("2000-01-01")
    with ScriptedModel(replay) as model:
        extractor = LLMExtractor("scripted", base_url=model.url, api_key="test", max_retries=0)
        # The extraction decides how many values a predicate holds: nothing is known beforehand.
        memory = open_memory(clock=clock, policy=PredicatePolicy(), extractor=extractor)
        yield Replayed(memory, clock, model, replay)


def _by_conversation(path: Path) -> dict[str, list[SourceSession]]:
    found: dict[str, list[SourceSession]] = defaultdict(list)
    for session in load_sessions(path, strict=True):
        assert isinstance(session, SourceSession)
        found[session.id.partition("/")[0]].append(session)
    return found


def _locomo() -> Path:
    return shared("data", "locomo_dev.json")


def _chats() -> Path:
    return shared("data", "longmemeval_oracle_dev.json.xz")
