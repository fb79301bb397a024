"""The predicates by which one thing is said to be another, or to be called so."""

from __future__ import annotations

SAME_AS = "SAME_AS"
"""What the engine reads as: these two entities are one."""

NAMING = frozenset(
    {
        SAME_AS, "ALSO_KNOWN_AS", "KNOWN_AS", "AKA", "NICKNAME", "HAS_NICKNAME", "CALLED",
        "NAME", "FULL_NAME",
    }
)  # fmt: skip
