"""Options that come in groups: what reads the turns, what a run may spend, and what a file is."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bitempo import Meter
    from bitempo.cli.settings import Settings
    from bitempo.ingest.extraction import Extractor

_MODEL = "Extraction"
_SPENDING = "Spending"
_SOURCE = "Source"
RULES, LLM = "rules", "llm"


@dataclass(frozen=True)
class ModelChoice:
    """What turns sessions into facts."""

    extractor: Annotated[
        str | None,
        typer.Option(
            "--extractor",
            metavar="rules|llm",
            help="Patterns that need no model, or a model behind an OpenAI-compatible endpoint. "
            "Default: BITEMPO_EXTRACTOR, or rules.",
            rich_help_panel=_MODEL,
        ),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="The model's name at the endpoint. Default: BITEMPO_MODEL.",
            rich_help_panel=_MODEL,
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            metavar="URL",
            help="The endpoint. Default: BITEMPO_BASE_URL, or OpenAI's own. Its key comes from "
            "OPENAI_API_KEY.",
            rich_help_panel=_MODEL,
        ),
    ] = None
    instructions: Annotated[
        str | None,
        typer.Option(
            "--instructions",
            metavar="FILE",
            help="Your own words for the model, added to the prompt.",
            rich_help_panel=_MODEL,
        ),
    ] = None
    prompt_price: Annotated[
        float | None,
        typer.Option(
            "--prompt-price",
            min=0,
            help="Of a million tokens in. Default: BITEMPO_PROMPT_PRICE.",
            rich_help_panel=_MODEL,
        ),
    ] = None
    completion_price: Annotated[
        float | None,
        typer.Option(
            "--completion-price",
            min=0,
            help="Of a million tokens out. Default: BITEMPO_COMPLETION_PRICE.",
            rich_help_panel=_MODEL,
        ),
    ] = None

    @property
    def flags(self) -> str:
        """The options that were given, as they can be typed again."""
        return _flags(self)

    def build(self, settings: Settings) -> Extractor | None:
        """The extractor that is meant; None where nobody chose one, which means the rules.

        Raises:
            InvalidInputError: there is no such extractor, an option is for the other one, or
                the model cannot be used.
        """
        from bitempo import InvalidInputError

        kind = self.extractor or settings.extractor
        if kind not in (RULES, LLM):
            raise InvalidInputError(f"there is no extractor {kind!r}; use {RULES} or {LLM}")
        if kind == LLM:
            return self._model(settings)
        given = [option for option in _given(self) if option != "--extractor"]
        if given:
            raise InvalidInputError(f"{given[0]} is for a model; say --extractor {LLM} as well")
        if self.extractor is None and not settings.extractor_given:
            return None
        from bitempo import RulesExtractor

        return RulesExtractor()

    def _model(self, settings: Settings) -> Extractor:
        from bitempo import InvalidInputError, LLMExtractor, Prices

        model = self.model or settings.model
        if model is None:
            raise InvalidInputError("no model is named; say which with --model or BITEMPO_MODEL")
        path = self.instructions or settings.instructions
        prices = (
            settings.prompt_price if self.prompt_price is None else self.prompt_price,
            settings.completion_price if self.completion_price is None else self.completion_price,
        )
        return LLMExtractor(
            model,
            base_url=self.base_url or settings.base_url,
            instructions="" if path is None else Path(path).read_text(encoding="utf-8"),
            prices=Prices(*prices),
        )


@dataclass(frozen=True)
class SpendingChoice:
    """The most that a run may spend, and how fast."""

    budget_calls: Annotated[
        int | None,
        typer.Option(
            "--budget-calls", min=0, help="Most calls to the model.", rich_help_panel=_SPENDING
        ),
    ] = None
    budget_tokens: Annotated[
        int | None,
        typer.Option(
            "--budget-tokens",
            min=0,
            help="Most tokens, in and out together.",
            rich_help_panel=_SPENDING,
        ),
    ] = None
    budget_cost: Annotated[
        float | None,
        typer.Option(
            "--budget-cost",
            min=0,
            help="Most money, in the currency of the prices.",
            rich_help_panel=_SPENDING,
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            min=1,
            help="How many windows at a time; those of one actor never are. Default: 4 for a "
            "model, 1 for rules and with --replay.",
            rich_help_panel=_SPENDING,
        ),
    ] = None

    def meter(self) -> Meter:
        """What counts the calls of the run, with its budget."""
        from bitempo import Budget, Meter

        return Meter(Budget(self.budget_calls, self.budget_tokens, self.budget_cost))

    def at_a_time(self, *, replay: bool) -> int | None:
        """How many windows at a time. A replay records in the order of time.

        Raises:
            InvalidInputError: a replay was to do several.
        """
        from bitempo import InvalidInputError

        if replay and self.concurrency not in (None, 1):
            raise InvalidInputError(
                "a replay takes one window at a time, in the order of time; leave out "
                "--concurrency, or record as of now with --as-recorded"
            )
        return 1 if replay else self.concurrency


@dataclass(frozen=True)
class SourceChoice:
    """What a file of sessions is, where it does not say so itself."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="locomo, longmemeval, messages, chatgpt or transcript. Default: recognised.",
            rich_help_panel=_SOURCE,
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse the file when a record is malformed.",
            rich_help_panel=_SOURCE,
        ),
    ] = False
    started_at: Annotated[
        str | None,
        typer.Option(
            "--started-at",
            metavar="TIME",
            help="For sessions that state no time.",
            rich_help_panel=_SOURCE,
        ),
    ] = None
    timezone: Annotated[
        str,
        typer.Option(
            "--timezone",
            help="Of times without an offset, as Europe/Lisbon.",
            rich_help_panel=_SOURCE,
        ),
    ] = "UTC"
    actor: Annotated[
        str | None,
        typer.Option(
            "--actor",
            help="Whose sessions, where the file does not say.",
            rich_help_panel=_SOURCE,
        ),
    ] = None

    @property
    def flags(self) -> str:
        """The options that were given, as they can be typed again."""
        given = {name: value for name, value in _given(self).items() if name != "--strict"}
        if self.timezone == "UTC":
            del given["--timezone"]
        typed = "".join(f" {name} {shlex.quote(str(value))}" for name, value in given.items())
        return typed + (" --strict" if self.strict else "")


def _given(choice: Any) -> dict[str, Any]:
    """The options that were given, by their names on the command line."""
    values = {field.name: getattr(choice, field.name) for field in fields(choice)}
    return {
        "--" + name.replace("_", "-"): value for name, value in values.items() if value is not None
    }


def _flags(choice: Any) -> str:
    return "".join(f" {name} {shlex.quote(str(value))}" for name, value in _given(choice).items())
