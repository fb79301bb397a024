"""The turns of a recall: their relevance, alone and in their window, at one point in time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.lexical import is_turn, turn_text
from bitempo.engine.model import Episode
from bitempo.engine.store.port import Corpus, Matches, Point, Reader
from bitempo.query.question import MOST_TERMS, Question
from bitempo.query.scoring import (
    Bm25,
    Counter,
    Counts,
    document_frequencies,
    normalised,
    rarest,
)
from bitempo.query.settings import RecallSettings
from bitempo.query.vectors import Likeness, QuestionVectors


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns worth ranking, with the relevance of each by signal, in [0, 1]."""

    episodes: Mapping[str, Episode]
    before: Mapping[str, str]
    after: Mapping[str, str]
    alone: Mapping[str, float]
    window: Mapping[str, float]
    tokens: Mapping[str, float]
    pair: Mapping[str, float]
    meaning: Mapping[str, float]

    def texts(self, id: str) -> dict[str, float]:
        """What is relevant of the turn's own text, and of the texts around it."""
        return {
            "turn": self.alone.get(id, 0.0),
            "window": self.window.get(id, 0.0),
            "tokens": self.tokens.get(id, 0.0),
            "pair": self.pair.get(id, 0.0),
            "meaning": self.meaning.get(id, 0.0),
        }


def find_turns(
    reader: Reader,
    question: Question,
    point: Point,
    settings: RecallSettings,
    vectors: QuestionVectors | None,
    cited: Collection[str] = (),
) -> Turns:
    """The turns that match the question or are like it, those next to them, and the `cited` ones.

    A turn is seen only if it was believed at the point's `known_at` and had happened by its
    `valid_at`; a window holds no other turns either.
    """
    matches = reader.search(
        Corpus.TURNS, question.terms, known_at=point.known_at, limit=settings.candidates
    )
    like = Likeness(
        reader, Corpus.TURNS, vectors, known_at=point.known_at, limit=settings.candidates
    )
    near = reader.neighbours(dict.fromkeys([*matches.ids, *like.ids, *cited]), 1)
    episodes = {id: near[id] for id in sorted(near) if _visible(near[id], point)}
    before, after = _adjacent(episodes.values())
    frequencies = rarest(matches.frequencies, MOST_TERMS)
    counter = Counter(frequencies)
    alone = {id: counter.count(turn_text(episode)) for id, episode in episodes.items()}
    windows = _windows(alone, before, after)
    mean = matches.mean_length
    bm25 = Bm25(frequencies, matches.documents, mean, settings.k1, settings.b)
    wide = Bm25(
        _window_frequencies(windows, frequencies, matches, settings),
        matches.documents,
        3 * mean,
        settings.k1,
        settings.b,
    )
    like.look_at(episodes)
    return Turns(
        episodes,
        before,
        after,
        alone=normalised(bm25.scores(alone)),
        window=normalised(wide.scores(windows)),
        tokens=like.alone(),
        pair=like.together({id: _pair(id, before) for id in episodes}),
        meaning=like.meaning,
    )


def _visible(episode: Episode, point: Point) -> bool:
    return (
        is_turn(episode)
        and episode.believed is not None
        and point.known_at in episode.believed
        and (point.valid_at is None or episode.occurred_at <= point.valid_at)
    )


def _adjacent(episodes: Iterable[Episode]) -> tuple[dict[str, str], dict[str, str]]:
    """By turn, the one before and the one after it in its session."""
    places = {
        (episode.session, episode.position): episode.id
        for episode in episodes
        if episode.session is not None and episode.position is not None
    }
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for (session, position), id in places.items():
        following = places.get((session, position + 1))
        if following is not None:
            after[id] = following
            before[following] = id
    return before, after


def _windows(
    alone: Mapping[str, Counts], before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, Counts]:
    windows: dict[str, Counts] = {}
    for id, counts in alone.items():
        window = counts
        for other in (before.get(id), after.get(id)):
            if other is not None:
                window = window + alone[other]
        windows[id] = window
    return windows


def _pair(id: str, before: Mapping[str, str]) -> Sequence[str]:
    """The turn, and the one before it if there is one."""
    previous = before.get(id)
    return (id,) if previous is None else (previous, id)


def _window_frequencies(
    windows: Mapping[str, Counts],
    frequencies: Mapping[str, int],
    matches: Matches,
    settings: RecallSettings,
) -> dict[str, int]:
    """In how many windows each term stands: counted when all of them are here, else estimated."""
    if not matches.dropped and len(matches.ids) < settings.candidates:
        return document_frequencies(windows.values())
    return {term: min(matches.documents, 3 * df) for term, df in frequencies.items()}
