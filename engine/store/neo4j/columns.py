"""The properties of our nodes, in the order in which the record readers take them."""

from __future__ import annotations

from bitempo.engine.store.neo4j import times

EPISODE = (
    "[e.id, e.text, " + times.optional("e.occurred_at") + ", e.kind, e.session, e.position, "
    "e.actor, e.metadata, " + times.start("e.tx_from") + ", " + times.until("e.tx_to") + "]"
)
_LEARNT = times.optional("coalesce(n.learnt[i], n.created_at)")
ENTITY = (
    "[n.id, n.name, n.type, " + times.optional("n.created_at") + ", "
    f"[i IN range(0, size(n.names) - 1) | [n.names[i], {_LEARNT}]]]"
)
_ASSERTION = {
    "valid_from": times.start("a.valid_from"),
    "valid_to": times.end("a.valid_to"),
    "tx_from": times.start("a.tx_from"),
    "tx_to": times.until("a.tx_to"),
    "due_from": "CASE WHEN a.due_to IS NULL THEN null ELSE " + times.start("a.due_from") + " END",
    "due_to": "CASE WHEN a.due_to IS NULL THEN null ELSE " + times.end("a.due_to") + " END",
}
_FACT = {name: text.replace("a.", "f.") for name, text in _ASSERTION.items()}


def assertion(names: tuple[str, ...]) -> str:
    """A list of an assertion's properties, its evidence last."""
    columns = ", ".join(_ASSERTION.get(name, f"a.{name}") for name in names)
    return f"[{columns}, a.evidence]"


def fact(names: tuple[str, ...]) -> str:
    """A list of a fact's properties, when it was believed last."""
    columns = [_FACT.get(name, f"f.{name}") for name in (*names, "tx_from", "tx_to")]
    return f"[{', '.join(columns)}]"
