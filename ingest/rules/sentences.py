"""Cutting a turn into sentences, with their place in it.

A terminator ends a sentence when white space follows, unless it closes an abbreviation, an
initial or a list number, or the next word goes on in lower case after an ellipsis. A line break
ends one unless the line is plainly wrapped. Code blocks and quoted lines (`> ...`) are not the
speaker's own words and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.ingest.rules.language import Sentence

LONGEST = 1_000
"""Characters. What runs on for longer is pasted matter, not a sentence somebody said."""

_FENCE = re.compile(r"(?:```|~~~)")
_BREAK = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_BULLET = re.compile(r"\s*(?:[-*+•‣▪–—]+|\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|#{1,6})\s+")
_WRAPPED = re.compile(r"[a-z]")
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff"
_END = re.compile(
    rf"""(?<![.!?…])[.!?…]++["')\]*_»”’{_EMOJI}]*+(?=\s|$)"""  # closed off, then white space
    rf"|[。！？]+[」』”’]*"
    rf"|(?<![{_EMOJI}])[{_EMOJI}]++(?=\s{{1,9}}[^\Wa-z\d_])"
)
_LAST_WORD = re.compile(r"[^\s(\"'“‘]+$")
_NEXT = re.compile(r"\s*(\S)")
_INITIAL = re.compile(r"(?:[^\W\d_]\.)+")
_LETTER = re.compile(r"[^\W\d_]")


def split_sentences(text: str, abbreviations: frozenset[str]) -> list[Sentence]:
    """The sentences of `text` that hold at least one letter, in order.

    Args:
        text: one turn.
        abbreviations: lower-case, without the closing full stop ("mr", "e.g").
    """
    found = []
    for start, end in _blocks(text):
        for sentence in _in_block(text, start, end, abbreviations):
            if len(sentence.text) <= LONGEST and _LETTER.search(sentence.text):
                found.append(sentence)
    return found


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches without a hard line break, outside code and quoted lines."""
    inside_code = False
    open_from: int | None = None
    last = 0
    for start, end in _lines(text):
        line = text[start:end]
        fence = bool(_FENCE.match(line.lstrip()))
        own = not (fence or inside_code or line.lstrip().startswith(">") or not line.strip())
        inside_code ^= fence
        wraps = own and open_from is not None and bool(_WRAPPED.match(line))
        if open_from is not None and not wraps:
            yield open_from, last
            open_from = None
        if own:
            if open_from is None:
                bullet = _BULLET.match(line)
                open_from = start + (bullet.end() if bullet else 0)
            last = end
    if open_from is not None:
        yield open_from, last


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for match in _BREAK.finditer(text):
        yield at, match.start()
        at = match.end()
    yield at, len(text)


def _in_block(text: str, start: int, end: int, abbreviations: frozenset[str]) -> Iterator[Sentence]:
    at = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and _goes_on(text, at, match, end, abbreviations):
            continue
        yield from _sentence(text, at, match.end())
        at = match.end()
    yield from _sentence(text, at, end)


def _goes_on(
    text: str, start: int, match: re.Match[str], end: int, abbreviations: frozenset[str]
) -> bool:
    mark = match.group()
    following = _NEXT.match(text, match.end(), end)
    lower = following is not None and following.group(1).islower()
    if mark.startswith(("...", "…")):
        return lower
    if mark[0] != ".":
        # "Yahoo! is", and "What?" he said: the sentence goes on.
        return lower and mark[0] in "!?"
    word = _LAST_WORD.search(text, max(start, match.start() - 20), match.start())
    if word is None:
        return False
    bare = word.group().lower()
    if bare in abbreviations:
        return True
    initials = _INITIAL.fullmatch(word.group() + ".")
    if initials is None:
        return bare.isdecimal() and word.start() == start
    # "J. Smith" goes on; "a.m. We" does not; a sentence may end in "I."
    return lower or (len(bare) == 1 and bare != "i")


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Sentence(text[start:end], start, end)
