"""The ways in which a case's episodes get into a memory: asserted, or told to a model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from bitempo import NOT_STATED, LLMExtractor, Turn
from bitempo import Statement as Stated
from bitempo.engine.place import assertion_id
from bitempo.engine.time import format_instant, parse_instant
from bitempo.ingest.extraction import Extraction, Extractor, Request, Window
from bitempo.ingest.llm.reply import Reply
from bitempo.ingest.metering import Meter
from bitempo.testing import Call, Claim, Corrected, ScriptedModel, finding
from tests.case_format import Case, Statement, Step

Play = Generator[Any, Any, list[str]]
"""Yields what a face returned (a result, or an awaitable of it) and is sent the result."""

Key = tuple[str, str]
"""A tenant, and the key of a statement in it."""


class Told(Protocol):
    """Tells the episodes of one case, and knows the ids of what statements with a key became."""

    ids: dict[Key, str]

    @property
    def extractor(self) -> Extractor | None: ...

    def tell(self, step: Step, tenant: Any) -> Play: ...


Telling = Callable[[Case], AbstractContextManager[Told]]


@contextmanager
def asserted(_: Case) -> Iterator[Told]:
    """Each episode is a call of `assert_facts`."""
    yield _Asserted()


@contextmanager
def told_to_a_model(case: Case) -> Iterator[Told]:
    """Each episode is a turn that states its statements; a scripted model writes them down.

    All between is real: the client and the wire, the prompt, the checks, resolution and apply.
    """
    told = _ToldToAModel(case)
    with ScriptedModel(told.reply) as model:
        told.extractor = _Watched(
            LLMExtractor("scripted", base_url=model.url, api_key="test", max_retries=0), told
        )
        yield told


class _Asserted:
    extractor = None

    def __init__(self) -> None:
        self.ids: dict[Key, str] = {}

    def tell(self, step: Step, tenant: Any) -> Play:
        ids = self.ids
        for position, statement in enumerate(step.statements):
            if statement.key is not None:
                # Known before the write, so that a later statement of the step can correct it.
                ids[step.tenant, statement.key] = f"{step.episode}#{position:04d}"
        written = yield tenant.assert_facts(
            [_stated(statement, step.tenant, ids) for statement in step.statements],
            episode=step.episode,
            occurred_at=step.occurred,
        )
        for statement, id in zip(step.statements, written.assertion_ids, strict=True):
            if statement.key is not None:
                ids[step.tenant, statement.key] = id
        return []


def _stated(statement: Statement, tenant: str, ids: dict[Key, str]) -> Stated:
    return Stated(
        subject=statement.subject,
        predicate=statement.predicate,
        object=statement.object,
        value=statement.value,
        valid_from=statement.valid_from if statement.from_stated else NOT_STATED,
        valid_to=statement.valid_to,
        corrects=ids[tenant, statement.corrects] if statement.corrects else None,
        **statement.options,
    )


class _ToldToAModel:
    extractor: Extractor | None = None

    def __init__(self, case: Case) -> None:
        self.ids: dict[Key, str] = {}
        self._single = case.single
        self._claims: list[Claim] = []
        self._keyed: dict[Key, Claim] = {}
        self._extracted: dict[str, str] = {}

    def reply(self, call: Call) -> Reply:
        return finding(*self._claims)(call)

    def extracted(self, extraction: Extraction) -> None:
        """Note under which id the memory keeps what."""
        assert not extraction.rejections, extraction.rejections
        self._extracted |= {draft.text: assertion_id(draft) for draft in extraction.drafts}

    def tell(self, step: Step, tenant: Any) -> Play:
        self._claims = [self._claim(statement, step.tenant) for statement in step.statements]
        trusts = {statement.options.get("trust") for statement in step.statements}
        assert len(trusts) == 1, "the statements of one source are trusted alike"
        (trust,) = trusts
        turn = Turn(
            text=" ".join(claim.quote for claim in self._claims),
            actor="narrator",
            occurred_at=parse_instant(step.occurred or step.at or _UNTOLD),
            id=step.episode,
            metadata={} if trust is None else {"trust": trust},
        )
        report = yield tenant.append("case", turn)
        assert not report.failed, report.failed
        for statement, claim in zip(step.statements, self._claims, strict=True):
            if statement.key is not None:
                self.ids[step.tenant, statement.key] = self._extracted[claim.text]
        return []

    def _claim(self, statement: Statement, tenant: str) -> Claim:
        wrong = self._keyed[tenant, statement.corrects] if statement.corrects else None
        time_text, valid_from = _time(statement)
        denied = statement.options.get("polarity") == "-"
        sentence = " ".join(
            [
                "No longer:" if denied else "Noted:",
                statement.subject,
                statement.predicate.lower().replace("_", " "),
                str(statement.object if statement.object is not None else statement.value or ""),
                time_text or "",
                f"(not {wrong.quote})" if wrong else "",
            ]
        )
        claim = Claim(
            statement.subject,
            statement.predicate,
            statement.object,
            value=statement.value,
            quote=" ".join(sentence.split()) + ".",
            text=" ".join(sentence.split()),
            cardinality="one" if statement.predicate in self._single else "many",
            polarity="-" if denied else "+",
            modality=statement.options.get("modality", "actual"),
            time_text=time_text,
            valid_from=valid_from,
            valid_to=_utc(statement.valid_to),
            corrects=Corrected(wrong.subject, wrong.predicate, wrong.answer) if wrong else None,
        )
        if statement.key is not None:
            self._keyed[tenant, statement.key] = claim
        return claim


_UNTOLD = "2000-01-01"
"""When a step happens before which no step says what time it is."""


def _time(statement: Statement) -> tuple[str | None, str | None]:
    """The words that say when, and the start that the model makes of them."""
    start, end = statement.valid_from, statement.valid_to
    if start is None:
        return ("always", "always") if statement.from_stated else (None, None)
    return f"from {start} to {end}" if end else f"from {start} on", _utc(start)


def _utc(time: str | None) -> str | None:
    return None if time is None else format_instant(parse_instant(time))


class _Watched:
    """The extractor, with what it made of each window shown to who tells the case."""

    def __init__(self, extractor: LLMExtractor, told: _ToldToAModel) -> None:
        self._extractor = extractor
        self._told = told
        self.name = extractor.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._extractor, name)

    def informed(self, window: Window, reader: Any) -> Window:
        return self._extractor.informed(window, reader)

    def requests(self, window: Window) -> tuple[Request, ...]:
        return self._extractor.requests(window)

    def extract(self, window: Window) -> Extraction:
        return self.extract_metered(window, Meter())

    def extract_metered(self, window: Window, meter: Meter) -> Extraction:
        extraction = self._extractor.extract_metered(window, meter)
        self._told.extracted(extraction)
        return extraction
