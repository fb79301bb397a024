"""From an answer to the JSON of OpenAI-compatible endpoints."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from typing import Any

from bitempo.testing.answer import Answer
from bitempo.testing.call import Call, estimated_tokens

_CREATED = 1_700_000_000
"""The same on every run, as everything is that the scripted model says."""


def completion(call: Call, answer: Answer) -> dict[str, Any]:
    """The body for a chat request."""
    said = answer.thought + answer.text
    message: dict[str, Any] = {"role": "assistant", "content": said, "refusal": answer.refusal}
    reason = answer.finish_reason or "stop"
    if answer.refusal is not None:
        message["content"] = None
    elif call.response_format == "tool" and answer.finish_reason != "content_filter":
        message["content"] = answer.thought or None
        function = {"name": call.tool, "arguments": answer.text}
        message["tool_calls"] = [
            {"id": f"call_{call.number}", "type": "function", "function": function}
        ]
        chosen = isinstance(call.body.get("tool_choice"), dict)
        reason = answer.finish_reason or ("stop" if chosen else "tool_calls")
    body: dict[str, Any] = {
        "id": f"chatcmpl-{call.number}",
        "object": "chat.completion",
        "created": _CREATED,
        "model": call.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
    }
    if answer.with_usage:
        spoken = estimated_tokens(said + (answer.refusal or ""))
        body["usage"] = {
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": spoken,
            "total_tokens": call.prompt_tokens + spoken,
        }
    return body


def embeddings(call: Call, vectors: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The body for a request for embeddings, in the encoding that it asks for."""
    packed = call.body.get("encoding_format") == "base64"
    return {
        "object": "list",
        "model": call.model,
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _packed(vector) if packed else list(vector),
            }
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": call.prompt_tokens, "total_tokens": call.prompt_tokens},
    }


def reranking(call: Call, scores: Sequence[float]) -> dict[str, Any]:
    """The body for a request for a reranking: the best first, and no more than it asks for."""
    best = sorted(range(len(scores)), key=lambda place: -scores[place])
    return {
        "id": f"rerank-{call.number}",
        "model": call.model,
        "usage": {"total_tokens": call.prompt_tokens},
        "results": [
            {"index": place, "relevance_score": scores[place]}
            for place in best[: int(call.body.get("top_n") or len(best))]
        ],
    }


def models(names: Sequence[str]) -> dict[str, Any]:
    """The body for the list of models."""
    return {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "created": _CREATED, "owned_by": "bitempo"}
            for name in names
        ],
    }


def _packed(vector: Sequence[float]) -> str:
    """32-bit floats, the least significant byte first, as base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
