"""Same, different, or a question for a model: rules over two names and what is known of both.

They are made to err on one side. Two entities side by side lose little, since a later merge joins
them; two things taken for one mix their facts. So a rule says "same" only where a reader would
not hesitate, and "different" wins over it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from bitempo.ingest.resolution.names import (
    Reading,
    clipped,
    family_of,
    initials_of,
    one_edit_apart,
    read_name,
    same_spelling,
    short_of,
)
from bitempo.ingest.resolution.words import (
    ACTIVITY,
    ANIMALS,
    BORN_ROLES,
    FEMALE_TITLES,
    GROUP,
    MALE_TITLES,
    NEAR_FAMILIES,
    ORGANIZATION,
    PERSON,
    PET,
    PLACE,
    SHORT_PLACES,
    WIDER_ROLES,
)

_SHORTEST_TYPO = 5
_MOST_NAMES = 4
_MOST_KIND_WORDS = 2
_ENOUGH_SHARED = 0.5
_PRONOUNS = frozenset({"my", "your", "their"})


class Outcome(StrEnum):
    """What is decided on two names."""

    SAME = "same"
    ASK = "ask"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision on two names and why.

    `alone`: it holds only while nothing else fits in this way: by its name, its role or its words.
    `firm`: no other name of the two can overturn a "different". `stated`: the source says so.
    """

    outcome: Outcome
    reason: str
    confidence: float = 0.0
    alone: Literal["", "name", "role", "words"] = ""
    firm: bool = False
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """A thing as it is named: its name, its type where that is known, and its other names."""

    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clues:
    """What the source tells about two names beside the names.

    `stated`: it says that they are one ("Mel, short for Melanie"). `apart`: why they are two
    ("named side by side"). `addressed`: one is how somebody is called who takes part. `together`:
    both are named within one window and the turns before it; `one_turn`: by one turn. `near`: how
    alike an embedder finds the names, from 0 to 1, where there is one.
    """

    stated: str | None = None
    apart: str | None = None
    addressed: bool = False
    together: bool = False
    one_turn: bool = False
    near: float = 0.0


NO_CLUES = Clues()
_UNRELATED = Verdict(Outcome.DIFFERENT, "the names have too little in common")
NEAR = 0.5
"""From here on an embedder's cosine of two names is worth a question."""


def decide(new: Named, known: Named, clues: Clues = NO_CLUES) -> Verdict:
    """The verdict on a name that is new and a thing that is known, by any of its names."""
    if clues.stated is not None:
        return Verdict(Outcome.SAME, clues.stated, 0.95, stated=True)
    types = _types(new.type, known.type)
    if types.outcome is Outcome.DIFFERENT:
        return types
    if clues.apart is not None:
        return _different(clues.apart)
    verdicts = [
        _names(read_name(a), read_name(b), _family(new, known), clues)
        for a in (new.name, *new.aliases)
        for b in (known.name, *known.aliases)
    ]
    firm = next((verdict for verdict in verdicts if verdict.firm), None)
    if firm is not None:
        return firm
    best = max(verdicts, key=lambda verdict: (_RANK[verdict.outcome], verdict.confidence))
    if best.outcome is Outcome.SAME and types.outcome is Outcome.ASK:
        return Verdict(Outcome.ASK, f"{best.reason}, but {types.reason}")
    if best.outcome is Outcome.DIFFERENT and clues.near >= NEAR:
        return Verdict(Outcome.ASK, "the names mean much the same to the embedder")
    return best


_RANK = {Outcome.DIFFERENT: 0, Outcome.ASK: 1, Outcome.SAME: 2}


def _types(a: str, b: str) -> Verdict:
    first, second = family_of(a), family_of(b)
    if not a or not b or a == b or (first is not None and first == second):
        return Verdict(Outcome.SAME, "the types agree")
    if first is None or second is None:
        return Verdict(Outcome.ASK, f"one is said to be a {a}, the other a {b}")
    if frozenset((first, second)) in NEAR_FAMILIES:
        return Verdict(Outcome.ASK, f"one is said to be a {a}, the other a {b}")
    return _different(f"one is a {a}, the other a {b}")


def _family(new: Named, known: Named) -> int | None:
    family = family_of(known.type)
    return family_of(new.type) if family is None else family


