"""Secrets out of a text, before anything keeps or sends it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from bitempo.ingest.secrets.addresses import address_secrets
from bitempo.ingest.secrets.cards import card_numbers
from bitempo.ingest.secrets.keys import private_keys
from bitempo.ingest.secrets.legible import legible
from bitempo.ingest.secrets.prose import named_secrets
from bitempo.ingest.secrets.spans import MARK, Span, mark, settled
from bitempo.ingest.secrets.tokens import tokens

_PASSES = 4
_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


class Redactor(Protocol):
    """Takes secrets out of a text.

    It must not raise on any text, and must leave alone what it gave back itself: the same turn
    handed in again has to be the same episode.
    """

    def redact(self, text: str) -> Redacted:
        """The text with `[REDACTED:kind]` for each secret."""
        ...


class SecretRedactor:
    """Finds keys, tokens, passwords, card numbers and private keys; the default.

    Formats of tokens come from detect-secrets and from a list of our own; passwords are found by
    the words around them, in the languages that `words` lists. It is not a finder of personal
    data: names, addresses, bank accounts and telephone numbers stay.
    """

    def redact(self, text: str) -> Redacted:
        """The text with `[REDACTED:kind]` for each secret; takes time linear in its length."""
        return redact(text)


class _NoRedaction:
    def redact(self, text: str) -> Redacted:
        return Redacted(text)

    def __repr__(self) -> str:
        return "NO_REDACTION"


NO_REDACTION: Final[Redactor] = _NoRedaction()
"""Keeps every text as it is, secrets included."""


def redact(text: str) -> Redacted:
    """The text with `[REDACTED:kind]` for each secret, and how many of each kind there were.

    What was redacted before stays as it is and is not counted again.
    """
    counts: Counter[str] = Counter()
    passes = 0
    while spans := _spans(text):
        # What stood beside a secret may only now be seen for what it is. Where that goes on and
        # on, all that is written together goes, so that a long text is not read without end.
        passes += 1
        spans = spans if passes <= _PASSES else list(_whole(text, spans))
        text = "".join(_parts(text, spans))
        counts.update(span.kind for span in spans)
    return Redacted(text, dict(sorted(counts.items())))


def _spans(text: str) -> list[Span]:
    """Where the secrets stand, in order; what cannot be seen within one belongs to it."""
    found = [
        Span(places[span.start], places[span.end - 1] + 1, span.kind)
        for copy, places in legible(text)
        for span in settled(_found(_unmarked(copy)), copy)
    ]
    return settled(found, text)


def _whole(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, each with all that stands around it without a space."""
    runs = (match.span() for match in _RUN.finditer(text))
    start, end, done = 0, 0, 0
    for span in spans:
        while end <= span.start:
            start, end = next(runs, (span.start, len(text)))
        begin = max(min(start, span.start), done)
        while end < span.end:
            _, end = next(runs, (0, len(text)))
        if end > done:
            done = end
            yield Span(begin, end, span.kind)


def _found(text: str) -> Iterator[Span]:
    # The most telling first: of two that overlap it says the kind.
    yield from private_keys(text)
    yield from tokens(text)
    yield from address_secrets(text)
    yield from card_numbers(text)
    yield from named_secrets(text)


def _unmarked(text: str) -> str:
    """The text with what is marked made unreadable, since marks hold the names of secrets."""
    return MARK.sub(lambda match: "\ufffd" * len(match.group()), text)


def _parts(text: str, spans: Iterable[Span]) -> Iterator[str]:
    at = 0
    for span in spans:
        yield text[at : span.start]
        yield mark(span.kind)
        at = span.end
    yield text[at:]
