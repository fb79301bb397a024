"""The turns of a recall: their relevance, alone and in their window, at one point in time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.lexical import is_turn, turn_text
from bitempo.engine.model import Episode
from bitempo.engine.store.port import Corpus, Matches, Point, Reader
from bitempo.query.counting import Counts, count
from bitempo.query.facts import Claims
from bitempo.query.question import MOST_TERMS, Question
from bitempo.query.scoring import Bm25, normalised, rarest
from bitempo.query.settings import RecallSettings
from bitempo.query.vectors import Likeness, QuestionVectors


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns worth ranking, with the turn before and after each in its session.

    `relevance` has by signal the relevance of each turn, in [0, 1]. `mean_length` is that of all
    the tenant's turns, in terms.
    """

    episodes: Mapping[str, Episode]
    before: Mapping[str, str]
    after: Mapping[str, str]
    relevance: Mapping[str, Mapping[str, float]]
    mean_length: float


def find_turns(
    reader: Reader,
    question: Question,
    point: Point,
    settings: RecallSettings,
    vectors: QuestionVectors | None,
    claims: Claims,
    cited: Collection[str] = (),
) -> Turns:
    """The turns that match the question or are like it, those next to them, and the `cited` ones.

    A turn is seen only if it was believed at the point's `known_at` and had happened by its
    `valid_at`; a window holds no other turns either. What was read out of a turn counts as if it
    stood in it: it names who and what the turn is about, where the turn says "she" and "there".
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
    told = {id: ids for id, ids in claims.told().items() if id in episodes}
    like.look_at(episodes)
    relevance = {
        **_by_words(episodes, before, after, matches, settings, claims, told),
        **_by_tokens(episodes, before, like, claims, told),
        "meaning": like.meaning,
    }
    return Turns(episodes, before, after, relevance, matches.mean_length)


def _by_words(
    episodes: Mapping[str, Episode],
    before: Mapping[str, str],
    after: Mapping[str, str],
    matches: Matches,
    settings: RecallSettings,
    claims: Claims,
    told: Mapping[str, Sequence[str]],
) -> dict[str, Mapping[str, float]]:
    """By the words of the turn, of its window, and of both with what was read out of them."""
    texts = {id: turn_text(episode) for id, episode in episodes.items()}
    alone = count(texts, rarest(matches.frequencies, MOST_TERMS))
    score = _Words(matches, settings)
    turn = score.of(alone, matches.mean_length)
    window = score.of(alone.windows(before, after), 3 * matches.mean_length, 3)
    if not told:
        return {"turn": turn, "window": window, "told": turn, "told_window": window}
    tellers: dict[str, list[str]] = {}
    for id, ids in told.items():
        for claim in ids:
            tellers.setdefault(claim, []).append(id)
    both = claims.counts.added_to(alone, tellers)
    mean = both.mean_length
    return {
        "turn": turn,
        "window": window,
        "told": score.of(both, mean),
        "told_window": score.of(both.windows(before, after), 3 * mean, 3),
    }


class _Words:
    """Scores texts by their words, with the statistics of the tenant's turns."""

    def __init__(self, matches: Matches, settings: RecallSettings) -> None:
        self._matches = matches
        self._settings = settings
        self._all_here = not matches.dropped and len(matches.ids) < settings.candidates

    def of(self, texts: Counts, mean_length: float, turns: int = 1) -> Mapping[str, float]:
        """The scores of texts that are made of so many turns each, in [0, 1]."""
        matches, settings = self._matches, self._settings
        frequencies = self._frequencies(texts, turns)
        bm25 = Bm25(frequencies, matches.documents, mean_length, settings.k1, settings.b)
        return normalised(bm25.scores(texts))

    def _frequencies(self, texts: Counts, turns: int) -> dict[str, int]:
        """In how many texts each term stands: counted when all are here, else estimated."""
        here = texts.frequencies()
        if self._all_here:
            return here
        return {
            term: min(
                self._matches.documents, max(turns * self._matches.frequencies.get(term, 0), count)
            )
            for term, count in here.items()
        }


def _by_tokens(
    episodes: Iterable[str],
    before: Mapping[str, str],
    like: Likeness,
    claims: Claims,
    told: Mapping[str, Sequence[str]],
) -> dict[str, Mapping[str, float]]:
    """By the tokens of the turn, of it with the turn before, and of both with what was told."""
    pairs = {id: _pair(id, before) for id in episodes}
    alone, pair = like.alone(), like.together(pairs)
    found = {"tokens": like.shares(alone), "pair": like.shares(pair)}
    if not told:
        return {**found, "told_tokens": found["tokens"], "told_pair": found["pair"]}
    both = like.joined(claims.like)
    # Where nothing was read out of a turn, it is as it is alone.
    alone = {id: alone[id] for id in pairs if id in alone}
    alone |= both.together({id: (id, *ids) for id, ids in told.items()})
    pair |= both.together({id: (*pairs[id], *ids) for id, ids in told.items()})
    return {**found, "told_tokens": like.shares(alone), "told_pair": like.shares(pair)}


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


def _pair(id: str, before: Mapping[str, str]) -> Sequence[str]:
    """The turn, and the one before it if there is one."""
    previous = before.get(id)
    return (id,) if previous is None else (previous, id)