def _names(a: Reading, b: Reading, family: int | None, clues: Clues) -> Verdict:
    marks = _marks(a, b)
    if marks.firm:
        return marks
    owners = _owners(a, b)
    if owners.firm:
        return owners
    if a.proper or b.proper:
        verdict = _introduced(a, b, family)
    elif _is_person(a, b, family):
        verdict = _persons(a, b, clues)
    else:
        verdict = _things(a, b, family, clues)
    if verdict.outcome is not Outcome.SAME:
        return verdict
    # What marks one alone, or whose it is, said of one alone, leaves a doubt.
    if marks.outcome is Outcome.ASK:
        return marks
    if owners.outcome is Outcome.ASK:
        one_unowned = (a.owner is None) != (b.owner is None) and a.words == b.words
        if one_unowned and clues.one_turn and not (a.role or b.role):
            reason = "the same words in one turn, once with whose it is"
            return Verdict(Outcome.SAME, reason, 0.8, alone="words")
        return replace(owners, alone=verdict.alone)
    return verdict


def _marks(a: Reading, b: Reading) -> Verdict:
    if a.proper or b.proper:
        return _SETTLED
    ours, theirs = dict(a.marks), dict(b.marks)
    for kind in ours.keys() & theirs.keys():
        if {m for m in a.marks if m[0] == kind}.isdisjoint(theirs.items()):
            return _different(f"{ours[kind]} is not {theirs[kind]}")
    if "other" in ours.keys() ^ theirs.keys():
        return _different("one is said to be another")
    if ours.keys() != theirs.keys():
        return Verdict(Outcome.ASK, "only one of them is told apart by a number, time or order")
    return _SETTLED


_SETTLED = Verdict(Outcome.SAME, "nothing tells them apart")


def _owners(a: Reading, b: Reading) -> Verdict:
    if a.owner == b.owner:
        if a.owner in _PRONOUNS:
            return Verdict(Outcome.ASK, "only a pronoun says whose they are")
        return _SETTLED
    if a.owner is None or b.owner is None:
        if a.proper or b.proper:
            return _SETTLED
        return Verdict(Outcome.ASK, "only of one it is said whose it is")
    if _PRONOUNS & {a.owner.split()[0], b.owner.split()[0]}:
        return Verdict(Outcome.ASK, "a pronoun says whose one of them is")
    if _owner_related(a.owner, b.owner):
        return Verdict(Outcome.ASK, "they may belong to the same")
    return _different(f"one is {a.owner}'s, the other {b.owner}'s")


def _owner_related(a: str, b: str) -> bool:
    first, second = a.split(), b.split()
    shared = set(first) & set(second)
    if shared or _given_names(first[0], second[0]) is not None:
        return True
    return a.rstrip("s") == b.rstrip("s")


def _introduced(a: Reading, b: Reading, family: int | None) -> Verdict:
    """At least one is a role with a name: "John's dog Max", "Aunt May"."""
    ours, theirs = a.proper or a.words, b.proper or b.words
    if ours == theirs:
        if a.role is not None and b.role is not None and a.role != b.role:
            return Verdict(Outcome.ASK, f"the name is the same, but one is a {a.role}")
        if not _role_fits(a, family) or not _role_fits(b, family):
            return Verdict(Outcome.ASK, "the name is the same, but the types do not fit")
        return Verdict(Outcome.SAME, "the same name, once with what it is", 0.85, alone="name")
    if a.proper and b.proper:
        return _different(f"one is called {' '.join(ours)}, the other {' '.join(theirs)}")
    if a.role is not None and a.role == b.role and a.owner == b.owner:
        if a.owner is None or {len(a.words), len(b.words)} != {1, 1 + len(a.proper or b.proper)}:
            return Verdict(Outcome.ASK, "they are described alike")
        if a.role in BORN_ROLES or a.role in ANIMALS.values():
            return Verdict(Outcome.SAME, f"the {a.role} of {a.owner}", 0.8, alone="role")
        return Verdict(Outcome.ASK, f"both are a {a.role} of {a.owner}", alone="role")
    return _UNRELATED


def _role_fits(reading: Reading, family: int | None) -> bool:
    if reading.role is None or family is None:
        return True
    if reading.role in ANIMALS.values():
        return family == PET
    return family in (PERSON, GROUP)


def _is_person(a: Reading, b: Reading, family: int | None) -> bool:
    plain = not (a.owner or b.owner or a.role or b.role or a.article or b.article)
    return plain and family == PERSON and max(len(a.words), len(b.words)) <= _MOST_NAMES


