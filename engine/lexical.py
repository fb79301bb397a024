"""Terms: what full-text search indexes and asks for.

Text is case-folded and split at everything that is not a letter, digit or mark; words are
stemmed (Snowball English, which leaves words of other languages mostly alone); runs of scripts
written without spaces become overlapping pairs of characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache

import snowballstemmer

from bitempo.engine.model import Assertion, Episode, EpisodeKind, Fact
from bitempo.engine.time import BEGINNING, DAY, EPOCH, FOREVER

_WORD = re.compile(r"[^\W_]+")
_SPACELESS = re.compile(
    r"[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_ASCII_FOLDED = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ")
    for code in range(256)
)
_LONGEST_TERM = 64
_STATED = "statement"
"""The extractor of what is asserted directly."""

# By the stem of one spelling, that of the other. Both begin with the same two letters.
_SPELLINGS = {
    "favourit": "favorit",
    "favour": "favor",
    "colour": "color",
    "flavour": "flavor",
    "neighbour": "neighbor",
    "neighbourhood": "neighborhood",
    "behaviour": "behavior",
    "humour": "humor",
    "labour": "labor",
    "centr": "center",
    "theatr": "theater",
    "jewelleri": "jewelri",
}
_MONTHS = (
    "January February March April May June July August September October November December"
).split()


class _Stemmer(threading.local):
    """One stemmer a thread: it keeps the word at work in itself."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_stemmer = _Stemmer()

# Function words carry no topic. Kept short: a term of a question that is dropped can't be found.
STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before
    being below between both but by can could did do does doing down during each few for from
    further had has have having he her here hers herself him himself his how i if in into is it
    its itself just me more most my myself no nor not now of off on once only or other our ours
    ourselves out over own same she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up very was we were
    what when where which while who whom why will with would you your yours yourself yourselves
    s t d ll m re ve don didn doesn isn wasn weren won couldn wouldn shouldn aren hasn haven
    hadn""".split()
)


def terms(text: str) -> list[str]:
    """Every term of the text, in order, with repetitions; stop words included."""
    return [term for word in words(text) for term in _terms_of(word)]


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question in order, without stop words unless nothing else is left."""
    found = words(text)
    kept = [word for word in found if word not in STOP_WORDS] or found
    return list(dict.fromkeys(term for word in kept for term in _terms_of(word)))


def words(text: str) -> list[str]:
    """The case-folded words of the text, in order."""
    if text.isascii():
        # The same as below for ASCII, at a seventh of the time.
        return text.encode().translate(_ASCII_FOLDED).decode().split()
    text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text.casefold().replace("\u2019", "'"))


def is_turn(episode: Episode) -> bool:
    """Whether the episode is searched as text; a statement is found through its assertions."""
    return episode.kind is not EpisodeKind.STATEMENT


def turn_text(episode: Episode) -> str:
    """What a turn is found by: its date in words, who spoke, and what was said."""
    moment = episode.occurred_at
    date = "" if moment in (BEGINNING, FOREVER) else _date(moment // DAY)
    return f"{date} {episode.actor or ''}: {episode.text}"


def assertion_text(assertion: Assertion, names: Mapping[str, str]) -> str:
    """What an assertion is found by: its text, with what it says if that is not in it.

    That is whom it is about, its predicate in words, and the object or value. `names` maps entity
    ids to names.
    """
    text = assertion.text
    parts = [names.get(assertion.subject, "")]
    if not is_sentence(assertion):
        parts.append(predicate_words(assertion.predicate))
        if isinstance(assertion.value, str):
            parts.append(assertion.value)
    if assertion.object is not None:
        parts.append(names.get(assertion.object, ""))
    said = text.casefold()
    missing = [part for part in parts if part and part.casefold() not in said]
    return " ".join([*missing, text])


def predicate_words(predicate: str) -> str:
    """The predicate as it is said: "lives in" for LIVES_IN."""
    return predicate.replace("_", " ").lower()


def is_sentence(held: Assertion | Fact) -> bool:
    """Whether its value is the whole sentence, so that its predicate says nothing of its topic."""
    return held.object is None and held.value == held.text


def is_stated(assertion: Assertion) -> bool:
    """Whether it was asserted directly: no turn is its evidence, but the record of the call."""
    return assertion.extractor == _STATED


@lru_cache(maxsize=10_000)
def _date(day: int) -> str:
    """The day, counted from that of the epoch, in words."""
    date = EPOCH + timedelta(days=day)
    return f"{date.day} {_MONTHS[date.month - 1]} {date.year}"


@lru_cache(maxsize=200_000)
def _terms_of(word: str) -> tuple[str, ...]:
    if word.isascii():
        stem = _stemmer.stem(word)
        return (_SPELLINGS.get(stem, stem)[:_LONGEST_TERM],)
    plain = "".join(
        char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char)
    )
    result: list[str] = []
    at = 0
    for run in _SPACELESS.finditer(plain):
        if run.start() > at:
            result.append(plain[at : run.start()])
        chars = run.group()
        result.extend(chars[i : i + 2] for i in range(max(1, len(chars) - 1)))
        at = run.end()
    if at < len(plain):
        result.append(_stemmer.stem(plain[at:]))
    return tuple(term[:_LONGEST_TERM] for term in result) or (word[:_LONGEST_TERM],)
