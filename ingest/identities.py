"""Whether what a user brings in place of a model of ours is what its port asks for."""

from __future__ import annotations

from typing import TypeVar

from bitempo.engine.errors import BitempoError, InvalidInputError

Brought = TypeVar("Brought")


def identified(brought: Brought, kind: str, verb: str) -> Brought:
    """The same, if it has an identity to stand in receipts, and the verb that it is asked by.

    Raises:
        InvalidInputError: it has not; the message says what it needs.
    """
    try:
        identity: object = getattr(brought, "identity", None)
    except BitempoError:
        raise
    except Exception as error:
        raise InvalidInputError(f"the identity of the {kind} cannot be read: {error!r}") from error
    named = isinstance(identity, str) and bool(identity.strip())
    if not named or not callable(getattr(brought, verb, None)):
        raise InvalidInputError(
            f"a {kind} needs a method {verb}() and an `identity`, its name and version as text, "
            f"and this {type(brought).__name__} does not have both"
        )
    return brought
