"""What a single-valued slot says after the extracted claims went through `timeline()`."""

from __future__ import annotations

import pytest

from bitempo.engine.model import AssertionDraft, Cardinality, Polarity
from bitempo.engine.time import FOREVER, format_instant, parse_instant
from bitempo.engine.timeline import Claim, timeline
from bitempo.ingest.extraction import Window
from tests.ingest.rules_support import EXTRACTOR, drafts, holds, turn


def values(said: list[tuple[str, str]], predicate: str) -> list[tuple[str, str]]:
    """The spans of a slot as (value, "from..to"), after turns given as (time, text)."""
    claims = []
    for number, (time, text) in enumerate(said):
        at = parse_instant(f"{time}T12:00:00Z")
        window = Window("window", "session", (turn(text, number, at=at),))
        for draft in EXTRACTOR.extract(window).drafts:
            if draft.predicate == predicate:
                claims.append(_claim(draft, at, number))
    spans = timeline(claims, Cardinality.ONE)
    return [(span.value, f"{_date(span.start)}..{_date(span.end)}") for span in spans]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            [("2024-05-16", "I used to live in Lima.")],
            [("Lima", "..2024-05-16")],
        ),
        (
            [("2020-01-01", "I live in Cusco."), ("2024-05-16", "I used to live in Lima.")],
            [("Lima", "..2020-01-01"), ("Cusco", "2020-01-01..")],
        ),
        (
            [("2020-01-01", "I live in Lima."), ("2024-05-16", "I used to live in Lima.")],
            [("Lima", "..2024-05-16")],
        ),
        (
            [("2024-05-16", "I used to live in Lima, but I live in Cusco.")],
            [("Lima", "..2024-05-16"), ("Cusco", "2024-05-16..")],
        ),
        (
            [
                ("2020-01-01", "I live in Cusco."),
                ("2024-05-16", "I lived in Lima from 2021 to 2022."),
            ],
            [
                ("Cusco", "2020-01-01..2021-01-01"),
                ("Lima", "2021-01-01..2023-01-01"),
                ("Cusco", "2023-01-01.."),
            ],
        ),
        (
            [("2024-01-10", "I live in Lima."), ("2024-05-16", "I moved to Cusco in March.")],
            [("Lima", "2024-01-10..2024-03-01"), ("Cusco", "2024-03-01..")],
        ),
        (
            [("2024-01-10", "I live in Turin."), ("2024-02-01", "I moved to Genoa in December.")],
            [
                ("Genoa", "2023-12-01..2024-01-10"),
                ("Turin", "2024-01-10..2024-02-01"),
                ("Genoa", "2024-02-01.."),
            ],
        ),
        (
            [
                ("2024-05-16", "I live in Turin."),
                ("2024-05-16", "I no longer live in Turin; I moved to Genoa last week."),
            ],
            [("Genoa", "2024-05-06..")],
        ),
        (
            [("2024-02-01", "I moved to Genoa in December.")],
            [("Genoa", "2023-12-01..")],
        ),
        (
            [
                ("2024-01-10", "I live in Turin."),
                ("2024-02-01", "I moved out of Turin in December."),
            ],
            [("Turin", "2024-01-10..2024-02-01")],
        ),
        (
            [("2024-01-10", "I live in Genoa."), ("2024-02-01", "I left Turin in December.")],
            [("Genoa", "2024-01-10..")],
        ),
        (
            [("2024-01-10", "I live in Lima."), ("2024-05-16", "I no longer live in Lima.")],
            [("Lima", "2024-01-10..2024-05-16")],
        ),
        (
            [("2024-05-10", "I live in Lima."), ("2024-05-16", "I moved out of Lima this month.")],
            [("Lima", "2024-05-10..2024-05-16")],
        ),
        (
            [("2024-01-10", "I live in Lima."), ("2024-05-16", "I live in Rome until Friday.")],
            [
                ("Lima", "2024-01-10..2024-05-16"),
                ("Rome", "2024-05-16..2024-05-17"),
                ("Lima", "2024-05-17.."),
            ],
        ),
    ],
)
def test_where_somebody_lived_when(
    said: list[tuple[str, str]], expected: list[tuple[str, str]]
) -> None:
    assert values(said, "LIVES_IN") == expected


