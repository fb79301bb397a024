"""One unit of a turn into drafts: what it states, what it plans, and each typed claim in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bitempo.engine.model import (
    AssertionDraft,
    Cardinality,
    EntityRef,
    Episode,
    Modality,
    Polarity,
)
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.time import FOREVER, Instant
from bitempo.ingest.rules.language import (
    Finding,
    Kind,
    LanguageRules,
    Plan,
    Reading,
    Sentence,
    Shape,
    Tense,
)
from bitempo.ingest.rules.times import (
    Expression,
    Moved,
    Placed,
    TimeFinder,
    ahead,
    due_of,
    holds_when_told,
    place_finding,
    place_statement,
)

OWN_WORDS = 5
"""Trust in what speakers say of themselves: the default of an assertion."""

ABOUT_OTHERS = 4
"""Trust in what they say of others: it must not supersede those others' own words."""

HEARSAY = 3
"""Trust in what they say that somebody said."""

PLAN_IMPORTANCE = 6

_OPENING = 25
"""Characters from the start in which a time opens the sentence: "Next week I'm moving"."""

_SILENT = (Kind.QUESTION, Kind.HYPOTHETICAL, Kind.SMALL_TALK)
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or a part of one, with the turn it is of and who said it."""

    sentence: Sentence
    episode: Episode
    speaker: EntityRef

    @property
    def text(self) -> str:
        """The words as they stand in the turn."""
        return self.sentence.text


def read_unit(
    unit: Unit,
    language: LanguageRules,
    find_times: TimeFinder,
    extractor: str,
    earlier: Sequence[AssertionDraft] = (),
) -> list[AssertionDraft]:
    """The drafts of a unit, without keys; empty where it claims nothing.

    `earlier` are those of the conversation so far.
    """
    kind = language.kind(unit.text)
    if kind in _SILENT:
        return []
    reading = language.read(unit.text, unit.speaker.name)
    if kind in (Kind.INSTRUCTION, Kind.THIRD_PERSON) and not (reading.findings or reading.plan):
        return []
    times = find_times(unit.text, unit.episode.occurred_at)
    base = _base(unit, kind, reading, extractor)
    drafts: list[AssertionDraft] = []
    plan = _planned(base, reading, _leaning_ahead(reading, times, unit, language, find_times), unit)
    if plan is not None:
        drafts.append(plan)
    elif kind in (Kind.STATEMENT, Kind.REPORTED):
        placed = place_statement(
            times, reading.tense, unit.episode.occurred_at, ongoing=reading.ongoing
        )
        future = reading.tense is Tense.FUTURE
        modality = Modality.PLANNED if future else Modality.ACTUAL
        drafts.append(at(replace(base, modality=modality), Placed() if future else placed))
    for finding in reading.findings:
        drafts.extend(_typed(base, finding, times, unit, kind, [*earlier, *drafts]))
    return drafts


def at(draft: AssertionDraft, placed: Placed) -> AssertionDraft:
    """The draft with the interval of `placed`."""
    return replace(
        draft,
        valid_from=placed.valid_from,
        valid_to=placed.valid_to,
        granularity=placed.granularity,
        time_text=placed.time_text,
    )


def _base(unit: Unit, kind: Kind, reading: Reading, extractor: str) -> AssertionDraft:
    """The sentence as a statement, which every other draft of it differs from in a few fields."""
    text = _SPACES.sub(" ", unit.text)
    reported = kind is Kind.REPORTED
    return AssertionDraft(
        subject=unit.speaker,
        predicate="STATES",
        text=text,
        evidence=(unit.episode.id,),
        key="",
        value=text,
        importance=reading.importance,
        confidence=0.7 if reported else 0.9,
        trust=HEARSAY if reported else OWN_WORDS,
        quote=unit.text,
        cardinality=Cardinality.MANY,
        mentions=reading.mentions,
        extractor=extractor,
    )


def _typed(
    base: AssertionDraft,
    finding: Finding,
    times: Sequence[Expression],
    unit: Unit,
    kind: Kind,
    earlier: Sequence[AssertionDraft],
) -> Iterator[AssertionDraft]:
    said_at = unit.episode.occurred_at
    placed = place_finding(finding, times, said_at)
    if placed is None:
        return
    trust = OWN_WORDS if finding.subject is None else ABOUT_OTHERS
    draft = replace(
        base,
        subject=finding.subject or unit.speaker,
        predicate=finding.predicate,
        object=finding.object,
        value=finding.value,
        polarity=finding.polarity,
        importance=finding.importance,
        confidence=finding.confidence,
        trust=HEARSAY if kind is Kind.REPORTED else trust,
        inferred=True,
        cardinality=finding.cardinality,
        mentions=tuple(
            mention for mention in base.mentions if mention not in (finding.object, finding.subject)
        ),
    )
    yield at(draft, placed)
    if placed.denies_after is not None and placed.denies_after < FOREVER:
        after = placed.denies_after
        denial = replace(draft, polarity=Polarity.NEGATIVE, time_text=placed.time_text)
        yield replace(denial, valid_from=None if after == said_at else after, valid_to=None)
    if holds_when_told(placed, finding.shape, said_at) and _single_valued(draft):
        changed = finding.shape in (Shape.BEGAN, Shape.ENDED)
        if not (changed and _overtaken(at(draft, placed), said_at, earlier)):
            yield draft


def _overtaken(draft: AssertionDraft, said_at: Instant, earlier: Sequence[AssertionDraft]) -> bool:
    """Whether the conversation told of a later change already: "I joined X in 2019. Long before
    that, in 2012, I joined Y" does not say that the speaker is at Y. Nor does "I work at X; I quit
    my job in March" in one turn say that the speaker works nowhere."""
    start = draft.valid_from
    if start is None:
        return False
    denies = draft.polarity is Polarity.NEGATIVE
    answer = (draft.object, draft.value)
    whole_slot = denies and answer == (None, None)
    for other in earlier:
        if other.polarity is Polarity.NEGATIVE:
            continue
        if (other.subject, other.predicate) != (draft.subject, draft.predicate):
            continue
        # A later start of another value supersedes a value; of the same value, its denial.
        if not whole_slot and ((other.object, other.value) == answer) is not denies:
            continue
        if other.valid_from is not None and start < other.valid_from <= said_at:
            return True
        now = other.valid_from is None and other.evidence == draft.evidence
        if now and whole_slot:
            return True
    return False


