"""The commands that take sessions in: ingest, resume and reextract; and what they cost: usage."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitempo.cli.choices import ModelChoice, SourceChoice, SpendingChoice
from bitempo.cli.failure import BAD_INPUT, INTERRUPTED, SAYS_NO
from bitempo.cli.interrupts import listening, stopping
from bitempo.cli.invocation import Invocation

if TYPE_CHECKING:
    from bitempo import IngestReport, Preview, Tenant

Replayed = Annotated[
    bool,
    typer.Option(
        "--replay/--as-recorded",
        help="Record each session at its own time, as if it had been ingested live then, "
        "or at the time of this call.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only show what would be sent to the model, and about what it would cost.",
    ),
]


def ingest(
    invocation: Invocation,
    path: Annotated[str, typer.Argument(help="A file of sessions; .gz and .xz are read too.")],
    source: SourceChoice,
    model: ModelChoice,
    spending: SpendingChoice,
    replay: Replayed = False,
    dry_run: DryRun = False,
) -> None:
    """Take in a file of sessions. Doing it again costs nothing and adds only what is new."""
    from bitempo._clock import ReplayClock
    from bitempo.cli.progress import ingest_bar
    from bitempo.cli.replay import in_order_of_time

    options = _load_options(source)
    extractor = model.build(invocation.settings)
    if dry_run:
        with _untouched(invocation, extractor) as tenant:
            _show_preview(invocation, tenant.preview(_loaded(path, options)))
        return
    concurrency = spending.at_a_time(replay=replay)
    clock = ReplayClock() if replay else None
    meter = spending.meter()
    replayed = " --replay" if replay else ""
    again = f"ingest {shlex.quote(path)}{source.flags}{model.flags}{replayed}"
    with (
        _resumable(again) as pressed,
        ingest_bar(invocation, meter) as bar,
        invocation.tenant(create=True, clock=clock, extractor=extractor) as tenant,
    ):
        items = _loaded(path, options, progress=bar.sessions if clock is None else None)
        if clock is not None:
            items = in_order_of_time(items, tenant, clock, bar.sessions)
        report = tenant.ingest(
            items,
            progress=stopping(bar.turns, pressed),
            budget=meter,
            concurrency=concurrency,
        )
    _show(invocation, report, again, f"resume{model.flags}{replayed}")


def resume(
    invocation: Invocation,
    model: ModelChoice,
    spending: SpendingChoice,
    replay: Replayed = False,
) -> None:
    """Finish what an earlier ingest left in the inbox, what failed before included."""
    from bitempo._clock import ReplayClock
    from bitempo.cli.progress import ingest_bar

    extractor = model.build(invocation.settings)
    concurrency = spending.at_a_time(replay=replay)
    clock = ReplayClock() if replay else None
    meter = spending.meter()
    again = f"resume{model.flags}{' --replay' if replay else ''}"
    with (
        _resumable(again) as pressed,
        ingest_bar(invocation, meter) as bar,
        invocation.tenant(clock=clock, extractor=extractor) as tenant,
    ):
        report = tenant.resume(
            progress=stopping(bar.turns, pressed), budget=meter, concurrency=concurrency
        )
    _show(invocation, report, again, again)


def reextract(
    invocation: Invocation,
    model: ModelChoice,
    spending: SpendingChoice,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The turns of one session.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The turns of all sessions.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Read turns again that another extractor, or another version of it, read last.

    What it makes of them now replaces what extractors made of them before; what was known
    earlier stays as it was.
    """
    from bitempo import InvalidInputError
    from bitempo.cli.progress import ingest_bar

    if (session is None) != everything:
        raise InvalidInputError("say which turns: --session ID, or --all")
    extractor = model.build(invocation.settings)
    if dry_run:
        with invocation.tenant(extractor=extractor) as tenant:
            _show_preview(invocation, tenant.preview_reextract(session))
        return
    which = "--all" if session is None else f"--session {shlex.quote(session)}"
    again = f"reextract {which}{model.flags}"
    meter = spending.meter()
    with (
        _resumable(again) as pressed,
        ingest_bar(invocation, meter) as bar,
        invocation.tenant(extractor=extractor) as tenant,
    ):
        report = tenant.reextract(
            session,
            progress=stopping(bar.turns, pressed),
            budget=meter,
            concurrency=spending.concurrency,
        )
    _show(invocation, report, again, f"resume{model.flags}")


def usage(
    invocation: Invocation,
    by: Annotated[
        str, typer.Option("--by", metavar="actor|session|extractor", help="What to tell apart.")
    ] = "actor",
) -> None:
    """Show what calls to a model have taken up to now."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.usage(by)
    invocation.emit(shapes.usage_by(by, found), lambda out: out.print(tables.usage_by(by, found)))


def _load_options(source: SourceChoice) -> dict[str, Any]:
    return {
        "format": source.format,
        "strict": source.strict,
        "started_at": source.started_at,
        "timezone": _zone(source.timezone),
        "actor": source.actor,
    }


def _loaded(path: str, options: dict[str, Any], **more: Any) -> Iterator[Any]:
    from bitempo import load_sessions

    return load_sessions(path, **options, **more)


def _zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from bitempo import InvalidInputError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInputError(
            f"{name!r} is no time zone that is known here; use a name such as Europe/Lisbon"
        ) from error


@contextmanager
def _untouched(invocation: Invocation, extractor: Any) -> Iterator[Tenant]:
    """The tenant to look at; where there is no store yet, an empty one that leaves nothing."""
    from bitempo import Memory

    file = invocation.settings.file
    if file is None or Path(file).exists():
        with invocation.tenant(extractor=extractor) as tenant:
            yield tenant
        return
    name = invocation.named_tenant()
    with Memory.open(":memory:", extractor=extractor) as memory:
        yield memory.tenant(name)


@contextmanager
def _resumable(again: str) -> Iterator[Callable[[], bool]]:
    """Say how to go on when the user interrupts; what has been taken in is durable.

    Gives a function that says whether Ctrl-C was pressed.
    """
    with listening() as pressed:
        try:
            yield pressed
            return
        except KeyboardInterrupt:
            pass
        typer.echo(
            "bitempo: interrupted; what was taken in is kept. Finish with the same store and "
            f"tenant: bitempo {again}",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None


def _show(invocation: Invocation, report: IngestReport, again: str, resume: str) -> None:
    """Show what was done, and how to go on: `again` if it was stopped, `resume` what failed."""
    from bitempo.cli import shapes, tables

    if not report.finished:
        invocation.exit_code = SAYS_NO
    elif report.malformed and not report.sessions:
        # Nothing at all could be read: a pipeline must not take that for success.
        invocation.exit_code = BAD_INPUT
    if not invocation.as_json:
        for remark in tables.remarks(report):
            invocation.note(remark)
    invocation.emit(shapes.ingest(report), "\n".join(tables.ingested(report)))
    if report.stopped is not None:
        invocation.note(
            f"stopped: {report.stopped}\nFinish with the same store and tenant: bitempo {again}"
        )
    if report.failed:
        invocation.note(
            f"{len(report.failed)} windows failed and stay in the inbox; try again with the same "
            f"store and tenant: bitempo {resume}"
        )
    invocation.note_unembedded(report.embedding_error)


def _show_preview(invocation: Invocation, found: Preview) -> None:
    from bitempo.cli import shapes, tables

    invocation.emit(shapes.preview(found), "\n".join(tables.previewed(found)))
