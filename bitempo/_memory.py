"""The synchronous face: a memory, and handles bound to one tenant each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, overload

from bitempo._clock import SystemClock
from bitempo._embedding import Embeddings, EmbeddingVerbs
from bitempo._files import write_lines
from bitempo._graphs import GraphVerbs
from bitempo._ingesting import TenantIngest
from bitempo._intervals import IntervalVerbs
from bitempo._merging import Merging
from bitempo._open import check_parts, open_store, resolver_for
from bitempo._reading import Reading
from bitempo._redaction import secret_free_statements
from bitempo._replaying import Replaying
from bitempo._rewriting import Rewritings
from bitempo._statement import (
    NOT_STATED,
    NotStated,
    Statement,
    choice,
    draft_of,
    statement_episode,
)
from bitempo._written import Written
from bitempo.engine.commit import Batch, Commit, commit
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import (
    Cardinality,
    EntityRef,
    Literal,
    Modality,
    Polarity,
)
from bitempo.engine.names import check_id
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.recast import set_cardinality
from bitempo.engine.reranking import Reranker
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.engine.store.port import Store
from bitempo.engine.time import Clock, Instant, TimeLike, parse_instant
from bitempo.engine.transfer import from_lines, to_lines
from bitempo.ingest.embedders import open_embedder
from bitempo.ingest.extraction import Extractor
from bitempo.ingest.rerankers import open_reranker
from bitempo.ingest.resolution import Resolver
from bitempo.ingest.rewriters import open_rewriter
from bitempo.ingest.secrets import Redactor, SecretRedactor
from bitempo.query.cache import RecallCache

if TYPE_CHECKING:
    from bitempo.engine.embedding import Embedder

_LONGEST_TENANT = 200


class Memory:
    """A bitemporal memory, open on one store.

    Everything is read and written through `tenant(name)`; no call spans tenants. Safe to share
    between threads; several processes may open one file.

        with Memory.open("memory.db") as memory:
            tenant = memory.tenant("acme")
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock | None = None,
        policy: PredicatePolicy | None = None,
        extractor: Extractor | None = None,
        resolver: Resolver | None = None,
        redactor: Redactor | None = None,
        embedder: Embedder | str | None = None,
        reranker: Reranker | str | None = None,
        rewriter: QuestionRewriter | str | None = None,
    ) -> None:
        check_parts(extractor=extractor, resolver=resolver, redactor=redactor)
        self._store = store
        self.clock: Clock = clock or SystemClock()
        self.policy = policy or PredicatePolicy.default()
        self.redactor: Redactor = redactor or SecretRedactor()
        self._extractor = extractor
        self._extractor_chosen = extractor is not None
        self._resolver = resolver
        self.embeddings = Embeddings(store, embedder)
        self.reranker = open_reranker(reranker)
        self.rewritings = Rewritings(rewriter, self.redactor)
        self.recall_cache = RecallCache()

    @classmethod
    def open(
        cls,
        location: str | Path = "bitempo.db",
        *,
        clock: Clock | None = None,
        policy: PredicatePolicy | None = None,
        extractor: Extractor | None = None,
        resolver: Resolver | None = None,
        redactor: Redactor | None = None,
        embedder: Embedder | str | None = None,
        reranker: Reranker | str | None = None,
        rewriter: QuestionRewriter | str | None = None,
        busy_timeout: float = 30.0,
    ) -> Self:
        """Open a store, making it if there is none.

        Args:
            location: a file, `sqlite:///file`, ":memory:", or a Neo4j server
                (`bolt://user:password@host:7687/database`, `neo4j://`, `neo4j+s://`).
            clock: where "now" comes from; the system's clock by default.
            policy: cardinality of predicates; the shipped vocabulary by default.
            extractor: from text to facts; the rules by default, which need no model.
            resolver: which names mean one thing. By default names that an `LLMExtractor` finds are
                resolved by rules and by its model, those of another model by rules, and those of
                the rules extractor not at all; `NO_RESOLUTION` to leave it out.
            redactor: what takes secrets out of all that is written; the shipped one by default,
                `NO_REDACTION` to keep them.
            embedder: from text to vectors: "static", "minilm", "openai:MODEL", "onnx:FOLDER", one
                of your own, or none.
            reranker: from what recall found to a better order: "endpoint:MODEL", "onnx:FOLDER", one
                of your own, or none.
            rewriter: from a question to the text that is searched with: "endpoint:MODEL", one of
                your own, or none.
            busy_timeout: seconds to wait for another writer; on a server, over which a write is
                tried again after a transient error.

        Raises:
            StoreError: the store cannot be opened; the message says what to do.
            InvalidInputError: the location cannot be read, or a server needs the driver, which
                is not installed; or there is no such embedder, reranker or rewriter, or its extra
                is not installed.
        """
        # First the models: what cannot be used must not leave a store behind.
        embedder = open_embedder(embedder)
        reranker = open_reranker(reranker)
        rewriter = open_rewriter(rewriter)
        store = open_store(location, busy_timeout=busy_timeout)
        return cls(
            store,
            clock=clock,
            policy=policy,
            extractor=extractor,
            resolver=resolver,
            redactor=redactor,
            embedder=embedder,
            reranker=reranker,
            rewriter=rewriter,
        )

    @property
    def extractor(self) -> Extractor:
        """From text to facts: the one handed in, or the rules."""
        if self._extractor is None:
            # Their patterns take long to compile, and a memory that is only read needs none.
            from bitempo.ingest.rules import RulesExtractor

            self._extractor = RulesExtractor()
        return self._extractor

    @property
    def extractor_chosen(self) -> bool:
        """Whether an extractor was handed in; if not, the rules read nothing that another began."""
        return self._extractor_chosen

    @property
    def rewriter(self) -> QuestionRewriter | None:
        """From a question to the text that is searched with, or none."""
        return self.rewritings.rewriter

    @property
    def resolver(self) -> Resolver:
        """Which names mean one thing: the one handed in, or what suits the extractor."""
        if self._resolver is None:
            self._resolver = resolver_for(self.extractor, self.embeddings.embedder)
        return self._resolver

    def tenant(self, name: str) -> Tenant:
        """A handle bound to one tenant; nothing is written until it is used.

        Raises:
            InvalidInputError: the name is empty, longer than 200 characters or not printable.
        """
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InvalidInputError(f"{name!r} is not the name of a tenant; use printable text")
        if len(name) > _LONGEST_TENANT:
            raise InvalidInputError(
                f"the name of a tenant has at most {_LONGEST_TENANT} characters"
            )
        return Tenant(self, self._store, name)

    def backup(self, target: str | Path) -> None:
        """Copy the whole store to a new file while it is in use.

        Raises:
            StoreError: the target exists, or this store is backed up by its server's tools.
        """
        self._store.backup(Path(target))

    def close(self) -> None:
        """Release the store. Using the memory afterwards raises StoreClosedError."""
        self._store.close()
        self.recall_cache.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Tenant(Reading, Replaying, GraphVerbs, IntervalVerbs, EmbeddingVerbs, TenantIngest, Merging):
    """One tenant's memory: write what was said, and ask what is true, was true, or was known.

    In every read, `valid_at` is when it holds in the world and `known_at` when we knew it; both
    default to now. Get one from `Memory.tenant`.
    """

    def __init__(self, memory: Memory, store: Store, name: str) -> None:
        super().__init__(
            store,
            name,
            memory.clock,
            memory.embeddings,
            memory.recall_cache,
            memory.rewritings,
            memory.reranker,
        )
        self._memory = memory

    def assert_fact(
        self,
        subject: str | EntityRef,
        predicate: str,
        object: str | EntityRef | None = None,
        *,
        value: Literal | None = None,
        valid_from: TimeLike | NotStated | None = NOT_STATED,
        valid_to: TimeLike | None = None,
        polarity: Polarity | str = Polarity.POSITIVE,
        modality: Modality | str = Modality.ACTUAL,
        trust: int = 5,
        importance: int = 5,
        confidence: float = 1.0,
        due: TimeLike | None = None,
        corrects: str | None = None,
        cardinality: Cardinality | str | None = None,
        text: str | None = None,
        episode: str | None = None,
        occurred_at: TimeLike | None = None,
    ) -> Written:
        """Assert one fact directly; the arguments are the fields of `Statement`.

        Returns:
            What was written; `assertion_id` names the assertion, to retract or correct it.

        Raises:
            InvalidInputError: see `Statement`.
            EpisodeConflictError: the episode's id is taken by other statements.
            NotFoundError: there is no assertion that `corrects` names.
        """
        statement = Statement(
            subject,
            predicate,
            object,
            value=value,
            valid_from=valid_from,
            valid_to=valid_to,
            polarity=polarity,
            modality=modality,
            trust=trust,
            importance=importance,
            confidence=confidence,
            due=due,
            corrects=corrects,
            cardinality=cardinality,
            text=text,
        )
        return self.assert_facts([statement], episode=episode, occurred_at=occurred_at)

    def assert_facts(
        self,
        statements: Sequence[Statement],
        *,
        episode: str | None = None,
        occurred_at: TimeLike | None = None,
    ) -> Written:
        """Assert several facts in one commit, all from one episode.

        Args:
            statements: what is claimed; at least one.
            episode: an id of your own: handing in the same statements under it changes nothing.
            occurred_at: when it happened; now by default.
        """
        if not statements:
            raise InvalidInputError("there is no statement to assert")
        if episode is not None:
            check_id(episode, "an episode")
        statements, redacted = secret_free_statements(statements, self._memory.redactor)
        record = statement_episode(
            self.name, statements, episode, self._occurred(episode, occurred_at)
        )
        drafts = tuple(draft_of(s, record.id, i) for i, s in enumerate(statements))
        self._embeddings.check(self.name)
        done = self._commit(Batch(episodes=(record,), drafts=drafts))
        return Written.of(done, redacted, self._embeddings.complete(self.name))

    def retract(self, *assertions: str, episode: str | None = None) -> Written:
        """Take back assertions, or all that only an episode supports.

        For valid time it is as if they had never been made; what was known earlier stays.

        Raises:
            NotFoundError: there is no such assertion or episode.
        """
        if not assertions and episode is None:
            raise InvalidInputError("name an assertion or an episode to retract")
        for id in (*assertions, *([] if episode is None else [episode])):
            check_id(id, "something to retract")
        return Written.of(
            self._commit(
                Batch(
                    retract_assertions=assertions,
                    retract_episodes=() if episode is None else (episode,),
                )
            )
        )

    def set_cardinality(self, predicate: str, cardinality: Cardinality | str) -> Written:
        """Decide anew whether a predicate holds "one" value or "many", and derive its facts again.

        What was believed before can still be asked for at its time.
        """
        chosen = choice(Cardinality, cardinality)
        now = self._memory.clock.now()
        return Written.of(set_cardinality(self._store, self.name, predicate, chosen, now))

    @overload
    def export(self, target: None = None) -> Iterator[str]: ...
    @overload
    def export(self, target: str | Path) -> int: ...
    def export(self, target: str | Path | None = None) -> Iterator[str] | int:
        """Everything the tenant holds as JSON lines: into a file, or as an iterator of lines.

        A file is complete or not there; the number of its records is returned.
        """
        lines = to_lines(self._store.dump(self.name))
        if target is None:
            return lines
        return write_lines(Path(target), lines) - 2

    def import_(self, source: str | Path | Iterable[str]) -> int:
        """Restore an export into this tenant, which must be empty; all of it or nothing.

        Raises:
            TenantNotEmptyError: the tenant holds something already.
            InvalidRecordError: a line is malformed; nothing was written.
        """
        if isinstance(source, str | Path):
            try:
                with Path(source).open(encoding="utf-8") as file:
                    return self._store.load(self.name, from_lines(file, str(source)))
            except (OSError, UnicodeDecodeError) as error:
                raise InvalidInputError(f"{source} cannot be read: {error}") from error
        return self._store.load(self.name, from_lines(source))

    def _commit(self, batch: Batch) -> Commit:
        now = self._memory.clock.now()
        return commit(self._store, self.name, batch, self._memory.policy, now)

    def _occurred(self, episode: str | None, occurred_at: TimeLike | None) -> Instant:
        """When it happened; the same statements handed in again are of the first time."""
        if occurred_at is not None:
            return parse_instant(occurred_at)
        if episode is not None:
            with self._store.read(self.name) as reader:
                stored = reader.episodes([episode])
            if episode in stored:
                return stored[episode].occurred_at
        return self._memory.clock.now()
