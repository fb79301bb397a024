"""What is merged of many verdicts: one meaning for a name, and no contradiction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bitempo.ingest.resolution.decision import Outcome, Verdict
from bitempo.ingest.resolution.matching import Judged, agreed, settled

SURE = Verdict(Outcome.SAME, "the same words", 0.9)
ALONE = Verdict(Outcome.SAME, "a short form", 0.8, alone="name")
ASK = Verdict(Outcome.ASK, "perhaps")
MAYBE = Verdict(Outcome.ASK, "perhaps a short form", alone="name")


def never(a: object, b: object) -> bool:
    del a, b
    return False


def pairs(items: list[Judged]) -> set[tuple[object, object]]:
    return {(item.a, item.b) for item in items}


def test_one_candidate_is_merged_and_others_are_asked_about() -> None:
    accepted, asked = settled([Judged("a", "b", SURE), Judged("c", "d", ASK)], never)
    assert (pairs(accepted), pairs(asked)) == ({("a", "b")}, {("c", "d")})


def test_two_that_fit_as_well_are_a_question() -> None:
    for rival in (ALONE, MAYBE):
        judged = [Judged("sam", "samuel", ALONE), Judged("sam", "samantha", rival)]
        accepted, asked = settled(judged, never)
        assert accepted == []
        assert pairs(asked) == {("sam", "samuel"), ("sam", "samantha")}


def test_two_that_are_one_already_are_no_rivals() -> None:
    judged = [Judged("mel", "melanie", ALONE), Judged("mel", "melly", ALONE)]
    accepted, asked = settled(judged, never, [["melanie", "melly"]])
    assert (len(accepted), asked) == (2, [])


def test_what_fits_in_another_way_is_no_rival() -> None:
    role = Verdict(Outcome.SAME, "the one daughter", 0.8, alone="role")
    judged = [Judged("ann's sue", "sue", ALONE), Judged("ann's sue", "ann's daughter", role)]
    accepted, _ = settled(judged, never)
    assert len(accepted) == 2


def test_nothing_joins_what_is_certainly_different() -> None:
    def forbids(a: object, b: object) -> bool:
        return {a, b} == {"ann's rex", "bob's rex"}

    judged = [Judged("rex", "ann's rex", SURE), Judged("bob's rex", "rex", SURE)]
    accepted, asked = settled(judged, forbids)
    assert (accepted, len(asked)) == ([], 2)
    assert len(agreed(asked, {0: "sure", 1: "sure"}, accepted, forbids)) == 1


def test_what_is_said_joins_in_spite_of_rivals() -> None:
    said = Verdict(Outcome.SAME, "said", 0.95, stated=True)
    accepted, _ = settled([Judged("sam", "samuel", said), Judged("sam", "samantha", ALONE)], never)
    assert ("sam", "samuel") in pairs(accepted)


def test_a_reply_decides_only_on_what_was_asked() -> None:
    asked = [Judged("a", "b", ASK), Judged("c", "d", ASK)]
    merged = agreed(asked, {1: "both live in Oslo", 7: "made up"}, [], never)
    assert pairs(merged) == {("c", "d")}
    assert merged[0].verdict.reason == "both live in Oslo"


THINGS = st.integers(0, 6)
VERDICTS = st.sampled_from([SURE, ALONE, ASK, MAYBE])


@given(
    st.dictionaries(
        st.tuples(THINGS, THINGS).filter(lambda pair: pair[0] < pair[1]), VERDICTS, max_size=12
    ),
    st.sets(st.tuples(THINGS, THINGS).filter(lambda pair: pair[0] < pair[1]), max_size=6),
)
def test_no_group_ever_holds_two_that_differ(
    verdicts: dict[tuple[int, int], Verdict], different: set[tuple[int, int]]
) -> None:
    def forbids(a: object, b: object) -> bool:
        return (a, b) in different or (b, a) in different

    judged = [Judged(a, b, verdict) for (a, b), verdict in verdicts.items()]
    accepted, asked = settled(judged, forbids)
    everything = accepted + agreed(
        asked, dict.fromkeys(range(len(asked)), "yes"), accepted, forbids
    )
    groups: dict[object, set[object]] = {}
    for item in everything:
        whole = groups.get(item.a, {item.a}) | groups.get(item.b, {item.b})
        groups |= dict.fromkeys(whole, whole)
    assert not any(b in groups.get(a, ()) for a, b in different)
