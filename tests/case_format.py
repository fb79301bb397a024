"""The format of the black-box timeline cases, read strictly and with the place of every mistake.

A file holds `{"cases": [...]}`. A case has an `id`, a `title`, the predicates that are `single`,
`steps` and `expect`:

    step         op "assert": episode, statements, at?, occurred?, tenant?
                 op "retract_episode": episode, at?, tenant?
                 op "retract": key (of an earlier statement), at?, tenant?
    statement    s, p, o? (an entity) or v? (a literal), from? (missing: not stated; null:
                 unbounded), to?, polarity?, modality?, trust?, key?, corrects? (an earlier key)
    expectation  s, p, valid, values, known?, tenant?, modality?

`at` is what the clock reads during the step; without it the clock stands still.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bitempo.engine.errors import InvalidTimeError
from bitempo.engine.time import parse_time

TENANT = "t"
"""The tenant of steps and expectations that name none."""


class MalformedFileError(Exception):
    """The file cannot be read, or is not in the format; the message says where and why."""


@dataclass(frozen=True)
class Statement:
    """One statement of a step. `from_stated` tells a missing `from` from a null one."""

    subject: str
    predicate: str
    object: str | None
    value: str | int | float | bool | None
    from_stated: bool
    valid_from: str | None
    valid_to: str | None
    options: Mapping[str, Any]
    key: str | None
    corrects: str | None


@dataclass(frozen=True)
class Step:
    """One write: `op` is `assert`, `retract_episode` or `retract`."""

    op: str
    tenant: str
    at: str | None
    episode: str = ""
    occurred: str | None = None
    key: str = ""
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Expectation:
    """The values of a slot at one valid time, as known now or at `known`."""

    subject: str
    predicate: str
    valid: str
    values: tuple[str, ...]
    known: str | None
    tenant: str
    modality: str

    def __str__(self) -> str:
        text = f"{self.subject} {self.predicate}, valid at {self.valid}"
        if self.known is not None:
            text += f", known at {self.known}"
        if self.modality != "actual":
            text += f", {self.modality}"
        return text if self.tenant == TENANT else f"{text}, tenant {self.tenant}"


@dataclass(frozen=True)
class Case:
    """One case: what is written, and what the slots must say afterwards."""

    id: str
    title: str
    single: tuple[str, ...]
    steps: tuple[Step, ...]
    expect: tuple[Expectation, ...]
    warnings: tuple[str, ...] = field(default=(), compare=False)


def read_cases(path: Path) -> list[Case]:
    """The cases of a file.

    Raises:
        MalformedFileError: the file cannot be read, or is not in the format.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MalformedFileError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise MalformedFileError(f"{path} is not JSON in UTF-8: {error}") from error
    try:
        root = _Record(document, "the file", ("note", "cases"))
        cases = [_case(entry, f"cases[{i}]") for i, entry in enumerate(root.list("cases"))]
        if not cases:
            raise MalformedFileError("the file holds no cases")
        _refuse_repeated([case.id for case in cases], "the file", "case id")
    except MalformedFileError as error:
        raise MalformedFileError(f"{path}: {error}") from error
    return cases


class _Record:
    """A JSON object that is asked for its fields, and says where one is missing or wrong."""

    def __init__(self, entry: object, place: str, known: tuple[str, ...]) -> None:
        if not isinstance(entry, dict):
            raise MalformedFileError(f"{place} must be an object")
        self._entry = entry
        self._place = place
        self.warnings = [f"{place}.{key} is not read" for key in entry if key not in known]

    def __contains__(self, key: str) -> bool:
        return key in self._entry

    def text(self, key: str) -> str:
        value = self._entry.get(key)
        if not isinstance(value, str) or not value:
            raise self.wrong(key, "must be text")
        return value

    def optional(self, key: str, default: str | None = None) -> str | None:
        return default if self._entry.get(key) is None else self.text(key)

    def time(self, key: str) -> str:
        value = self.text(key)
        try:
            parse_time(value)
        except InvalidTimeError as error:
            raise self.wrong(key, str(error)) from error
        return value

    def optional_time(self, key: str) -> str | None:
        return None if self._entry.get(key) is None else self.time(key)

    def list(self, key: str) -> list[Any]:
        value = self._entry.get(key)
        if not isinstance(value, list):
            raise self.wrong(key, "must be a list")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.list(key)
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(key, "must be a list of texts")
        return tuple(values)

    def raw(self, key: str) -> Any:
        return self._entry.get(key)

    def wrong(self, key: str, why: str) -> MalformedFileError:
        return MalformedFileError(f"{self._place}.{key} {why}")


