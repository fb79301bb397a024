"""Claims that a scripted model finds in turns, wherever those stand in a prompt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bitempo.engine.names import normalise_name
from bitempo.engine.policy import normalise_predicate
from bitempo.ingest.llm.reply import Granularity, Reply, ReplyAssertion, ReplyEntity
from bitempo.ingest.resolution.model import Decisions
from bitempo.testing.call import Call
from bitempo.testing.pairs import deciding
from bitempo.testing.prompts import ExtractionPrompt, read_prompt

Kind = Literal[
    "state", "event", "preference", "plan", "relation", "trait", "procedure", "correction",
    "knowledge", "instruction",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a claim says was wrong: the fact of this subject and predicate that said `answer`."""

    subject: str
    predicate: str
    answer: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that the model makes of a turn: the fields of a reply's assertion, with defaults.

    Times are ISO 8601 text, as a model writes them. Without a `text` of its own it reads as its
    subject, predicate and object or value.
    """

    subject: str
    predicate: str
    object: str | None = None
    value: str | int | float | bool | None = None
    quote: str = ""
    text: str = ""
    cardinality: Literal["one", "many"] = "many"
    polarity: Literal["+", "-"] = "+"
    modality: Literal["actual", "planned", "hypothetical"] = "actual"
    kind: Kind = "state"
    time_text: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    granularity: Granularity = "unknown"
    due: str | None = None
    importance: int = 5
    confidence: float = 0.9
    inferred: bool = False
    corrects: Corrected | None = None

    @property
    def answer(self) -> str:
        """The object's name or the value, as text."""
        said = self.object if self.object is not None else self.value
        return "" if said is None else str(said)


@dataclass(frozen=True, slots=True)
class Named:
    """An entity of a reply: its name, its type, and other names for it."""

    name: str
    type: str = ""
    aliases: tuple[str, ...] = field(default=())


def finding(
    *claims: Claim, entities: Sequence[Named] = (), same: Sequence[tuple[str, str]] = ()
) -> Callable[[Call], Reply | Decisions]:
    """A script that finds each claim in the first turn that holds its quote, letter by letter.

        ScriptedModel(finding(Claim("Ana", "LIVES_IN", "Lima", quote="I live in Lima")))

    A window in which no quote occurs gets an empty reply, as from a model that finds no fact.
    Those of the `entities` that its claims name go along. Asked whether two names mean one thing,
    it says so of the pairs in `same`, and is unsure of all others.

    A quote that stood in no turn of any window is most likely misspelt: leaving the `with` block of
    the `ScriptedModel` then raises a `ScriptError` that names it, if the script was asked at all.
    """
    return _Finding(claims, entities, same)


class _Finding:
    def __init__(
        self,
        claims: Sequence[Claim],
        entities: Sequence[Named],
        same: Sequence[tuple[str, str]],
    ) -> None:
        self._claims = claims
        self._entities = entities
        self._same = same
        self._missing: set[str] | None = None
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> Reply | Decisions:
        decisions = deciding(call, self._same)
        if decisions is not None:
            return decisions
        prompt = read_prompt(call)
        found = []
        for claim in self._claims:
            labels = (turn.label for turn in prompt.turns if claim.quote in turn.text)
            if claim.quote and (label := next(labels, None)) is not None:
                found.append((claim, (label,)))
        with self._lock:
            missing = (
                {claim.quote for claim in self._claims}
                if self._missing is None
                else (self._missing)
            )
            self._missing = missing - {claim.quote for claim, _ in found}
        return reply_with(prompt, found, self._entities)

    def complaint(self) -> str | None:
        """What is wrong with the script, once all has been asked; None when nothing is."""
        if not self._missing:
            return None
        quotes = ", ".join(map(repr, sorted(self._missing)))
        return f"no turn holds the quote {quotes}: what it claims was never found"


def reply_with(
    prompt: ExtractionPrompt,
    found: Sequence[tuple[Claim, Sequence[str]]],
    entities: Iterable[Named] = (),
) -> Reply:
    """The reply that makes the claims, each with the labels of the turns that are its evidence.

    A correction names the claim before it in the reply, else the known fact of the prompt, that
    said what was wrong; where neither does, it corrects nothing.
    """
    assertions: list[ReplyAssertion] = []
    for index, (claim, labels) in enumerate(found):
        before = [earlier for earlier, _ in found[:index]]
        assertions.append(_assertion(claim, labels, _target(claim.corrects, before, prompt)))
    named = {name for claim, _ in found for name in (claim.subject, claim.object) if name}
    return Reply(
        entities=[
            ReplyEntity(name=entity.name, type=entity.type, aliases=list(entity.aliases))
            for entity in entities
            if entity.name in named
        ],
        assertions=assertions,
    )


def _assertion(claim: Claim, labels: Sequence[str], corrects: str | None) -> ReplyAssertion:
    spoken = " ".join([claim.subject, claim.predicate.replace("_", " ").lower(), claim.answer])
    return ReplyAssertion(
        text=claim.text or spoken.strip(),
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        value=claim.value,
        cardinality=claim.cardinality,
        polarity=claim.polarity,
        modality=claim.modality,
        kind=claim.kind,
        time_text=claim.time_text,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        granularity=claim.granularity,
        due=claim.due,
        importance=claim.importance,
        confidence=claim.confidence,
        inferred=claim.inferred,
        evidence=list(labels),
        quote=claim.quote,
        corrects=corrects,
    )


def _target(
    wrong: Corrected | None, before: Sequence[Claim], prompt: ExtractionPrompt
) -> str | None:
    if wrong is None:
        return None
    said = _key(wrong.subject, wrong.predicate, wrong.answer)
    for number in range(len(before), 0, -1):
        earlier = before[number - 1]
        if _key(earlier.subject, earlier.predicate, earlier.answer) == said:
            return f"a{number}"
    known = {_key(fact.subject, fact.predicate, fact.answer): fact for fact in prompt.facts}
    return known[said].label if said in known else None


def _key(subject: str, predicate: str, answer: str) -> tuple[str, str, str]:
    return normalise_name(subject), normalise_predicate(predicate), answer
