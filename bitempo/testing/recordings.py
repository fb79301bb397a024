"""Recorded extractions: files in which a model wrote down what sessions claim.

JSON lines, one session a line: `session` (its number), `date`, `question_id` (where the sessions
of several conversations stand in one file; else the file's name is the conversation's),
`entities` with name, type and aliases, and `assertions` with `id`, the fields of an extraction's
reply (`from` and `to` for its interval), and `evidence` as ids of turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bitempo.engine.errors import InvalidRecordError
from bitempo.testing.claims import Claim, Corrected, Named


class RecordedEntity(BaseModel):
    """An entity that the session names for the first time."""

    name: str
    type: str = ""
    aliases: list[str] = []

    def named(self) -> Named:
        """The entity as replies name it."""
        return Named(self.name, self.type, tuple(self.aliases))


class RecordedAssertion(BaseModel):
    """A claim of the session; `evidence` are ids of turns, the main one first."""

    model_config = ConfigDict(populate_by_name=True)

    id: str
    subject: str
    predicate: str
    object: str | None = None
    value: str | int | float | bool | None = None
    text: str
    cardinality: str = "many"
    polarity: str = "+"
    modality: str = "actual"
    kind: str = "state"
    time_text: str | None = None
    valid_from: str | None = Field(None, alias="from")
    valid_to: str | None = Field(None, alias="to")
    granularity: str | None = None
    due: str | None = None
    importance: int = 5
    confidence: float = 1.0
    inferred: bool = False
    evidence: list[str] = Field(min_length=1)
    quote: str
    corrects: str | None = None

    @property
    def said(self) -> Corrected:
        """What a correction of it names."""
        return Corrected(self.subject, self.predicate, str(self.object or self.value))

    def claim(self, corrected: Corrected | None) -> Claim:
        """The claim as a reply makes it; `corrected` is what it says was wrong."""
        fields: dict[str, Any] = self.model_dump(exclude={"id", "evidence", "corrects"})
        if self.granularity is None:
            fields["granularity"] = "unknown"
        return Claim(**fields, corrects=corrected)


class RecordedSession(BaseModel):
    """What one session claims."""

    session: int
    date: str = ""
    question_id: str | None = None
    entities: list[RecordedEntity] = []
    assertions: list[RecordedAssertion]


def read_recordings(paths: Iterable[Path]) -> Iterator[tuple[str, RecordedSession]]:
    """The sessions of the files, each with the name of its conversation.

    Raises:
        InvalidRecordError: a file cannot be read, or a line is no such session.
    """
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRecordError(f"cannot be read: {error}", place=str(path)) from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                session = RecordedSession.model_validate_json(line)
            except ValidationError as error:
                place = f"{path.name}, line {number}"
                raise InvalidRecordError(f"no recorded session: {error}", place=place) from error
            yield session.question_id or path.stem, session
