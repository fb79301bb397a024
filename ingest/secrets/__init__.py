"""Secrets in what people write: found, taken out and counted before anything is stored or sent."""

from bitempo.ingest.secrets.records import (
    Counts,
    secret_free_json,
    secret_free_session,
    secret_free_turns,
    secret_free_value,
)
from bitempo.ingest.secrets.redaction import (
    NO_REDACTION,
    Redacted,
    Redactor,
    SecretRedactor,
    redact,
)

__all__ = [
    "NO_REDACTION",
    "Counts",
    "Redacted",
    "Redactor",
    "SecretRedactor",
    "redact",
    "secret_free_json",
    "secret_free_session",
    "secret_free_turns",
    "secret_free_value",
]