def _persons(a: Reading, b: Reading, clues: Clues) -> Verdict:
    titles = {a.title, b.title}
    if titles & MALE_TITLES and titles & FEMALE_TITLES:
        return _different("their titles are a man's and a woman's")
    if a.words == b.words:
        if a.title == b.title or len(a.words) > 1:
            return Verdict(Outcome.SAME, "the same name", 0.95)
        return _if_together("the same name, once with a title", clues)
    if len(a.words) == 1 and len(b.words) == 1:
        return _single_names(a, b, clues)
    if len(a.words) == 1 or len(b.words) == 1:
        single, full = (a, b) if len(a.words) == 1 else (b, a)
        return _single_and_full(single, full, clues)
    return _full_names(a, b)


def _single_names(a: Reading, b: Reading, clues: Clues) -> Verdict:
    related = _given_names(a.words[0], b.words[0])
    if related is None:
        if one_edit_apart(a.words[0], b.words[0]) and _long(a, b):
            if clues.addressed:
                return Verdict(
                    Outcome.SAME, "one is how the other is addressed", 0.85, alone="name"
                )
            return Verdict(Outcome.ASK, "one letter apart", alone="name")
        return _different("two names", firm=False)
    if clues.addressed:
        return _called_so(0.95)
    if related == _USUAL:
        return _if_together(f"{a.text} and {b.text} are forms of one name", clues)
    return Verdict(Outcome.ASK, f"{a.text} and {b.text} begin alike", alone="name")


def _called_so(confidence: float) -> Verdict:
    return Verdict(Outcome.SAME, "one is how the other is addressed", confidence, alone="name")


def _single_and_full(single: Reading, full: Reading, clues: Clues) -> Verdict:
    word = single.words[0]
    if full.title is not None and single.title is not None and full.title != single.title:
        return Verdict(Outcome.ASK, "the titles differ")
    if word in (full.words[0], full.words[-1]):
        return _if_together("one is the other's name in part", clues)
    if _given_names(word, full.words[0]) is not None:
        return Verdict(Outcome.ASK, f"{word} may be short for {full.words[0]}", alone="name")
    return _different("two names", firm=False)


def _full_names(a: Reading, b: Reading) -> Verdict:
    if a.words[-1] != b.words[-1]:
        if same_spelling(a, b):
            return Verdict(Outcome.SAME, "the same name, spelled otherwise", 0.9)
        if a.words[0] == b.words[0] and one_edit_apart(a.words[-1], b.words[-1]) and _long(a, b):
            return Verdict(Outcome.ASK, "one letter apart", alone="name")
        return _different("their surnames differ")
    first, second = a.words[0], b.words[0]
    if first == second:
        if set(a.words) <= set(b.words) or set(b.words) <= set(a.words):
            return Verdict(Outcome.SAME, "one leaves out a middle name", 0.9)
        return _different("their middle names differ")
    if _given_names(first, second) == _USUAL:
        return Verdict(
            Outcome.SAME, f"{first} and {second} are forms of one name", 0.9, alone="name"
        )
    if (len(first) == 1 or len(second) == 1) and first[0] == second[0]:
        return Verdict(Outcome.ASK, "one may be the other's initial")
    if _given_names(first, second) is not None or one_edit_apart(first, second):
        return Verdict(Outcome.ASK, "their given names are alike")
    return _different("their given names differ")


_USUAL, _POSSIBLE = 2, 1


def _given_names(a: str, b: str) -> int | None:
    """How two given names may be one: in a usual short form, or perhaps cut off."""
    if short_of(a, b) or short_of(b, a):
        return _USUAL
    return _POSSIBLE if clipped(a, b) or clipped(b, a) else None


def _if_together(reason: str, clues: Clues, alone: Literal["name", "words"] = "name") -> Verdict:
    if clues.together:
        why = f"{reason}, and both are spoken of here"
        return Verdict(Outcome.SAME, why, 0.8, alone=alone)
    return Verdict(Outcome.ASK, reason, alone=alone)


