"""What a language must supply so that rules can read its sentences, and where it registers.

A language says what a sentence is (`kind`), what it claims (`read`) and whether it corrects an
earlier one (`correction`). It knows nothing of instants, episodes or drafts: those are the
extractor's, so that a second language is only its words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Cardinality, EntityRef, Literal, Polarity


class Kind(StrEnum):
    """What a sentence does. Only the first three can make facts."""

    STATEMENT = "statement"
    """It tells something of the speaker, in the first person."""
    THIRD_PERSON = "third person"
    """It tells something, but not in the first person: only typed facts are taken."""
    REPORTED = "reported"
    """It tells what somebody else said."""
    QUESTION = "question"
    SMALL_TALK = "small talk"
    HYPOTHETICAL = "hypothetical"
    INSTRUCTION = "instruction"


class Tense(StrEnum):
    """The tense of the clause that carries a claim."""

    PAST = "past"
    PRESENT = "present"
    PERFECT = "perfect"
    FUTURE = "future"


class Shape(StrEnum):
    """How a claim lies in time; the extractor turns it into an interval."""

    HOLDS = "holds"
    """A state now: open, from the stated start if there is one."""
    PERFECT = "perfect"
    """A state up to now ("have lived"): a claim only with a stated start."""
    BEGAN = "began"
    """A change: open from the stated time on."""
    FORMER = "former"
    """A state that is over: bounded by the stated time, else up to now."""
    NEXT = "next"
    """What came after a former state ("at X until 2018, then at Y"): open from its end."""
    LAPSED = "lapsed"
    """A former state with when it ended ("used to have a dog, but he died in 2021")."""
    ENDED = "ended"
    """A denial: negative, open from the stated time on."""
    BOUNDED = "bounded"
    """A passing state ("in Berlin until Friday"): a claim only with a stated end."""
    TIMELESS = "timeless"
    """Dates in the sentence are not when it holds ("I'm from Peru, I came in 1990")."""
    ALWAYS = "always"
    """What birth or naming settled: it holds from the beginning, whenever it is told."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and where it stands in its turn: `turn[start:end]` is its verbatim text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One typed claim in a sentence. A subject of None is the speaker.

    `start` and `end` are offsets in the sentence: the nearest time expression is taken as its own.
    """

    predicate: str
    shape: Shape
    start: int
    end: int
    subject: EntityRef | None = None
    object: EntityRef | None = None
    value: Literal | None = None
    importance: int = 5
    confidence: float = 0.8
    cardinality: Cardinality | None = None

    @property
    def polarity(self) -> Polarity:
        """Negative for what has ended."""
        return Polarity.NEGATIVE if self.shape is Shape.ENDED else Polarity.POSITIVE

    @property
    def answer(self) -> str | None:
        """The object's name or the value as text; None where the whole slot is denied."""
        if self.object is not None:
            return self.object.name
        return None if self.value is None else str(self.value)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the speaker means to do, from `start` to `end` in the sentence.

    `needs_time`: it is a plan only with a time that is not over ("I have to ... by Friday");
    `needs_future`: only with one that has not begun ("I'm moving next month").
    `vague`: without a time it says nothing that could be looked up ("I'll make it work").
    `first` is the form in which its first word is kept ("moving" as "move"), if another.
    `deadline_of`: the thing that is due, for "my thesis is due on Friday".
    """

    start: int
    end: int
    needs_time: bool = False
    needs_future: bool = False
    vague: bool = False
    first: str | None = None
    deadline_of: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one sentence claims."""

    tense: Tense = Tense.PRESENT
    ongoing: bool = False
    """A past tense that tells where something set in ("I started painting in June")."""
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
    mentions: tuple[EntityRef, ...] = ()
    importance: int = 4


@dataclass(frozen=True, slots=True)
class CorrectionCue:
    """Words that correct: `wrong` is what they take back, `right` what they put in its place.

    `right` is None where the rest of the sentence says it in full ("Correction: I live in ...").
    `explicit`: the speaker says that it is a correction; otherwise ("Actually, ...") it is one
    only if an earlier claim of the same predicate says otherwise.
    """

    right: str | None
    wrong: str | None
    explicit: bool = True


class LanguageRules(Protocol):
    """One language. Every method takes any text and must not raise."""

    @property
    def code(self) -> str:
        """ISO 639-1 code, such as "en"; the date finder is asked for the same language."""
        ...

    @property
    def future_cue(self) -> str:
        """Words that, put before a time, make it lean to the future ("we will ")."""
        ...

    def sentences(self, text: str) -> list[Sentence]:
        """The sentences of a turn that are its speaker's own: no code, no quoted lines."""
        ...

    def units(self, sentence: Sentence) -> list[Sentence]:
        """The parts of a sentence that stand or fall apart ("I live in X, but I might move")."""
        ...

    def kind(self, sentence: str) -> Kind:
        """What the sentence does."""
        ...

    def read(self, sentence: str, speaker: str) -> Reading:
        """What a sentence of one of the first three kinds claims."""
        ...

    def correction(self, sentence: str) -> CorrectionCue | None:
        """Whether and what it corrects."""
        ...


_FACTORIES: dict[str, Callable[[], LanguageRules]] = {}


def register(code: str, factory: Callable[[], LanguageRules]) -> None:
    """Make a language available to `RulesExtractor(language=code)`."""
    _FACTORIES[code] = factory


def language_rules(code: str) -> LanguageRules:
    """The rules of the language.

    Raises:
        InvalidInputError: no rules are registered for it.
    """
    if code not in _FACTORIES:
        known = ", ".join(sorted(_FACTORIES))
        raise InvalidInputError(f"there are no rules for the language {code!r}; known: {known}")
    return _FACTORIES[code]()
