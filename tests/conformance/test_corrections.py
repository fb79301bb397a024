"""Who may correct whom: a source never takes back what a better one said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from bitempo import Memory, PredicatePolicy, Tenant
from bitempo.engine.model import AssertionDraft, EntityRef
from bitempo.ingest.extraction import Extraction, Window
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh


@dataclass
class Dictated:
    """An extractor of turns that are claims already: where Ana lives, and what that corrects."""

    name: str = "dictated/1"

    def extract(self, window: Window) -> Extraction:
        """The claims, in order; one of several targets is made once for each."""
        drafts: list[AssertionDraft] = []
        for episode in window.episodes:
            for home, *targets in json.loads(episode.text):
                for target in targets or [None]:
                    drafts.append(
                        AssertionDraft(
                            EntityRef("Ana", "person"),
                            "LIVES_IN",
                            f"Ana lives in {home}.",
                            (episode.id,),
                            f"k{len(drafts)}",
                            value=home,
                            corrects=target,
                        )
                    )
        return Extraction(self.name, tuple(drafts))


def told(open_memory: Opener) -> Tenant:
    """A tenant in which Ana lives in Lima, by two tellings of the usual trust."""
    memory: Memory = open_memory(
        clock=FixedClock("2024-12-01"),
        policy=PredicatePolicy.default(),
        extractor=Dictated(),
    )
    tenant = fresh(memory)
    tell(tenant, 1, ["Lima"], ["Lima"])
    return tenant


def tell(tenant: Tenant, month: int, *claims: list[str], trust: int = 5) -> list[str]:
    """Tell the claims; gives the reasons for what was not taken as it was told."""
    message: dict[str, Any] = {
        "name": "Ana",
        "content": json.dumps(claims),
        "timestamp": f"2024-{month:02}-05T12:00:00Z",
        "metadata": {"trust": trust},
    }
    return [rejection.reason for rejection in tenant.append("s", message).rejections]


def homes(tenant: Tenant) -> list[tuple[str, int, int]]:
    """Where Ana lives, by how many tellings, and how many it withstood."""
    return [
        (str(fact.answer), len(fact.support), len(fact.contested))
        for fact in tenant.as_of("Ana", "LIVES_IN", valid_at="2024-11-01")
    ]


def lima(tenant: Tenant) -> tuple[str, ...]:
    (fact,) = tenant.as_of("Ana", "LIVES_IN", valid_at="2024-01-06")
    return tuple(sorted(fact.support))


def test_a_source_corrects_what_is_trusted_as_much(open_memory: Opener) -> None:
    tenant = told(open_memory)
    assert tell(tenant, 3, ["Oslo", *lima(tenant)]) == []
    assert homes(tenant) == [("Oslo", 2, 0)]
    assert [fact.answer for fact in tenant.history("Ana", "LIVES_IN")] == ["Oslo"]


def test_a_source_does_not_correct_what_is_trusted_more(open_memory: Opener) -> None:
    tenant = told(open_memory)
    reasons = tell(tenant, 3, ["Oslo", *lima(tenant)], trust=3)
    assert len(reasons) == 2
    assert all(
        reason.startswith("corrects nothing: it is trusted less (3) than what it would correct (5)")
        for reason in reasons
    )
    # It stands once as a claim that the better one withstands.
    assert homes(tenant) == [("Lima", 2, 1)]


def test_a_low_source_may_correct_itself(open_memory: Opener) -> None:
    tenant = told(open_memory)
    tell(tenant, 3, ["Oslo"], trust=3)
    (oslo,) = tenant.as_of("Ana", "LIVES_IN", valid_at="2024-11-01")[0].contested
    assert tell(tenant, 4, ["Rome", oslo], trust=3) == []
    assert homes(tenant) == [("Lima", 2, 1)]