def _case(entry: object, place: str) -> Case:
    record = _Record(entry, place, ("id", "title", "note", "single", "steps", "expect"))
    place = f"{place} ({record.text('id')})"
    warnings = list(record.warnings)

    def each(key: str, read: Callable[[object, str, list[str]], Any]) -> tuple[Any, ...]:
        entries = enumerate(record.list(key))
        return tuple(read(entry, f"{place}.{key}[{i}]", warnings) for i, entry in entries)

    case = Case(
        id=record.text("id"),
        title=record.text("title"),
        single=record.texts("single") if "single" in record else (),
        steps=each("steps", _step),
        expect=each("expect", _expectation),
        warnings=tuple(warnings),
    )
    _check_keys(case, place)
    if not case.expect:
        raise record.wrong("expect", "must hold at least one expectation")
    return case


def _step(entry: object, place: str, warnings: list[str]) -> Step:
    shared = ("op", "at", "tenant", "note")
    op = _Record(entry, place, ()).text("op")
    fields = {
        "assert": ("episode", "occurred", "statements"),
        "retract_episode": ("episode",),
        "retract": ("key",),
    }
    if op not in fields:
        raise MalformedFileError(f"{place}.op must be one of {', '.join(fields)}, not {op!r}")
    record = _Record(entry, place, (*shared, *fields[op]))
    warnings += record.warnings
    statements = enumerate(record.list("statements") if op == "assert" else [])
    return Step(
        op=op,
        tenant=record.optional("tenant", TENANT) or TENANT,
        at=record.optional_time("at"),
        episode="" if op == "retract" else record.text("episode"),
        occurred=record.optional_time("occurred"),
        key=record.text("key") if op == "retract" else "",
        statements=tuple(
            _statement(s, f"{place}.statements[{i}]", warnings) for i, s in statements
        ),
    )


def _statement(entry: object, place: str, warnings: list[str]) -> Statement:
    known = ("s", "p", "o", "v", "from", "to", "polarity", "modality", "trust", "key", "corrects")
    record = _Record(entry, place, known)
    warnings += record.warnings
    options: dict[str, Any] = {}
    for name, allowed in (
        ("polarity", ("+", "-")),
        ("modality", ("actual", "planned", "hypothetical")),
    ):
        if name in record:
            options[name] = record.text(name)
            if options[name] not in allowed:
                raise record.wrong(name, f"must be one of {', '.join(allowed)}")
    if "trust" in record:
        options["trust"] = record.raw("trust")
        if type(options["trust"]) is not int:
            raise record.wrong("trust", "must be a whole number")
    object_, value = record.optional("o"), record.raw("v")
    if object_ is None and value is None and options.get("polarity") != "-":
        raise record.wrong("o", "must be given: only a denial can be about the whole slot")
    return Statement(
        subject=record.text("s"),
        predicate=record.text("p"),
        object=object_,
        value=value,
        from_stated="from" in record,
        valid_from=record.optional_time("from"),
        valid_to=record.optional_time("to"),
        options=options,
        key=record.optional("key"),
        corrects=record.optional("corrects"),
    )


def _expectation(entry: object, place: str, warnings: list[str]) -> Expectation:
    known = ("s", "p", "valid", "values", "known", "tenant", "modality", "note")
    record = _Record(entry, place, known)
    warnings += record.warnings
    return Expectation(
        subject=record.text("s"),
        predicate=record.text("p"),
        valid=record.time("valid"),
        values=tuple(str(value) for value in record.list("values")),
        known=record.optional_time("known"),
        tenant=record.optional("tenant", TENANT) or TENANT,
        modality=record.optional("modality", "actual") or "actual",
    )


def _check_keys(case: Case, place: str) -> None:
    """Every key is given once in its tenant, and before it is used."""
    given: dict[str, list[str]] = defaultdict(list)
    for i, step in enumerate(case.steps):
        keys = given[step.tenant]
        _refuse_unknown(step.key, keys, f"{place}.steps[{i}]")
        for statement in step.statements:
            _refuse_unknown(statement.corrects, keys, f"{place}.steps[{i}]")
            if statement.key is not None:
                keys.append(statement.key)
        _refuse_repeated(keys, f"{place}.steps[{i}]", "key")


def _refuse_unknown(key: str | None, given: list[str], place: str) -> None:
    if key and key not in given:
        raise MalformedFileError(f"{place}: no earlier statement has the key {key!r}")


def _refuse_repeated(names: list[str], place: str, what: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise MalformedFileError(f"{place}: {what} {repeated[0]!r} is given twice")
