"""English words for times, and a text cut into words."""

from __future__ import annotations

import re
from typing import Protocol

from bitempo.ingest.dates.arithmetic import Unit
from bitempo.ingest.dates.meaning import Meaning, Shift

DEEPEST = 6
"""How far times may be told from times."""

MOST_REMEMBERED = 2000
"""Readings kept while a text is read; they serve only close by."""


class Rule(Protocol):
    """Reads a time at a word."""

    __name__: str

    def __call__(self, words: Words, index: int, stated: bool, /) -> tuple[Meaning, int] | None:
        """The meaning and the index after it, or None."""
        ...


class Words:
    """A text as words, numbers and single marks, in lower case, with their places.

    Beyond either end there are empty words, so that rules may look around freely.
    """

    __slots__ = ("depth", "ends", "memory", "starts", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.memory: dict[tuple[str, int, bool, int], tuple[Meaning, int] | None] = {}
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        for match in _TOKEN.finditer(text):
            self.words.append(match.group().lower().replace("’", "'"))
            self.starts.append(match.start())
            self.ends.append(match.end())

    def once(self, rule: Rule, index: int, stated: bool) -> tuple[Meaning, int] | None:
        """What a rule reads at a word, read once; nothing beyond the deepest nesting.

        Times are told from times ("the day after the week of the 3rd"): without the memory the
        work would double with each nesting, and without the limit it would have no end.
        """
        if self.depth > DEEPEST:
            return None
        key = (rule.__name__, index, stated, self.depth)
        if key not in self.memory:
            if len(self.memory) > MOST_REMEMBERED:
                self.memory.clear()
            self.depth += 1
            try:
                found = rule(self, index, stated)
            finally:
                self.depth -= 1
            self.memory[key] = found
        return self.memory[key]

    def __len__(self) -> int:
        return len(self.words)

    def at(self, index: int) -> str:
        """The word at an index, empty outside the text."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def raw(self, index: int) -> str:
        """The word as written."""
        return self.text[self.starts[index] : self.ends[index]]

    def glued(self, index: int) -> bool:
        """Whether the word follows the one before without a space."""
        return 0 < index < len(self.words) and self.starts[index] == self.ends[index - 1]

    def skip(self, index: int, *words: str) -> int:
        """The index after any one of the words, if it stands here."""
        return index + 1 if self.at(index) in words else index

    def follows(self, index: int, phrase: str) -> int:
        """The index after the phrase, or 0 when something else stands here."""
        parts = phrase.split()
        if self.words[index : index + len(parts)] == parts:
            return index + len(parts)
        return 0

    def index_ending(self, position: int, index: int) -> int:
        """The index of the word after the one that ends at a character position, or 0."""
        for ahead in range(index, min(index + 20, len(self.words))):
            if self.ends[ahead] == position:
                return ahead + 1
        return 0


_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[0-9]+|\S")


def _names(*groups: str) -> dict[str, int]:
    return {name: number for number, group in enumerate(groups) for name in group.split()}


MONTHS = {
    name: number + 1
    for name, number in _names(
        "january jan",
        "february feb febr",
        "march mar",
        "april apr",
        "may",
        "june jun",
        "july jul",
        "august aug",
        "september sep sept",
        "october oct",
        "november nov",
        "december dec",
    ).items()
}
SURE_MONTHS = frozenset("january february july september october november december".split())
"""Month names that are hardly anything else; the others need a preposition or a number."""

WEEKDAYS = _names(
    "monday mon",
    "tuesday tue tues",
    "wednesday wed weds",
    "thursday thu thur thurs",
    "friday fri",
    "saturday sat",
    "sunday sun",
)
SHORT_WEEKDAYS = frozenset("mon tue tues wed weds thu thur thurs fri sat sun".split())

UNITS = {
    "second": Unit.SECOND,
    "minute": Unit.MINUTE,
    "hour": Unit.HOUR,
    "day": Unit.DAY,
    "night": Unit.DAY,
    "weekend": Unit.WEEKEND,
    "week": Unit.WEEK,
    "fortnight": Unit.FORTNIGHT,
    "month": Unit.MONTH,
    "quarter": Unit.QUARTER,
    "year": Unit.YEAR,
    "decade": Unit.DECADE,
    "century": Unit.CENTURY,
}
PLURAL_UNITS = {
    **{name + "s": unit for name, unit in UNITS.items()},
    **{name + "'s": unit for name, unit in UNITS.items()},
    "centuries": Unit.CENTURY,
}
SHORT_UNITS = {
    "sec": Unit.SECOND,
    "secs": Unit.SECOND,
    "min": Unit.MINUTE,
    "mins": Unit.MINUTE,
    "hr": Unit.HOUR,
    "hrs": Unit.HOUR,
    "wk": Unit.WEEK,
    "wks": Unit.WEEK,
    "mos": Unit.MONTH,
    "yr": Unit.YEAR,
    "yrs": Unit.YEAR,
}
COUNTED_UNITS = {**UNITS, **PLURAL_UNITS, **SHORT_UNITS}

SHIFTS = {
    "last": Shift.LAST,
    "past": Shift.LAST,
    "previous": Shift.LAST,
    "this": Shift.THIS,
    "current": Shift.THIS,
    "next": Shift.NEXT,
    "coming": Shift.COMING,
    "upcoming": Shift.COMING,
    "following": Shift.COMING,
}
PARTS = {
    "morning": "morning",
    "mornin": "morning",
    "am": "morning",
    "afternoon": "afternoon",
    "pm": "afternoon",
    "evening": "evening",
    "night": "night",
    "nite": "night",
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
RELATIVE_DAYS = {
    "today": 0,
    "tonight": 0,
    "tonite": 0,
    "tomorrow": 1,
    "tomorow": 1,
    "tommorow": 1,
    "tommorrow": 1,
    "tmrw": 1,
    "tmr": 1,
    "yesterday": -1,
}
DECADE_WORDS = {
    name: tens * 10
    for tens, name in enumerate(
        "twenties thirties forties fifties sixties seventies eighties nineties".split(), 2
    )
}

MEASURES = frozenset(
    "people persons pieces copies dollars euros pounds bucks usd eur km kms kilometers kilometres "
    "miles mi meters metres m cm mm ft feet inches kg kgs grams g lbs lb ml liters litres calories "
    "kcal steps words pages times points followers likes views subscribers students employees "
    "users units items percent degrees volts watts mah mb gb tb rpm hp votes stars cups tbsp tsp "
    "years year months weeks days hours minutes seconds hrs mins books songs games questions "
    "participants members kids children cases shares tickets residents attendees square".split()
)
"""After a number, these make it a count: "2000 people" is no year."""

NOT_A_SEASON = frozenset(
    "roll rolls onion onions water cleaning chicken mattress loaded over off down apart asleep "
    "behind short into out back through break".split()
)
NOT_A_HOLIDAY = frozenset(
    "tree trees card cards gift gifts present presents dinner lunch breakfast party parties song "
    "songs lights light market markets carol carols music movie movies decorations decoration "
    "ornament ornaments ornament cookies cookie sweater sweaters spirit costume costumes candy egg "
    "eggs bunny basket baskets turkey shopping stocking stockings list themed wrapping cake "
    "island".split()
)

TRIGGER = re.compile(
    r"[0-9]|\b(?:"
    r"to(?:day|night|nite|morr?ow)|tommorr?ow|tmrw?|yesterday|now|ago|noon|midday|midnight|eo[dmy]|"
    r"(?:mon|tues?|wed(?:nes|s)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|"
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|"
    r"days?|nights?|weekends?|weeks?|fortnights?|months?|quarters?|years?|decades?|centur(?:y|ies)|"
    r"hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?|spring|summer|autumn|fall|winter|wks?|yrs?|mos|"
    r"mornin|morning|afternoon|evening|(?:twen|thir|for|fif|six|seven|eigh|nine)ties|nineteen|twenty|"
    r"thousand|hundred|seventeen|eighteen|christmas|xmas|easter|thanksgiving|halloween|o'clock|"
    r"valentine|mardi|juneteenth|valentines|patrick|hanukkah|oclock|present|moment|time|half|"
    r"(?:a|p)\.?m|eve"
    r")(?:'s)?\b",
    re.IGNORECASE,
)
"""Some word of every expression that the rules know."""
