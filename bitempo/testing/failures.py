"""The ways in which endpoints and models fail, to be given as replies of a script.

Those that take a reply can be put around each other: `Fenced(Thinking({"entities": []}))`.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import dataclass, replace

from bitempo.testing.answer import Answer, Behaviour, ScriptedReply, answer_to, error_answer
from bitempo.testing.call import Call


class _Always(Behaviour):
    """Answers every call in the same way."""

    def answer(self, call: Call) -> Answer:  # noqa: ARG002 - the same for every call
        return self._answer()

    @abstractmethod
    def _answer(self) -> Answer: ...


@dataclass(frozen=True)
class Status(_Always):
    """An HTTP error. `retry_after` are seconds, sent as the header of that name."""

    code: int
    message: str = ""
    retry_after: float | None = None

    def _answer(self) -> Answer:
        headers = {} if self.retry_after is None else {"Retry-After": f"{self.retry_after:g}"}
        said = self.message or f"the script answers {self.code}"
        kind = "rate_limit_exceeded" if self.code == 429 else None
        return error_answer(self.code, said, code=kind, headers=headers)


@dataclass(frozen=True)
class Dropped(Behaviour):
    """The connection breaks in the middle of the body: after the part `after` of it."""

    reply: ScriptedReply = ""
    after: float = 0.5

    def answer(self, call: Call) -> Answer:
        return replace(answer_to(call, self.reply), sent=self.after)


@dataclass(frozen=True)
class Held(_Always):
    """Nothing comes until the client gives up or the server is closed: a timeout."""

    def _answer(self) -> Answer:
        return Answer(held=True)


@dataclass(frozen=True)
class Truncated(Behaviour):
    """The model reaches its limit of tokens: only the part `keep` of the reply, and it says so."""

    reply: ScriptedReply
    keep: float = 0.5

    def answer(self, call: Call) -> Answer:
        whole = answer_to(call, self.reply)
        cut = whole.text[: int(len(whole.text) * self.keep)]
        return replace(whole, text=cut, finish_reason="length")


@dataclass(frozen=True)
class Refusal(_Always):
    """The model refuses, in the field that is there for it."""

    message: str = "I can't help with that."

    def _answer(self) -> Answer:
        return Answer(refusal=self.message)


@dataclass(frozen=True)
class ContentFilter(_Always):
    """A filter stops the reply; with `of_prompt`, it refuses the request with an error 400."""

    of_prompt: bool = False

    def _answer(self) -> Answer:
        if self.of_prompt:
            said = "The prompt was filtered by the content management policy."
            return error_answer(400, said, code="content_filter", param="prompt")
        return Answer(finish_reason="content_filter")


@dataclass(frozen=True)
class ContextOverflow(Behaviour):
    """The request is longer than the model's context of `limit` tokens: an error 400."""

    limit: int = 8_192

    def answer(self, call: Call) -> Answer:
        said = (
            f"This model's maximum context length is {self.limit} tokens, and the request has "
            f"{max(call.prompt_tokens, self.limit + 1)}."
        )
        return error_answer(400, said, code="context_length_exceeded", param="messages")


@dataclass(frozen=True)
class UnsupportedFormat(Behaviour):
    """The endpoint does not know the way in which the request asks for structure: an error 400."""

    def answer(self, call: Call) -> Answer:
        if call.response_format == "tool":
            return error_answer(400, "Tools are not supported by this model.", param="tools")
        said = f"response_format of type '{call.response_format}' is not supported by this model."
        return error_answer(400, said, param="response_format")


@dataclass(frozen=True)
class UnsupportedParameter(_Always):
    """The endpoint does not know a parameter of the request: an error 400."""

    name: str

    def _answer(self) -> Answer:
        said = f"Unsupported parameter: '{self.name}' is not supported with this model."
        return error_answer(400, said, code="unsupported_parameter", param=self.name)


@dataclass(frozen=True)
class Fenced(Behaviour):
    """The reply in a Markdown code block, with words before and after it."""

    reply: ScriptedReply
    before: str = "Here is the JSON:\n\n"
    after: str = "\n\nLet me know if you need more."

    def answer(self, call: Call) -> Answer:
        plain = answer_to(call, self.reply)
        return replace(plain, text=f"{self.before}```json\n{plain.text}\n```{self.after}")


@dataclass(frozen=True)
class Thinking(Behaviour):
    """The reply after a block of thought, braces and all."""

    reply: ScriptedReply
    thought: str = 'The user wants JSON such as {"entities": []}. Let me see.'

    def answer(self, call: Call) -> Answer:
        plain = answer_to(call, self.reply)
        return replace(plain, thought=f"<think>\n{self.thought}\n</think>\n\n{plain.thought}")


@dataclass(frozen=True)
class SchemaEcho(Behaviour):
    """The schema comes back: alone, or with the reply's data where its properties stood."""

    reply: ScriptedReply | None = None

    def answer(self, call: Call) -> Answer:
        schema = dict(call.schema or {"type": "object"})
        if self.reply is None:
            return Answer(text=json.dumps(schema, ensure_ascii=False))
        plain = answer_to(call, self.reply)
        schema["properties"] = json.loads(plain.text)
        return replace(plain, text=json.dumps(schema, ensure_ascii=False))


@dataclass(frozen=True)
class WrongJson(_Always):
    """JSON of another shape than the one asked for."""

    def _answer(self) -> Answer:
        return Answer(text='{"answer": 42}')


@dataclass(frozen=True)
class BrokenJson(Behaviour):
    """The reply without its last brackets, though the model says that it is complete."""

    reply: ScriptedReply = "{"

    def answer(self, call: Call) -> Answer:
        plain = answer_to(call, self.reply)
        return replace(plain, text=plain.text.rstrip().rstrip("]}"))


@dataclass(frozen=True)
class WithoutUsage(Behaviour):
    """The reply, and no word on how many tokens it took."""

    reply: ScriptedReply = '{"entities": [], "assertions": []}'

    def answer(self, call: Call) -> Answer:
        return replace(answer_to(call, self.reply), with_usage=False)
