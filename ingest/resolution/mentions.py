"""The entities that an extraction names, each with the turn that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bitempo.engine.model import AssertionDraft, EntityRef, Episode
from bitempo.engine.names import normalise_name
from bitempo.ingest.extraction import Window
from bitempo.ingest.resolution.clues import quoted, says
from bitempo.ingest.resolution.names import read_name
from bitempo.ingest.trust import KEY, MACHINES, USUAL

_NOBODY = frozenset({"assistant", "system", "tool", "user", "human", "ai", "bot"})


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as drafts name it: the first of all references of one name and type.

    `aliases` are those of all of them. `evidence` is the turn that names it, or the first one cited
    where none does in so many words.
    """

    ref: EntityRef
    aliases: tuple[str, ...]
    evidence: str
    quote: str | None


def key_of(ref: EntityRef) -> tuple[str, str]:
    """Normalised name and type."""
    return normalise_name(ref.name), normalise_name(ref.type) if ref.type.strip() else ""


def mentions_of(drafts: Iterable[AssertionDraft], window: Window) -> list[Mention]:
    """The entities of the drafts in the order first named, with the aliases of all mentions.

    What is said with less trust than usual (by an assistant, a tool, a web page) names nothing
    here: it must not make one of two.
    """
    turns = {turn.id: turn for turn in window.episodes}
    found: dict[tuple[str, str], list[tuple[EntityRef, AssertionDraft]]] = {}
    for draft in drafts:
        if draft.trust < USUAL or not all(
            trusted(turns[id]) for id in draft.evidence[:1] if id in turns
        ):
            continue
        for ref in refs_of(draft):
            if ref.id is None and ref.name.strip():
                found.setdefault(key_of(ref), []).append((ref, draft))
    return [_mention(named, turns) for named in found.values()]


def trusted(turn: Episode) -> bool:
    """Whether a turn has at least the usual trust, and no machine said it."""
    machine = (turn.actor or "").strip().lower() in MACHINES
    return turn.metadata.get(KEY, USUAL) >= USUAL and (KEY in turn.metadata or not machine)


def refs_of(draft: AssertionDraft) -> Sequence[EntityRef]:
    """Every entity that a draft names."""
    object = () if draft.object is None else (draft.object,)
    return (draft.subject, *object, *draft.mentions)


def speakers_of(window: Window) -> list[str]:
    """The names of those who take part, as the turns give them; "user" and the like are none."""
    actors = [turn.actor for turn in (*window.context, *window.episodes) if turn.actor]
    named = {normalise_name(actor): actor for actor in actors if actor.strip()}
    return [actor for normal, actor in named.items() if normal not in _NOBODY]


def with_owners(draft: AssertionDraft, window: Window) -> AssertionDraft:
    """The draft with "my" and "your" put as the name of whom they mean, where that is certain.

    Left as it is, "my family" would be one entity, whoever says it.
    """
    speakers = speakers_of(window)
    turns = {turn.id: turn for turn in window.episodes}
    turn = turns.get(draft.evidence[0]) if draft.evidence else None
    if turn is None or turn.actor is None or turn.actor not in speakers:
        return draft

    def owned(ref: EntityRef) -> EntityRef:
        names = [_owned(name, turn.actor or "", speakers) for name in (ref.name, *ref.aliases)]
        return replace(ref, name=names[0], aliases=tuple(names[1:]))

    return replace(
        draft,
        subject=owned(draft.subject),
        object=None if draft.object is None else owned(draft.object),
        mentions=tuple(map(owned, draft.mentions)),
    )


def _owned(name: str, speaker: str, speakers: Sequence[str]) -> str:
    first, _, rest = name.strip().partition(" ")
    word = first.casefold()
    if not rest.strip() or word not in ("my", "our", "your"):
        return name
    if word != "your":
        return f"{speaker}'s {rest}"
    others = [other for other in speakers if other != speaker]
    return f"{others[0]}'s {rest}" if len(others) == 1 else name


def _mention(
    named: Sequence[tuple[EntityRef, AssertionDraft]],
    turns: Mapping[str, Episode],
) -> Mention:
    ref, draft = named[0]
    aliases = dict.fromkeys(alias for other, _ in named for alias in other.aliases if alias.strip())
    cited = dict.fromkeys(id for _, draft in named for id in draft.evidence if id in turns)
    turn = next((turns[id] for id in cited if says(ref.name, turns[id].text)), None)
    evidence = turn or next((turns[id] for id in cited), None)
    return Mention(
        ref=ref,
        aliases=tuple(aliases),
        evidence=evidence.id if evidence is not None else draft.evidence[0],
        quote=None if turn is None else quoted(ref.name, turn.text),
    )


def proper_name(name: str) -> bool:
    """Whether it names one thing by itself, as "the group" and "her dog" do not."""
    reading = read_name(name)
    if reading.article or (reading.owner is not None and not reading.proper):
        return False
    return reading.role is None or bool(reading.proper)
