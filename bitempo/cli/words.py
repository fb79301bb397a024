"""What people read on a terminal: times, intervals and marks in words, and text made safe."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from bitempo.ingest.metering import Usage
from bitempo.query.wording import marks, moment, span, valid

__all__ = ["marks", "moment", "redacted", "safe", "span", "spent", "valid"]


def spent(usage: Usage) -> str:
    """What calls took, after a comma; nothing where there were none."""
    if not usage.calls:
        return ""
    calls = f", {usage.calls} {'call' if usage.calls == 1 else 'calls'}"
    money = f", cost {usage.cost:.4f}" if usage.cost else ""
    return f"{calls}, {usage.tokens} tokens{money}"


def redacted(counts: Mapping[str, int]) -> str:
    """How many secrets were taken out, by kind."""
    total = sum(counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"{total} {'secret' if total == 1 else 'secrets'} redacted ({kinds})"


def safe(text: str) -> str:
    """The text with control characters shown rather than sent: what somebody stored must not
    move the cursor, recolour the terminal or rename its window."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) != "Cc" else f"\\x{ord(char):02x}"
        for char in text
    )
