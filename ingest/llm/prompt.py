"""The messages for a window. The same window and memory give the same bytes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from pydantic import BaseModel

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Cardinality, Entity, Episode, Fact
from bitempo.engine.names import clean_text, digest
from bitempo.engine.policy import normalise_predicate
from bitempo.engine.store.port import Predicate
from bitempo.engine.time import FOREVER, Instant, format_instant, to_datetime
from bitempo.ingest.extraction import Window
from bitempo.ingest.llm.client import estimated_tokens
from bitempo.ingest.llm.guide import GUIDE, vocabulary
from bitempo.ingest.llm.times import WEEKDAYS

UNNAMED = "user"
"""Who spoke, where a turn does not say."""


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """What a user adds to the prompt, and how long its parts may be.

    `language` is the ISO 639-1 code or name of the language that facts are written in; None is
    that of the turns. `timezone` is where turns were spoken: days start at its midnight.
    """

    instructions: str = ""
    entity_types: tuple[type[BaseModel], ...] = ()
    fact_types: tuple[type[BaseModel], ...] = ()
    language: str | None = None
    timezone: tzinfo = UTC
    known_tokens: int = 1_500
    context_tokens: int = 600
    count_tokens: Callable[[str], int] = field(default=estimated_tokens, compare=False)

    def fingerprint(self) -> str:
        """Tells prompts of different content apart; empty where nothing was added."""
        added = _additions(self)
        return digest(added)[:6] if added else ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages, and which turns and facts their labels mean."""

    messages: tuple[tuple[str, str], ...]
    turns: dict[str, Episode]
    """By label, t1 and so on; then the context, c1 and so on."""
    facts: dict[str, Fact]
    """By label, f1 and so on."""

    @property
    def text(self) -> str:
        """All that is sent."""
        return "\n\n".join(text for _, text in self.messages)


def prompt_of(window: Window, settings: PromptSettings) -> Prompt:
    """The prompt for an informed window.

    What is the same for every window stands first, so that endpoints can cache it. Turns are
    whole; what is known and the context are cut to their bounds.
    """
    context = _context(window.context, settings)
    turns = dict(_labelled("t", window.episodes))
    facts: dict[str, Fact] = {}
    known = list(_known_lines(window, settings, facts))
    sections = [
        *known,
        _section(
            "CONTEXT (what was said just before; to understand the turns, not to extract again)",
            [_turn(label, e, settings, text) for label, (e, text) in context.items()],
        ),
        _section(
            "TURNS (extract from these)",
            [_turn(label, e, settings, e.text) for label, e in turns.items()],
        ),
    ]
    said = {label: episode for label, (episode, _) in context.items()}
    messages = (("system", system_text(settings)), ("user", "\n\n".join(filter(None, sections))))
    return Prompt(messages, turns | said, facts)


def system_text(settings: PromptSettings) -> str:
    """What every prompt of these settings begins with."""
    return "\n\n".join(filter(None, [GUIDE, vocabulary(), _additions(settings)]))


def speaker_of(episode: Episode) -> str:
    """Who spoke, as the prompt says it."""
    actor = " ".join(clean_text(episode.actor or "").split())
    return actor if any(char.isalnum() for char in actor) else UNNAMED


def check_types(types: Iterable[object], what: str) -> tuple[type[BaseModel], ...]:
    """The types, if all are pydantic classes.

    Raises:
        InvalidInputError: one is something else.
    """
    checked = []
    for given in types:
        if not (inspect.isclass(given) and issubclass(given, BaseModel)):
            raise InvalidInputError(
                f"{what} must be pydantic classes (subclasses of BaseModel), not {given!r}"
            )
        checked.append(given)
    return tuple(checked)


def cardinalities(fact_types: Iterable[type[BaseModel]]) -> dict[str, Cardinality]:
    """What the types say of how many values their predicates hold, by predicate."""
    return {
        normalise_predicate(each.__name__): Cardinality(said)
        for each in fact_types
        if (said := _cardinality(each))
    }


_LONGEST_FACT = 240
"""Characters of a known fact's answer; longer ones are cut in the middle."""


def _additions(settings: PromptSettings) -> str:
    parts = []
    if settings.language:
        parts.append(
            f"LANGUAGE\nWrite text and values in {settings.language}, whatever the turns are in. "
            "Quotes, time_text and names stay as they are in the turns."
        )
    if settings.entity_types:
        lines = [_entity_type(each) for each in settings.entity_types]
        parts.append("ENTITY TYPES to look for, with the facts that matter\n" + "\n".join(lines))
    if settings.fact_types:
        lines = [_fact_type(each) for each in settings.fact_types]
        parts.append("FACT TYPES to look for\n" + "\n".join(lines))
    if settings.instructions.strip():
        parts.append("FROM THE OWNER OF THIS MEMORY\n" + settings.instructions.strip())
    return "\n\n".join(filter(None, parts))


