"""What a write did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from bitempo.engine.commit import Commit
from bitempo.engine.time import to_datetime


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did.

    `tx` is its transaction time, None when there was nothing to change. `assertion_ids` names
    the assertions of the statements handed in, in order, also when they were there before.
    `redacted` counts the secrets that were taken out of them, by kind.
    `embedding_error` is why some of it has no vector yet, if the embedder failed.
    """

    tx: datetime | None
    assertion_ids: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    facts_opened: tuple[str, ...] = ()
    facts_closed: tuple[str, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict, hash=False)
    embedding_error: str | None = None

    @property
    def assertion_id(self) -> str:
        """The only assertion's id.

        Raises:
            ValueError: there is none, or there are several.
        """
        (only,) = self.assertion_ids
        return only

    @classmethod
    def of(
        cls,
        commit: Commit,
        redacted: Mapping[str, int] | None = None,
        embedding_error: str | None = None,
    ) -> Self:
        """The public face of a commit."""
        return cls(
            tx=None if commit.tx is None else to_datetime(commit.tx),
            assertion_ids=commit.assertions,
            retracted=commit.retracted,
            facts_opened=commit.opened,
            facts_closed=commit.closed,
            redacted=dict(sorted((redacted or {}).items())),
            embedding_error=embedding_error,
        )
