"""What a memory believes after the rules read what was said, session by session."""

from __future__ import annotations

import pytest

from bitempo import Memory, Tenant
from bitempo.testing import FixedClock


def told(*said: tuple[str, str]) -> Tenant:
    """A memory of texts given as (day, text), each in a session of its own, taken in that day."""
    clock = FixedClock()
    tenant = Memory.open(":memory:", clock=clock).tenant("test")
    for number, (day, text) in enumerate(said):
        clock.set(f"{day}T18:00:00Z")
        messages = [{"role": "user", "content": text}]
        tenant.ingest(messages, session=f"s{number}", started_at=f"{day}T12:00:00Z", actor="Zoe")
    return tenant


def now(tenant: Tenant, predicate: str) -> list[str]:
    """What holds of Zoe now."""
    return [fact.answer for fact in tenant.as_of("Zoe", predicate)]


@pytest.mark.parametrize(
    ("said", "predicate", "answer"),
    [
        (
            [("2024-01-10", "I live in Turin."), ("2024-02-01", "I moved to Genoa in December.")],
            "LIVES_IN",
            "Genoa",
        ),
        (
            [
                ("2024-01-10", "I work at Philips."),
                ("2024-05-16", "I have been working at Barco since 2023."),
            ],
            "WORKS_AT",
            "Barco",
        ),
        (
            [
                (
                    "2024-05-16",
                    "I live in Turin. I no longer live in Turin; I moved to Genoa last week.",
                )
            ],
            "LIVES_IN",
            "Genoa",
        ),
        (
            [("2024-01-10", "My name is Ana."), ("2024-02-01", "Sorry, my name is Anna.")],
            "NAME",
            "Anna",
        ),
    ],
)
def test_the_latest_telling_of_a_state_is_what_holds_now(
    said: list[tuple[str, str]], predicate: str, answer: str
) -> None:
    assert now(told(*said), predicate) == [answer]


def test_a_home_left_before_it_was_last_told_is_over_once_that_is_told() -> None:
    tenant = told(
        ("2024-01-10", "I live in Turin."), ("2024-02-01", "I moved out of Turin in December.")
    )
    assert now(tenant, "LIVES_IN") == []


@pytest.mark.parametrize(
    "correction",
    [
        "Sorry, I meant Lisbon, not Porto.",
        "Correction: I moved to Lisbon in March 2023, not Porto.",
    ],
)
def test_a_corrected_value_is_gone_from_every_time(correction: str) -> None:
    tenant = told(("2023-05-01", "I moved to Porto in March 2023. " + correction))
    spans = [(fact.answer, str(fact.valid_from)[:10]) for fact in tenant.history("Zoe", "LIVES_IN")]
    assert spans == [("Lisbon", "2023-03-01")]


def test_a_correction_in_a_later_session_takes_back_both_that_it_began_and_that_it_holds() -> None:
    tenant = told(
        ("2022-01-01", "I live in Lima."),
        ("2023-05-01", "I moved to Porto in March 2023."),
        ("2023-06-01", "Correction: I moved to Lisbon in March 2023, not Porto."),
    )
    found = [fact.answer for fact in tenant.history("Zoe", "LIVES_IN")]
    assert found == ["Lima", "Lisbon"]


def test_a_birthday_holds_before_it_was_told() -> None:
    tenant = told(("2024-01-10", "My birthday is 3 May. My brother Tom is here."))
    then = "2019-01-01"
    assert [fact.answer for fact in tenant.as_of("Zoe", "BIRTHDAY", valid_at=then)] == ["3 May"]
    assert [fact.answer for fact in tenant.as_of("Zoe", "HAS_SIBLING", valid_at=then)] == ["Tom"]
