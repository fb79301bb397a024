"""What a tenant is asked: reads at one point in both times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bitempo._embedding import Embeddings
from bitempo._rewriting import Rewritings
from bitempo._statement import modality_or_any
from bitempo.engine.errors import InvalidInputError, ModelError
from bitempo.engine.model import Entity, Fact, Modality
from bitempo.engine.reranking import Reranker
from bitempo.engine.store.port import Neighbour, Point, Reader, Stats, Store
from bitempo.engine.time import Clock, Instant, TimeLike, parse_instant
from bitempo.ingest.dates import find_times
from bitempo.query import history
from bitempo.query.cache import RecallCache
from bitempo.query.history import Diff, Subject, Why
from bitempo.query.recall import Recall, RecallSettings, recall
from bitempo.query.reranking import deep_enough, reranked
from bitempo.query.rewriting import told_of_rewriting
from bitempo.query.vectors import QuestionVectors


class Reading:
    """One tenant's reads.

    In each, `valid_at` is when it holds in the world and `known_at` when we knew it; both default
    to now.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        clock: Clock,
        embeddings: Embeddings,
        cache: RecallCache,
        rewritings: Rewritings,
        reranker: Reranker | None = None,
    ) -> None:
        self.name = name
        self._store = store
        self._clock = clock
        self._embeddings = embeddings
        self._cache = cache
        self._rewritings = rewritings
        self._reranker = reranker

    def recall(
        self,
        question: str,
        *,
        context: Sequence[str] = (),
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        limit: int | None = None,
        settings: RecallSettings | None = None,
    ) -> Recall:
        """The facts and turns that answer a question best, at one point in both times.

        Args:
            question: in plain words. A memory with a rewriter searches with what that makes of it.
            context: the messages before the question, oldest first, for the rewriter. They are not
                searched and not kept, in the receipt neither.

        Raises:
            InvalidInputError: there is a context, and the memory has no rewriter.
            ModelError: the memory's embedder or reranker failed, or its rewriter and the settings
                require it.
        """
        chosen = settings or RecallSettings()
        if limit is not None:
            chosen = replace(chosen, limit=limit)
        asked_at = self._clock.now() if valid_at is None else parse_instant(valid_at)
        rewriting, failed = self._rewritings.of_question(
            question, context, asked_at, required=chosen.rewrite_required
        )
        searched = question if rewriting is None else rewriting.text
        found = self._ranked(searched, valid_at, known_at, chosen)
        return replace(told_of_rewriting(found, question, rewriting), rewrite_error=failed)

    def _ranked(
        self,
        question: str,
        valid_at: TimeLike | None,
        known_at: TimeLike | None,
        chosen: RecallSettings,
    ) -> Recall:
        # Before the read begins: an endpoint that takes its time must not hold it open.
        vectors = self._embeddings.of_question(self.name, question)
        with self._store.read(self.name) as reader:
            point = self._point(reader, valid_at, known_at)
            if self._reranker is None:
                return self._recalled(reader, question, point, chosen, vectors)
            found = self._recalled(reader, question, point, deep_enough(chosen), vectors)
        try:
            return reranked(found, self._reranker, chosen)
        except ModelError as error:
            if chosen.rerank_required:
                raise
            failed = str(error)
        # Once more as without a reranker, so that its receipt can be replayed without one.
        with self._store.read(self.name) as reader:
            plain = self._recalled(reader, question, point, chosen, vectors)
        return replace(plain, rerank_error=failed)

    def as_of(
        self,
        subject: Subject | None = None,
        predicate: str | None = None,
        *,
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
        limit: int | None = None,
    ) -> list[Fact]:
        """The facts of a slot, of an entity, or all, at one point in both times.

        `modality=None` asks for plans and hypotheses too.
        """
        with self._store.read(self.name) as reader:
            return history.as_of(
                reader,
                self._point(reader, valid_at, known_at),
                subject=subject,
                predicate=predicate,
                modality=modality_or_any(modality),
                limit=_checked(limit),
            )

    def neighbours(
        self,
        subject: Subject,
        *,
        hops: int = 1,
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        fan_out: int = 50,
        predicate: str | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
        sentences: bool = True,
    ) -> list[Neighbour]:
        """The facts around an entity, nearest first, at one point in both times.

        A hop goes from an entity to the facts that it is the subject or the object of, and on to
        their other ends.

        Args:
            hops: how many to go at most, 1 to 8.
            fan_out: how many facts to take of each entity at most: the most important, of those
                the latest to begin.
            predicate: go along facts of this predicate only.
            modality: None goes along plans and hypotheses too.
            sentences: whether to take facts that are whole sentences, as the rules make them.

        Returns:
            Each fact with its distance: 1 for a fact of the entity itself.

        Raises:
            InvalidInputError: `hops` or `fan_out` is out of range.
        """
        with self._store.read(self.name) as reader:
            return history.neighbours(
                reader,
                self._point(reader, valid_at, known_at),
                subject,
                hops=hops,
                fan_out=fan_out,
                predicate=predicate,
                modality=modality_or_any(modality),
                sentences=sentences,
            )

    def history(
        self,
        subject: Subject,
        predicate: str | None = None,
        *,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
        versions: bool = False,
    ) -> list[Fact]:
        """How a slot went through valid time, as known at one time.

        With `versions=True`, every version ever believed instead, those given up included.
        """
        wanted = modality_or_any(modality)
        with self._store.read(self.name) as reader:
            if versions:
                return history.versions(reader, subject, predicate, wanted)
            point = Point(self._known(reader, known_at))
            return history.as_of(
                reader, point, subject=subject, predicate=predicate, modality=wanted
            )

    def diff(self, known_a: TimeLike, known_b: TimeLike | None = None) -> Diff:
        """What we came to believe and stopped believing between two transaction times."""
        with self._store.read(self.name) as reader:
            return history.diff(reader, parse_instant(known_a), self._known(reader, known_b))

    def why(self, fact: Fact | str, *, known_at: TimeLike | None = None) -> Why:
        """A fact's evidence back to the turns, what it superseded and what it withstood.

        Raises:
            NotFoundError: there is no such fact, or it was not believed then.
        """
        fact_id = fact.id if isinstance(fact, Fact) else fact
        asked = None if known_at is None else parse_instant(known_at)
        with self._store.read(self.name) as reader:
            return history.why(reader, fact_id, asked)

    def entities(
        self,
        name: str | None = None,
        *,
        known_at: TimeLike | None = None,
        limit: int | None = None,
    ) -> list[Entity]:
        """The entities, or those of one name or alias; merged ones as one, with all their names."""
        with self._store.read(self.name) as reader:
            return history.entities(reader, name, self._known(reader, known_at), _checked(limit))

    def stats(self) -> Stats:
        """How much the tenant holds."""
        with self._store.read(self.name) as reader:
            return reader.stats()

    def _recalled(
        self,
        reader: Reader,
        question: str,
        point: Point,
        settings: RecallSettings,
        vectors: QuestionVectors | None,
    ) -> Recall:
        return recall(
            self._cache.reader(reader, self.name),
            question,
            point=point,
            settings=settings,
            vectors=vectors,
            tenant=self.name,
            find_times=find_times,
        )

    def _point(self, reader: Reader, valid_at: TimeLike | None, known_at: TimeLike | None) -> Point:
        valid = self._clock.now() if valid_at is None else parse_instant(valid_at)
        return Point(known_at=self._known(reader, known_at), valid_at=valid)

    def _known(self, reader: Reader, known_at: TimeLike | None) -> Instant:
        """Now means the last commit: nothing was learnt since, and one that ends while this
        read is under way stays out of it."""
        if known_at is not None:
            return parse_instant(known_at)
        return reader.last_tx() or self._clock.now()


def _checked(limit: int | None) -> int | None:
    if limit is not None and limit < 0:
        raise InvalidInputError(f"a limit cannot be negative, as {limit} is")
    return limit