def _single_valued(draft: AssertionDraft) -> bool:
    cardinality = draft.cardinality or PredicatePolicy.default().cardinality(draft.predicate)
    return cardinality is Cardinality.ONE


def _planned(
    base: AssertionDraft, reading: Reading, times: Sequence[Expression], unit: Unit
) -> AssertionDraft | None:
    """The plan, with its deadline; None without a plan, or without the time ahead it needs."""
    plan = reading.plan
    if plan is None:
        return None
    own = [time for time in times if time.end > plan.start or time.end <= _OPENING]
    time = ahead(own, unit.episode.occurred_at)
    if time is None and (plan.needs_time or plan.vague):
        return None
    if plan.needs_future and time is not None and _has_begun(time, unit.episode.occurred_at):
        return None
    value = _what(unit.text, plan, time)
    if not value:
        return None
    return replace(
        base,
        predicate="HAS_DEADLINE" if plan.deadline_of else "PLANS_TO",
        value=value,
        modality=Modality.PLANNED,
        importance=PLAN_IMPORTANCE,
        confidence=0.8,
        inferred=True,
        due=due_of(time) if time else None,
        time_text=time.text if time else None,
    )


def _leaning_ahead(
    reading: Reading,
    times: Sequence[Expression],
    unit: Unit,
    language: LanguageRules,
    find_times: TimeFinder,
) -> Sequence[Expression]:
    """The times of a plan. "We're getting married in June" has no word that tells the date finder
    that June is ahead, so it is asked again with one; a plan's time is never over."""
    said_at = unit.episode.occurred_at
    if reading.plan is None or not times or ahead(times, said_at) is not None:
        return times
    leaning: list[Expression] = []
    for time in times:
        # With the word before it, since a month alone need not be one ("in May", "may").
        start = unit.text.rfind(" ", 0, max(0, time.start - 1)) + 1
        asked = language.future_cue + unit.text[start : time.end]
        by = start - len(language.future_cue)
        leaning.extend(Moved.of(again).moved(by) for again in find_times(asked, said_at))
    return leaning


def _has_begun(time: Expression, said_at: Instant) -> bool:
    return time.kind != "deadline" and time.valid.start <= said_at


_LOOSE_END = re.compile(r"(?:[\s,]+(?:by|on|in|at|before|until|for|from|the|due|this))*[\s,.!;:]*$")


def _what(text: str, plan: Plan, time: Expression | None) -> str:
    """What is planned, without the time that says when, where that stands at its end."""
    if plan.deadline_of:
        return plan.deadline_of.lower()
    words = text[plan.start : plan.end]
    if time is not None and plan.start < time.start < plan.end <= time.end + 2:
        words = _LOOSE_END.sub("", text[plan.start : time.start])
    words = _SPACES.sub(" ", words).strip(" ,.!;:")
    if plan.first is not None:
        words = " ".join([plan.first, *words.split(" ")[1:]])
    return words