def _things(a: Reading, b: Reading, family: int | None, clues: Clues) -> Verdict:
    if same_spelling(a, b):
        if "a" in (a.article, b.article) and not clues.one_turn:
            # "A school" is a new one each time.
            return Verdict(Outcome.ASK, "one of them is any such thing")
        if a.article != b.article and not a.owner and family != PLACE:
            # "The group" is whichever was spoken of last.
            return _if_together("the same words, once with an article", clues, "words")
        return Verdict(Outcome.SAME, "the same words", 0.9)
    if family == ACTIVITY and _same_doing(a, b):
        return Verdict(Outcome.SAME, "forms of one verb", 0.85)
    if family == PLACE and _same_letters(a, b):
        return Verdict(Outcome.SAME, "one is short for the other", 0.9)
    if family == ORGANIZATION and (_one_of_owner(a, b) or _one_of_owner(b, a)):
        return _if_together(f"the one of {a.owner} that is on record", clues, "words")
    if _picks_out(a, b) or _picks_out(b, a) or _kind_added(a, b) or _kind_added(b, a):
        return _if_together("one says more of it than the other", clues, "words")
    if _one_and_many(a, b):
        return _different("one is one, the other is many")
    if a.described and b.described and None not in (a.role, b.role) and a.role != b.role:
        if _may_be_both(a.role, b.role):
            return Verdict(Outcome.ASK, f"a {a.role} may be a {b.role}")
        return _different(f"one is a {a.role}, the other a {b.role}", firm=False)
    ours, theirs = a.plain, b.plain
    if sorted(a.words) == sorted(b.words):
        return Verdict(Outcome.ASK, "the same words in another order")
    if min(ours, theirs, key=len) and (ours <= theirs or theirs <= ours):
        return Verdict(Outcome.ASK, "one says more of it than the other")
    if _initials(a, b) or _initials(b, a):
        return Verdict(Outcome.ASK, "one may be the other's initials")
    if one_edit_apart(a.spelling, b.spelling) and _long(a, b):
        return Verdict(Outcome.ASK, "one letter apart", alone="name")
    shared = len(ours & theirs) / (len(ours | theirs) or 1)
    owned = a.owner is not None and a.owner == b.owner and bool(ours & theirs)
    if owned or shared >= _ENOUGH_SHARED:
        return Verdict(Outcome.ASK, "they share words")
    if family in (ORGANIZATION, PLACE) and a.words[-1] == b.words[-1] and ours & theirs:
        return Verdict(Outcome.ASK, "they share words")
    return _UNRELATED


def _same_doing(a: Reading, b: Reading) -> bool:
    """ "dance" and "dancing", "run" and "running"."""
    return len(a.words) == len(b.words) == 1 and _doing(a.words[0]) == _doing(b.words[0])


def _doing(word: str) -> str:
    stem = word.removesuffix("ing") if len(word) > 5 else word
    if stem != word and stem[-1] == stem[-2]:
        return stem[:-1]
    return stem.removesuffix("e")


def _same_letters(a: Reading, b: Reading) -> bool:
    letters, name = a.spelling.replace(".", ""), " ".join(b.words)
    return SHORT_PLACES.get(letters) == name or (
        SHORT_PLACES.get(b.spelling.replace(".", "")) == " ".join(a.words)
    )


def _picks_out(short: Reading, full: Reading) -> bool:
    """ "the support group" picks out the one support group that was spoken of."""
    words = short.words
    return (
        short.article == "the"
        and 2 <= len(words) < len(full.words)
        and full.words[-len(words) :] == words
    )


def _one_of_owner(short: Reading, full: Reading) -> bool:
    """ "Ann's studio" and "Ann's dance studio"."""
    words = short.words
    owned = short.owner is not None and short.owner == full.owner
    return owned and 0 < len(words) < len(full.words) and full.words[-len(words) :] == words


def _kind_added(short: Reading, full: Reading) -> bool:
    """ "Earl Grey tea": a name, and in small letters what kind of thing it is."""
    words, more = short.cased, full.cased[len(short.cased) :]
    return (
        0 < len(more) <= _MOST_KIND_WORDS
        and full.words[: len(words)] == short.words
        and all(word[0].isupper() for word in words)
        and all(word.isalpha() and word.islower() for word in more)
        and short.owner == full.owner
    )


def _may_be_both(a: str | None, b: str | None) -> bool:
    wider = (WIDER_ROLES.get(a or ""), WIDER_ROLES.get(b or ""))
    if "pet" in (a, b):
        return a in ANIMALS.values() and b in ANIMALS.values()
    return a == wider[1] or b == wider[0] or {a, b} in _EITHER


_EITHER: list[set[str | None]] = [
    {"husband", "spouse"},
    {"wife", "spouse"},
    {"buddy", "pal"},
    {"buddies", "pals"},
]


def _one_and_many(a: Reading, b: Reading) -> bool:
    x, y = a.words[-1], b.words[-1]
    return a.words[:-1] == b.words[:-1] and (x in (y + "s", y + "es") or y in (x + "s", x + "es"))


def _initials(short: Reading, full: Reading) -> bool:
    letters = short.spelling.replace(".", "")
    return len(short.words) == 1 and len(letters) >= 2 and letters == initials_of(full)


def _long(a: Reading, b: Reading) -> bool:
    return min(len(a.spelling), len(b.spelling)) >= _SHORTEST_TYPO


def _different(reason: str, *, firm: bool = True) -> Verdict:
    return Verdict(Outcome.DIFFERENT, reason, firm=firm)
