"""English as a date language: the expressions of a text, and which way its sentences lean."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from bitempo.ingest.dates.english_numbers import ordinal_number
from bitempo.ingest.dates.english_ranges import expression
from bitempo.ingest.dates.english_words import TRIGGER, WEEKDAYS, Words
from bitempo.ingest.dates.language import Candidate
from bitempo.ingest.dates.meaning import Tense


class English:
    """English, American in its dates in digits (month first)."""

    code = "en"

    def may_tell_time(self, text: str) -> bool:
        """Whether some word of an expression stands in the text."""
        return TRIGGER.search(text) is not None

    def read(self, text: str) -> EnglishReading:
        """The text, read."""
        return EnglishReading(text)

    def looks_explicit(self, text: str) -> bool:
        """Whether a month name stands by a number, or three numbers make a date."""
        return _EXPLICIT.search(text) is not None


class EnglishReading:
    """One English text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = Words(text)
        self._cues: tuple[list[int], list[Tense | None]] | None = None

    def candidates(self) -> Iterator[Candidate]:
        """The expressions, in text order."""
        words = self._words
        index, size = 0, len(words)
        while index < size:
            if words.words[index] in _RECURRING:
                index = self._after_recurring(index)
                continue
            found = expression(words, index)
            if found is None:
                index += 1
                continue
            meaning, end = found
            yield Candidate(words.starts[index], words.ends[end - 1], meaning)
            index = end

    def tense_at(self, position: int) -> Tense:
        """The tense of the nearest cue before the position in its sentence, else after it."""
        places, tenses = self._read_cues()
        here = bisect_left(places, position)
        if here > 0 and (tense := tenses[here - 1]) is not None:
            return tense
        if here < len(places) and (tense := tenses[here]) is not None:
            return tense
        return Tense.UNMARKED

    def perfect_at(self, position: int) -> bool:
        """Whether "have", "has" or "been" stands shortly before."""
        return _PERFECT.search(self._text, max(0, position - 80), position) is not None

    def _after_recurring(self, index: int) -> int:
        """Past "every Friday", "every other Monday and Friday", which are no one time."""
        words = self._words
        here = words.skip(index + 1, "other", "single", "alternate")
        rank = ordinal_number(words, here)
        places = (here, rank[1]) if rank else (here,)
        ends = [found[1] for place in places if (found := expression(words, place))]
        end = max(ends, default=here)
        while ends:
            ahead = end
            while words.at(ahead) in _LISTED:
                ahead += 1
            if ahead == end or words.at(ahead) not in WEEKDAYS:
                break
            end = ahead + 1
        return end

    def _read_cues(self) -> tuple[list[int], list[Tense | None]]:
        """Where words tell the tense, and where sentences end (None)."""
        if self._cues is None:
            places: list[int] = []
            tenses: list[Tense | None] = []
            for match in _CUE.finditer(self._text):
                places.append(match.start())
                kind = match.lastgroup
                tenses.append(_TENSES[kind or "end"])
            self._cues = places, tenses
        return self._cues


_TENSES = {
    "end": None,
    "past": Tense.PAST,
    "future": Tense.FUTURE,
    "contracted": Tense.FUTURE,
    "scheduled": Tense.FUTURE,
}
_RECURRING = frozenset(["every", "each"])
_LISTED = frozenset([",", "and", "or", "&"])
_EXPLICIT = re.compile(
    r"(?<![\w-])(?:[0-9]{1,4}(?:[-/][0-9]{1,2}[-/][0-9]{2,4}|[.][0-9]{1,2}[.][0-9]{4})(?![\w-])"
    r"|[0-9]{1,4}(?:st|nd|rd|th)?[ ,./-]{1,2}(?:of )?(?:{0})\b"
    r"|(?:{0})[ ,./-]{1,2}[0-9]{1,4})".replace(
        "{0}",
        "jan(?:uary)?|feb(?:ruary)?|march|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
        "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    ),
    re.IGNORECASE,
)
_PERFECT = re.compile(
    r"\b(?:have|has|been|(?:I|we|they|you|he|she|it)['’](?:ve|s))\b", re.IGNORECASE
)
_ARRANGED = (
    r"(?:(?:not|also|probably|finally|only) )?"
    r"(?:coming|leaving|going|visiting|meeting|flying|moving|starting|getting|having|seeing|"
    r"hosting|travell?ing|taking|attending|arriving|planning|expecting|hoping)"
)
# A day that something "is on" lies ahead: what is over "was on" it.
_IS_ON = (
    r"(?= (?:(?:on |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|on (?:the )?[0-9]{1,2}(?![0-9:])|(?:on|in) (?:{0})\b))"
).replace(
    "{0}",
    "january|february|march|april|may|june|july|august|september|october|november|december",
)
_CUE = re.compile(
    r"(?P<end>[.!?](?=\s|$)|\n)"
    r"|['’](?P<contracted>ll|(?:m|re|s) " + _ARRANGED + r")\b"
    r"|(?P<scheduled>(?:\b(?:is|are)|['’](?:s|re))" + _IS_ON + r"|(?<!to )\bsee (?:you|ya)\b|"
    r"(?<!did )(?<!n't )(?<!n’t )\b(?:i|we|they) (?:leave|start|begin|fly|arrive|depart|return|"
    r"graduate|retire|have (?:an?|my|our|the))\b)"
    r"|\b(?:(?P<future>will|won't|shall|gonna|tomorrow|upcoming|soon|let['’]s|let us|due|deadline|"
    r"going to|plan(?:s|ning)? (?:to|on|for)|want(?:s)? to|hope(?:s)? to|hoping to|need(?:s)? to|"
    r"have to|has to|looking forward|can['’]t wait|"
    r"(?:can|could|should|must|may|might) (?:you|we|i)|"
    r"can|remind|schedule|book|reserve|would like|i['’]d like|"
    r"(?:am|is|are) " + _ARRANGED + r"|"
    r"starts|begins|opens|arrives|leaves|departs)"
    r"|(?P<past>was|were|wasn't|weren't|did|didn't|had|hadn't|went|saw|met|got|came|took|bought|"
    r"made|left|told|said|found|felt|thought|gave|ran|ate|won|lost|began|started|became|brought|"
    r"spent|wrote|drove|flew|held|heard|kept|knew|led|sent|sold|spoke|taught|wore|ago|yesterday|"
    r"[a-z]{2,20}[^e\W]ed)"
    r")\b",
    re.IGNORECASE,
)
