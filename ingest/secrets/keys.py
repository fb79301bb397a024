"""Private keys in the armour of PEM, PGP and PuTTY; public keys and certificates are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.ingest.secrets.spans import Span

KIND = "private-key"

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_HEADER = re.compile(r"(?:\\[nr]|\s)*+[A-Za-z][A-Za-z-]{1,40}: [^\n\\]{0,200}")
_BODY = re.compile(
    r"(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{16,})*(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]+={1,2})?"
)
_PUTTY = re.compile(r"PuTTY-User-Key-File-\d: [^\n]{0,200}")
_PUTTY_PUBLIC = 4_000
"""Characters, at most, of the public half that comes first."""

_PRIVATE_LINES = re.compile(r"Private-Lines: \d{1,4}")
_OTHER = re.compile(
    r"(?<![A-Za-z0-9])(?:AGE-SECRET-KEY-1[A-Z0-9]{58}|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112})"
    r"(?![A-Za-z0-9])"
)


def private_keys(text: str) -> Iterator[Span]:
    """Every private key; of one whose end is cut off, what there is."""
    if "PRIVATE KEY" in text:
        yield from _armoured(text)
    if "PuTTY-User-Key-File" in text:
        for match in _PUTTY.finditer(text):
            lines = _PRIVATE_LINES.search(text, match.end(), match.end() + _PUTTY_PUBLIC)
            if lines is not None:
                yield Span(match.start(), _body_end(text, lines.end()), KIND)
    for match in _OTHER.finditer(text):
        yield Span(*match.span(), KIND)


def _armoured(text: str) -> Iterator[Span]:
    begins = list(_BEGIN.finditer(text))
    ends = [match.span() for match in _END.finditer(text)]
    at = 0
    for number, begin in enumerate(begins):
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        while at < len(ends) and ends[at][0] < begin.end():
            at += 1
        if at < len(ends) and ends[at][0] < following:
            yield Span(begin.start(), ends[at][1], KIND)
        else:
            yield Span(begin.start(), _body_end(text, begin.end()), KIND)


def _body_end(text: str, start: int) -> int:
    while (header := _HEADER.match(text, start)) is not None:
        start = header.end()
    body = _BODY.match(text, start)
    return start if body is None else body.end()
