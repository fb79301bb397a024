"""The commands that write single claims and decisions: init, assert, retract, cardinality."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from bitempo.cli.invocation import Invocation

if TYPE_CHECKING:
    from bitempo import EntityRef, Written

_UNBOUNDED = "always"


def init(invocation: Invocation) -> None:
    """Make the store, or check that it can be opened."""
    with invocation.memory(create=True):
        pass
    store = invocation.settings.shown
    invocation.emit({"store": store}, f"{store} is ready")


def assert_(
    invocation: Invocation,
    subject: Annotated[str, typer.Argument(help="Whom or what it is about.")],
    predicate: Annotated[str, typer.Argument(help='Such as LIVES_IN or "lives in".')],
    object: Annotated[str | None, typer.Argument(help="An entity, by name.")] = None,
    value: Annotated[
        str | None,
        typer.Option("--value", help="A literal instead of an object: text, a number, true."),
    ] = None,
    valid_from: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="TIME", help='When it began to hold; "always" has no start.'
        ),
    ] = None,
    valid_to: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="When it stopped; open without.")
    ] = None,
    negative: Annotated[
        bool, typer.Option("--negative", help="Say that it does not hold (any more).")
    ] = False,
    modality: Annotated[
        str, typer.Option("--modality", help="actual, planned or hypothetical.")
    ] = "actual",
    trust: Annotated[int, typer.Option("--trust", min=1, max=10)] = 5,
    importance: Annotated[int, typer.Option("--importance", min=1, max=10)] = 5,
    confidence: Annotated[float, typer.Option("--confidence", min=0, max=1)] = 1.0,
    due: Annotated[str | None, typer.Option("--due", metavar="TIME", help="A deadline.")] = None,
    corrects: Annotated[
        str | None, typer.Option("--corrects", metavar="ASSERTION_ID", help="What it replaces.")
    ] = None,
    cardinality: Annotated[
        str | None,
        typer.Option("--cardinality", help="one or many, for a predicate no policy knows."),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="How the fact reads.")] = None,
    subject_type: Annotated[str, typer.Option("--subject-type", help="Such as person.")] = "",
    object_type: Annotated[str, typer.Option("--object-type", help="Such as place.")] = "",
    episode: Annotated[
        str | None,
        typer.Option("--episode", metavar="ID", help="An id of your own: repeating it is safe."),
    ] = None,
    occurred_at: Annotated[
        str | None, typer.Option("--occurred-at", metavar="TIME", help="Default: now.")
    ] = None,
) -> None:
    """Assert one fact."""
    from bitempo import NOT_STATED

    start = None if valid_from == _UNBOUNDED else NOT_STATED if valid_from is None else valid_from
    with invocation.tenant(create=True) as tenant:
        done = tenant.assert_fact(
            _entity(subject, subject_type),
            predicate,
            None if object is None else _entity(object, object_type),
            value=None if value is None else _literal(value),
            valid_from=start,
            valid_to=valid_to,
            polarity="-" if negative else "+",
            modality=modality,
            trust=trust,
            importance=importance,
            confidence=confidence,
            due=due,
            corrects=corrects,
            cardinality=cardinality,
            text=text,
            episode=episode,
            occurred_at=occurred_at,
        )
    show_written(invocation, done)


def retract(
    invocation: Invocation,
    assertions: Annotated[
        list[str] | None, typer.Argument(metavar="[ASSERTION_ID]...", help="What to take back.")
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option("--episode", metavar="ID", help="Take back all that only it supports."),
    ] = None,
) -> None:
    """Take back assertions, or an episode; what was known earlier stays."""
    with invocation.tenant() as tenant:
        done = tenant.retract(*(assertions or ()), episode=episode)
    show_written(invocation, done)


def cardinality(
    invocation: Invocation,
    predicate: Annotated[str, typer.Argument(help='Such as LIVES_IN or "lives in".')],
    holds: Annotated[
        str, typer.Argument(metavar="one|many", help="How many values it holds at one time.")
    ],
) -> None:
    """Decide whether a predicate holds one value or many, and derive its facts again.

    What was believed before the decision can still be asked for at its time.
    """
    from bitempo.cli import shapes
    from bitempo.engine.policy import normalise_predicate

    with invocation.tenant() as tenant:
        done = tenant.set_cardinality(predicate, holds)
    name = normalise_predicate(predicate)
    said = f"{name} holds {'one value' if holds == 'one' else 'many values'}"
    lines = [f"decided    {said}", *_changes(done)]
    shape = {"predicate": name, "cardinality": holds, **shapes.written(done)}
    invocation.emit(
        shape, f"nothing changed: {said} already" if done.tx is None else "\n".join(lines)
    )


def _entity(name: str, type: str) -> str | EntityRef:
    from bitempo import EntityRef

    return EntityRef(name, type) if type else name


def _literal(text: str) -> str | int | float | bool:
    """A number or a truth value where the text is one in JSON; else the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text


def show_written(invocation: Invocation, done: Written) -> None:
    """Tell what a write did."""
    from bitempo.cli import shapes, words

    lines = [f"asserted   {id}" for id in done.assertion_ids] + _changes(done)
    if done.tx is None:
        lines.append("nothing changed: it was so already")
    if done.redacted:
        lines.append(words.redacted(done.redacted))
    invocation.emit(shapes.written(done), "\n".join(lines))
    invocation.note_unembedded(done.embedding_error)


def _changes(done: Written) -> list[str]:
    """What a write changed, a line each."""
    from bitempo.cli import words
    from bitempo.engine.time import from_datetime

    lines = [f"retracted  {id}" for id in done.retracted]
    lines += [f"opened     {id}" for id in done.facts_opened]
    lines += [f"closed     {id}" for id in done.facts_closed]
    lines += [] if done.tx is None else [f"recorded   {words.moment(from_datetime(done.tx))}"]
    return lines
