"""The main job on the conversation that ships with bitempo: `bitempo demo`."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitempo.cli.invocation import Invocation
from bitempo.cli.reads import in_order_of_belief

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bitempo import Fact, IngestReport, Tenant

_TENANT = "demo"
_WHO = "Mara"
_TOPICS = ("LIVES_IN", "WORKS_AT")
_THEN = "2024-05-15"
_KNOWN = "2024-06-01"
_QUESTION = "Where did Mara start to work?"


def demo(invocation: Invocation) -> None:
    """Take in a year of two friends' messages, and travel through it in both times."""
    from bitempo import load_sessions
    from bitempo._clock import ReplayClock
    from bitempo.cli.progress import ingest_bar
    from bitempo.cli.replay import in_order_of_time

    clock = ReplayClock()
    with _placed(invocation) as place, place.tenant(create=True, clock=clock) as tenant:
        with _conversation() as path, ingest_bar(place) as bar:
            items = in_order_of_time(load_sessions(path), tenant, clock, bar.sessions)
            report = tenant.ingest(items, progress=bar.turns)
        kept = invocation.settings.store_given
        steps = [step(tenant) for step in (_now, _then, _known_then, _history, _why, _recall)]
    shape = {"sessions": report.sessions, "steps": [step.shape() for step in steps]}
    invocation.emit(shape, lambda out: _show(out, report, steps, place, kept=kept))


@dataclass(frozen=True)
class _Step:
    """A question, the command that asks it, the answer, and what to see in it."""

    title: str
    command: str
    answer: dict[str, Any]
    remark: str
    shown: Callable[[], RenderableType]

    def shape(self) -> dict[str, Any]:
        """The step for machines."""
        return {
            "title": self.title,
            "command": self.command,
            "answer": self.answer,
            "remark": self.remark,
        }


def _now(tenant: Tenant) -> _Step:
    return _facts_step(
        "What is true now?",
        f"as-of {_WHO}",
        _about(tenant.as_of(_WHO)),
        "Where she lives and works, by what was said all year.",
    )


def _then(tenant: Tenant) -> _Step:
    return _facts_step(
        f"What was true on {_THEN}?",
        f"as-of {_WHO} --valid-at {_THEN}",
        _about(tenant.as_of(_WHO, valid_at=_THEN)),
        "She had moved in March and changed jobs in April, as she said in August and October.",
    )


def _known_then(tenant: Tenant) -> _Step:
    return _facts_step(
        f"What did we know on {_KNOWN} of {_THEN}?",
        f"as-of {_WHO} --valid-at {_THEN} --known-at {_KNOWN}",
        _about(tenant.as_of(_WHO, valid_at=_THEN, known_at=_KNOWN)),
        "She had told nobody yet: the memory believed what it had heard in January.",
    )


def _history(tenant: Tenant) -> _Step:
    found = in_order_of_belief(tenant.history(_WHO, "WORKS_AT", versions=True))
    return _facts_step(
        "How did belief about her work change?",
        f"history {_WHO} WORKS_AT --versions",
        found,
        "Nothing is overwritten: each version keeps when it was believed.",
        ("value", "valid", "believed"),
    )


def _why(tenant: Tenant) -> _Step:
    from bitempo.cli import shapes, tables

    (fact,) = tenant.as_of(_WHO, "WORKS_AT")
    found = tenant.why(fact)
    return _Step(
        f"Why {fact.answer}, and why since April?",
        f"why {_WHO} WORKS_AT",
        shapes.why(found),
        "Back to the turns: she corrected herself, and both sentences are still there.",
        lambda: tables.why(found, ids=False),
    )


def _recall(tenant: Tenant) -> _Step:
    from bitempo.cli import shapes, tables

    found = tenant.recall(_QUESTION, limit=2)
    return _Step(
        f"Recall: {_QUESTION}",
        f"recall {shlex.quote(_QUESTION)} --limit 2",
        shapes.recall(found),
        "The answer as corrected comes first; --explain takes a score apart.",
        lambda: tables.recalled(found, ids=False),
    )


def _facts_step(
    title: str,
    command: str,
    found: list[Fact],
    remark: str,
    columns: Sequence[str] = ("predicate", "value", "valid", "marks"),
) -> _Step:
    from bitempo.cli import shapes, tables

    return _Step(
        title,
        command,
        shapes.facts(found),
        remark,
        lambda: tables.facts(found, columns),
    )


def _about(found: list[Fact]) -> list[Fact]:
    return [fact for fact in found if fact.predicate in _TOPICS]


def _show(
    out: Console, report: IngestReport, steps: list[_Step], place: Invocation, *, kept: bool
) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out.print(
        f"Took in a year of messages between Mara and Tom: {report.sessions} sessions, "
        f"{report.turns} turns, each recorded as it happened."
    )
    for number, step in enumerate(steps, start=1):
        out.print()
        title = Text(f"{number}. {step.title}", style="bold")
        out.print(title.append(f"  $ bitempo {step.command}", style="not bold cyan"))
        out.print(Padding(step.shown(), (0, 0, 0, 3)))
        out.print(Text(f"   {step.remark}", style="italic"))
    options = f"--store {shlex.quote(place.settings.store)} --tenant {place.named_tenant()}"
    out.print(
        f"The memory stays: bitempo {options} as-of Mara"
        if kept
        else "That memory is gone. To keep one: bitempo demo --store demo.db --tenant demo",
        markup=False,
        soft_wrap=True,
    )


@contextmanager
def _placed(invocation: Invocation) -> Iterator[Invocation]:
    """The run with a store and a tenant: those given, or temporary ones."""
    tenant = invocation.settings.tenant or _TENANT
    if invocation.settings.store_given:
        yield replace(invocation, tenant_name=tenant)
        return
    with tempfile.TemporaryDirectory(prefix="bitempo-demo-") as folder:
        yield replace(invocation, store=str(Path(folder, "demo.db")), tenant_name=tenant)


@contextmanager
def _conversation() -> Iterator[Path]:
    """The conversation as a file, also where the package is in an archive."""
    source = resources.files("bitempo.examples").joinpath("conversation.jsonl")
    with resources.as_file(source) as path:
        yield path
