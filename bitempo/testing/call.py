"""A request as the scripted model got it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Format = Literal["json_schema", "tool", "json_object", "text"]
"""How a request asks for structure; "text" asks for none."""

CHARACTERS_PER_TOKEN = 4
"""What the scripted model's tokens are: an estimate, as good as any without a tokeniser."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request: its `number` counts from 1, in the order in which requests came in."""

    number: int
    path: str
    headers: Mapping[str, str] = field(repr=False)
    """By name, in lower case."""
    body: Mapping[str, Any]
    """The parsed JSON."""

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The messages of a chat request."""
        found = self.body.get("messages")
        return found if isinstance(found, list) else []

    @property
    def prompt(self) -> str:
        """The text of the last message of the role "user"."""
        asked = [message for message in self.messages if message.get("role") == "user"]
        return _text(asked[-1].get("content")) if asked else ""

    @property
    def text(self) -> str:
        """The text of all messages, one after the other."""
        return "\n".join(_text(message.get("content")) for message in self.messages)

    @property
    def inputs(self) -> list[Any]:
        """What a request for embeddings wants vectors of: texts, or lists of tokens."""
        given = self.body.get("input", [])
        # A list of numbers is one text, given as its tokens.
        single = isinstance(given, str) or (bool(given) and isinstance(given[0], int))
        return [given] if single else list(given)

    @property
    def question(self) -> str:
        """What a request for a reranking asks."""
        return str(self.body.get("query", ""))

    @property
    def documents(self) -> list[str]:
        """The texts that a request for a reranking wants scores of."""
        given = self.body.get("documents", [])
        texts = (one.get("text", "") if isinstance(one, Mapping) else one for one in given)
        return [str(text) for text in texts]

    @property
    def response_format(self) -> Format:
        """How the request asks for structure."""
        if self.body.get("tools"):
            return "tool"
        wanted = self.body.get("response_format")
        kind = wanted.get("type") if isinstance(wanted, Mapping) else None
        return kind if kind in ("json_schema", "json_object") else "text"

    @property
    def tool(self) -> str:
        """The name of the tool that a reply calls: the one that was chosen, or the first."""
        chosen = self.body.get("tool_choice")
        if isinstance(chosen, Mapping) and isinstance(chosen.get("function"), Mapping):
            return str(chosen["function"].get("name", ""))
        tools = self.body.get("tools") or [{}]
        return str(tools[0].get("function", {}).get("name", ""))

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema of the reply that is asked for, by response_format or by tool."""
        found: Any = None
        if self.response_format == "tool":
            for tool in self.body["tools"]:
                if tool.get("function", {}).get("name") == self.tool:
                    found = tool["function"].get("parameters")
        elif self.response_format == "json_schema":
            found = self.body["response_format"].get("json_schema", {}).get("schema")
        return found if isinstance(found, Mapping) else None

    @property
    def prompt_tokens(self) -> int:
        """How long the request is, by estimate."""
        if self.messages:
            return estimated_tokens(self.text)
        if self.documents:
            return sum(map(estimated_tokens, (self.question, *self.documents)))
        return sum(len(i) if isinstance(i, list) else estimated_tokens(i) for i in self.inputs)


def estimated_tokens(text: str) -> int:
    """Four characters a token, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _text(content: object) -> str:
    """The text of a message's content, which may come in parts."""
    if isinstance(content, list):
        parts = (part.get("text", "") for part in content if isinstance(part, Mapping))
        return "\n".join(str(part) for part in parts)
    return content if isinstance(content, str) else ""
