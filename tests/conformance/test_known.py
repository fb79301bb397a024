"""What the memory knows that a window may speak of is the same on every store."""

from __future__ import annotations

from typing import Any

from bitempo import Memory, Statement, Tenant
from bitempo.engine.model import Episode
from bitempo.engine.time import parse_instant
from bitempo.ingest.extraction import Known, Window
from bitempo.ingest.llm.known import MOST_FACTS, known_of
from tests.conformance.telling import fresh


def told(text: str, actor: str = "Anna", when: str = "2024-05-20") -> Window:
    return Window("w", "s", (Episode("e", text, parse_instant(when), actor=actor),))


def known(memory: Memory, tenant: Tenant, window: Window) -> Known:
    with memory._store.read(tenant.name) as reader:
        return known_of(window, reader)


def names(found: Known) -> set[str]:
    return {entity.name for entity in found.entities}


def facts(found: Known) -> set[tuple[str, str, Any]]:
    return {(fact.subject.name, fact.predicate, fact.answer) for fact in found.facts}


def anna(memory: Memory) -> Tenant:
    tenant = fresh(memory)
    for subject, predicate, object, start in (
        ("Anna", "LIVES_IN", "Porto", "2019"),
        ("Anna", "LIVES_IN", "Lisbon", "2022"),
        ("Anna", "HAS_PET", "Rex", "2020"),
        ("Anna", "LIKES", "green tea", "2020"),
        ("Ben Müller", "LIVES_IN", "東京", "2020"),
    ):
        tenant.assert_fact(subject, predicate, object, valid_from=start)
    return tenant


def test_nothing_is_known_of_a_tenant_that_was_never_written_to(memory: Memory) -> None:
    assert known(memory, fresh(memory), told("Hello")) == Known()


def test_the_speakers_single_values_are_known_whatever_is_said(memory: Memory) -> None:
    found = known(memory, anna(memory), told("Hello there"))
    assert facts(found) == {("Anna", "LIVES_IN", "Lisbon")}
    assert names(found) == {"Anna", "Lisbon"}
    assert {"LIVES_IN", "HAS_PET", "LIKES"} <= {predicate.name for predicate in found.predicates}


def test_what_the_text_names_is_known_by_name_and_by_words(memory: Memory) -> None:
    found = known(memory, anna(memory), told("Is Ben Müller's tea from 東京です?", "Carl"))
    assert facts(found) == {
        ("Ben Müller", "LIVES_IN", "東京"),
        ("Anna", "LIKES", "green tea"),
    }


def test_what_had_ended_when_it_was_said_is_left_out(memory: Memory) -> None:
    tenant = anna(memory)
    now = known(memory, tenant, told("I left Porto"))
    assert ("Anna", "LIVES_IN", "Porto") not in facts(now)
    then = known(memory, tenant, told("I left Porto", when="2021-03-01"))
    assert ("Anna", "LIVES_IN", "Porto") in facts(then)


def test_other_tenants_are_not_known(memory: Memory) -> None:
    anna(memory)
    assert known(memory, fresh(memory), told("Anna and Rex in Lisbon")) == Known()


def test_a_fact_leads_to_the_assertion_that_it_is_read_from(memory: Memory) -> None:
    tenant = fresh(memory)
    for day in ("2024-01-01", "2024-02-01", "2024-03-01"):
        tenant.assert_fact("Anna", "LIVES_IN", "Porto", valid_from=day, text=f"Since {day}.")
    (fact,) = known(memory, tenant, told("Hello")).facts
    (lead, *others) = fact.support
    with memory._store.read(tenant.name) as reader:
        assert reader.assertions([lead])[lead].text == fact.text
    assert len(others) == 2


def test_what_is_known_is_bounded(memory: Memory) -> None:
    tenant = fresh(memory)
    tenant.assert_facts(
        [
            Statement("Anna", f"P{n}", value=f"tea {n}", cardinality="one", valid_from="2020")
            for n in range(MOST_FACTS + 20)
        ]
    )
    found = known(memory, tenant, told("tea"))
    assert len(found.facts) == MOST_FACTS
    assert found == known(memory, tenant, told("tea"))
