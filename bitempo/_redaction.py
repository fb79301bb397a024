"""Statements without their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bitempo._statement import Statement
from bitempo.engine.model import EntityRef
from bitempo.ingest.secrets import (
    NO_REDACTION,
    Counts,
    Redactor,
    secret_free_json,
    secret_free_value,
)


def secret_free_statements(
    statements: Sequence[Statement], redactor: Redactor
) -> tuple[Sequence[Statement], Counts]:
    """The statements with the redactor applied to names, values and texts, and what it took out.

    The value of a predicate that is named as a secret ("PASSWORD") is one.
    """
    counts = Counts()
    if redactor is NO_REDACTION:
        return statements, counts
    return [_secret_free(statement, redactor, counts) for statement in statements], counts


def _secret_free(statement: Statement, redactor: Redactor, counts: Counts) -> Statement:
    predicate = statement.predicate
    value = secret_free_value(predicate, statement.value, redactor, counts)
    text = statement.text
    if text is not None and isinstance(statement.value, str) and value != statement.value:
        # Where the value was known by its predicate alone, the text may not tell it either.
        text = text.replace(statement.value, str(value))
    return replace(
        statement,
        subject=_entity("", statement.subject, redactor, counts),
        object=None
        if statement.object is None
        else _entity(predicate, statement.object, redactor, counts),
        value=value,
        text=secret_free_json(text, redactor, Counts() if text != statement.text else counts),
    )


def _entity(
    name: str, entity: str | EntityRef, redactor: Redactor, counts: Counts
) -> str | EntityRef:
    if isinstance(entity, str):
        return str(secret_free_value(name, entity, redactor, counts))
    return replace(
        entity,
        name=secret_free_value(name, entity.name, redactor, counts),
        aliases=tuple(secret_free_json(list(entity.aliases), redactor, counts)),
    )
