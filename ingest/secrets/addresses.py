"""Credentials inside addresses, headers and connection strings."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from bitempo.ingest.secrets.spans import Span
from bitempo.ingest.secrets.values import is_placeholder

_USERINFO = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#:@\"'<>`]{0,200}:([^\s/?#\"'<>`]{1,300})@(?=[\w\[])"
)
_PARAMETER = re.compile(
    r"[?&;](?:access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|token|api[_-]?key|"
    r"apikey|app[_-]?key|subscription-key|client[_-]?secret|secret|password|passwd|pwd|sig|"
    r"signature|X-Amz-(?:Signature|Security-Token|Credential)|key)=([^\s&#\"'<>`;]{8,2000})",
    re.IGNORECASE,
)
_CONNECTION = re.compile(
    r"(?:;|\b)(?:Password|Pwd|AccountKey|SharedAccessKey|SharedAccessSignature)\s?=\s?"
    r"([^\s;\"']{3,300})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(?:bearer|token)\s{1,4}([A-Za-z0-9._~+/=-]{16,2000})", re.IGNORECASE)
_BASIC = re.compile(r"\bbasic\s{1,4}([A-Za-z0-9+/]{8,500}={0,2})", re.IGNORECASE)
_CURL_USER = re.compile(
    r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]{0,2}[\"']?[^\s:\"']{1,100}:([^\s\"']{1,200})"
)
_SESSION = re.compile(
    r"\b(?:session_?id|sessid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|sid)"
    r"=([^\s;,\"']{16,300})",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(?:x-(?:[a-z]{1,20}-){0,3}(?:key|token|secret)|api-?key)\s?:\s?([^\s\"',;]{8,500})",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[A-Za-z]")
_DIGIT = re.compile(r"\d")


def address_secrets(text: str) -> Iterator[Span]:
    """Passwords in URLs and connection strings, tokens in query strings and headers."""
    lower = text.lower()
    if "://" in text:
        yield from _passwords(text)
    if "=" in text:
        yield from _assigned(text, lower)
    if "bearer" in lower or "token" in lower:
        yield from _matches(_BEARER, text, "bearer-token")
    if "basic" in lower:
        for match in _BASIC.finditer(text):
            if _is_basic(match[1]):
                yield Span(*match.span(1), "basic-auth")
    if "key" in lower or "x-" in lower:
        yield from _matches(_HEADER, text, "api-key")
    if "curl" in lower:
        for match in _CURL_USER.finditer(text):
            if not is_placeholder(match[1]):
                yield Span(*match.span(1), "password")


def _passwords(text: str) -> Iterator[Span]:
    for match in _USERINFO.finditer(text):
        if not is_placeholder(match[1]):
            yield Span(*match.span(1), "password")


def _assigned(text: str, lower: str) -> Iterator[Span]:
    yield from _matches(_PARAMETER, text, "url-token")
    if ";" in text:
        for match in _CONNECTION.finditer(text):
            if not is_placeholder(match[1]):
                yield Span(*match.span(1), "password")
    if "sid" in lower or "sess" in lower:
        yield from _matches(_SESSION, text, "session-token")


def _matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[Span]:
    """The values that have letters and digits, as generated ones do."""
    for match in pattern.finditer(text):
        if _mixed(match[1]) and not is_placeholder(match[1]):
            yield Span(*match.span(1), kind)


def _mixed(value: str) -> bool:
    return bool(_LETTER.search(value) and _DIGIT.search(value))


def _is_basic(value: str) -> bool:
    """Whether it decodes to `user:password`, which "basic knowledge" does not."""
    try:
        said = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in said and said.isprintable()
