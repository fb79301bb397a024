"""Names know when they were learnt: what is asked of the past is asked by the names of then."""

from __future__ import annotations

import json

import pytest

from bitempo import EntityRef, Memory, Statement, Tenant
from bitempo.engine.names import name_words
from bitempo.testing import FixedClock
from tests.conformance.telling import fresh, instant, moment
from tests.conformance.test_tenants import everything

BEFORE = "2030-01-15"


@pytest.fixture
def learnt(tenant: Tenant, clock: FixedClock) -> Tenant:
    """A tenant that learns in February that Melanie is called Mel, too."""
    tenant.assert_fact("Melanie", "LIVES_IN", "Lima", valid_from="2024-01-01")
    tenant.assert_fact("Bo", "KNOWS", "Melanie", valid_from="2024-01-01")
    clock.set("2030-02-01")
    tenant.assert_fact(
        EntityRef("Melanie", aliases=("Mel",)), "LIVES_IN", "Oslo", valid_from="2024-05-01"
    )
    return tenant


def test_an_alias_is_not_known_before_it_was_learnt(learnt: Tenant) -> None:
    assert [fact.answer for fact in learnt.as_of("Mel")] == ["Oslo"]
    assert learnt.as_of("Mel", known_at=BEFORE) == []
    assert learnt.history("Mel", known_at=BEFORE) == []
    assert learnt.entities("Mel", known_at=BEFORE) == []
    assert [entity.aliases for entity in learnt.entities("Mel")] == [("Mel",)]
    assert [entity.aliases for entity in learnt.entities("Melanie", known_at=BEFORE)] == [()]


def test_what_was_answered_of_the_past_stays_when_an_alias_is_learnt(
    tenant: Tenant, clock: FixedClock
) -> None:
    tenant.assert_fact("Melanie", "LIVES_IN", "Lima", valid_from="2024-01-01")
    tenant.assert_fact("Bo", "KNOWS", "Melanie", valid_from="2024-01-01")

    def asked() -> list[object]:
        at = {"known_at": BEFORE, "valid_at": "2025-01-01"}
        recalls = [tenant.recall(f"where does {name} live?", **at) for name in ("Mel", "Melanie")]
        return [
            tenant.as_of("Melanie", **at),
            tenant.as_of("Bo", **at),
            tenant.history("Mel", known_at=BEFORE),
            tenant.diff("2029-01-01", BEFORE),
            [[(item.id, item.score, item.fact) for item in found.items] for found in recalls],
        ]

    before = asked()
    clock.set("2030-02-01")
    tenant.assert_fact(EntityRef("Melanie", aliases=("Mel",)), "PLAYS", "go")
    assert asked() == before


def test_an_export_says_when_each_alias_was_learnt(memory: Memory, learnt: Tenant) -> None:
    lines = everything(learnt)
    entities = [json.loads(line) for line in lines if '"record": "entity"' in line]
    [melanie] = [entity for entity in entities if entity["name"] == "Melanie"]
    assert (melanie["aliases"], melanie["learnt"]) == (["Mel"], ["2030-02-01T00:00:00Z"])
    copy = fresh(memory)
    copy.import_(lines)
    assert everything(copy) == lines
    assert copy.as_of("Mel", known_at=BEFORE) == []
    assert copy.as_of("Mel") == learnt.as_of("Mel")


def test_aliases_of_an_older_export_are_known_since_the_entity_was_made(
    memory: Memory, learnt: Tenant
) -> None:
    records = [json.loads(line) for line in everything(learnt)]
    for record in records:
        record.pop("learnt", None)
    copy = fresh(memory)
    copy.import_([json.dumps(record) for record in records])
    assert [fact.answer for fact in copy.as_of("Mel", known_at=BEFORE)] == ["Lima"]


def test_an_export_keeps_merges_with_their_whole_past(memory: Memory, learnt: Tenant) -> None:
    made = moment(instant(learnt.merge("Bo", "Melanie").tx))
    learnt.unmerge("Bo", "Melanie")
    learnt.assert_fact("B", "PLAYS", "go")
    learnt.merge("B", "Bo", reason="short")
    copy = fresh(memory)
    copy.import_(everything(learnt))
    assert everything(copy) == everything(learnt)
    for known in (BEFORE, made, None):
        assert copy.merges(known_at=known) == learnt.merges(known_at=known)
        for name in ("Bo", "B", "Melanie"):
            assert copy.as_of(name, known_at=known) == learnt.as_of(name, known_at=known)
    for tenant in (copy, learnt):
        tenant.unmerge("B", "Bo")
    assert copy.as_of() == learnt.as_of()


def test_entities_that_share_words_come_by_how_many_and_then_by_age(
    memory: Memory, tenant: Tenant
) -> None:
    other = fresh(memory)
    other.assert_fact("Anna Kowalska", "PLAYS", "go")
    for name in ("St. Mary's Hospital", "Anna K.", "Anna Maria Kowalska", "Maria", "go"):
        tenant.assert_fact(name, "IS_NAMED", value=True)

    def sharing(text: str, limit: int = 10) -> list[str]:
        with tenant._store.read(tenant.name) as reader:
            return [e.name for e in reader.entities_sharing(name_words(text), limit)]

    assert sharing("anna maria") == ["Anna Maria Kowalska", "Anna K.", "Maria"]
    assert sharing("ANNA") == ["Anna K.", "Anna Maria Kowalska"]
    assert sharing("anna", limit=1) == ["Anna K."]
    assert sharing("Mary") == ["St. Mary's Hospital"]
    assert sharing("nobody") == []
    tenant.assert_fact(EntityRef("Maria", aliases=("Mimi the Great",)), "PLAYS", "go")
    assert sharing("mimi") == ["Maria"]


def test_a_word_of_very_many_names_does_not_hide_a_rarer_one(tenant: Tenant) -> None:
    names = [*(f"place {number}" for number in range(300)), "place of rest", "rest"]
    tenant.assert_facts([Statement(name, "IS_NAMED", value=True) for name in names])
    with tenant._store.read(tenant.name) as reader:
        found = reader.entities_sharing({"place", "rest"}, 2)
    assert found[0].name == "place of rest"
    assert len(found) == 2


def test_an_alias_makes_nobody_another_who_is_known(tenant: Tenant) -> None:
    tenant.assert_fact(EntityRef("Ana", "person"), "LIVES_IN", "Lima")
    told = EntityRef("Bob", "person", aliases=("Ana", "Bobby"))
    tenant.assert_fact(told, "LIVES_IN", "Oslo")
    tenant.assert_fact(EntityRef("Ana", "person"), "PLAYS", "go")
    tenant.assert_fact("Bobby", "PLAYS", "chess")
    assert {fact.answer for fact in tenant.as_of("Ana")} == {"Lima", "go"}
    assert {fact.answer for fact in tenant.as_of("Bob")} == {"Oslo", "chess"}
    assert [entity.aliases for entity in tenant.entities("Bob")] == [("Bobby",)]
    assert tenant.merges() == []


def test_who_has_a_name_comes_before_who_is_only_called_so(tenant: Tenant) -> None:
    tenant.assert_fact(EntityRef("Rex Miller", aliases=("Rex",)), "PLAYS", "go")
    tenant.assert_fact(EntityRef("Rex Miller", "person"), "PLAYS", "chess")
    tenant.assert_fact(EntityRef("Rex", "dog"), "LIKES", value="bones")
    tenant.assert_fact("Rex", "LIKES", value="walks")
    assert [fact.answer for fact in tenant.as_of("Rex Miller", "LIKES")] == []
