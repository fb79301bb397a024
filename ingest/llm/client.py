"""One model behind an OpenAI-compatible endpoint, asked for replies of a schema."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from bitempo.engine.errors import InvalidInputError, ModelError
from bitempo.ingest.llm.capability import Capability, Messages
from bitempo.ingest.llm.failures import RefusedError, UnusableReplyError
from bitempo.ingest.llm.recovery import Recovered, recover
from bitempo.ingest.llm.schema import shape_of, strict_schema
from bitempo.ingest.llm.trouble import failure, is_about_the_request
from bitempo.ingest.metering import Meter, Usage

if TYPE_CHECKING:
    from openai import OpenAI

Shaped = TypeVar("Shaped", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in whatever currency budgets are given in."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


class ChatModel:
    """Asks a model, and finds out once what its endpoint takes. Safe to share between threads.

    Structured output is asked for by JSON schema, else by a tool call, else as a JSON object,
    else in words; parameters that the endpoint refuses are left out. Both are remembered.

    Args:
        model: the model's name at the endpoint; for Azure the deployment's.
        base_url: of any OpenAI-compatible endpoint; OpenAI's own by default.
        api_key: by default from OPENAI_API_KEY. An endpoint of your own that needs none gets a
            placeholder.
        client: a client of the openai package to use instead, such as `AzureOpenAI`.
        timeout: seconds for one attempt.
        max_retries: attempts after the first when the endpoint is busy, failing or not reached;
            the waits grow, and follow the endpoint's Retry-After.
        prices: for `Usage.cost`.
        max_output_tokens: sent along when given, as the most that a reply may hold.
        count_tokens: counts where the endpoint does not; a quarter of the characters by default.

    Raises:
        InvalidInputError: the openai package is missing, or there is no key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: OpenAI | None = None,
        timeout: float = 120.0,
        max_retries: int = 4,
        prices: Prices | None = None,
        max_output_tokens: int | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise InvalidInputError("name the model, such as LLMExtractor(model='gpt-4.1-mini')")
        self.name = model
        self.prices = prices or Prices()
        self.count_tokens = count_tokens or estimated_tokens
        self._client = client or _client(base_url, api_key, timeout, max_retries)
        self._limit = max_output_tokens
        # OpenAI's newer models take only the newer name, most other endpoints only the older.
        newer = client is not None or base_url is None
        self._limit_name = "max_completion_tokens" if newer else "max_tokens"
        self._lock = threading.Lock()
        self._capability = Capability()

    @property
    def capability(self) -> Capability:
        """What is known by now of the endpoint."""
        with self._lock:
            return self._capability

    def ask(self, messages: Messages, schema: type[Shaped], meter: Meter) -> Shaped:
        """The model's reply to the messages. One that is not of the schema is asked for again.

        Raises:
            BudgetExceededError: the meter allows no further call.
            RefusedError, TooLongError: the model would not or could not take the messages.
            UnusableReplyError: nothing could be made of two replies.
            ModelError: the endpoint failed after all retries.
        """
        try:
            return self._checked(messages, schema, meter)
        except UnusableReplyError as error:
            return self._checked(mending(messages, str(error)), schema, meter)

    def answer(self, messages: Messages, schema: type[BaseModel], meter: Meter) -> Recovered:
        """The object in the model's reply, unchecked, and whether it was complete.

        Raises:
            As `ask`; UnusableReplyError after one reply in which there is no such object.
        """
        strict = strict_schema(schema)
        completion = self._complete(messages, schema.__name__, strict, meter)
        text, finished = _text_of(completion)
        recovered = recover(text, shape_of(strict))
        if recovered is None:
            if finished:
                self._explain_from_now_on()
            raise UnusableReplyError(
                "the reply held no JSON object of the schema"
                if finished
                else "the reply was cut off before it said anything"
            )
        return recovered if finished else replace(recovered, complete=False)

    def _checked(self, messages: Messages, schema: type[Shaped], meter: Meter) -> Shaped:
        recovered = self.answer(messages, schema, meter)
        if not recovered.complete:
            raise UnusableReplyError("the reply was cut off; say less")
        try:
            return schema.model_validate(recovered.data)
        except ValidationError as error:
            raise UnusableReplyError(f"the reply does not follow the schema: {error}") from error

    def _complete(
        self, messages: Messages, name: str, schema: dict[str, Any], meter: Meter
    ) -> object:
        """The completion, asked for in the best way that the endpoint takes."""
        capability = self.capability
        first: ModelError | None = None
        while True:
            request = capability.request(messages, name, schema, self._settings(capability))
            try:
                completion = self._request(request, meter)
            except _NotTakenError as refused:
                first = first or refused.failure
                after = capability.after_refusal(refused.parameter, refused.message)
                if after is None:
                    raise first from refused
                capability = after
                continue
            self._remember(capability)
            return completion

    def _request(self, request: dict[str, Any], meter: Meter) -> object:
        """One counted request."""
        import openai

        meter.start_call()
        usage = Usage(calls=1)
        try:
            # The arguments depend on what the endpoint takes, which no overload says.
            create = cast(Any, self._client.chat.completions.create)
            completion: object = create(model=self.name, **request)
            usage = self._usage(request, completion)
            return completion
        except openai.OpenAIError as error:
            if is_about_the_request(error):
                parameter = str(getattr(error, "param", None) or "")
                raise _NotTakenError(parameter, str(error), failure(error, self.name)) from error
            raise failure(error, self.name) from error
        except (ValueError, TypeError, AttributeError) as error:
            # A body that is no JSON, from something that is not such an endpoint.
            raise UnusableReplyError(f"the endpoint's answer cannot be read: {error}") from error
        finally:
            meter.finish_call(usage)

    def _settings(self, capability: Capability) -> dict[str, Any]:
        settings: dict[str, Any] = {"temperature": 0, "seed": 0}
        if self._limit is not None:
            names = [self._limit_name, *{"max_tokens", "max_completion_tokens"}]
            name = next((n for n in names if n not in capability.without), None)
            if name is not None:
                settings[name] = self._limit
        return settings

    def _usage(self, request: dict[str, Any], completion: object) -> Usage:
        told = getattr(completion, "usage", None)
        prompt = getattr(told, "prompt_tokens", None)
        completed = getattr(told, "completion_tokens", None)
        if not isinstance(prompt, int):
            prompt = sum(self.count_tokens(said["content"]) for said in request["messages"])
        if not isinstance(completed, int):
            completed = self.count_tokens(_said(completion))
        return Usage(1, prompt, completed, self.prices.of(prompt, completed))

    def _remember(self, capability: Capability) -> None:
        with self._lock:
            explained = capability.explained or self._capability.explained
            self._capability = replace(capability, explained=explained)

    def _explain_from_now_on(self) -> None:
        with self._lock:
            self._capability = replace(self._capability, explained=True)


