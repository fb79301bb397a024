"""The predicates by which one thing is said to be another, or to be called so."""

from __future__ import annotations

from bitempo.engine.identity import SAME_AS

NAMING = frozenset(
    {
        SAME_AS, "ALSO_KNOWN_AS", "KNOWN_AS", "AKA", "NICKNAME", "HAS_NICKNAME", "CALLED",
        "NAME", "FULL_NAME",
    }
)  # fmt: skip