def _entity_type(type: type[BaseModel]) -> str:
    lines = [f"- type {type.__name__}: {_doc(type)}"]
    lines += [f"  - {normalise_predicate(name)}{about}" for name, about in _fields(type)]
    return "\n".join(lines)


def _fact_type(type: type[BaseModel]) -> str:
    cardinality = _cardinality(type)
    tail = f" (cardinality {cardinality})" if cardinality else ""
    lines = [f"- predicate {normalise_predicate(type.__name__)}{tail}: {_doc(type)}"]
    lines += [f"  - say its {name}{about}" for name, about in _fields(type)]
    return "\n".join(lines)


def _cardinality(type: type[BaseModel]) -> str:
    said = getattr(type, "cardinality", "")
    return said if said in ("one", "many") else ""


def _fields(type: type[BaseModel]) -> Iterator[tuple[str, str]]:
    for name, info in type.model_fields.items():
        yield name, f": {info.description}" if info.description else ""


def _doc(type: type[BaseModel]) -> str:
    # Not inspect.getdoc: a class without words of its own would speak in those of BaseModel.
    return " ".join((type.__doc__ or "").split()) or "as its name says"


def _known_lines(window: Window, settings: PromptSettings, facts: dict[str, Fact]) -> Iterator[str]:
    """The sections on what is known, within their bound; fills in which fact has which label."""
    budget = _Budget(settings.known_tokens, settings.count_tokens)
    known = window.known
    labelled = {f"f{n}": fact for n, fact in enumerate(known.facts, start=1)}
    told = [(label, fact, _fact(label, fact)) for label, fact in labelled.items()]
    # Facts may take two thirds: without them nothing can be updated or corrected.
    fact_lines = []
    for label, fact, line in told:
        if not budget.take(line, keep=settings.known_tokens // 3):
            break
        fact_lines.append(line)
        facts[label] = fact
    entities = [line for line in map(_entity, known.entities) if budget.take(line)]
    predicates = [line for line in map(_predicate, known.predicates) if budget.take(line)]
    yield _section("KNOWN PREDICATES", [", ".join(predicates)] if predicates else [])
    yield _section("KNOWN ENTITIES", entities)
    yield _section("KNOWN FACTS", fact_lines)


class _Budget:
    def __init__(self, tokens: int, count: Callable[[str], int]) -> None:
        self._left = tokens
        self._count = count

    def take(self, line: str, keep: int = 0) -> bool:
        """Whether the line still fits; it then counts."""
        tokens = self._count(line) + 1
        if tokens > self._left - keep:
            return False
        self._left -= tokens
        return True


def _context(
    episodes: Sequence[Episode], settings: PromptSettings
) -> dict[str, tuple[Episode, str]]:
    """The context by label, each turn cut to an equal share of what the context may take."""
    if not episodes:
        return {}
    share = max(40, settings.context_tokens * 4 // len(episodes))
    labelled = _labelled("c", episodes)
    return {label: (episode, _middle_cut(episode.text, share)) for label, episode in labelled}


def _labelled(letter: str, episodes: Sequence[Episode]) -> Iterator[tuple[str, Episode]]:
    for number, episode in enumerate(episodes, start=1):
        yield f"{letter}{number}", episode


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines]) if lines else ""


def _turn(label: str, episode: Episode, settings: PromptSettings, text: str) -> str:
    return _line(
        label=label,
        actor=speaker_of(episode),
        time=_time(episode.occurred_at, settings.timezone),
        text=clean_text(text),
    )


def _entity(entity: Entity) -> str:
    return _line(name=entity.name, type=entity.type, aliases=list(entity.aliases[:6]))


def _fact(label: str, fact: Fact) -> str:
    answer = fact.answer
    line: dict[str, object] = {
        "label": label,
        "subject": fact.subject.name,
        "predicate": fact.predicate,
        "answer": _middle_cut(answer, _LONGEST_FACT) if isinstance(answer, str) else answer,
    }
    if fact.valid_from is not None:
        line["since"] = format_instant(fact.valid.start)[:10]
    if fact.valid.end != FOREVER:
        line["until"] = format_instant(fact.valid.end)[:10]
    if fact.modality != "actual":
        line["modality"] = str(fact.modality)
    return _line(**line)


def _predicate(predicate: Predicate) -> str:
    return f"{predicate.name} ({predicate.cardinality})"


def _line(**values: object) -> str:
    # One JSON object on one line: no text can look like the start of another line.
    text = json.dumps(values, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def _time(instant: Instant, timezone: tzinfo) -> str:
    """The time with its weekday, which models get wrong when they count it themselves."""
    moment = to_datetime(instant)
    if moment is None:
        return "unknown"
    try:
        local = moment.astimezone(timezone)
    except OverflowError:
        local = moment
    stamp = local.isoformat(timespec="minutes").replace("+00:00", "Z")
    return f"{stamp} {WEEKDAYS[local.weekday()]}"


def _middle_cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = (longest - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
