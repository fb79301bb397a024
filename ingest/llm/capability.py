"""What an endpoint takes: found once from what it refuses, and then remembered."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

Messages = Sequence[tuple[str, str]]
"""Pairs (role, text)."""


class Mode(StrEnum):
    """The means of structured output, the best first."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool"
    JSON_OBJECT = "json_object"
    TEXT = "text"

    @property
    def next(self) -> Mode | None:
        """The next best means; None after the last."""
        modes = list(Mode)
        return next(iter(modes[modes.index(self) + 1 :]), None)


@dataclass(frozen=True, slots=True)
class Capability:
    """How an endpoint is asked: by which means, and without which parameters.

    `explained`: the schema is also said in words, for an endpoint that takes the request for
    structure and does not follow it.
    """

    mode: Mode = Mode.JSON_SCHEMA
    without: frozenset[str] = frozenset()
    explained: bool = False

    def request(
        self, messages: Messages, name: str, schema: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The arguments of the call. `settings` are parameters such as the temperature."""
        said = [{"role": role, "content": text} for role, text in messages]
        if self.explained or self.mode in (Mode.JSON_OBJECT, Mode.TEXT):
            said = _explained(said, schema)
        request: dict[str, Any] = {"messages": said}
        request |= {key: value for key, value in settings.items() if key not in self.without}
        if self.mode is Mode.JSON_SCHEMA:
            described = {"name": name, "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        elif self.mode is Mode.TOOL:
            function = {"name": name, "strict": True, "parameters": schema}
            function["description"] = "Report the answer; call this once."
            request["tools"] = [{"type": "function", "function": function}]
            request["tool_choice"] = {"type": "function", "function": {"name": name}}
        elif self.mode is Mode.JSON_OBJECT:
            request["response_format"] = {"type": "json_object"}
        return request

    def after_refusal(self, parameter: str, message: str) -> Capability | None:
        """What to try next when the endpoint refused a request; None when nothing is left.

        `parameter` is the one that the endpoint blames, if it says, and `message` its words.
        """
        blamed = _blamed(parameter, message, self.without)
        if blamed is not None:
            return replace(self, without=self.without | {blamed})
        mode = self.mode.next
        return None if mode is None else replace(self, mode=mode)


OPTIONAL = ("temperature", "seed", "max_completion_tokens", "max_tokens")
"""Parameters that an endpoint may do without; the longer names first."""

_LONGEST_MESSAGE = 2_000


def _blamed(parameter: str, message: str, without: frozenset[str]) -> str | None:
    left = [name for name in OPTIONAL if name not in without]
    if parameter in left:
        return parameter
    # "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    told = message[:_LONGEST_MESSAGE].lower()
    said = re.sub(r"\buse\b.*?\binstead\b", "", told, flags=re.S)
    return next((name for name in left if re.search(rf"(?<!\w){name}(?!\w)", said)), None)


def _explained(messages: list[dict[str, str]], schema: Mapping[str, Any]) -> list[dict[str, str]]:
    words = (
        "Reply with one JSON object and nothing else: no prose, no code fence. "
        "It must follow this JSON schema:\n"
        + json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    )
    first, *rest = messages
    if first["role"] != "system":
        return [{"role": "system", "content": words}, *messages]
    return [{**first, "content": f"{first['content']}\n\n{words}"}, *rest]
