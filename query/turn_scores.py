"""Scores of turns: each signal of every turn, and the sums that they make.

Signals are kept by name, not by turn: most are about a few of the turns only, and the signals of a
turn are put together where somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bitempo.engine.model import Episode
from bitempo.query.question import asks
from bitempo.query.turns import Turns

Column = Mapping[str, float]
"""The values of one signal by turn; a turn that is not there has 0."""


@dataclass(frozen=True, slots=True)
class TurnScores:
    """The scores of the turns that any signal speaks for, and the signals by name."""

    scores: Mapping[str, float]
    columns: Mapping[str, Column]

    def signals(self, id: str) -> dict[str, float]:
        """The signals of one turn."""
        return {name: column.get(id, 0.0) for name, column in self.columns.items()}


@dataclass(frozen=True, slots=True)
class Told:
    """What the claims that were read out of turns say for these, by turn, each in [0, 1]."""

    evidence: Column
    tells: Column
    former: Column


def score_turns(
    turns: Turns,
    told: Told,
    speaker: str | None,
    recency: Column,
    weights: Mapping[str, float],
    texts: float,
    kept: Collection[str] = (),
) -> TurnScores:
    """Score the turns; those without any sign of relevance are left out.

    Args:
        speaker: whom the question names.
        weights: what each signal counts.
        texts: what the signals of a turn's own relevance count together.
        kept: turns that are not left out.
    """
    episodes = turns.episodes
    sums = _Sums(episodes, weights)
    for name, column in turns.relevance.items():
        sums.add(name, column)
    own = {id: total / (texts or 1.0) for id, total in sums.totals.items()}
    for name, column in _of_what_is_near(turns, own).items():
        sums.add(name, column)
    reached = sum(weights[name] for name in sums.columns) or 1.0
    relevant = [*sums.columns.values(), told.evidence, told.tells]
    spoken = [id for id, one in episodes.items() if speaker is not None and one.actor == speaker]
    named = {id: sums.totals[id] / reached for id in spoken}
    sums.add("evidence", told.evidence)
    sums.add("session_evidence", _by_session(episodes, best_of_sessions(episodes, told.evidence)))
    sums.add("tells", told.tells)
    sums.add("speaker", dict.fromkeys(spoken, 1.0))
    sums.add("named", named)
    sums.add("recency", recency)
    sums.add("former", told.former)
    worth = _any_of(relevant, episodes, kept)
    # Rounded, so that sums that differ in their last bits only are ties.
    return TurnScores({id: round(sums.totals[id], 9) for id in worth}, sums.columns)


def best_of_sessions(episodes: Mapping[str, Episode], relevance: Column) -> dict[str, float]:
    """By session, the relevance of its best turn."""
    best: dict[str, float] = {}
    for id, value in relevance.items():
        session = episodes[id].session if id in episodes else None
        if session is not None and value >= best.get(session, 0.0):
            best[session] = value
    return best


class _Sums:
    """The weighted sum of the signals of each turn, in the order in which they are added."""

    def __init__(self, turns: Iterable[str], weights: Mapping[str, float]) -> None:
        self.totals = dict.fromkeys(turns, 0.0)
        self.columns: dict[str, Column] = {}
        self._weights = weights

    def add(self, name: str, column: Column) -> None:
        weight, totals = self._weights[name], self.totals
        self.columns[name] = column
        for id, value in column.items() if weight else ():
            if id in totals:
                totals[id] += weight * value


def _of_what_is_near(turns: Turns, own: Column) -> dict[str, Column]:
    """What a turn takes of the relevance of those beside it, and of the best of its session."""
    episodes = turns.episodes
    asked = {
        id: own[before]
        for id, before in turns.before.items()
        if own[before] and asks(episodes[before].text)
    }
    after = {id: own[following] for id, following in turns.after.items() if own[following]}
    sessions = best_of_sessions(episodes, own)
    top = max(sessions.values(), default=0.0) or 1.0
    shares = {session: value / top for session, value in sessions.items() if value}
    return {"asked": asked, "after": after, "session": _by_session(episodes, shares)}


def _by_session(episodes: Mapping[str, Episode], values: Column) -> dict[str, float]:
    """By turn the value of its session."""
    found = {}
    for id, episode in episodes.items():
        value = values.get(episode.session or "")
        if value:
            found[id] = value
    return found


def _any_of(columns: Iterable[Column], turns: Collection[str], kept: Collection[str]) -> set[str]:
    """The turns for which any of the signals speaks, and those that are kept."""
    found = {id for id in kept if id in turns}
    for column in columns:
        if len(found) == len(turns):
            break
        found.update(id for id, value in column.items() if value and id in turns)
    return found
