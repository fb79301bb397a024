"""The entities that an extraction names, each with the turn that names it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bitempo.engine.model import AssertionDraft, EntityRef, Episode
from bitempo.engine.names import normalise_name
from bitempo.ingest.extraction import Window
from bitempo.ingest.resolution.clues import quoted, says
from bitempo.ingest.trust import KEY, USUAL, by_machine

_NOBODY = frozenset({"assistant", "system", "tool", "user", "human", "ai", "bot"})


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as drafts name it: the first of all references of one name and type.

    `aliases` are those of all of them, also those that `ref` lacks because they are not believed.
    `evidence` is the turn that names it, or the first one cited where none does in so many words.
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
    drafts = list(drafts)
    turns = {turn.id: turn for turn in window.episodes}
    doubted = _doubted_aliases(drafts, window)
    found: dict[tuple[str, str], list[tuple[EntityRef, AssertionDraft]]] = {}
    for draft in drafts:
        if not trustworthy(draft, window):
            continue
        for ref in refs_of(draft):
            if ref.id is None and ref.name.strip():
                found.setdefault(key_of(ref), []).append((ref, draft))
    return [_mention(named, turns, doubted) for named in found.values()]


def trustworthy(draft: AssertionDraft, window: Window) -> bool:
    """Whether a claim has the usual trust, and so has the turn that it is taken from."""
    turns = {turn.id: turn for turn in window.episodes}
    return draft.trust >= USUAL and all(
        trusted(turns[id]) for id in draft.evidence[:1] if id in turns
    )


def with_believed_aliases(drafts: Sequence[AssertionDraft], window: Window) -> list[AssertionDraft]:
    """The drafts without the aliases that would let one be taken for another for good.

    These are names of others who take part, names of two that each have the other's as an alias,
    and all aliases from what has less trust than usual. An alias that is learnt cannot be taken
    back; whether two such names mean one is for a merge to say.
    """
    doubted = _doubted_aliases(drafts, window)

    def believed(draft: AssertionDraft) -> AssertionDraft:
        doubt = doubted if trustworthy(draft, window) else None
        return replace(
            draft,
            subject=_believed(draft.subject, doubt),
            object=None if draft.object is None else _believed(draft.object, doubt),
            mentions=tuple(_believed(ref, doubt) for ref in draft.mentions),
        )

    return [believed(draft) for draft in drafts]


def trusted(turn: Episode) -> bool:
    """Whether a turn has at least the usual trust, and no machine said it."""
    trust = turn.metadata.get(KEY)
    return not by_machine(turn) if trust is None else bool(trust >= USUAL)


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


def _doubted_aliases(
    drafts: Iterable[AssertionDraft], window: Window
) -> Collection[tuple[str, str]]:
    """Pairs of a name and an alias of it, normalised, that may be the names of two."""
    given = {
        (normalise_name(ref.name), normalise_name(alias))
        for draft in drafts
        for ref in refs_of(draft)
        for alias in ref.aliases
        if ref.name.strip() and alias.strip()
    }
    speakers = set(map(normalise_name, speakers_of(window)))
    return {(a, b) for a, b in given if a != b and (b in speakers or (b, a) in given)}


def _believed(ref: EntityRef, doubted: Collection[tuple[str, str]] | None) -> EntityRef:
    """The reference without its doubted aliases; without any where `doubted` is None."""
    if not ref.aliases or not ref.name.strip():
        return ref
    name = normalise_name(ref.name)
    kept = [
        alias
        for alias in ref.aliases
        if alias.strip() and doubted is not None and (name, normalise_name(alias)) not in doubted
    ]
    return replace(ref, aliases=tuple(kept))


def _mention(
    named: Sequence[tuple[EntityRef, AssertionDraft]],
    turns: Mapping[str, Episode],
    doubted: Collection[tuple[str, str]],
) -> Mention:
    ref, draft = named[0]
    aliases = dict.fromkeys(alias for other, _ in named for alias in other.aliases if alias.strip())
    cited = dict.fromkeys(id for _, draft in named for id in draft.evidence if id in turns)
    turn = next((turns[id] for id in cited if says(ref.name, turns[id].text)), None)
    evidence = turn or next((turns[id] for id in cited), None)
    return Mention(
        ref=_believed(ref, doubted),
        aliases=tuple(aliases),
        evidence=evidence.id if evidence is not None else draft.evidence[0],
        quote=None if turn is None else quoted(ref.name, turn.text),
    )
