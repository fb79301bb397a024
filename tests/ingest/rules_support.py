"""Turns for the tests of the rules extractor, and its drafts on one line each."""

from __future__ import annotations

from dataclasses import replace

from bitempo.engine.model import AssertionDraft, Episode, Modality
from bitempo.engine.time import Granularity, format_instant, parse_instant
from bitempo.ingest.extraction import Window
from bitempo.ingest.rules import RulesExtractor

SPEAKER = "Zoe"
SAID_AT = parse_instant("2024-05-16T12:00:00Z")
EXTRACTOR = RulesExtractor()


def turn(text: str, number: int = 0, *, actor: str | None = SPEAKER, at: int = SAID_AT) -> Episode:
    """One turn."""
    return Episode(f"turn{number}", text, at, actor=actor, position=number)


def drafts(
    *texts: str, actor: str | None = SPEAKER, context: tuple[str, ...] = ()
) -> list[AssertionDraft]:
    """What is extracted from turns that one person says."""
    before = tuple(turn(text, 100 + number, actor=actor) for number, text in enumerate(context))
    turns = tuple(turn(text, number, actor=actor) for number, text in enumerate(texts))
    return list(EXTRACTOR.extract(Window("window", "session", turns, before)).drafts)


def typed(*texts: str, context: tuple[str, ...] = ()) -> list[str]:
    """The typed actual claims, sorted: "[subject ]PREDICATE ±answer[ [from..to)]".

    That what has a start also holds when it is told is left out.
    """
    made = [
        draft
        for draft in drafts(*texts, context=context)
        if draft.inferred and draft.modality is Modality.ACTUAL
    ]
    return sorted(line(draft) for draft in made if not any(holds(draft, one) for one in made))


def holds(draft: AssertionDraft, begun: AssertionDraft) -> bool:
    """Whether `draft` says that what `begun` gives a start holds when it is told."""
    return begun.valid_from is not None and draft == replace(
        begun,
        valid_from=None,
        time_text=None,
        granularity=Granularity.UNKNOWN,
        key=draft.key,
    )


def line(draft: AssertionDraft) -> str:
    """A draft on one line, the subject left out where it is the speaker."""
    subject = "" if draft.subject.name == SPEAKER else f"{draft.subject.name} "
    answer = draft.object.name if draft.object else draft.value
    shown = "" if answer is None else str(answer)
    return f"{subject}{draft.predicate} {draft.polarity.value}{shown}{_interval(draft)}"


def _interval(draft: AssertionDraft) -> str:
    if draft.valid_from is None and draft.valid_to is None:
        return ""
    ends = (draft.valid_from, draft.valid_to)
    start, end = ("" if at is None else _day(at) for at in ends)
    return f" [{start}..{end})"


def _day(at: int) -> str:
    return format_instant(at).removesuffix("T00:00:00Z")
