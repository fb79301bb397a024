"""What goes back for one request, before it becomes bytes."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import BaseModel

from bitempo.testing.call import Call


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the endpoint. Behaviours make one, or change the one of another reply.

    `text` is what the model says: it becomes the content of the message, or the arguments of a
    tool call where the request asks for that. An `error` becomes the body instead.
    """

    text: str = ""
    thought: str = ""
    """Said before the text, always as content."""
    finish_reason: str | None = None
    """None: what an endpoint says of a complete reply."""
    refusal: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    with_usage: bool = True
    sent: float | None = None
    """The part of the body after which the connection is dropped; None sends all of it."""
    held: bool = False
    """Nothing is sent until the server closes or the client goes."""


class Behaviour(ABC):
    """A way for an endpoint to answer; those that take a reply change how it arrives."""

    @abstractmethod
    def answer(self, call: Call) -> Answer:
        """The answer to the call."""


ScriptedReply: TypeAlias = str | BaseModel | Mapping[str, Any] | list[Any] | Behaviour
"""What a script replies: text as it is, data that is sent as JSON, or a behaviour."""


def answer_to(call: Call, reply: ScriptedReply) -> Answer:
    """The answer that a reply stands for.

    Raises:
        TypeError: it is no reply.
    """
    if isinstance(reply, Behaviour):
        return reply.answer(call)
    if isinstance(reply, str):
        return Answer(text=reply)
    if isinstance(reply, BaseModel):
        return Answer(text=reply.model_dump_json())
    if isinstance(reply, Mapping | list):
        return Answer(text=json.dumps(reply, ensure_ascii=False))
    raise TypeError(
        f"a script replies with text, data or a behaviour, not with {type(reply).__name__}"
    )


def error_answer(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """An error in the form in which OpenAI-compatible endpoints give theirs."""
    kind = "invalid_request_error" if status < 429 else "server_error"
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Answer(status=status, error=error, headers=headers or {})
