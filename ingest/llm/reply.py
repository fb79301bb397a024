"""What a model must reply for a window: the schema, as it goes into the request.

Names are the field's, so that the schema explains itself to the model; every field is required
and nullable instead of optional, which is what strict structured output asks for.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Granularity = Literal[
    "instant", "minute", "hour", "part_of_day", "day", "weekend", "week", "month", "season",
    "quarter", "year", "decade", "century", "unknown",
]  # fmt: skip


class Reply(BaseModel):
    """The claims of one window, and the entities that they name."""

    model_config = ConfigDict(extra="forbid")

    entities: list[ReplyEntity]
    assertions: list[ReplyAssertion]


class ReplyEntity(BaseModel):
    """An entity that the assertions name."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="The fullest name the turns give it, or the known entity's name")
    type: str = Field(description="person, place, organization, pet, event, product, group, …")
    aliases: list[str] = Field(description="Other names that the turns use for it")


class ReplyAssertion(BaseModel):
    """One claim, in one self-contained sentence and as subject, predicate, object or value."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="One self-contained sentence, with names instead of pronouns")
    subject: str = Field(description="Name of an entity")
    predicate: str = Field(description="UPPER_SNAKE_CASE; a known predicate where one fits")
    object: str | None = Field(description="Name of an entity, or null")
    value: str | int | float | bool | None = Field(description="A literal, or null")
    cardinality: Literal["one", "many"] = Field(
        description="one: a new value ends the one before it; many: values stand side by side"
    )
    polarity: Literal["+", "-"] = Field(description="-: the turns say that it does not hold")
    modality: Literal["actual", "planned", "hypothetical"]
    kind: Literal[
        "state", "event", "preference", "plan", "relation", "trait", "procedure", "correction",
        "knowledge", "instruction",
    ]  # fmt: skip
    time_text: str | None = Field(description="The words of the turns that say when, or null")
    valid_from: str | None = Field(
        description="ISO 8601 UTC when it began to hold; null when the turns do not say"
    )
    valid_to: str | None = Field(
        description="ISO 8601 UTC when it ceased to hold; null when nothing says it did"
    )
    granularity: Granularity
    due: str | None = Field(description="ISO 8601 UTC: a deadline of a plan, or null")
    importance: int = Field(description="1 (trivial) to 10 (life-changing)")
    confidence: float = Field(description="0 to 1")
    inferred: bool = Field(description="true when it follows from the turns but is not stated")
    evidence: list[str] = Field(description="Labels of the turns that say so, the main one first")
    quote: str = Field(description="Words copied from the first evidence turn, exactly")
    corrects: str | None = Field(
        description="Label of the known fact, or a<n> for the n-th assertion of this reply "
        "(counted from 1), that this one says was wrong; null otherwise"
    )
