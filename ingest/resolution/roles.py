"""Roles through facts: "Caroline's sister" is Anna where Anna is the one sister on record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bitempo.ingest.resolution.decision import Outcome, Verdict
from bitempo.ingest.resolution.names import Reading, read_name
from bitempo.ingest.resolution.words import (
    ANIMALS,
    BORN_ROLES,
    PLURAL_ANIMALS,
    ROLE_PREDICATES,
    ROLES,
)

_ANIMAL_PREDICATES = frozenset({"PET"})
_SEVERAL = re.compile(r"\b(?:two|three|four|five|six|both|one of|several|many|\d+)\b")


@dataclass(frozen=True, slots=True)
class Relation:
    """That something stands in a relation to its owner: what facts and drafts have in common."""

    predicate: str
    object: str
    text: str


def role_of(name: str) -> str | None:
    """The role by which a description such as "Caroline's sister" means its owner's one."""
    reading = read_name(name)
    if reading.owner is None or reading.proper or len(reading.words) != 1:
        return None
    word = reading.words[0]
    return None if word in PLURAL_ANIMALS else ROLES.get(word) or ANIMALS.get(word)


def by_role(name: str, relations: Iterable[Relation]) -> tuple[str, Verdict] | None:
    """Whom a role means by the relations of its owner, and how certain that is.

    Exactly one may stand in the relation, by a name of its own. Roles into which another may step
    (a husband, a manager, a friend) are a question: a merge would hold for their successor too.
    """
    role = role_of(name)
    if role is None:
        return None
    fitting: dict[str, Relation] = {}
    for relation in relations:
        if _says_role(relation, role):
            fitting[relation.object] = relation
    named = {object: relation for object, relation in fitting.items() if _named(object)}
    if len(named) != 1:
        return None
    object, relation = next(iter(named.items()))
    told = relation.text.casefold()
    certain = (role in BORN_ROLES or role in ANIMALS.values()) and len(fitting) == 1
    if not certain or _SEVERAL.search(told):
        return object, Verdict(Outcome.ASK, f"{object} may be the {role}: {relation.text}")
    reason = f"the one {role} on record: {relation.text}"
    return object, Verdict(Outcome.SAME, reason, 0.85, alone="role")


def _says_role(relation: Relation, role: str) -> bool:
    words = set(relation.predicate.upper().split("_"))
    told = {word.strip(".,;:!?\"'()").removesuffix("'s") for word in relation.text.lower().split()}
    spoken = {table[word] for word in told for table in (ROLES, ANIMALS) if word in table}
    if role.upper().replace("-", "_") in words:
        return True
    if role in ANIMALS.values():
        return bool(words & _ANIMAL_PREDICATES) and (role == "pet" or role in spoken)
    if not words & ROLE_PREDICATES.get(role, frozenset()):
        return False
    # A sibling is a sister or a brother: the predicate alone does not say which.
    others = {other for other in spoken if ROLE_PREDICATES.get(other) and other != role}
    return role in spoken or (not others and role in ("sibling", "parent", "child", "spouse"))


def _named(object: str) -> bool:
    reading: Reading = read_name(object)
    return not reading.described and not reading.article
