"""Where nodes are found: each pattern names the index that it is looked up by.

The planner chooses by statistics, and those of a graph that is small or has just grown lead it to
walk through all of a tenant's nodes. A hint makes the plan the same on every graph. An index is
used only where there is a condition on each of its properties, so `anything` gives one.
"""

from __future__ import annotations


def by(pattern: str, *properties: str) -> str:
    """A `MATCH` of a node, such as "f:BitempoFact", by the index on the properties."""
    return f"MATCH ({pattern}) USING INDEX {pattern}({', '.join(properties)})"


def by_key(pattern: str, key: str) -> str:
    """A `MATCH` of the node with a key."""
    name = pattern.partition(":")[0]
    return f"{by(pattern, 'key')} WHERE {name}.key = {key}"


def by_keys(pattern: str) -> str:
    """A `MATCH` of the nodes with `$keys`."""
    name = pattern.partition(":")[0]
    return f"{by(pattern, 'key')} WHERE {name}.key IN $keys"


def met_by_now(name: str) -> str:
    """A condition that a session, entity or predicate was met at `$state` or before.

    One that was imported says nothing of when: it came with everything else.
    """
    return f"coalesce({name}.tx_from, $state) <= $state"


def anything(property: str) -> str:
    """A condition that holds wherever the property is there."""
    return f"{property} IS NOT NULL"
