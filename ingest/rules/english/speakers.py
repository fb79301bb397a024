"""Whose words a sentence is inside a turn: "Bob: I live in ..." is not its speaker's own."""

from __future__ import annotations

import re

from bitempo.ingest.rules.english.text import CAPITAL, is_name


def another_speaker(text: str, speaker: str) -> bool:
    """Whether the sentence is marked as somebody else's, by a name and a colon or as a repost.

    A heading ("Work: I'm a nurse") and the speaker's own name are no such mark.
    """
    if _REPOST.match(text):
        return True
    match = _LABEL.match(text)
    if match is None:
        return False
    label = match.group("label")
    words = label.lower().split(" ")
    if not is_name(label) or not _HEADINGS.isdisjoint(words):
        return False
    return not set(words) <= set(speaker.lower().split())


_REPOST = re.compile(r"\W*RT\b\s*(?:@[\w.]+\s*)?:?\s|\W*@[\w.]+:\s")
_LABEL = re.compile(
    rf"(?:[^\w\[]*\[[^\]]{{1,30}}\])?\W*(?P<label>{CAPITAL}(?: {CAPITAL})?)"
    r"(?: \([^)]{1,30}\))?:\s+(?=[\"']?(?:I|[Ww]e|[Mm]y|[Oo]ur)\b)"
)
_HEADINGS = frozenset(
    "about address age answer background bio birthday career city confession context country "
    "details diet disclaimer education employment fact facts favorite favourite food goal goals "
    "health history hobbies hobby home identity info information interests intro introduction "
    "job language languages living location me message myself name news occupation pets personal "
    "plan plans point preferences problem profile question reason relationship reminder result "
    "self situation spoiler status story studies summary tldr topic travel truth user warning "
    "announcement clarification addendum hometown residence sports hint".split()
)
