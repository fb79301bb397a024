"""The commands that take sessions in: ingest and resume."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated

import typer

from bitempo.cli.failure import BAD_INPUT, INTERRUPTED, SAYS_NO
from bitempo.cli.interrupts import listening, stopping
from bitempo.cli.invocation import Invocation

if TYPE_CHECKING:
    from bitempo import IngestReport

Replayed = Annotated[
    bool,
    typer.Option(
        "--replay/--as-recorded",
        help="Record each session at its own time, as if it had been ingested live then, "
        "or at the time of this call.",
    ),
]


def ingest(
    invocation: Invocation,
    path: Annotated[str, typer.Argument(help="A file of sessions; .gz and .xz are read too.")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="locomo, longmemeval, messages, chatgpt or transcript. Default: recognised.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse the file when a record is malformed.")
    ] = False,
    started_at: Annotated[
        str | None,
        typer.Option("--started-at", metavar="TIME", help="For sessions that state no time."),
    ] = None,
    timezone: Annotated[
        str, typer.Option("--timezone", help="Of times without an offset, as Europe/Lisbon.")
    ] = "UTC",
    actor: Annotated[
        str | None, typer.Option("--actor", help="Whose sessions, where the file does not say.")
    ] = None,
    replay: Replayed = False,
) -> None:
    """Take in a file of sessions. Doing it again costs nothing and adds only what is new."""
    from bitempo import load_sessions
    from bitempo._clock import ReplayClock
    from bitempo.cli.progress import ingest_bar
    from bitempo.cli.replay import in_order_of_time

    zone = _zone(timezone)
    clock = ReplayClock() if replay else None
    again = f"ingest {shlex.quote(path)}"
    with (
        _resumable(again, replay) as pressed,
        ingest_bar(invocation) as bar,
        invocation.tenant(create=True, clock=clock) as tenant,
    ):
        items = load_sessions(
            path,
            format=format,
            strict=strict,
            started_at=started_at,
            timezone=zone,
            actor=actor,
            progress=bar.sessions if clock is None else None,
        )
        if clock is not None:
            items = in_order_of_time(items, tenant, clock, bar.sessions)
        report = tenant.ingest(items, progress=stopping(bar.turns, pressed))
    _show(invocation, report)


def resume(invocation: Invocation, replay: Replayed = False) -> None:
    """Finish what an earlier ingest left in the inbox, what failed before included."""
    from bitempo._clock import ReplayClock
    from bitempo.cli.progress import ingest_bar

    clock = ReplayClock() if replay else None
    with (
        _resumable("resume", replay) as pressed,
        ingest_bar(invocation) as bar,
        invocation.tenant(clock=clock) as tenant,
    ):
        report = tenant.resume(progress=stopping(bar.turns, pressed))
    _show(invocation, report)


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
def _resumable(again: str, replay: bool) -> Iterator[Callable[[], bool]]:
    """Say how to go on when the user interrupts; what has been taken in is durable.

    Gives a function that says whether Ctrl-C was pressed.
    """
    with listening() as pressed:
        try:
            yield pressed
            return
        except KeyboardInterrupt:
            pass
        flag = " --replay" if replay else ""
        typer.echo(
            "bitempo: interrupted; what was taken in is kept. Finish with the same store and "
            f"tenant: bitempo {again}{flag}",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None


def _show(invocation: Invocation, report: IngestReport) -> None:
    from bitempo.cli import shapes, tables

    if report.failed:
        invocation.exit_code = SAYS_NO
    elif report.malformed and not report.sessions:
        # Nothing at all could be read: a pipeline must not take that for success.
        invocation.exit_code = BAD_INPUT
    if not invocation.as_json:
        for remark in tables.remarks(report):
            invocation.note(remark)
    invocation.emit(shapes.ingest(report), "\n".join(tables.ingested(report)))
    if report.failed:
        invocation.note(
            f"{len(report.failed)} windows failed and stay in the inbox; try again with "
            "bitempo resume"
        )
