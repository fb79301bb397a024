"""Resolution on the way of a window into the graph: one commit, paid once, and undone at will."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bitempo import NO_RESOLUTION, EntityRef, LLMExtractor, Memory, Tenant
from bitempo.engine.time import to_datetime
from bitempo.testing import (
    Call,
    Claim,
    FixedClock,
    Named,
    ScriptedModel,
    Status,
    finding,
    read_pairs,
)
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh

MEL_IN_OSLO = Claim("Mel", "LIVES_IN", "Oslo", quote="how is Oslo", cardinality="one")
SAM_IN_LIMA = Claim("Sam", "LIVES_IN", "Lima", quote="Sam lives in Lima", cardinality="one")
PEOPLE = (Named("Mel", "person"), Named("Sam", "person"), Named("Oslo", "place"))


def turns(*said: tuple[str, str], day: int = 1) -> list[dict[str, Any]]:
    return [
        {"role": "user", "name": who, "content": text, "timestamp": f"2024-06-{day:02}T10:00:00Z"}
        for who, text in said
    ]


HELLO = turns(("Ann", "Hey Mel, how is Oslo?"), ("Melanie", "Lovely, thanks!"))
SAM = turns(("Ann", "Sam lives in Lima."), day=2)

Opened = Callable[..., tuple[Memory, ScriptedModel]]


@pytest.fixture
def reading(open_memory: Opener, clock: FixedClock, request: pytest.FixtureRequest) -> Opened:
    """Opens a memory that extracts by a model of this script."""

    def opened(script: Any, **options: Any) -> tuple[Memory, ScriptedModel]:
        model = ScriptedModel(script)
        model.__enter__()
        request.addfinalizer(lambda: model.__exit__(None, None, None))
        extractor = LLMExtractor("scripted", base_url=model.url, api_key="test", max_retries=0)
        return open_memory(clock=clock, extractor=extractor, **options), model

    return opened


def lives_in(tenant: Tenant, name: str) -> list[object]:
    return [fact.answer for fact in tenant.as_of(name, "LIVES_IN")]


def known_as_melanie(memory: Memory) -> Tenant:
    tenant = fresh(memory)
    tenant.assert_fact(EntityRef("Melanie", "person"), "PLAYS", "violin", valid_from="2020")
    return tenant


def test_a_merge_is_part_of_the_commit_of_its_window(reading: Opened) -> None:
    memory, _ = reading(finding(MEL_IN_OSLO, entities=PEOPLE))
    tenant = known_as_melanie(memory)
    before = tenant.stats().transactions
    report = tenant.ingest(HELLO, session="s1")
    assert (report.windows, tenant.stats().transactions) == (1, before + 1)
    assert lives_in(tenant, "Melanie") == lives_in(tenant, "Mel") == ["Oslo"]
    (merge,) = tenant.merges()
    assert {merge.entity.name, merge.into.name} == {"Mel", "Melanie"}


def test_to_take_a_merge_back_restores_both(reading: Opened) -> None:
    memory, _ = reading(finding(MEL_IN_OSLO, entities=PEOPLE))
    tenant = known_as_melanie(memory)
    tenant.ingest(HELLO, session="s1")
    tenant.unmerge("Mel", "Melanie")
    assert (lives_in(tenant, "Melanie"), lives_in(tenant, "Mel")) == ([], ["Oslo"])
    again = turns(("Ann", "Mel, and how is Oslo now?"), ("Melanie", "Great."), day=3)
    tenant.ingest(again, session="s2")
    assert tenant.merges() == []


def test_retracting_the_turn_parts_what_it_alone_had_joined(reading: Opened) -> None:
    memory, _ = reading(finding(MEL_IN_OSLO, entities=PEOPLE))
    tenant = known_as_melanie(memory)
    tenant.ingest(HELLO, session="s1")
    (merge,) = tenant.merges()
    (assertion,) = merge.fact.support
    tenant.retract(episode=assertion.rpartition("#")[0])
    assert tenant.merges() == []
    assert lives_in(tenant, "Melanie") == []


def test_what_was_known_before_stays(reading: Opened, clock: FixedClock) -> None:
    memory, _ = reading(finding(MEL_IN_OSLO, entities=PEOPLE))
    tenant = known_as_melanie(memory)
    before = to_datetime(tenant.stats().last_tx or 0)
    clock.set("2031-01-01")
    tenant.ingest(HELLO, session="s1")
    assert tenant.as_of("Mel", known_at=before) == []
    assert [fact.answer for fact in tenant.as_of("Melanie", known_at=before)] == ["violin"]


def test_what_is_open_costs_one_more_call_and_that_once(reading: Opened) -> None:
    memory, model = reading(finding(SAM_IN_LIMA, entities=PEOPLE, same=[("Sam", "Samuel")]))
    tenant = fresh(memory)
    tenant.assert_fact(EntityRef("Samuel", "person"), "PLAYS", "chess", valid_from="2020")
    tenant.ingest(SAM, session="s1")
    assert [bool(read_pairs(call)) for call in model.calls] == [False, True]
    assert lives_in(tenant, "Samuel") == ["Lima"]
    tenant.ingest(SAM, session="s1")
    assert len(model.calls) == 2


def test_a_decision_that_failed_does_not_pay_for_the_extraction_again(reading: Opened) -> None:
    script = finding(SAM_IN_LIMA, entities=PEOPLE, same=[("Sam", "Samuel")])
    down = [True]

    def failing(call: Call) -> object:
        return Status(500) if read_pairs(call) and down else script(call)

    memory, model = reading(failing)
    tenant = fresh(memory)
    tenant.assert_fact(EntityRef("Samuel", "person"), "PLAYS", "chess", valid_from="2020")
    report = tenant.ingest(SAM, session="s1")
    assert len(report.failed) == 1
    assert lives_in(tenant, "Sam") == []
    down.clear()
    tenant.resume()
    assert [bool(read_pairs(call)) for call in model.calls] == [False, True, True]
    assert lives_in(tenant, "Samuel") == ["Lima"]


def test_no_tenant_is_resolved_against_another(reading: Opened) -> None:
    memory, model = reading(finding(SAM_IN_LIMA, entities=PEOPLE, same=[("Sam", "Samuel")]))
    other, tenant = fresh(memory), fresh(memory)
    other.assert_fact(EntityRef("Samuel", "person"), "PLAYS", "chess", valid_from="2020")
    tenant.ingest(SAM, session="s1")
    assert [bool(read_pairs(call)) for call in model.calls] == [False]
    assert tenant.merges() == other.merges() == []


def test_resolution_can_be_left_out(reading: Opened) -> None:
    memory, model = reading(finding(MEL_IN_OSLO, entities=PEOPLE), resolver=NO_RESOLUTION)
    tenant = known_as_melanie(memory)
    tenant.ingest(HELLO, session="s1")
    assert (lives_in(tenant, "Mel"), tenant.merges(), len(model.calls)) == (["Oslo"], [], 1)


def test_several_windows_find_one_entity_whatever_it_is_called(reading: Opened) -> None:
    claims = [
        Claim("Ann's kids", "LIKES", value="lizards", quote="My kids like lizards"),
        Claim("Ann's children", "LIKES", value="owls", quote="my children like owls"),
    ]
    groups: Sequence[Named] = (Named("Ann's kids", "group"), Named("Ann's children", "group"))
    memory, model = reading(finding(*claims, entities=groups))
    tenant = fresh(memory)
    tenant.ingest(turns(("Ann", "My kids like lizards.")), session="s1")
    tenant.ingest(turns(("Ann", "And my children like owls."), day=2), session="s2")
    answers = {fact.answer for fact in tenant.as_of("Ann's children", "LIKES")}
    assert answers == {"lizards", "owls"}
    assert len(model.calls) == 2


def test_an_alias_does_not_join_again_what_was_parted(reading: Opened) -> None:
    claim = Claim("Beatrix", "LIVES_IN", "Rome", quote="Beatrix (we call her Kit) is in Rome")
    named = Named("Beatrix", "person", ("Kit",))
    memory, _ = reading(finding(claim, entities=[named]))
    tenant = fresh(memory)
    for name in ("Beatrix", "Kit"):
        tenant.assert_fact(EntityRef(name, "person"), "PLAYS", "chess", valid_from="2020")
    said = "Beatrix (we call her Kit) is in Rome."
    tenant.ingest(turns(("Ann", said)), session="s1")
    assert len(tenant.merges()) == 1
    tenant.unmerge("Kit", "Beatrix")
    tenant.ingest(turns(("Ann", said), day=2), session="s2")
    assert tenant.merges() == []


@pytest.mark.parametrize("resolver", [None, NO_RESOLUTION])
@pytest.mark.parametrize("speaker", ["Carl", "assistant"])
def test_a_false_alias_moves_no_claim_to_another(
    reading: Opened, resolver: Any, speaker: str
) -> None:
    claim = Claim("Bob", "LIVES_IN", "Oslo", quote="Bob lives in Oslo", cardinality="one")
    script = finding(claim, entities=[Named("Bob", "person", ("Ana",))])
    memory, _ = reading(script, **({} if resolver is None else {"resolver": resolver}))
    tenant = fresh(memory)
    tenant.assert_fact(EntityRef("Ana", "person"), "LIVES_IN", "Lima", valid_from="2020")
    tenant.ingest(turns((speaker, "I talked to Ana. Bob lives in Oslo now.")), session="s1")
    assert (lives_in(tenant, "Ana"), lives_in(tenant, "Bob")) == (["Lima"], ["Oslo"])
    assert tenant.merges() == []


def test_to_read_turns_again_leaves_merges_and_finds_nothing_to_do_after(reading: Opened) -> None:
    memory, model = reading(finding(MEL_IN_OSLO, entities=PEOPLE))
    tenant = known_as_melanie(memory)
    tenant.ingest(HELLO, session="s1")
    assert tenant.reextract().windows == 0
    assert len(tenant.merges()) == 1
    assert len(model.calls) == 1
