"""Words that take something back: "not June, it was March", "I meant Porto, not Lisbon"."""

from __future__ import annotations

import re

from bitempo.ingest.rules.language import CorrectionCue

_SORRY = (
    r"(?:(?:oh|no|wait|oops|sorry|actually|my bad|my mistake|i mean|correction|scratch that|"
    r"hold on|well|"
    r"ah|hmm|edit|apologies|i misspoke|to be exact)\b[\s,:;.!\u2014\u2013-]*)"
)
_THING = r"(?:the\s+|in\s+|on\s+|at\s+)?{0}"
_A = r"(?P<right>[\w'&.-]+(?:\s[\w'&.-]+){0,4}?)"
_B = r"(?P<wrong>[\w'&.-]+(?:\s[\w'&.-]+){0,4}?)"
_STOP = r"(?=\s*(?:[.,;!)]|$))"
_ELLIPTIC = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # not X, it was Y / not X but Y / it wasn't X, it was Y
        rf"^{_SORRY}*(?:it\s+)?(?:not|wasn't|was not|isn't)\s+(?:in\s+|on\s+|at\s+)?{_B}"
        rf"(?:,\s*(?:but\s+)?|\s+but\s+|;\s*|\s+-\s+|\s*\u2014\s*)(?:it\s+was\s+|it's\s+|"
        rf"it\s+is\s+|rather\s+|i\s+meant\s+|i\s+mean\s+)?"
        rf"(?:in\s+|on\s+|at\s+)?{_A}{_STOP}",
        # I meant Y, not X / I meant to say Y
        rf"^{_SORRY}*i\s+(?:meant|mean)\s+(?:to\s+say\s+|to\s+write\s+)?(?:in\s+|on\s+|at\s+)?{_A}"
        rf"(?:,?\s+(?:and\s+)?(?:not|instead of|rather than)\s+(?:in\s+|on\s+|"
        rf"at\s+)?{_B})?{_STOP}$|"
        rf"^{_SORRY}*i\s+(?:meant|"
        rf"mean)\s+(?:to\s+say\s+)?(?P<right2>[\w'&.-]+(?:\s[\w'&.-]+){{0,3}})[.!]*$",
        # it was Y, not X / Y, not X
        rf"^{_SORRY}*(?:it\s+was\s+|it's\s+|it\s+is\s+|that\s+was\s+|that's\s+)(?:in\s+|on\s+|"
        rf"at\s+)?{_A},?\s+"
        rf"(?:and\s+)?(?:not|instead of|rather than)\s+(?:in\s+|on\s+|at\s+)?{_B}{_STOP}",
        rf"^{_SORRY}+(?:in\s+|on\s+)?{_A},\s+not\s+(?:in\s+|on\s+|at\s+)?{_B}{_STOP}",
        # sorry, it was Y
        rf"^{_SORRY}+(?:it\s+was\s+|it's\s+|it\s+is\s+)(?:in\s+|on\s+|at\s+)?{_A}[.!]*$",
    )
)
_EXPLICIT = re.compile(
    r"^\W*(?:correction|scratch that|my mistake|my bad|i misspoke|edit|let me correct (?:that|"
    r"myself)|"
    r"sorry,? (?:i meant|i misspoke|correction)|oops|i was wrong|wait,? no|no,? wait|"
    r"to correct myself)\b",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"^\W*(?:(?:well|no|oh|sorry|wait|hmm),?\s+)*(?:actually|sorry|wait|in fact|no,)", re.IGNORECASE
)
_CONTRAST = re.compile(
    r",?\s+(?:and\s+)?not\s+(?:in\s+|at\s+|for\s+|a\s+|"
    r"an\s+)?(?P<wrong>[\w'&-]+(?:\s[A-Z][\w'&-]*){0,3})\s*(?:any\s?more\s*)?[.!]*$"
)
_OWN_CLAUSE = re.compile(
    r"\b(?:I|we)(?:'m|'ve| am| have)?\s+(?!mean|meant)\w|\bmy\s+\w+(?:\s\w+){0,2}\s+(?:is|was)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|do|does|did|can|will|would|should|could|might|"
    r"must|\w+n't|said|says|thinks|thought|knows|knew|loves|loved|likes|liked|lives|lived|works|"
    r"worked|went|goes|got|gets|came|comes|made|makes|seems|looks|feels|needs|wants)\b",
    re.IGNORECASE,
)
"""With a verb "I mean ..." says something of its own: it corrects nothing."""
_NOTHING = frozenset(
    "sure really bad good true too yet only just now that this it so much a the one fair easy "
    "great nice "
    "fine what me you her him them us here there well fun worth enough long".split()
)


def correction_in(text: str) -> CorrectionCue | None:
    """The correction that a sentence with straight quotes makes, if it makes one."""
    if not _OWN_CLAUSE.search(text):
        return _elliptic(text)
    contrast = _CONTRAST.search(text)
    wrong = contrast.group("wrong") if contrast else None
    if wrong is not None and wrong.lower() in _NOTHING:
        wrong = None
    if _EXPLICIT.match(text):
        return CorrectionCue(None, wrong)
    if wrong is not None and "any" not in contrast.group():  # type: ignore[union-attr]
        return CorrectionCue(None, wrong)
    if _SOFT.match(text):
        return CorrectionCue(None, None, explicit=False)
    return None


def _elliptic(text: str) -> CorrectionCue | None:
    for pattern in _ELLIPTIC:
        match = pattern.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        right = groups.get("right") or groups.get("right2")
        wrong = groups.get("wrong")
        if not right or right.lower().split(" ")[0] in _NOTHING or _VERB.search(right):
            return None
        if wrong and wrong.lower().split(" ")[0] in _NOTHING:
            return None
        return CorrectionCue(right.strip(" .,'"), wrong.strip(" .,'") if wrong else None)
    return None
