"""Pieces of English that several pattern families share: names, phrases, lists, numbers."""

from __future__ import annotations

import re

from bitempo.ingest.rules.english.lexicon import NATIONALITIES, NOT_NAMES

_UPPER = r"A-ZÀ-ÖØ-Þ\u0100-\u017f\u0386-\u03ab\u0400-\u042f"
_CASELESS = (
    r"\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
)
CAPITAL = rf"(?!I\b)[{_UPPER}{_CASELESS}][\w&\-]*+(?:'(?!s\b)\w[\w\-]*+|\.(?=\w)[\w\-]*+){{0,2}}+"
_LINK = r"(?:de|del|della|la|las|los|el|of|the|do|da|dos|di|du|van|von|der|den|bin|al|upon|le|&)"
NAME = (
    rf"(?:(?:Mrs?|Ms|Dr|Prof|St|Ft|Mt)\. )?{CAPITAL}(?:[ ](?:{_LINK}[ ]){{0,2}}{CAPITAL}){{0,4}}+"
)
"""One capitalised word or several, with the small words inside names ("Isle of Wight")."""

LOW_NAME = (
    r"(?!(?:a|an|the|my|our|your|his|her|their|this|that|it|there|here|fear|peace|love|and|"
    r"some|one|two|general|case|fact|order|downtown|area|town|city|suburbs?|house|apartment|flat|"
    r"college|dorms?|center|centre|student|rural|constant|harmony|shared|denial|same|different|"
    r"new|small|"
    r"big|another|many|both|various)\b)[a-zà-ÿ][\w'\-]+"
)
"""A name in a sentence that is typed all in lower case: one word."""

PRONOUN = frozenset(
    "it this that these those them him her you me us he she they everything something anything "
    "nothing one ones what how when where why who which whom whose both all some any".split()
)

