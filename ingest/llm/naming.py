"""Whom a claim is about: the name that a model gives, traced to speakers, memory and turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.lexical import STOP_WORDS, terms, words
from bitempo.engine.model import Entity, EntityRef, Episode, Literal
from bitempo.engine.names import normalise_name
from bitempo.ingest.extraction import Known
from bitempo.ingest.llm.prompt import UNNAMED, speaker_of
from bitempo.ingest.llm.reply import ReplyEntity
from bitempo.ingest.llm.sources import UnverifiedError, levelled
from bitempo.ingest.trust import MACHINES, by_machine


class Names:
    """The entities that one reply may speak of."""

    def __init__(
        self, turns: Iterable[Episode], known: Known, declared: Sequence[ReplyEntity]
    ) -> None:
        turns = list(turns)
        self._speakers = {normalise_name(name): name for name in map(speaker_of, turns)}
        persons = {normalise_name(speaker_of(e)) for e in turns if not by_machine(e)}
        self._machines = self._speakers.keys() - persons
        self._known = _by_name(known.entities)
        self._text = levelled("\n".join(f"{speaker_of(e)}: {e.text}" for e in turns))
        told = [self._text, *(n for e in known.entities for n in (e.name, *e.aliases))]
        told += [str(fact.answer) for fact in known.facts]
        self._terms = frozenset(terms(" ".join(told)))
        self._renamed: dict[str, str] = {}
        self._declared = self._checked(declared)

    def subject(self, name: str, speaker: str) -> EntityRef:
        """The entity of that name; "I" and "the user" are who speaks.

        Raises:
            UnverifiedError: it is no speaker, not known, and not named in the turns.
        """
        normal = self._normal(name)
        if normal in _FIRST_PERSON:
            return self.speaker(speaker)
        if normal in _USER:
            return self.speaker(self._user(speaker))
        return self._named(name, normal)

    def object(self, name: str, speaker: str) -> EntityRef:
        """As `subject`: a claim about what nobody named says something that was not said."""
        return self.subject(name, speaker)

    def tells(self, value: Literal) -> bool:
        """Whether the turns or the memory speak of the value; a truth value is never spoken of."""
        if isinstance(value, bool):
            return True
        if isinstance(value, str):
            return self._told(value) or not any(char.isalnum() for char in value)
        digits = f"{value:g}" if isinstance(value, float) else str(value)
        return any(form in self._text for form in (digits, f"{value:,}")) or value in range(13)

    def speaker(self, name: str) -> EntityRef:
        """The entity of one who speaks."""
        known = self._known.get(self._normal(name), ())
        if self._is_machine(name):
            return EntityRef(name, next((entity.type for entity in known), "agent"))
        return EntityRef(name, "person")

    def _is_machine(self, speaker: str) -> bool:
        return speaker.lower() in MACHINES or self._normal(speaker) in self._machines

    def _named(self, name: str, normal: str) -> EntityRef:
        if normal in self._renamed:
            name = self._renamed[normal]
            normal = self._normal(name)
        if normal in self._speakers:
            return self._with_aliases(self.speaker(self._speakers[normal]), normal)
        declared = self._declared.get(normal)
        known = self._same(self._known.get(normal, ()), declared)
        if known is not None:
            return self._with_aliases(EntityRef(known.name, known.type), normal)
        if declared is not None:
            return declared
        if not self._told(name):
            raise UnverifiedError(f"{name!r} is no speaker, not known, and not named in the turns")
        return EntityRef(name.strip())

    def _with_aliases(self, ref: EntityRef, normal: str) -> EntityRef:
        declared = self._declared.get(normal)
        if declared is None:
            return ref
        others = {ref.name.casefold()}
        aliases = (declared.name, *declared.aliases)
        kept = dict.fromkeys(alias for alias in aliases if alias.casefold() not in others)
        return EntityRef(ref.name, ref.type, tuple(kept))

    def _same(self, known: Sequence[Entity], declared: EntityRef | None) -> Entity | None:
        """The known entity that is meant: types that a model words anew do not part one thing."""
        if declared is None or not declared.type:
            return next(iter(known), None)
        type = normalise_name(declared.type)
        alike = [entity for entity in known if entity.type == type]
        living = type in _LIVING
        alike += [e for e in known if (e.type in _LIVING) == living or not e.type]
        return next(iter(alike), None)

    def _checked(self, declared: Sequence[ReplyEntity]) -> dict[str, EntityRef]:
        """The declared entities that the turns name, by each of their names."""
        named: dict[str, EntityRef] = {}
        taken = set(self._speakers)
        for entity in declared:
            name, *aliases = dict.fromkeys([entity.name, *entity.aliases])
            told = [alias for alias in aliases if self._is_alias(alias)]
            if not self._told(name) and self._normal(name) not in taken:
                if not told:
                    continue
                # What no turn says and nobody knows is no name; the one that is told is.
                self._renamed.setdefault(self._normal(name), told[0])
                name, *told = told
            ref = EntityRef(name, entity.type, tuple(told))
            for each in (name, *told):
                normal = self._normal(each)
                if normal not in taken or each == name:
                    named.setdefault(normal, ref)
        return named

    def _is_alias(self, alias: str) -> bool:
        """Whether the turns call something so, and the words do not merely point at it."""
        normal = self._normal(alias)
        content = [word for word in words(normal) if word not in STOP_WORDS]
        if not content or normal in _FIRST_PERSON or normal in _USER:
            return False
        described = _OWNER.match(alias) is not None and self._told(alias)
        return described or levelled(alias) in self._text

    def _told(self, name: str) -> bool:
        """Whether the turns or the memory speak of it: literally, or by half of its words.

        Whose it is and when it was are told apart from what it is.
        """
        if levelled(name) in self._text:
            return True
        said = [word for word in words(_OWNER.sub(" ", name)) if word not in STOP_WORDS]
        content = [word for word in said if word not in _WHEN and not word.isdigit()]
        known = [word for word in content if self._occurs(word)]
        return bool(content) and 2 * len(known) >= len(content)

    def _occurs(self, word: str) -> bool:
        alike = next((group for group in _ALIKE if word in group), frozenset({word}))
        return any(set(terms(each)) <= self._terms for each in alike)

    def _user(self, speaker: str) -> str:
        """Who "the user" is: who speaks, or the only person who does."""
        if not self._is_machine(speaker):
            return speaker
        persons = [name for name in self._speakers.values() if not self._is_machine(name)]
        return persons[0] if len(persons) == 1 else UNNAMED

    def _normal(self, name: str) -> str:
        try:
            return normalise_name(name)
        except InvalidInputError as error:
            raise UnverifiedError(str(error)) from error


_FIRST_PERSON = frozenset({"i", "me", "my", "myself", "speaker", "the speaker"})
_USER = frozenset({"user", "the user"})
_LIVING = frozenset({"person", "pet", "animal", "dog", "cat"})
_OWNER = re.compile(r"\b\w+['’]s?\s")
"""Whose something is: "Melanie's kids" is told of where kids are."""


_WHEN = frozenset(
    "january february march april may june july august september october november december "
    "spring summer autumn fall winter early late".split()
)
_ALIKE = tuple(
    frozenset(group.split())
    for group in (
        "mother mom mum mommy mummy mama ma",
        "father dad daddy papa pa",
        "parents folks",
        "grandmother grandma granny nana gran",
        "grandfather grandpa granddad grandad",
        "child kid",
        "children kids",
        "sibling siblings brother brothers sister sisters",
        "husband hubby",
        "colleague coworker workmate",
        "colleagues coworkers workmates",
        "friend buddy pal",
    )
)
"""What models write for what people say."""


def _by_name(entities: Iterable[Entity]) -> Mapping[str, list[Entity]]:
    named: dict[str, list[Entity]] = {}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            named.setdefault(normalise_name(name), []).append(entity)
    return named
