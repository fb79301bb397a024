"""What turns say about two names: that they are one, that they are two, or who is addressed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Episode
from bitempo.engine.names import clean_text, normalise_name

_CALLERS = r"(?:i|we|they|people|friends|everyone|everybody)(?: all)?"
_SAME = (
    r"\s*[,(]?\s*(?:aka|a\.k\.a\.?|also (?:known|called)(?: as)?|otherwise known as|known as|"
    r"short for|(?:is |was )?(?:just )?nicknamed|goes by|(?:is|was) called|"
    r"(?:is|was) (?:my|our) nickname for|or as (?:we|i|they) call (?:him|her|it|them)|"
    rf"or \w+ for short|whom? {_CALLERS} calls?|{_CALLERS} calls? (?:him|her|it|them))"
    r"\s*[\"']?\s*"
)
_LIST = (
    r"(?:'s)?\s*(?:,\s*(?:and|or|but not|not)?"
    r"|\b(?:and|or|nor|vs|versus|but not|not|than|with)\b\.?"
    r"|&|/)\s*(?:(?:my|his|her|our|their|your|the|a|an|also)\s+)?"
)
_GREETING = (
    r"(?:hey|hi|hello|thanks|thank you|thx|wow|yeah|yes|no|oh|bye|congrats|congratulations|sorry|"
    r"cheers|sure|morning|night|great|awesome|ok|okay|well|welcome|dear)"
)


def stated_same(a: str, b: str, texts: Iterable[str]) -> str | None:
    """The words of a text that say outright that two names name one thing; None if none does."""
    texts = _naming(a, b, texts)
    if not texts:
        return None
    ours, theirs = _pattern(a), _pattern(b)
    pattern = re.compile(rf"{ours}{_SAME}{theirs}|{theirs}{_SAME}{ours}")
    for text in texts:
        found = pattern.search(text)
        if found:
            return f"said: {found.group()}"
    return None


def side_by_side(a: str, b: str, texts: Iterable[str]) -> bool:
    """Whether a text names both as two things: "Mel and Melanie", "Luna, Oliver"."""
    texts = _naming(a, b, texts)
    if not texts:
        return False
    ours, theirs = _pattern(a), _pattern(b)
    # A name in part must stand there by itself: "Wei Chen and Wei Li" do not name "Wei".
    first, second = set(normalise_name(a).split()), set(normalise_name(b).split())
    if first < second:
        ours = rf"{ours}(?!\s+\w)"
    elif second < first:
        theirs = rf"{theirs}(?!\s+\w)"
    pattern = re.compile(rf"{ours}{_LIST}{theirs}|{theirs}{_LIST}{ours}")
    return any(pattern.search(text) for text in texts)


def says(name: str, text: str) -> bool:
    """Whether a text names it, in whole words."""
    if normalise_name(name) not in _level(text):
        return False
    return re.search(_pattern(name), _level(text)) is not None


def quoted(name: str, text: str) -> str | None:
    """The name as the text writes it; None where it does not occur as it is."""
    found = re.search(rf"(?<!\w){re.escape(clean_text(name).strip())}(?!\w)", text, re.IGNORECASE)
    return found.group() if found else None


def addressed(name: str, speaker: str, turns: Sequence[Episode]) -> bool:
    """Whether others address the speaker by the name: "Thanks, Mel!".

    Only where nobody else can be meant: two take part, and the other one says it.
    """
    actors = {normalise_name(turn.actor) for turn in turns if turn.actor and turn.actor.strip()}
    meant = normalise_name(speaker)
    if len(actors) != 2 or meant not in actors or normalise_name(name) in actors:
        return False
    if not any(normalise_name(name) in _level(turn.text) for turn in turns):
        return False
    pattern = re.compile(
        rf"(?:^|[.!?]\s*|[,]\s*|\b{_GREETING}[,!]?\s+){_pattern(name)}\s*(?:[,!.?]|$)"
    )
    return any(
        turn.actor is not None
        and normalise_name(turn.actor) != meant
        and pattern.search(_level(turn.text))
        for turn in turns
        if turn.actor and turn.actor.strip()
    )


def _naming(a: str, b: str, texts: Iterable[str]) -> list[str]:
    """The texts, levelled, in which both occur; most pairs are done with here."""
    ours, theirs = normalise_name(a), normalise_name(b)
    return [text for text in map(_level, texts) if ours in text and theirs in text]


@lru_cache(maxsize=4096)
def _pattern(name: str) -> str:
    return rf"(?<!\w){re.escape(normalise_name(name))}(?!\w)"


@lru_cache(maxsize=1024)
def _level(text: str) -> str:
    try:
        return normalise_name(text)
    except InvalidInputError:
        return ""
