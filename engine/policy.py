"""Predicate policy: which predicates hold one value at an instant, and which hold many.

A predicate that nothing says anything about is multi-valued, since closing a fact wrongly
loses more than keeping two side by side. Whatever is decided first for a tenant is recorded
with it and stands: a later default never changes what is on record, and a later decision of the
user's own that differs is refused until `bitempo.engine.recast` has derived the facts anew.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from bitempo.engine.errors import PolicyError
from bitempo.engine.model import Cardinality

_PREDICATE = re.compile(r"[^\W\d]\w*")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\s\-./:]+")


def normalise_predicate(predicate: str) -> str:
    """Upper snake case: `lives in`, `livesIn` and `LIVES_IN` are one predicate.

    Raises:
        PolicyError: the text has no letter to start with, or characters no predicate can hold.
    """
    text = _SEPARATORS.sub("_", unicodedata.normalize("NFKC", predicate).strip())
    text = unicodedata.normalize("NFKC", _HUMP.sub("_", text).strip("_").upper())
    if not _PREDICATE.fullmatch(text):
        raise PolicyError(
            f"{predicate!r} is not a predicate; use words such as LIVES_IN or 'lives in'"
        )
    return text


@dataclass(frozen=True)
class PredicatePolicy:
    """Cardinality per predicate, and where each came from.

    Build it with `PredicatePolicy.default()`, and extend it with `with_single`, `with_many` or
    `from_toml`; a policy itself never changes.
    """

    cardinalities: Mapping[str, Cardinality] = field(default_factory=dict)
    chosen: frozenset[str] = frozenset()
    """The predicates that a user decided on, rather than the shipped vocabulary."""

    @staticmethod
    def default() -> PredicatePolicy:
        """The vocabulary that ships with bitempo."""
        return _shipped()

    @staticmethod
    def from_toml(path: Path | str) -> PredicatePolicy:
        """The shipped vocabulary, extended by a TOML file.

            [predicates]
            ASSIGNED_TO = "one"
            SPEAKS = "many"

        Raises:
            PolicyError: the file cannot be read, or holds something else.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PolicyError(f"the policy file {path} cannot be read: {error}") from error
        return PredicatePolicy(own := _parse(text, str(path)), frozenset(own)).over(_shipped())

    def cardinality(self, predicate: str) -> Cardinality | None:
        """What this policy says of the predicate; None when it says nothing."""
        return self.cardinalities.get(normalise_predicate(predicate))

    def with_single(self, *predicates: str) -> PredicatePolicy:
        """This policy, with the given predicates single-valued."""
        return self._with(predicates, Cardinality.ONE)

    def with_many(self, *predicates: str) -> PredicatePolicy:
        """This policy, with the given predicates multi-valued."""
        return self._with(predicates, Cardinality.MANY)

    def over(self, base: PredicatePolicy) -> PredicatePolicy:
        """This policy where it speaks, and `base` elsewhere."""
        return PredicatePolicy(
            {**base.cardinalities, **self.cardinalities}, base.chosen | self.chosen
        )

    def _with(self, predicates: Iterable[str], cardinality: Cardinality) -> PredicatePolicy:
        added = {normalise_predicate(predicate): cardinality for predicate in predicates}
        return PredicatePolicy({**self.cardinalities, **added}, self.chosen | added.keys())


@cache
def _shipped() -> PredicatePolicy:
    source = resources.files("bitempo.engine").joinpath("predicates.toml")
    return PredicatePolicy(_parse(source.read_text(encoding="utf-8"), "the shipped vocabulary"))


def _parse(text: str, place: str) -> dict[str, Cardinality]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"{place} is not TOML: {error}") from error
    unknown = set(document) - {"predicates"}
    table = document.get("predicates")
    if unknown or not isinstance(table, dict):
        raise PolicyError(f"{place} must hold one table, [predicates], and nothing else")
    cardinalities: dict[str, Cardinality] = {}
    for predicate, value in table.items():
        if value not in ("one", "many"):
            raise PolicyError(f'{place}: {predicate} must be "one" or "many", not {value!r}')
        try:
            normal = normalise_predicate(predicate)
        except PolicyError as error:
            raise PolicyError(f"{place}: {error}") from error
        if cardinalities.setdefault(normal, Cardinality(value)) != value:
            raise PolicyError(f'{place}: {normal} is both "one" and "many"; keep one of them')
    return cardinalities
