"""What the store hands to recall: candidates, and how common each term was as known then."""

from __future__ import annotations

import pytest

from bitempo.engine.store.port import Corpus, Matches
from bitempo.engine.store.sqlite import search
from bitempo.query.recall import RecallSettings
from tests.query.memory import SmallMemory, ids, instant

TURNS = RecallSettings(include=("turns",))


def chatter(count: int) -> SmallMemory:
    """Turns that all say "tea", of which every fifth says "cake" and the third "scone"."""
    memory = SmallMemory()
    for n in range(count):
        words = "tea" + (" cake" if n % 5 == 0 else "") + (" scone" if n == 3 else "")
        memory.session(f"s{n:02}", [("Anna", words)], "2024-01-01", f"2024-01-{n + 1:02}")
    return memory


def found(memory: SmallMemory, *terms: str, known: str = "2030-01-01", limit: int = 50) -> Matches:
    with memory.store.read(memory.tenant) as reader:
        return reader.search(Corpus.TURNS, terms, known_at=instant(known), limit=limit)


def test_candidates_come_by_the_rarity_of_their_terms_and_newest_first() -> None:
    matches = found(chatter(11), "tea", "cake", "scone")
    assert matches.ids[:4] == ["s03:0", "s10:0", "s05:0", "s00:0"]
    assert len(matches.ids) == 11
    assert matches.dropped == ()


@pytest.mark.parametrize("few", [0, search.FEW])
def test_frequencies_are_those_of_the_time_asked_for(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FEW", few)
    memory = chatter(20)
    for day in (1, 2, 4, 7, 12, 19, 20):
        matches = found(memory, "tea", "cake", "scone", known=f"2024-01-{day:02}")
        expected = {"tea": day, "cake": (day + 4) // 5, "scone": int(day >= 4)}
        assert matches.frequencies == {term: df for term, df in expected.items() if df}
        assert matches.documents == day


@pytest.mark.parametrize("few", [0, search.FEW])
def test_frequencies_do_not_count_another_tenants_rows_written_later(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FEW", few)
    memory = chatter(6)
    before = found(memory, "tea", "cake")
    other = SmallMemory(memory.store, "ben")
    other.session("x", [("Ben", "tea cake tea")] * 9, "2024-02-01")
    assert found(memory, "tea", "cake") == before
    assert found(other, "tea", "cake").frequencies == {"tea": 9, "cake": 9}


def test_terms_beyond_the_budget_are_told_and_the_rest_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = chatter(11)
    monkeypatch.setattr(search, "ROW_BUDGET", 5)
    matches = found(memory, "tea", "cake", "scone")
    assert matches.dropped == ("tea",)
    assert sorted(matches.ids) == ["s00:0", "s03:0", "s05:0", "s10:0"]
    assert matches.frequencies == {"tea": 11, "cake": 3, "scone": 1}
    assert ids(memory.recall("tea scone", settings=TURNS)) == ["s03:0"]


def test_of_a_term_too_frequent_by_itself_the_newest_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = chatter(11)
    monkeypatch.setattr(search, "ROW_BUDGET", 4)
    matches = found(memory, "tea")
    assert matches.ids == ["s10:0", "s09:0", "s08:0", "s07:0"]
    assert matches.dropped == ("tea",)


def test_a_small_corpus_is_searched_as_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = chatter(11)
    memory.retract_episode("s05:0", "2024-03-01")
    asked = [("tea", "cake", "scone"), ("scone", "unheard"), ("unheard",), ()]
    small = [found(memory, *terms, known=at) for terms in asked for at in ("2024-01-05", "2030")]
    monkeypatch.setattr(search, "FEW", 0)
    large = [found(memory, *terms, known=at) for terms in asked for at in ("2024-01-05", "2030")]
    assert small == large


def test_retracted_rows_take_no_place_among_the_candidates() -> None:
    memory = chatter(11)
    for n in (10, 9, 8):
        memory.retract_episode(f"s{n:02}:0", "2024-03-01")
    assert found(memory, "tea", limit=2).ids == ["s07:0", "s06:0"]
    assert found(memory, "tea", limit=2, known="2024-02-01").ids == ["s10:0", "s09:0"]
