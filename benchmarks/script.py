"""What a scripted model finds in episodes, and how it says so to each system that asks it.

The same claims go to all of them, each in the form that its own prompt asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bitempo.ingest.llm.reply import Reply
from bitempo.ingest.resolution.model import Decisions
from bitempo.testing import Call, Claim, Named, read_prompt
from bitempo.testing.claims import reply_with
from bitempo.testing.pairs import deciding

ONE_VALUE = ("LIVES_IN", "WORKS_AT")
"""Predicates of which a new value ends the one before."""


@dataclass(frozen=True)
class Told:
    """A fact that the model is to find in an episode, and the facts that it contradicts.

    `quote` is what the episode says it with, where that is not the fact itself, and `time_text`
    with which words it says since when.
    """

    source: str
    name: str
    target: str
    fact: str
    valid_at: str | None = None
    invalid_at: str | None = None
    contradicts: tuple[str, ...] = ()
    repeats: str | None = None
    quote: str = ""
    time_text: str | None = None


@dataclass
class Script:
    """What the model answers: the facts of each episode, by its content."""

    episodes: Mapping[str, Sequence[Told]] = field(default_factory=dict)

    def facts_of(self, text: str) -> list[Told]:
        """The facts of all the episodes whose content stands in the text."""
        return [
            told for content, facts in self.episodes.items() if content in text for told in facts
        ]

    def named(self, fact: str) -> Told | None:
        """The fact of this text."""
        return next((t for told in self.episodes.values() for t in told if t.fact == fact), None)


def reply_to(call: Call, script: Script) -> Reply | Decisions | Mapping[str, Any]:
    """The reply to a request of bitempo, Graphiti or Mem0, whichever it is of."""
    wanted = call.body.get("response_format", {}).get("json_schema", {}).get("name", "")
    if wanted in GRAPHITI_SCHEMAS:
        return graphiti_reply(wanted, call.prompt, script)
    if _MEM0_TURNS in call.prompt:
        return _mem0_reply(call.prompt, script)
    return _bitempo_reply(call, script)


def _bitempo_reply(call: Call, script: Script) -> Reply | Decisions:
    decisions = deciding(call, ())
    if decisions is not None:
        return decisions
    prompt = read_prompt(call)
    found = [
        (_claim(told), (turn.label,))
        for turn in prompt.turns
        for told in script.facts_of(turn.text)
    ]
    names = dict.fromkeys(
        name for claim, _ in found for name in (claim.subject, claim.object) if name is not None
    )
    return reply_with(prompt, found, [Named(name) for name in names])


def _claim(told: Told) -> Claim:
    return Claim(
        told.source,
        told.name,
        told.target,
        quote=told.quote or told.fact,
        text=told.fact,
        cardinality="one" if told.name in ONE_VALUE else "many",
        time_text=told.time_text,
        valid_from=told.valid_at,
        valid_to=told.invalid_at,
        granularity="day" if told.time_text else "unknown",
    )


GRAPHITI_SCHEMAS = frozenset(
    "ExtractedEntities ExtractedEdges EdgeDuplicate NodeResolutions EdgeTimestamps "
    "BatchEdgeTimestamps SummarizedEntities".split()
)
"""The replies that Graphiti's prompts ask for and there is an answer to."""


def graphiti_reply(schema: str, prompt: str, script: Script) -> dict[str, Any]:
    """The reply to one of Graphiti's prompts, told apart by the name of the reply's schema."""
    facts = script.facts_of(prompt.rpartition("<CURRENT")[2] or prompt)
    match schema:
        case "ExtractedEntities":
            names = dict.fromkeys(name for told in facts for name in (told.source, told.target))
            return {"extracted_entities": [{"name": n, "entity_type_id": 0} for n in names]}
        case "ExtractedEdges":
            return {"edges": [_edge(told) for told in facts]}
        case "EdgeDuplicate":
            return _judged(prompt, script)
        case "NodeResolutions":
            return {"entity_resolutions": list(_resolved(prompt))}
        case "EdgeTimestamps":
            return {"valid_at": None, "invalid_at": None}
        case "BatchEdgeTimestamps":
            return {"timestamps": []}
        case "SummarizedEntities":
            return {"summaries": []}
        case _:
            raise AssertionError(f"the script has no answer to {schema}: {prompt[:500]}")


def _edge(told: Told) -> dict[str, Any]:
    return {
        "source_entity_name": told.source,
        "target_entity_name": told.target,
        "relation_type": told.name,
        "fact": told.fact,
        "valid_at": told.valid_at,
        "invalid_at": told.invalid_at,
    }


def _judged(prompt: str, script: Script) -> dict[str, Any]:
    existing = _listed(prompt, "EXISTING FACTS")
    candidates = existing | _listed(prompt, "FACT INVALIDATION CANDIDATES")
    told = script.named(_section(prompt, "NEW FACT"))
    if told is None:
        return {"duplicate_facts": [], "contradicted_facts": []}
    return {
        "duplicate_facts": [n for n, fact in existing.items() if fact == told.repeats],
        "contradicted_facts": [n for n, fact in candidates.items() if fact in told.contradicts],
    }


def _resolved(prompt: str) -> Iterator[dict[str, Any]]:
    """Two names are one thing only when they are the same."""
    known = {one["name"]: one["candidate_id"] for one in _records(prompt, "EXISTING ENTITIES")}
    for one in _records(prompt, "ENTITIES"):
        same = known.get(one["name"], -1)
        yield {"id": one["id"], "name": one["name"], "duplicate_candidate_id": same}


def _records(prompt: str, title: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_section(prompt, title) or "[]")
    return found


def _listed(prompt: str, title: str) -> dict[int, str]:
    body = _section(prompt, title)
    pairs = re.findall(r"'idx': (\d+), 'fact': '((?:[^'\\]|\\.)*)'", body)
    pairs += re.findall(r'"idx": (\d+), "fact": "((?:[^"\\]|\\.)*)"', body)
    return {int(number): fact for number, fact in pairs}


def _section(prompt: str, title: str) -> str:
    return prompt.partition(f"<{title}>")[2].partition(f"</{title}>")[0].strip()


_MEM0_TURNS = "\n\n## New Messages\n"
_MEM0_KNOWN = "\n\n## Existing Memories\n"


def _mem0_reply(prompt: str, script: Script) -> dict[str, Any]:
    """What is not among the memories that the prompt shows, as memories of their own."""
    before, _, after = prompt.partition(_MEM0_TURNS)
    known = {
        memory["text"] for memory in json.loads(before.partition(_MEM0_KNOWN)[2].strip() or "[]")
    }
    facts = script.facts_of(after.partition("\n\n## Observation Date")[0])
    texts = [text for text in map(_dated, facts) if text not in known]
    return {
        "memory": [
            {"id": str(number), "text": text, "attributed_to": "user"}
            for number, text in enumerate(texts)
        ]
    }


def _dated(told: Told) -> str:
    if told.valid_at is None:
        return told.fact
    return f"{told.fact} (since {datetime.fromisoformat(told.valid_at):%d %B %Y})"
