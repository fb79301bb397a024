"""LongMemEval: questions, each with its own history of sessions (Wu et al. 2024).

Two shapes: a list of questions with `haystack_sessions`, `haystack_session_ids` and
`haystack_dates`; or an object with shared `sessions` and `questions`, each of which has a
`haystack` of [session id, date]. The marks of evidence (`has_answer`, the answers, the evidence
lists) are never looked at, since a live system would not have them.

Every question's history is a world of its own, and histories share sessions under other dates.
So a session's id is "<question id>/<session id>" (a second time in one history: "…#2"), and a
turn's is "<session's id>/<index>", the index from 0 as evidence counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.ingest.loaders.loader import Item, Loader, LoadOptions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.loaders.stamps import parse_stamp
from bitempo.ingest.sessions import Malformed, SessionBuilder, clean_name


def recognises(source: Source) -> bool:
    """Whether the JSON has one of the two shapes."""
    if not source.is_json:
        return False
    document = source.document
    if _is_shared(document):
        return True
    records = document if isinstance(document, list) else [document]
    return any(isinstance(one, Mapping) and "haystack_sessions" in one for one in records)


def load(source: Source, options: LoadOptions) -> Iterator[Item]:
    """One session per entry of each question's history, in the order of the file.

    Raises:
        InvalidRecordError: the document has neither of the two shapes.
    """
    document = source.document
    shared: Mapping[str, Any] | None = None
    questions: object = [document] if isinstance(document, Mapping) else document
    if _is_shared(document):
        shared, questions = document["sessions"], document["questions"]
    if not isinstance(questions, list):
        raise InvalidRecordError("must be a list of questions", place=source.name)
    seen: set[str] = set()
    for number, question in enumerate(questions, start=1):
        place = f"{source.name}, question {number}"
        try:
            name, history = _history(question, shared, place)
            if name in seen:
                raise InvalidRecordError(f"the question id {name!r} is used twice", place=place)
        except InvalidRecordError as error:
            yield Malformed.of(error)
            continue
        seen.add(name)
        yield from _sessions(name, history, f"{source.name}, question {name}", options)


LONGMEMEVAL = Loader(
    name="longmemeval",
    description="LongMemEval: JSON questions, each with its own history of dated sessions",
    recognises=recognises,
    load=load,
)

_Entry = tuple[object, object, object]
"""Session id, date, turns: as they stand in the file, not yet checked."""


def _is_shared(document: object) -> bool:
    return (
        isinstance(document, Mapping)
        and isinstance(document.get("sessions"), Mapping)
        and isinstance(document.get("questions"), list)
    )


def _history(
    question: object, shared: Mapping[str, Any] | None, place: str
) -> tuple[str, list[_Entry]]:
    if not isinstance(question, Mapping):
        raise InvalidRecordError("a question must be an object", place=place)
    if shared is None:
        name = clean_name(question.get("question_id"), "question_id", place)
        return name, _own_history(question, place)
    name = clean_name(question.get("id"), "the id of a question", place)
    haystack = question.get("haystack")
    if not isinstance(haystack, list):
        raise InvalidRecordError("haystack must be a list of [session id, date]", place=place)
    return name, [_shared_entry(entry, shared) for entry in haystack]


def _own_history(question: Mapping[str, Any], place: str) -> list[_Entry]:
    columns = [
        question.get(key) for key in ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    ]
    ids, dates, sessions = columns
    if not (isinstance(ids, list) and isinstance(dates, list) and isinstance(sessions, list)):
        raise InvalidRecordError(
            "haystack_session_ids, haystack_dates and haystack_sessions must be lists", place=place
        )
    if not len(ids) == len(dates) == len(sessions):
        raise InvalidRecordError(
            f"{len(ids)} haystack_session_ids, {len(dates)} haystack_dates and "
            f"{len(sessions)} haystack_sessions do not belong together",
            place=place,
        )
    return list(zip(ids, dates, sessions, strict=True))


def _shared_entry(entry: object, shared: Mapping[str, Any]) -> _Entry:
    if not isinstance(entry, list) or len(entry) != 2:
        return None, None, None
    key, date = entry
    return key, date, shared.get(key) if isinstance(key, str) else None


def _sessions(
    question: str, history: list[_Entry], place: str, options: LoadOptions
) -> Iterator[Item]:
    used: Counter[str] = Counter()
    for number, (key, date, turns) in enumerate(history, start=1):
        where = f"{place}, session {number}"
        try:
            name = clean_name(key, "the id of a session", where)
            where = f"{place}, session {name}"
            if not isinstance(turns, list):
                raise InvalidRecordError("there is no list of turns", place=where)
            used[name] += 1
            again = f"#{used[name]}" if used[name] > 1 else ""
            builder = SessionBuilder(
                f"{question}/{name}{again}",
                started_at=parse_stamp(date, options.timezone),
                actor=options.actor or "user",
                place=where,
            )
        except InvalidRecordError as error:
            yield Malformed.of(error)
            continue
        except InvalidInputError as error:
            yield Malformed(where, str(error))
            continue
        for index, turn in enumerate(turns):
            try:
                _add(builder, turn, index, f"{where}, turn {index + 1}")
            except InvalidRecordError as error:
                yield Malformed.of(error)
        yield builder.build()


def _add(builder: SessionBuilder, turn: object, index: int, place: str) -> None:
    if not isinstance(turn, Mapping):
        raise InvalidRecordError("a turn must be an object", place=place)
    role = clean_name(turn.get("role"), "the role of a turn", place)
    builder.add(
        turn.get("content"),
        builder.actor if role == "user" else role,
        place=place,
        id=f"{builder.id}/{index}",
        metadata={"role": role},
    )
