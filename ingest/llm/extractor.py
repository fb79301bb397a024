"""The extractor by a model: one call for a window, and nothing of a window lost silently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from pydantic import BaseModel

from bitempo.engine.model import AssertionDraft
from bitempo.engine.names import digest
from bitempo.engine.store.port import Reader
from bitempo.ingest.extraction import Extraction, Known, Note, Rejection, Request, Window
from bitempo.ingest.instructions import reads_as_instruction
from bitempo.ingest.llm.client import ChatModel, Prices, mending
from bitempo.ingest.llm.failures import RefusedError, TooLongError, UnusableReplyError
from bitempo.ingest.llm.guide import PROMPT_VERSION
from bitempo.ingest.llm.known import known_of
from bitempo.ingest.llm.mapping import Mapped, Mapper
from bitempo.ingest.llm.prompt import (
    Prompt,
    PromptSettings,
    cardinalities,
    check_types,
    prompt_of,
)
from bitempo.ingest.llm.recovery import Recovered
from bitempo.ingest.llm.reply import Reply
from bitempo.ingest.llm.times import TimeReader
from bitempo.ingest.metering import Meter
from bitempo.ingest.windows import CONTEXT_TURNS, WindowSettings

if TYPE_CHECKING:
    from openai import OpenAI

DEFAULT_MODEL = "gpt-4.1-mini"
MOST_CALLS = 16
"""Calls that one window may take when its replies fail, unless told otherwise."""


class LLMExtractor:
    """Implements `ModelExtractor` over any OpenAI-compatible endpoint. Safe to share.

    Args:
        model: the model's name, or a `ChatModel` of your own.
        base_url, api_key, client, timeout, max_retries, prices, max_output_tokens: as for
            `ChatModel`.
        instructions: your own words, added to the prompt.
        entity_types, fact_types: pydantic classes to look for; name, docstring and fields with
            their descriptions go into the prompt. A fact type is a predicate; with
            `cardinality: ClassVar[str] = "one"` it holds one value at a time.
        language: of the facts; that of the turns by default.
        timezone: where turns were spoken, for "yesterday" and the like.
        date_language: ISO 639-1 code of the rules that check the model's times.
        window_tokens: how many tokens of turns go into one call.
        known_tokens: how many tokens of what is known go along, at most.
        count_tokens: a tokeniser's count; a quarter of the characters by default.
        max_calls_per_window: where replies fail; what is left then is rejected, and told.

    Raises:
        InvalidInputError: the openai package is missing, there is no key, or a type is no
            pydantic class.
    """

    def __init__(
        self,
        model: str | ChatModel = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: OpenAI | None = None,
        timeout: float = 120.0,
        max_retries: int = 4,
        prices: Prices | None = None,
        max_output_tokens: int | None = None,
        instructions: str = "",
        entity_types: Iterable[type[BaseModel]] = (),
        fact_types: Iterable[type[BaseModel]] = (),
        language: str | None = None,
        timezone: tzinfo = UTC,
        date_language: str = "en",
        window_tokens: int = 1_500,
        known_tokens: int = 1_500,
        count_tokens: Callable[[str], int] | None = None,
        max_calls_per_window: int = MOST_CALLS,
    ) -> None:
        self.chat = (
            model
            if isinstance(model, ChatModel)
            else ChatModel(
                model,
                base_url=base_url,
                api_key=api_key,
                client=client,
                timeout=timeout,
                max_retries=max_retries,
                prices=prices,
                max_output_tokens=max_output_tokens,
                count_tokens=count_tokens,
            )
        )
        self.window_tokens = window_tokens
        self._most_calls = max_calls_per_window
        self.count_tokens = self.chat.count_tokens
        self._settings = PromptSettings(
            instructions,
            check_types(entity_types, "entity types"),
            check_types(fact_types, "fact types"),
            language,
            timezone,
            known_tokens,
            count_tokens=self.count_tokens,
        )
        self._mapper = Mapper(
            self.name,
            f"llm{PROMPT_VERSION}-{digest(self.name)[:6]}",
            TimeReader(timezone, date_language),
            reads_as_instruction,
            cardinalities(self._settings.fact_types),
        )

    @property
    def name(self) -> str:
        """ "llm/1/gpt-4.1-mini": the version of the prompt, and the model.

        What you add to the prompt is told apart by a mark: "llm/1/gpt-4.1-mini+3fa2c1".
        """
        mark = self._settings.fingerprint()
        return f"llm/{PROMPT_VERSION}/{self.chat.name}" + (f"+{mark}" if mark else "")

    @property
    def window_settings(self) -> WindowSettings:
        """How many turns go into one call."""
        return WindowSettings.of_tokens(self.window_tokens, self.count_tokens)

    def extract(self, window: Window) -> Extraction:
        """The claims of the window's turns, without a limit to what it costs.

        Raises:
            ModelError: the endpoint failed after all retries.
        """
        return self.extract_metered(window, Meter())

    def informed(self, window: Window, reader: Reader) -> Window:
        """The window with what the memory knows of its speakers, names and topics."""
        return replace(window, known=known_of(window, reader))

    def extract_metered(self, window: Window, meter: Meter) -> Extraction:
        """As `extract`, with every call counted. One call, unless a reply cannot be used.

        Turns that the model refuses, that do not fit, or whose reply is cut off are asked for in
        halves, down to one turn; what is refused even then is a rejection.

        Raises:
            BudgetExceededError: the meter allows no further call.
            ModelError: the endpoint failed after all retries.
        """
        work = _Work(self.chat, self._settings, self._mapper, meter, self._most_calls)
        if window.episodes:
            work.extract(window)
        return Extraction(self.name, tuple(work.drafts), tuple(work.rejections), tuple(work.notes))

    def requests(self, window: Window) -> tuple[Request, ...]:
        """The call that extracting the window would begin with; none is made."""
        if not window.episodes:
            return ()
        prompt = prompt_of(window, self._settings)
        tokens = sum(self.count_tokens(text) for _, text in prompt.messages)
        cost = self.chat.prices.of(tokens, 0)
        return (Request(self.chat.name, prompt.messages, tokens, cost),)


@dataclass(slots=True)
class _Work:
    """The calls for one window."""

    chat: ChatModel
    settings: PromptSettings
    mapper: Mapper
    meter: Meter
    most_calls: int
    calls: int = 0
    drafts: list[AssertionDraft] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def extract(self, window: Window) -> None:
        """Add what the model says of the window, or of its halves where it fails."""
        if self.calls >= self.most_calls:
            self._give_up(window, f"{self.calls} calls were made for the window already")
            return
        prompt = prompt_of(window, self.settings)
        try:
            reply = self._reply(prompt, single=len(window.episodes) == 1)
        except (RefusedError, TooLongError) as error:
            if not self._in_halves(window):
                self._bare(window, str(error))
            return
        except UnusableReplyError as error:
            if not self._in_halves(window):
                self._give_up(window, str(error))
            return
        if not reply.complete and self._in_halves(window):
            return
        self._take(self.mapper.map(reply.data, prompt, window.known))
        if not reply.complete:
            lost = "the reply was cut off; what came after its last whole item is lost"
            self._give_up(window, lost)

    def _reply(self, prompt: Prompt, *, single: bool) -> Recovered:
        """A reply to the prompt. One that cannot be used is asked for once more."""
        try:
            first = self._ask(prompt.messages)
        except UnusableReplyError as error:
            if self.calls >= self.most_calls:
                raise
            return self._ask(mending(prompt.messages, str(error)))
        if first.complete or not single or self.calls >= self.most_calls:
            return first
        # It cannot be asked for in smaller pieces, so that it has to be shorter.
        try:
            second = self._ask(mending(prompt.messages, _SHORTER))
        except UnusableReplyError:
            return first
        return second if second.complete or _size(second) > _size(first) else first

    def _ask(self, messages: Sequence[tuple[str, str]]) -> Recovered:
        self.calls += 1
        return self.chat.answer(messages, Reply, self.meter)

    def _in_halves(self, window: Window) -> bool:
        """Extract the window in two halves, if it has more than one turn."""
        turns = window.episodes
        if len(turns) < 2:
            return False
        middle = len(turns) // 2
        before = (*window.context, *turns[:middle])[-CONTEXT_TURNS:]
        self.extract(replace(window, episodes=turns[:middle]))
        self.extract(replace(window, episodes=turns[middle:], context=before))
        return True

    def _bare(self, window: Window, reason: str) -> None:
        """Extract a single turn alone: what went along with it may be what was refused."""
        if window.context or window.known != Known():
            self.extract(replace(window, context=(), known=Known()))
        else:
            self._give_up(window, reason)

    def _take(self, mapped: Mapped) -> None:
        self.drafts.extend(mapped.drafts)
        self.rejections.extend(mapped.rejections)
        self.notes.extend(mapped.notes)

    def _give_up(self, window: Window, reason: str) -> None:
        self.rejections.extend(
            Rejection(f"turn {episode.id}", f"not extracted: {reason}")
            for episode in window.episodes
        )


_SHORTER = "it was cut off. Name only the claims that matter most, in few words"


def _size(reply: Recovered) -> int:
    return len(reply.data.get("assertions") or ())
