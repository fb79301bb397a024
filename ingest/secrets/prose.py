"""Secrets that their names give away: "my password is ...", `API_KEY=...`, "PIN: ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.ingest.secrets import words
from bitempo.ingest.secrets.spans import Span
from bitempo.ingest.secrets.values import (
    is_made_up,
    is_placeholder,
    is_random,
    is_word,
)

# Between a name and its value. Every part is bounded, so that no text takes long.
_OF = (
    r"(?:\s{1,3}(?:for|to|of|on|at|in|into|para|de|pour|für|du|de la|del|do|dello|della|da|i|para "
    r"o|para a)"
    r"(?:\s{1,3}[\w.'’@&/-]{1,40}){1,5}?)?"
)
_IS = (
    r"(?:\s{1,3}(?:is|was|are|will be|should be|would be|used to be|has been|reads|es|est|ist|"
    r"lautet|é|è|to|"
    r"är|er|on|je|jest)"
    r"|\s?['’]s)(?:\s{1,3}(?:now|still|just|currently|actually|simply|literally|set to|changed to|"
    r"ahora|jetzt|maintenant|agora))?(?:\s?[:=])?\s{1,3}"
)
_ASSIGNED = (
    r"['\"`\])*_]{0,4}\s{0,3}(?:\(\w{1,20}\)\s{0,3})?(?::=|=>|->|→|[:=：]{1,3}|—|–|\s-\s)\s{0,3}"
)
_ASSIGNED_TO = re.compile(rf"{_OF}{_ASSIGNED}")
_SAID = re.compile(rf"{_OF}{_IS}|\s?(?:是|は|는|은)\s?")
_BARE = re.compile(r"\s{1,3}|=")
_SET_TO = re.compile(rf"{_OF}\s{{1,3}}(?:to|into|as|en|auf|à)\s{{1,3}}")
_SETTING = re.compile(
    r"\b(?:set|sets|setting|chang\w{1,3}|reset\w{0,4}|updat\w{1,3}|switch\w{0,3}|ma[dk]e|use[ds]?|"
    r"cambi\w{1,3}|geändert|changé)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`|“([^”\n]{1,200})”|«([^»\n]{1,200})»"
    r"|「([^」\n]{1,200})」|„([^“”\n]{1,200})[“”]"
)
_VALUE = re.compile(r"[^\s\"'`<>“”。，]{1,400}")
_CLOSING = ".,;:)]}>…*_"
_CLAUSE_END = re.compile(
    r"[.,;:!?)\]…]*\s*(?:$|\n|[.,;!?)(]|(?:and|but|or|so|now|btw|lol|please|thanks|y|und|et|e|"
    r"if|in case|for|on)\b)"
)
_OWNED = re.compile(
    r"\b(?:my|our|your|the|his|her|their|its|wi-?fi|admin|root|user|mi|tu|mon|votre|mein|dein|das|"
    r"la|le|minha|a|sua)\s{1,3}(?:[\w.'’-]{1,30}\s{1,3}){0,3}$",
    re.IGNORECASE,
)
_ANY_ONE = re.compile(
    r"\b(?:a|an|any|every|each|no|good|strong|weak|secure|better|best|another)\s{1,3}"
    r"(?:\w{1,20}\s{1,3})?$",
    re.IGNORECASE,
)
_AS_PASSWORD = re.compile(
    r"(?:^|(?<=\s))([^\s\"'`]{4,100}|\"[^\"\n]{4,100}\"|'[^'\n]{4,100}'),?\s{1,3}"
    r"(?:(?:is|was|as|for)\s{1,3}(?:my|the|our|your|his|her|their|a|its)|as)\s{1,3}"
    r"(?:(?!worst|best|most|weakest|common|classic|default|first|only|wrong)[\w'’-]{1,20}\s{1,3})"
    r"{0,2}$"
)
_DIGITS = re.compile(
    r"(?:(?:\s{1,3}(?:for|to|of|on)(?:\s{1,3}[\w.'’-]{1,30}){1,4}?)?"
    r"(?:\s{0,2}[:=#]\s{0,2}|\s{1,3}(?:is|was|es|ist|est|to)\s{1,3}(?:now\s{1,3})?|['’]s\s{1,3})|"
    r"(\s{1,3}))"
    r"(\d(?:[ -]?\d){2,7})(?![\w-]|[.,]\d)"
)
_IT_IS = re.compile(
    r"[^\n:=]{0,60}?(?:\b(?:it|that|which)(?:['’]s| is| was)(?: now)?|,)\s{1,3}([^\s\"'`<>]{6,60})"
    r"(?=\s|$)"
)
_LOGIN = re.compile(
    r"\b(?:log[- ]?in|sign[- ]?in|user(?:name)?|account|creds?|credentials?)\b[^\n/]{0,60}?"
    r"[\s:][\w.@+-]{2,60}(?:\s{1,2}/\s{1,2}|:)([^\s\"'`<>/:]{6,80})(?=\s|$)",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"(?<![A-Za-z])(?:pass|p)(?:\s?[:=]\s?|\s{1,2}is\s{1,2})([^\s\"'`<>]{6,80})", re.IGNORECASE
)
_USER = re.compile(r"(?<![A-Za-z])(?:u|user|username|login|email|id)\s?[:=]", re.IGNORECASE)
_PASS_OF = re.compile(
    r"(?:boarding|bus|train|ski|day|season|mountain|hall|free|guest|museum|park|press|annual|city|"
    r"travel|transit|rail|parking|game|battle|gate|the|a|this|that)[ -]$",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"(?<![A-Za-z])code(?:\s{1,2}is|:)?\s{1,2}(\d{4,8})(?!\d)(?=[^\n]{0,60}?\b(?:share|expires?|"
    r"valid for|minutes)\b)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s{0,3}(?:char|digit|letter|word|day|month|year|hour|minute|time|%)", re.IGNORECASE
)
_POSTAL = re.compile(r"code", re.IGNORECASE)
_WORDS = re.compile(
    r"(?:\s{0,3}(?:is|are|was)?\s{0,3}[:=]?\s{1,3}|\s{0,3}[:=]\s{0,3})"
    r"[\"'“`]?([a-z]{2,12}(?:[ ,]{1,2}(?:\d{1,2}[.)] ?)?[a-z]{2,12}){3,23})"
)
_FUNCTION_WORDS = frozenset(
    "is are was be been to of in on at for the an and but or not no it its that this with very too "
    "so my your our his her their you we he she they if as from have has had do does should must "
    "can will would long hard easy good bad what which who stored written safe saved".split()
)
_LOOK_BACK = 60
_LOOK_FAR_BACK = 180


def named_secrets(text: str) -> Iterator[Span]:
    """What stands after, or before, the name of a secret and can be one."""
    lower = text.lower()
    if _cued(lower, "password"):
        for match in words.PASSWORD.finditer(text):
            yield from _password(text, match)
    if _cued(lower, "key"):
        for match in _key_names(text):
            yield from _key(text, match)
    yield from _logins(text, lower)
    if _cued(lower, "phrase"):
        for match in words.PHRASE.finditer(text):
            yield from _phrase(text, match.end(), "recovery-phrase", 11)
    for cue, pattern, kind, lengths in _NUMBERED:
        if _cued(lower, cue):
            for match in pattern.finditer(text):
                yield from _digits(text, match, kind, lengths)


_NUMBERED = (
    ("card", words.CARD_CODE, "card-code", range(3, 5)),
    ("code", words.CODE, "one-time-code", range(4, 9)),
    ("pin", words.PIN, "pin", range(4, 9)),
    ("code", words.DOOR_CODE, "pin", range(4, 9)),
)


def _logins(text: str, lower: str) -> Iterator[Span]:
    """Passwords beside the name of a user, and codes that are not to be shared."""
    if any(cue in lower for cue in ("log", "sign", "user", "account", "cred")):
        for match in _LOGIN.finditer(text):
            if _is_strong(_trimmed(match[1])):
                yield Span(match.start(1), match.start(1) + len(_trimmed(match[1])), "password")
    if "p:" in lower or "p=" in lower or "p :" in lower or "pass" in lower:
        for match in _SHORT.finditer(text):
            before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
            named = "pass" in match.group()[:5].lower() and not _PASS_OF.search(before)
            if (named or _USER.search(before)) and _is_strong(_trimmed(match[1])):
                yield Span(match.start(1), match.start(1) + len(_trimmed(match[1])), "password")
    if "code" in lower:
        for match in _SHARED.finditer(text):
            yield Span(*match.span(1), "one-time-code")


def _cued(lower: str, name: str) -> bool:
    return any(cue in lower for cue in words.CUES[name])


def _key_names(text: str) -> Iterator[re.Match[str]]:
    """The matches of `words.KEY`, looked for only around what each of them holds."""
    for core in words.KEY_CORE.finditer(text):
        yield from words.KEY.finditer(text, max(0, core.start() - 24), core.end() + 12)


def _password(text: str, name: re.Match[str]) -> Iterator[Span]:
    if _is_part(text, name):
        return
    kind = "password"
    if "phrase" in name.group().lower():
        yield from _phrase(text, name.end(), kind, 3)
    before = text[max(0, name.start() - _LOOK_BACK) : name.start()]
    for connector in _connectors(text, name, before):
        at = connector.end()
        found = _value(text, at)
        if found is None:
            continue
        start, end, quoted = found
        value = text[start:end]
        bare = connector.re is _BARE
        if bare and not (before.endswith("-") or _has_letter_and_digit(value)):
            continue
        if (quoted and not bare and _may_be_quoted(value)) or _is_password(
            text, start, end, name, before
        ):
            yield Span(start, end, kind)
            return
    yield from _before(text, name, kind)
    later = _IT_IS.match(text, name.end())
    if later is not None and _is_strong(_trimmed(later[1])):
        yield Span(later.start(1), later.start(1) + len(_trimmed(later[1])), kind)


def _connectors(text: str, name: re.Match[str], before: str) -> Iterator[re.Match[str]]:
    """What joins the name to a value, in each way that it may; the first that has one counts."""
    patterns = [_ASSIGNED_TO, _SAID]
    if _SETTING.search(before):
        patterns.insert(1, _SET_TO)
    for pattern in (*patterns, _BARE):
        match = pattern.match(text, name.end())
        if match is not None:
            yield match


def _key(text: str, name: re.Match[str]) -> Iterator[Span]:
    if _is_part(text, name):
        return
    kind = "token" if "token" in name.group().lower() else "secret"
    kind = "api-key" if name.group().lower().startswith(("api", "access")) else kind
    for pattern in (_ASSIGNED_TO, _SAID, _BARE):
        connector = pattern.match(text, name.end())
        found = None if connector is None else _value(text, connector.end())
        if found is None:
            continue
        value = text[found[0] : found[1]]
        far = pattern is _BARE or "\n" in text[name.end() : found[0]]
        if is_random(value, 16 if far else 8):
            yield Span(found[0], found[1], kind)
            return


def _value(text: str, at: int) -> tuple[int, int, bool] | None:
    """Where the value at a place begins and ends, and whether it is in quotes."""
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        group = quoted.lastindex or 0
        return quoted.start(group), quoted.end(group), True
    bare = _VALUE.match(text, at)
    if bare is None:
        return None
    said = _trimmed(bare.group())
    return (at, at + len(said), False) if said else None


def _is_password(text: str, start: int, end: int, name: re.Match[str], before: str) -> bool:
    """Whether a value that follows the name in any way but quotes is a password."""
    value = text[start:end]
    if len(value) < 4 or is_placeholder(value):
        return False
    if value.isdecimal():
        return not _UNIT.match(text, end) and len(value) <= 32
    if not is_word(value):
        return is_made_up(value)
    lower = value.lower()
    if lower in words.FOLLOW or lower.endswith(words.ENDINGS) or "-" in value or "'" in value:
        return False
    if _ANY_ONE.search(before) or not _CLAUSE_END.match(text, end):
        return False
    assigned = not _SAID.match(text, name.end())
    return assigned or bool(_OWNED.search(before))


def _may_be_quoted(value: str) -> bool:
    return len(value) >= 3 and not is_placeholder(value) and value.lower() not in words.FOLLOW


def _before(text: str, name: re.Match[str], kind: str) -> Iterator[Span]:
    """A value before the name: "hunter2 is my password"."""
    start = max(0, name.start() - _LOOK_FAR_BACK)
    match = _AS_PASSWORD.search(text[start : name.start()])
    if match is None:
        return
    value = match[1].strip("\"'")
    if is_made_up(value, 6) and _has_letter_and_digit(value):
        at = start + match.start(1) + match[1].find(value)
        yield Span(at, at + len(value), kind)


def _digits(text: str, name: re.Match[str], kind: str, lengths: range) -> Iterator[Span]:
    match = _DIGITS.match(text, name.end())
    if match is None or _UNIT.match(text, match.end()):
        return
    count = sum(char.isdecimal() for char in match[2])
    # In India a PIN code is a postal code of six digits.
    code = match[1] is not None or _POSTAL.search(name.group())
    postal = kind == "pin" and count == 6 and code and "pin" in name.group().lower()
    if count in lengths and not postal:
        yield Span(match.start(2), match.end(2), kind)


def _phrase(text: str, at: int, kind: str, least: int) -> Iterator[Span]:
    match = _WORDS.match(text, at)
    if match is None:
        return
    said = re.findall(r"[a-z]+", match[1])
    if len(said) > least and not _FUNCTION_WORDS.intersection(said):
        yield Span(match.start(1), match.end(1), kind)


def _trimmed(value: str) -> str:
    """A value without what closes the clause that it stands in."""
    return value.rstrip(_CLOSING)


def _is_strong(value: str) -> bool:
    """Whether it is a password also where little says so."""
    product = value.lower() in words.PRODUCTS
    return is_made_up(value, 6) and _has_letter_and_digit(value) and not product


def _is_part(text: str, name: re.Match[str]) -> bool:
    """Whether it is the start of a longer name (`password_hash`), or the parameter of a URL."""
    following = text[name.end() : name.end() + 1]
    longer = following == "_" or (following.isascii() and following.isalpha())
    return longer or text[max(0, name.start() - 1) : name.start()] in ("?", "&")


def _has_letter_and_digit(value: str) -> bool:
    return any(char.isalpha() for char in value) and any(char.isdecimal() for char in value)
