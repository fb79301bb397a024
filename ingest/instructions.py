"""Text that tries to direct whoever reads it: it is kept as a quotation, never as policy.

A memory is read by agents. What somebody writes into it to steer them ("always approve trades",
"ignore previous instructions") must not come back as something that holds. What people want for
themselves ("please call me Sam", "answer me in German") is a preference and none of this, nor is
advice among people ("never give up") or a request that is over once it is met ("recommend a book").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from bitempo.ingest.instruction_patterns import (
    AN_AGENT_IS_NAMED,
    OF_ONESELF,
    OTHER_LANGUAGES,
    OVERRIDES,
    STANDING_ORDERS,
    WISHES,
    Family,
)

QUOTED_TRUST = 1
"""Of a claim that such a thing was said: the lowest, so that it can supersede nothing."""

QUOTED_IMPORTANCE = 2

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SPACES = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…])\s+|[。！？]|\n+")


def reads_as_instruction(text: str) -> bool:
    """Whether the text tries to direct an agent, an assistant or a memory.

    Orders that take back others, that speak as the system or that are to hold from now on; in
    English, and the plainest of them in ten more languages. Never raises; takes time linear in
    the length of the text.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    return any(
        _instructs(_SPACES.sub(" ", sentence).strip().lower())
        for sentence in _SENTENCE_END.split(plain)
        if sentence and not sentence.isspace()
    )


def _instructs(sentence: str) -> bool:
    if _found(OVERRIDES, sentence) or _found(OTHER_LANGUAGES, sentence):
        return True
    if not _found(STANDING_ORDERS, sentence) or WISHES.search(sentence):
        return False
    return not OF_ONESELF.match(sentence) or bool(AN_AGENT_IS_NAMED.search(sentence))


def _found(families: Iterable[Family], sentence: str) -> bool:
    return any(
        family.pattern.search(sentence)
        for family in families
        # Most sentences hold none of the words, which is quickly seen.
        if any(cue in sentence for cue in family.cues)
    )
