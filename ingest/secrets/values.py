"""Whether what stands where a secret would stand is one."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"[*•·xX._\-#?…]+"
    r"|<[\w ./|-]*>?|\{{1,2}[\w .-]*\}{0,2}|\[[\w ./|-]*\]?|\$\{.*|\$\(.*|\$[A-Za-z_]+"
    r"|(?-i:\$[A-Z_][A-Z0-9_]*)"
    r"|%\w+%|%[sd]|@\w+@"
    r"|(?:your|my|the|some|enter|insert|replace|put|new|old|current|example|dummy|sample|placeholder)"
    r"[-_ ]?(?:[-_a-z ]{0,30}?(?:password|passwd|pwd|pass|passphrase|passcode|secret|token|key|"
    r"here|value|placeholder))?"
    r"|(?:password|passwd|pwd|pass|secret|token|api[-_ ]?key|key|user|username|host)\d?"
    r"|none|null|nil|true|false|undefined|empty|n/a|todo|tbd|redacted|hidden|masked|unknown|"
    r"str|string|int|integer|text|bytes|char|bool|boolean|varchar|any|object|optional|required",
    re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*\(|[A-Za-z_]+(?:\.[A-Za-z_]+)+$|[A-Za-z_][\w.]*\[|(?:process|os)\.env|"
    r"(?:Optional|Union|str|None)\b"
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.|[\w.+-]+@[\w-]+\.\w|/[\w.-]+/|~/")
_AMOUNT = re.compile(
    r"[$€£]?\d[\d.,]*(?:%|k|m|gb|mb|kb|am|pm|st|nd|rd|th|\+)?"
    r"|\d+[- ]?(?:char(?:acter)?s?|digits?|letters?|words?|days?|weeks?|months?|years?|hours?|"
    r"minutes?|times?|bits?|bytes?|tokens?)(?:[- ]\w+)?"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?(?:am|pm)?"
    r"|v?\d+(?:\.\d+){1,3}|2fa[\w-]*|[A-Za-z]{1,3}\d|(?:utf|sha|md|aes|rsa|base)-?\d{1,4}(?:[-_]\w+)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:[-'’/][^\W\d_]+)*")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_SYMBOL = re.compile(r"[^\w\s.,;:'’/()-]")


def is_placeholder(value: str) -> bool:
    """Whether it stands for a value that is not there ("<token>", "$TOKEN", "****"), or is code."""
    return bool(_PLACEHOLDER.fullmatch(value) or _CODE.match(value) or _ADDRESS.match(value))


def is_word(value: str) -> bool:
    """Whether it consists of letters alone, as "sword" and "case-sensitive"."""
    return bool(_WORD.fullmatch(value))


def is_amount(value: str) -> bool:
    """Whether it is a number, a quantity, a date or a version, and not a password with digits."""
    return bool(_AMOUNT.fullmatch(value))


def is_made_up(value: str, least: int = 4) -> bool:
    """Whether nobody would write it as a word: letters with digits or symbols between them."""
    if len(value) < least or is_word(value) or is_amount(value) or is_placeholder(value):
        return False
    letters, digits = bool(_LETTER.search(value)), bool(_DIGIT.search(value))
    return (letters and digits) or bool(_SYMBOL.search(value) and (letters or digits))


def is_random(value: str, least: int = 8) -> bool:
    """Whether it may be a generated key: made up, long enough and in one piece."""
    return (
        is_made_up(value, least)
        and bool(_DIGIT.search(value))
        and not any(blank in value for blank in " ,")
    )