def test_an_employer_since_before_the_last_telling_is_the_one_now() -> None:
    said = [
        ("2024-01-10", "I work at Philips."),
        ("2024-05-16", "I have been working at Barco since 2023."),
    ]
    assert values(said, "WORKS_AT") == [
        ("Barco", "2023-01-01..2024-01-10"),
        ("Philips", "2024-01-10..2024-05-16"),
        ("Barco", "2024-05-16.."),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "I used to live in Lima.",
        "I lived in Lima from 2015 to 2018.",
        "I don't play tennis since last week.",
        "I'm moving to Lima next month.",
        "I live in Lima.",
        "My friend Ana adopted a cat called Luna in March.",
        "I've spoken Spanish since 2019.",
        "My birthday is 3 May.",
    ],
)
def test_only_a_single_valued_state_with_a_start_is_told_to_hold_besides(sentence: str) -> None:
    made = drafts(sentence)
    assert [one for one in made if any(holds(one, other) for other in made)] == []


@pytest.mark.parametrize(
    ("said", "holding"),
    [
        (("I joined Barco in 2019.", "Long before that, I joined Philips in 2012."), ["Barco"]),
        (("I joined Philips in 2012.", "I joined Barco in 2019."), ["Philips", "Barco"]),
        (
            ("I joined Philips in 2022.", "I've been working at Barco since 2019."),
            ["Philips", "Barco"],
        ),
    ],
)
def test_what_a_later_change_followed_is_not_told_to_hold(
    said: tuple[str, ...], holding: list[str]
) -> None:
    made = drafts(*said)
    found = [one.object for one in made if any(holds(one, other) for other in made)]
    assert [entity and entity.name for entity in found] == holding


@pytest.mark.parametrize(
    ("said", "predicate"),
    [
        (("I moved back to Lima in 2022.", "I moved out of Lima in 2015."), "LIVES_IN"),
        (("I joined Barco in March 2024.", "I quit my job in January 2024."), "WORKS_AT"),
        (("I work at Barco now. I quit my job in January 2024.",), "WORKS_AT"),
    ],
)
def test_a_denial_that_a_later_change_followed_does_not_hold_when_told(
    said: tuple[str, ...], predicate: str
) -> None:
    denied = [
        one
        for one in drafts(*said)
        if one.predicate == predicate and one.polarity is Polarity.NEGATIVE
    ]
    assert len(denied) == 1
    assert denied[0].valid_from is not None


def test_that_it_holds_sorts_after_that_it_began() -> None:
    began, now = (draft for draft in drafts("I moved to Genoa in March.") if draft.inferred)
    assert holds(now, began)
    assert now.key > began.key
    assert (now.quote, now.value, now.object) == (began.quote, began.value, began.object)


def test_a_job_quit_before_it_was_last_told_is_over_when_that_is_told() -> None:
    said = [("2024-01-10", "I work at Acme."), ("2024-02-01", "I quit my job in December.")]
    assert values(said, "WORKS_AT") == [("Acme", "2024-01-10..2024-02-01")]


def test_a_denied_job_leaves_the_slot_empty_until_the_next() -> None:
    said = [
        ("2023-01-10", "I work at Acme."),
        ("2024-02-01", "I quit my job!"),
        ("2024-05-16", "I started a new job at Globex last Monday."),
    ]
    assert values(said, "WORKS_AT") == [
        ("Acme", "2023-01-10..2024-02-01"),
        ("Globex", "2024-05-13.."),
    ]


def _claim(draft: AssertionDraft, at: int, number: int) -> Claim:
    answer = draft.object.name if draft.object else draft.value
    return Claim(
        id=f"{number}-{draft.key}",
        value=None if answer is None else str(answer),
        start=at if draft.valid_from is None else draft.valid_from,
        end=FOREVER if draft.valid_to is None else draft.valid_to,
        recorded_at=at,
        trust=draft.trust,
        positive=draft.polarity is Polarity.POSITIVE,
    )


def _date(instant: int) -> str:
    if abs(instant) >= FOREVER:
        return ""
    return format_instant(instant)[:10]
