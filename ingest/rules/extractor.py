"""The rules extractor: windows of turns into assertion drafts, without a model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from functools import partial

from bitempo.engine.model import AssertionDraft, Cardinality, EntityRef, Episode
from bitempo.engine.names import clean_text
from bitempo.engine.time import Instant
from bitempo.ingest.dates import find_times
from bitempo.ingest.extraction import Extraction, Rejection, Window
from bitempo.ingest.instructions import (
    QUOTED_IMPORTANCE,
    QUOTED_TRUST,
    reads_as_instruction,
)
from bitempo.ingest.rules.corrections import marked, settled
from bitempo.ingest.rules.language import (
    CorrectionCue,
    LanguageRules,
    Sentence,
    language_rules,
)
from bitempo.ingest.rules.reading import Unit, read_unit
from bitempo.ingest.rules.times import Expression

VERSION = 1

SILENT_ACTORS = frozenset({"assistant", "system", "tool", "function", "developer", "model"})
"""Roles whose turns make no facts: what a machine says of itself is not evidence."""

UNNAMED = "user"
"""Whose facts they are where a turn does not say who spoke."""


class RulesExtractor:
    """Implements `Extractor` with patterns of one language; needs no model and never raises.

    Typed claims are guesses by pattern: they are flagged `inferred`, with a confidence below 1.
    A draft's key is the number of its sentence in the turn and its number in the sentence, so
    that what is said later sorts later.

    Args:
        language: ISO 639-1 code of registered `LanguageRules`, or the rules themselves.
        timezone: where days start, for "yesterday" and the like.
        silent_actors: lower-case names of actors whose turns make no facts.

    Raises:
        InvalidInputError: no rules are registered for the language.
    """

    def __init__(
        self,
        language: str | LanguageRules = "en",
        *,
        timezone: tzinfo = UTC,
        silent_actors: frozenset[str] = SILENT_ACTORS,
    ) -> None:
        self._language = language_rules(language) if isinstance(language, str) else language
        self._timezone = timezone
        self._silent = silent_actors

    @property
    def name(self) -> str:
        """Name and version, with the language: "rules-en/1"."""
        return f"rules-{self._language.code}/{VERSION}"

    def extract(self, window: Window) -> Extraction:
        """The claims of the window's turns; its context is read for what corrections refer to."""
        conversation = _Conversation()
        for episode in window.context:
            self._read(episode, conversation)
        conversation.rejections.clear()
        drafts = [
            draft for episode in window.episodes for draft in self._read(episode, conversation)
        ]
        return Extraction(self.name, tuple(drafts), tuple(conversation.rejections))

    def _read(self, episode: Episode, conversation: _Conversation) -> list[AssertionDraft]:
        speaker = self._speaker(episode)
        if speaker is None:
            return []
        cleaned = replace(episode, text=clean_text(episode.text))
        find = partial(_find_times, language=self._language.code, timezone=self._timezone)
        found: list[AssertionDraft] = []
        for number, sentence in enumerate(self._language.sentences(cleaned.text)):
            if reads_as_instruction(sentence.text):
                found.append(self._quotation(sentence, cleaned, speaker, number))
                continue
            drafts: list[AssertionDraft] = []
            for part in self._language.units(sentence):
                unit = Unit(part, cleaned, speaker)
                try:
                    made = self._claims(unit, find, conversation)
                except (ValueError, OverflowError) as error:
                    # Times beyond the calendar and the like: the sentence is refused, not the turn.
                    conversation.rejections.append(Rejection(part.text[:200], str(error)))
                    continue
                conversation.add(made, unit)
                drafts.extend(made)
            found.extend(
                replace(draft, key=f"{number:06d}-{position:03d}")
                for position, draft in enumerate(drafts)
            )
        return found

    def _quotation(
        self, sentence: Sentence, episode: Episode, speaker: EntityRef, number: int
    ) -> AssertionDraft:
        """What would direct an agent: that it was said, and nothing that could supersede."""
        return AssertionDraft(
            subject=speaker,
            predicate="SAID",
            text=f'{speaker.name} said: "{sentence.text}"',
            evidence=(episode.id,),
            key=f"{number:06d}-000",
            value=sentence.text,
            importance=QUOTED_IMPORTANCE,
            trust=QUOTED_TRUST,
            quote=sentence.text,
            cardinality=Cardinality.MANY,
            extractor=self.name,
        )

    def _claims(
        self, unit: Unit, find: partial[list[Expression]], conversation: _Conversation
    ) -> list[AssertionDraft]:
        cue: CorrectionCue | None = self._language.correction(unit.text)
        if cue is not None and cue.right is not None:
            again = settled(unit, cue, conversation.said, self._language, find, self.name)
            if again:
                return again
        earlier = [draft for draft, _ in conversation.said]
        drafts = read_unit(unit, self._language, find, self.name, earlier)
        if cue is not None and cue.right is None:
            return marked(drafts, cue, earlier)
        return drafts

    def _speaker(self, episode: Episode) -> EntityRef | None:
        actor = clean_text(episode.actor or "").strip()
        if not any(char.isalnum() for char in actor):
            actor = UNNAMED
        return None if actor.lower() in self._silent else EntityRef(actor, "person")


@dataclass(slots=True)
class _Conversation:
    """What was claimed shortly before, for corrections to refer to."""

    said: list[tuple[AssertionDraft, Unit]] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def add(self, drafts: list[AssertionDraft], unit: Unit) -> None:
        self.said.extend((draft, unit) for draft in drafts)
        if len(self.said) > 2 * _REMEMBERED:
            del self.said[:-_REMEMBERED]


_REMEMBERED = 60
"""Drafts. A correction refers to what was said just now, not to a conversation's start."""


def _find_times(
    text: str, reference: Instant, *, language: str, timezone: tzinfo
) -> list[Expression]:
    return list(find_times(text, reference, language=language, timezone=timezone))