_PHRASE_END = re.compile(
    r"\s*(?::(?=\s|$)|[.,;!?()\[\]\"“”\u2014\u2013…]|\s-\s|$"
    r"|\b(?:but|because|'cause|cuz|so|when|whenever|while|since|until|although|though|especially|"
    r"after|before|if|as|that|which|who|where|too|now|anymore|any more|these days|nowadays|"
    r"at the moment|right now|currently|today|lately|recently|at all|a lot|so much|very much|"
    r"more than|most|even|like|it's|this|last|next|than|for|with|from|in|on|at|by|about|to|over|"
    r"yesterday|tomorrow|today|tonight|online|recently|again|though|instead|well|is|are|was|were|"
    r"has|have)\b)"
)
_ASIDE = r"\s*,?\s+(?:and|or),\s[^,;.:!?]{1,40},\s+"
_JOIN = re.compile(_ASIDE + r"|\s*,\s*(?:and|or)\s+|\s*,\s*|\s+(?:and|or|&)\s+")
_ARTICLE = re.compile(r"^(?:(?:a|an|the|some|my|our|both|all)\s+)+", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[\w'&\-+#]+")
_EDGES = " \t\n.,;:!?\"'()[]{}*_~"


def level(text: str) -> str:
    """The text with curly quotes made straight, character for character."""
    return text.translate(_STRAIGHT)


def normal_value(text: str) -> str:
    """A taste, role or thing as it is kept: as written, without article, single spaces."""
    value = _SPACES.sub(" ", text).strip(_EDGES)
    return _ARTICLE.sub("", value)


def plain_value(text: str) -> str:
    """A role or condition as it is kept: lower case but for acronyms and names of peoples."""
    words = normal_value(text).split(" ")
    return " ".join(
        word if word.isupper() or word.lower() in NATIONALITIES else word.lower() for word in words
    )


def clean_name(name: str, *, possessive: bool = False) -> str:
    """A matched name without edges and trailing words that are no part of it.

    A final "'s" is dropped unless `possessive`, as in the names of schools and shops.
    """
    name = _SPACES.sub(" ", name).strip(_EDGES + "-&")
    if name.endswith(("'s", "'S")) and not possessive:
        name = name[:-2]
    words = name.split(" ")
    while words and words[-1].lower() in NOT_NAMES:
        words.pop()
    return " ".join(words).strip(_EDGES)


def without_opening(name: str) -> str:
    """The name without words that only the start of a sentence made capital ("But Ana")."""
    words = name.split(" ")
    while len(words) > 1 and (not is_name(words[0]) or words[0].islower()):
        words.pop(0)
    return " ".join(words)


def is_name(name: str) -> bool:
    """Whether the cleaned text can be somebody's or something's name."""
    if not name or len(name) > 60 or name.isdigit():
        return False
    first = name.split(" ")[0].lower()
    return first.split("'")[0] not in NOT_NAMES and first not in NOT_NAMES


def phrase(text: str, start: int, end: int, *, most: int = 5) -> str:
    """The noun phrase at `start`: up to punctuation or a word that begins something else.

    Empty when it has more than `most` words or is only a pronoun.
    """
    stop = _PHRASE_END.search(text, start, end)
    found = text[start : stop.start() if stop else end].strip()
    words = _WORD.findall(found)
    if not words or len(words) > most or words[0].lower() in PRONOUN:
        return ""
    return found


def items(text: str, start: int, end: int, *, most: int = 3) -> list[str]:
    """The items of the list at `start` ("hiking, painting and jazz"), as far as it is one.

    The first item may be of five words, further ones of `most`; the first that is no plain noun
    phrase ends the list.
    """
    found: list[str] = []
    at = start
    while at < end and len(found) < 8:
        join = _JOIN.search(text, at, end)
        upto = join.start() if join else end
        whole = text[at:upto].strip()
        item = phrase(text, at, upto, most=most if found else 5)
        item = re.sub(r"^(?:and|or|including|mostly)\s+", "", item)
        if not item or _RESTRICTED.match(text, at + text[at:upto].find(item) + len(item)):
            break
        if found and (_JOINED_VERB.match(item) or _is_comment(item)):
            break
        found.append(item)
        # A list ends where an item goes on with something else ("jazz when I work, and ...").
        if join is None or len(item) < len(whole):
            break
        at = join.end()
    return found


def before_aside(text: str, at: int, end: int) -> bool:
    """Whether an aside, such as "and, since last year, ...", comes after the item that ends at
    `at`: its time is that of the items which follow."""
    return _ASIDE_AHEAD.search(text, at, end) is not None


def _is_comment(item: str) -> bool:
    """Whether what stands after a comma is a word on the sentence ("sadly"), not an item."""
    word = item.lower()
    return word in _COMMENTS or (word.endswith("ly") and word.isalpha() and word not in _LY_NOUNS)


_ASIDE_AHEAD = re.compile(_ASIDE)
_COMMENTS = frozenset(
    "alas however tho though too lol haha sorry please thanks yes no right ok okay unfortunate sad "
    "honest indeed perhaps maybe".split()
)
_LY_NOUNS = frozenset(
    "family families jelly lily holly barley parsley italy sicily fly butterfly dragonfly firefly "
    "monopoly anomaly assembly ally bully belly poly royal-jelly philately reply supply".split()
)
_RESTRICTED = re.compile(r"\s+(?:that|which|who|whose|where|when)\b")
_JOINED_VERB = re.compile(
    r"(?:i|we|he|she|they|you|it|my|our|am|is|are|was|have|has|had|do|don't|can|will|would|"
    r"work|live|study|hate|love|like|enjoy|play|want|need|try|think|feel|hope|it's|i'm|i've|"
    r"\w+ed|went|got|made|took|always|never|also|then|so|now|just|really|usually|sometimes|"
    r"spending|even|have|being|of|course|find|see|use|all|more)\b",
    re.IGNORECASE,
)
_STRAIGHT = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "}
)
