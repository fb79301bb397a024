"""The commands that read: as-of, neighbours, history, diff, why, entities, stats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from bitempo.cli.invocation import Invocation
from bitempo.cli.options import (
    KnownAt,
    Limit,
    ModalityOption,
    NoSentences,
    ValidAt,
    WhichModality,
    modality_or_none,
)

if TYPE_CHECKING:
    from bitempo.engine.model import Fact

Subject = Annotated[str, typer.Argument(help="An entity: its name, an alias or its id.")]
Predicate = Annotated[str | None, typer.Argument(help='Such as LIVES_IN or "lives in".')]


def as_of(
    invocation: Invocation,
    subject: Annotated[
        str | None, typer.Argument(help="An entity: its name, an alias or its id. Default: all.")
    ] = None,
    predicate: Predicate = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
    limit: Limit = None,
    no_sentences: NoSentences = False,
) -> None:
    """Show the facts of a slot, an entity or everything, at one point in both times."""
    with invocation.tenant() as tenant:
        found = tenant.as_of(
            subject,
            predicate,
            valid_at=valid_at,
            known_at=known_at,
            modality=modality_or_none(modality),
            limit=None if no_sentences else limit,
        )
    _show_facts(invocation, _chosen(found, no_sentences)[:limit])


def neighbours(
    invocation: Invocation,
    subject: Subject,
    hops: Annotated[
        int, typer.Option("--hops", min=1, max=8, help="How many facts to go at most.")
    ] = 1,
    fan_out: Annotated[
        int,
        typer.Option(
            "--fan-out",
            min=1,
            help="How many facts to take of each entity at most: the most important, of those "
            "the latest to begin.",
        ),
    ] = 50,
    predicate: Annotated[
        str | None, typer.Option("--predicate", help="Go along facts of this predicate only.")
    ] = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
    no_sentences: NoSentences = False,
) -> None:
    """Show the facts around an entity, nearest first, at one point in both times."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.neighbours(
            subject,
            hops=hops,
            fan_out=fan_out,
            predicate=predicate,
            valid_at=valid_at,
            known_at=known_at,
            modality=modality_or_none(modality),
            sentences=not no_sentences,
        )
    _say_if_nothing(invocation, found)
    invocation.emit(
        shapes.neighbours(found),
        lambda out: out.print(tables.neighbours(found, out.width)) if found else None,
    )


def history(
    invocation: Invocation,
    subject: Subject,
    predicate: Predicate = None,
    known_at: KnownAt = None,
    modality: ModalityOption = WhichModality.ACTUAL,
    versions: Annotated[
        bool,
        typer.Option("--versions", help="Every version ever believed, those given up included."),
    ] = False,
    no_sentences: NoSentences = False,
) -> None:
    """Show how a slot or an entity went through time, as known now or at --known-at."""
    from bitempo import InvalidInputError

    if versions and known_at is not None:
        raise InvalidInputError("--versions shows all that was ever known; leave out --known-at")
    with invocation.tenant() as tenant:
        found = tenant.history(
            subject,
            predicate,
            known_at=known_at,
            modality=modality_or_none(modality),
            versions=versions,
        )
    if versions:
        found = in_order_of_belief(found)
    _show_facts(invocation, _chosen(found, no_sentences), believed=True)


def diff(
    invocation: Invocation,
    known_a: Annotated[str, typer.Argument(metavar="KNOWN_A", help="The first time.")],
    known_b: Annotated[
        str | None, typer.Argument(metavar="[KNOWN_B]", help="The second. Default: now.")
    ] = None,
    no_sentences: NoSentences = False,
) -> None:
    """Show what the memory came to believe and stopped believing between two times."""
    from dataclasses import replace

    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.diff(known_a, known_b)
    found = replace(
        found,
        believed=tuple(_chosen(found.believed, no_sentences)),
        no_longer=tuple(_chosen(found.no_longer, no_sentences)),
    )
    invocation.emit(shapes.diff(found), lambda out: tables.show_diff(out, found))


def why(
    invocation: Invocation,
    fact_or_subject: Annotated[
        str, typer.Argument(metavar="FACT_ID|SUBJECT", help="A fact's id; or an entity.")
    ],
    predicate: Annotated[
        str | None, typer.Argument(help="With an entity: the fact of this predicate.")
    ] = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
) -> None:
    """Show why a fact is believed, back to the turns that it was taken from."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        if predicate is None:
            found = tenant.why(fact_or_subject, known_at=known_at)
        else:
            held = tenant.as_of(
                fact_or_subject, predicate, valid_at=valid_at, known_at=known_at, modality=None
            )
            found = tenant.why(_only(held, fact_or_subject, predicate), known_at=known_at)
    invocation.emit(shapes.why(found), lambda out: out.print(tables.why(found)))


def entities(
    invocation: Invocation,
    name: Annotated[str | None, typer.Argument(help="A name or an alias. Default: all.")] = None,
    limit: Limit = None,
) -> None:
    """List the entities, or those of one name."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.entities(name, limit=limit)
    _say_if_nothing(invocation, found)
    invocation.emit(
        {"entities": [shapes.entity(one) for one in found]},
        lambda out: out.print(tables.entities(found)) if found else None,
    )


def stats(invocation: Invocation) -> None:
    """Show how much the tenant holds."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.stats()
    invocation.emit(
        {"tenant": invocation.named_tenant(), **shapes.stats(found)},
        lambda out: out.print(tables.stats(found)),
    )


def in_order_of_belief(versions: Iterable[Fact]) -> list[Fact]:
    """The versions as they came to be believed, and of one moment as they hold in the world."""
    return sorted(versions, key=lambda fact: (fact.believed, fact.valid))


def _only(held: list[Fact], subject: str, predicate: str) -> Fact:
    from bitempo import InvalidInputError, NotFoundError

    if not held:
        raise NotFoundError(f"nothing is known of {subject} {predicate} at that point")
    if len(held) > 1:
        ids = ", ".join(f"{fact.id} ({fact.answer})" for fact in held)
        raise InvalidInputError(f"{subject} {predicate} has several facts; name one: {ids}")
    return held[0]


def _chosen(found: Iterable[Fact], no_sentences: bool) -> list[Fact]:
    from bitempo.cli.tables import SENTENCE

    return [fact for fact in found if not (no_sentences and fact.predicate == SENTENCE)]


def _show_facts(invocation: Invocation, found: list[Fact], *, believed: bool = False) -> None:
    from bitempo.cli import shapes, tables

    columns = tables.HISTORY_COLUMNS if believed else tables.FACT_COLUMNS
    _say_if_nothing(invocation, found)
    invocation.emit(
        shapes.facts(found),
        lambda out: out.print(tables.facts(found, columns, out.width)) if found else None,
    )


def _say_if_nothing(invocation: Invocation, found: Iterable[object]) -> None:
    if not list(found):
        invocation.note("nothing is known of it at that point")