def estimated_tokens(text: str) -> int:
    """A rough count without a tokeniser: four characters of ASCII, or one and a half others."""
    ascii_only = sum(char.isascii() for char in text) if not text.isascii() else len(text)
    return (ascii_only + 3) // 4 + (len(text) - ascii_only) * 2 // 3


def mending(messages: Messages, problem: str) -> Messages:
    """The messages asked again, saying what was wrong with the last reply.

    It is said in the last message: some endpoints want roles to take turns.
    """
    *before, (role, text) = messages
    words = (
        f"Your last reply to this could not be used: {problem[:500]}\n"
        "Reply again, with one complete JSON object of the schema and nothing else."
    )
    return (*before, (role, f"{text}\n\n{words}"))


class _NotTakenError(Exception):
    """The endpoint refused the form of the request, not what it asks."""

    def __init__(self, parameter: str, message: str, failure: ModelError) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.message = message
        self.failure = failure


def _client(base_url: str | None, api_key: str | None, timeout: float, retries: int) -> OpenAI:
    try:
        import openai
    except ImportError as error:
        raise InvalidInputError(
            "extraction by a model needs the openai package: pip install 'bitempo[openai]'"
        ) from error
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise InvalidInputError(
            f"the base URL begins with http:// or https://, and {base_url!r} does not; such as "
            "http://localhost:8000/v1"
        )
    try:
        return openai.OpenAI(
            base_url=base_url, api_key=api_key, timeout=timeout, max_retries=retries
        )
    except openai.OpenAIError as error:
        if base_url is not None:
            return openai.OpenAI(
                base_url=base_url, api_key="none", timeout=timeout, max_retries=retries
            )
        raise InvalidInputError(
            "there is no key for the model: set OPENAI_API_KEY or give api_key=, or base_url= of "
            "an endpoint that needs none"
        ) from error


def _text_of(completion: object) -> tuple[str, bool]:
    """What the model said, and whether it had finished."""
    choice = _choice(completion)
    message = getattr(choice, "message", None)
    reason = getattr(choice, "finish_reason", None)
    refusal = getattr(message, "refusal", None)
    if refusal or reason == "content_filter":
        raise RefusedError(
            "the model refused to read these turns" if refusal else "a content filter stopped it"
        )
    return _said(completion), reason != "length"


def _said(completion: object) -> str:
    message = getattr(_choice(completion), "message", None)
    calls = getattr(message, "tool_calls", None) or ()
    arguments = [getattr(getattr(call, "function", None), "arguments", None) for call in calls]
    return "\n".join(filter(None, arguments)) or str(getattr(message, "content", None) or "")


def _choice(completion: object) -> object | None:
    choices = getattr(completion, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None
