"""Reading a name: whose it is, what it is called, and what marks it off from its like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bitempo.engine.names import normalise_name
from bitempo.ingest.resolution.words import (
    ANIMALS,
    ARTICLES,
    FULL_NAMES,
    MARKS,
    NUMBER_WORDS,
    PLURAL_ANIMALS,
    ROLES,
    SHORT_FORMS,
    SMALL_WORDS,
    TITLES,
    TYPE_FAMILY,
)

_WORD = re.compile(r"[^\W_]+(?:[-'.+#&/][^\W_]+)*[+#]*|&")
_OWNED = re.compile(r"^(?:the )?(?P<owner>.+)'s? (?P<rest>\S.*)$")
_OWNING = {
    "my": "my",
    "our": "my",
    "your": "your",
    "his": "their",
    "her": "their",
    "their": "their",
}
_DIGITS = re.compile(r"^(?P<number>\d[\d.,:/]*)(?:st|nd|rd|th|s)?$")
_CALLED = frozenset({"named", "called"})
_SHORTEST_SPELLING = 4
_SHORTEST_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """A name taken apart.

    `owner` is the normalised possessor ("Caroline's sister"), or "my", "your" or "their" where
    only a pronoun says whose it is. `words` are what is left without articles and title, with
    one word for all nouns of one role. `marks` are the (kind, word) pairs that tell one from
    its like: numbers, dates, order. `proper` is the name at the end of a description ("dog Max"),
    `role` the role it is described by ("dog"), `article` "the", "a", or empty.
    """

    text: str
    owner: str | None
    words: tuple[str, ...]
    marks: frozenset[tuple[str, str]]
    title: str | None
    role: str | None
    proper: tuple[str, ...]
    article: str
    cased: tuple[str, ...] = ()
    """The words as they were written."""

    @property
    def spelling(self) -> str:
        """The words run together, so that "Door Dash" and "DoorDash" are one spelling."""
        joined = "".join(self.words)
        return re.sub(r"[-'&/]|\.(?!\d)", "", joined)

    @property
    def plain(self) -> frozenset[str]:
        """The words that carry meaning, those that mark included."""
        return frozenset(self.words) - SMALL_WORDS

    @property
    def described(self) -> bool:
        """Whether it says what the thing is to somebody, and does not name it."""
        return not self.proper and (self.role is not None or self.owner is not None)


@lru_cache(maxsize=16_384)
def read_name(name: str) -> Reading:
    """The parts of a name.

    Raises:
        InvalidInputError: nothing is left of the name.
    """
    text = normalise_name(name).replace("guinea pig", "guinea-pig")
    owner, rest = _owner(text)
    words = [_level(word) for word in _WORD.findall(rest)] or [rest]
    article = ARTICLES.get(words[0], "") if len(words) > 1 else ""
    if article:
        words = words[1:]
    if owner is not None and words[0] == "own" and len(words) > 1:
        words = words[1:]
    title = None
    if owner is None and len(words) > 1 and words[0].rstrip(".") in TITLES:
        title, words = words[0].rstrip("."), words[1:]
    proper, role = _proper(name, words, owner)
    return Reading(
        text=text,
        owner=owner,
        words=tuple(ROLES.get(word, word) for word in words),
        marks=frozenset(mark for word in words if (mark := _mark(word))),
        title=title,
        role=role,
        proper=proper,
        article=article,
        cased=tuple(_as_written(name, word) for word in words),
    )


def family_of(type: str) -> int | None:
    """The family of types that a type belongs to; None where it is not known.

    A type in several words is of the family of its last word that has one.
    """
    normal = normalise_name(type) if type.strip() else ""
    if normal in TYPE_FAMILY:
        return TYPE_FAMILY[normal]
    known = [TYPE_FAMILY[word] for word in normal.split() if word in TYPE_FAMILY]
    return known[-1] if known else None


def short_of(short: str, full: str) -> bool:
    """Whether `short` is a usual short form of the given name `full`."""
    return full in FULL_NAMES.get(short, ())


def clipped(short: str, full: str) -> bool:
    """Whether `short` may be `full` cut off, its last letter written double or with an -ie or -y.

    So "mell", "melly" and "mel" for "melanie", but not "maria" for "marian".
    """
    stems = {short, re.sub(r"(.)\1$", r"\1", short), re.sub(r"(?:ie|y|s)$", "", short)}
    stems |= {re.sub(r"(.)\1$", r"\1", stem) for stem in stems}
    return len(full) - len(short) >= 2 and any(
        len(stem) >= 2 and full.startswith(stem) and len(full) > len(stem) for stem in stems
    )


def related_given_names(name: str) -> frozenset[str]:
    """Names that a given name may be known under: its short forms, full forms and beginnings."""
    related = set(FULL_NAMES.get(name, ())) | set(SHORT_FORMS.get(name, ()))
    related |= {name[:length] for length in range(_SHORTEST_PREFIX, len(name) - 1)}
    return frozenset(related - {name})


def one_edit_apart(a: str, b: str) -> bool:
    """Whether one letter more, less, other, or two letters swapped make one of the other."""
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    x, y = a[start:], b[start:]
    return x[1:] == y[1:] or x == y[1:] or x[1:] == y or (x[:2] == y[1::-1] and x[2:] == y[2:])


def same_spelling(a: Reading, b: Reading) -> bool:
    """Whether the words differ only in spaces, hyphens and points."""
    return a.words == b.words or (
        a.spelling == b.spelling and len(a.spelling) >= _SHORTEST_SPELLING
    )


def initials_of(reading: Reading) -> str:
    """The first letters of its words."""
    return "".join(word[0] for word in reading.words if word not in SMALL_WORDS)


def _owner(text: str) -> tuple[str | None, str]:
    first, _, rest = text.partition(" ")
    if first in _OWNING and rest:
        # "my sister's dog" is of "my sister".
        owned = _OWNED.match(rest)
        if owned is None:
            return _OWNING[first], rest
        return f"{first} {owned['owner']}", owned["rest"]
    owned = _OWNED.match(text)
    if owned is None or not _possessive(text, owned):
        return None, text
    return owned["owner"], owned["rest"]


def _possessive(text: str, owned: re.Match[str]) -> bool:
    """ "'s" always is; a bare apostrophe is only after an s ("the kids' school")."""
    end = owned.end("owner")
    return text.startswith("'s", end) or owned["owner"].endswith("s")


def _level(word: str) -> str:
    word = "and" if word == "&" else word
    return NUMBER_WORDS.get(word, word)


def _mark(word: str) -> tuple[str, str] | None:
    digits = _DIGITS.match(word)
    if digits:
        number = digits["number"].rstrip(".,:/")
        year = len(number) == 4 and number[:2] in ("18", "19", "20", "21")
        return ("year" if year else "number"), number
    if any(char.isdigit() for char in word):
        return "number", word
    return (MARKS[word], word) if word in MARKS else None


def _proper(name: str, words: list[str], owner: str | None) -> tuple[tuple[str, ...], str | None]:
    """The name after a role ("dog Max", "Aunt May"), and the role that a description speaks of."""
    for index, word in enumerate(words):
        after = words[index + 1 :]
        if word in _CALLED and index and after and _capitalised(name, after):
            return tuple(after), ROLES.get(words[index - 1]) or ANIMALS.get(words[index - 1])
        role = ROLES.get(word) or ANIMALS.get(word)
        if role is None or after[:1] in (["named"], ["called"]):
            continue
        if after and _capitalised(name, after):
            return tuple(after), role
        if not after and (owner is not None or index or word in PLURAL_ANIMALS):
            return (), role
    return (), None


def _capitalised(name: str, words: list[str]) -> bool:
    return all(_as_written(name, word)[0].isupper() for word in words)


def _as_written(name: str, word: str) -> str:
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", name, re.IGNORECASE)
    return found.group() if found else word
