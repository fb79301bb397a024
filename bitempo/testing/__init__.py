"""Test doubles that ship with bitempo, so that users need not patch anything.

`FixedClock` is a clock that stands still. `ScriptedModel` is an OpenAI-compatible server that
replies what a test says, records what it was asked, and fails in the ways that endpoints fail.
`HashingEmbedder` makes vectors, and `HashingReranker` ranks, without a model.
`ScriptedRewriter` rewrites questions as a test says.
"""

from __future__ import annotations

from bitempo.testing.answer import Answer, Behaviour, ScriptedReply
from bitempo.testing.call import Call
from bitempo.testing.claims import Claim, Corrected, Named, finding
from bitempo.testing.clock import FixedClock
from bitempo.testing.embedding import hashed_scores, hashed_vector
from bitempo.testing.failures import (
    BrokenJson,
    ContentFilter,
    ContextOverflow,
    Dropped,
    Fenced,
    Held,
    Refusal,
    SchemaEcho,
    Status,
    Thinking,
    Truncated,
    UnsupportedFormat,
    UnsupportedParameter,
    WithoutUsage,
    WrongJson,
)
from bitempo.testing.hashing import HashingEmbedder, HashingReranker
from bitempo.testing.pairs import PromptPair, read_pairs
from bitempo.testing.prompts import ExtractionPrompt, PromptFact, PromptTurn, read_prompt
from bitempo.testing.replays import Replay, replay_extractions
from bitempo.testing.rewriting import ScriptedRewriter
from bitempo.testing.script import Script, ScriptError, failing_first
from bitempo.testing.server import ScriptedModel

__all__ = [
    "Answer",
    "Behaviour",
    "BrokenJson",
    "Call",
    "Claim",
    "ContentFilter",
    "ContextOverflow",
    "Corrected",
    "Dropped",
    "ExtractionPrompt",
    "Fenced",
    "FixedClock",
    "HashingEmbedder",
    "HashingReranker",
    "Held",
    "Named",
    "PromptFact",
    "PromptPair",
    "PromptTurn",
    "Refusal",
    "Replay",
    "SchemaEcho",
    "Script",
    "ScriptError",
    "ScriptedModel",
    "ScriptedReply",
    "ScriptedRewriter",
    "Status",
    "Thinking",
    "Truncated",
    "UnsupportedFormat",
    "UnsupportedParameter",
    "WithoutUsage",
    "WrongJson",
    "failing_first",
    "finding",
    "hashed_scores",
    "hashed_vector",
    "read_pairs",
    "read_prompt",
    "replay_extractions",
]
