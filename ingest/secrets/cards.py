"""Numbers of payment cards: a known issuer, its length, the usual grouping and the check digit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.ingest.secrets.spans import Span

KIND = "card-number"

_NUMBER = re.compile(
    r"(?<![\w.+/#-])(?:"
    r"\d{14,16}"
    r"|\d{4}([ \u00a0.-])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?"
    r"|\d{4}([ \u00a0.-])\d{6}\2\d{4,5}"
    r")(?![\w-]|\.\d)"
)
_ISSUERS = re.compile(
    r"4\d{15}(?:\d{3})?"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[68]\d)\d{11}"  # Diners Club
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}(?:\d{3})?"  # Discover
    r"|35(?:2[89]|[3-8]\d)\d{12}(?:\d{3})?"  # JCB
    r"|62\d{14}(?:\d{3})?"  # UnionPay
    r"|220[0-4]\d{12}"  # Mir
)
_OTHER_NUMBER = re.compile(
    r"(?:order|tracking|invoice|ticket|shipment|parcel|imei|isbn|serial|case|id|ref(?:erence)?|"
    r"timestamp|account|booking|phone|tel)\W{0,3}(?:(?:number|no|nr|id|code|is|was)\b\W{0,3}){0,3}$",
    re.IGNORECASE,
)
_CUE_BEFORE = 40


def card_numbers(text: str) -> Iterator[Span]:
    """Every number that is that of a card, unless the words before it say that it is another."""
    for match in _NUMBER.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if not (_ISSUERS.fullmatch(digits) and luhn(digits)):
            continue
        before = text[max(0, match.start() - _CUE_BEFORE) : match.start()]
        if digits == match.group() and _OTHER_NUMBER.search(before):
            continue
        yield Span(*match.span(), KIND)


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
