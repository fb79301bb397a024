"""The exceptions of bitempo, drawn as one tree.

BitempoError
├── InvalidInputError (also ValueError)
│   ├── InvalidTimeError
│   ├── InvalidRecordError
│   └── PolicyError
├── NotFoundError (also LookupError)
├── ConflictError
│   ├── EmbedderMismatchError
│   ├── EpisodeConflictError
│   ├── RerankerMismatchError
│   └── TenantNotEmptyError
├── IngestError
│   ├── ModelError
│   └── BudgetExceededError
└── StoreError
    ├── StoreBusyError
    ├── StoreFullError
    ├── StoreReadOnlyError
    ├── StoreCorruptError
    ├── StoreClosedError
    └── SchemaVersionError
"""

from __future__ import annotations


class BitempoError(Exception):
    """Base of every error bitempo raises on purpose."""


class InvalidInputError(BitempoError, ValueError):
    """A value handed in cannot be used; the message says which and why."""


class InvalidTimeError(InvalidInputError):
    """A time is naive, unparsable, out of range, or an interval ends before it starts."""


class InvalidRecordError(InvalidInputError):
    """A source record is malformed.

    `place` says where (file, line, JSON path), so that the record can be found and mended.
    """

    def __init__(self, message: str, *, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place


class PolicyError(InvalidInputError):
    """A predicate policy is malformed or contradicts a decision on record."""


class NotFoundError(BitempoError, LookupError):
    """The named fact, assertion, episode, entity or tenant does not exist."""


class ConflictError(BitempoError):
    """The write contradicts what is stored, and nothing was written."""


class EmbedderMismatchError(ConflictError):
    """The tenant's vectors were made by another embedder; `bitempo reembed` makes them anew."""


class EpisodeConflictError(ConflictError):
    """An episode id exists already with other content; episodes are immutable."""


class RerankerMismatchError(ConflictError):
    """The receipt was made with another reranker, or with one where the memory has none."""


class TenantNotEmptyError(ConflictError):
    """An import needs an empty tenant, since it restores transaction times verbatim."""


class IngestError(BitempoError):
    """Extraction or application failed; the episodes stay in the inbox and can be resumed."""


class ModelError(IngestError):
    """A model's endpoint failed, refused or gave nothing usable, after all retries."""


class BudgetExceededError(IngestError):
    """A run has spent what it may; what is left waits in the inbox and can be resumed."""


class StoreError(BitempoError):
    """The store failed; the transaction was rolled back."""


class StoreBusyError(StoreError):
    """Another writer held the store for longer than the configured wait."""


class StoreFullError(StoreError):
    """The disk is full; the write was rolled back and nothing was lost."""


class StoreReadOnlyError(StoreError):
    """The file or its folder cannot be written."""


class StoreCorruptError(StoreError):
    """The file is not a bitempo database, or is damaged."""


class StoreClosedError(StoreError):
    """The memory was used after it was closed."""


class SchemaVersionError(StoreError):
    """The store was written by a newer bitempo than this one."""
