"""Transcripts in plain text or Markdown: "Name: text", line by line.

A turn starts with "Name: text", "[2024-05-01 10:32] Name: text" or "**Name:** text". The first
turn of the file decides which of the three it uses, so that a "Note: …" inside what someone says
is not taken for a speaker where turns are marked more clearly. Other lines go on with the turn
before them; indented lines and fenced code never start one.

A Markdown heading with a date, or a line that is only a date, starts a session. A heading
without one before the first turn is the title. In brackets, a time alone ("[10:32]") is on the
day of the turn before, or on the next when that would lie more than twelve hours back.

Sessions are named "<file>/1", "<file>/2" and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta

from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.time import EPOCH, Instant, from_datetime
from bitempo.ingest.loaders.loader import FallbackStart, Item, Loader, LoadOptions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.loaders.stamps import find_stamp, parse_clock, parse_stamp
from bitempo.ingest.sessions import EARLIEST, LATEST, Malformed, SessionBuilder


def recognises(source: Source) -> bool:
    """Whether some line near the start of a text file starts a turn."""
    if source.is_json or source.is_json_lines:
        return False
    return _style(source.head.splitlines()) is not None


def load(source: Source, options: LoadOptions) -> Iterator[Item]:
    """One session per dated heading; text before the first heading is a session of its own.

    Raises:
        InvalidRecordError: no line starts a turn.
    """
    lines = source.text().split("\n")
    style = _style(lines)
    if style is None:
        raise InvalidRecordError('no line has the form "Name: text"', place=source.name)
    fallback = FallbackStart(options.started_at)
    number = 0
    for part in _Splitter(source.name, style, options).split(lines):
        if isinstance(part, Malformed):
            yield part
            continue
        number += 1
        if part.error is not None:
            yield part.error
            continue
        yield from _session(part, f"{source.stem}/{number}", source.name, options, fallback)


TRANSCRIPT = Loader(
    name="transcript",
    description='transcript in plain text or Markdown, with lines such as "Name: text"',
    recognises=recognises,
    load=load,
)

_NAME = r"(?P<name>[^\W\d_](?:[\w.'’@&-]| (?=\S)){0,39})"
_STYLES = (
    re.compile(
        rf"\[(?P<at>(?=[^\]]*\d)[^\]]{{3,40}})\]\s+(?:\*\*)?{_NAME}(?::\*\*|\*\*:|:)(?:\s+|$)"
    ),
    re.compile(rf"(?:[-*]\s+)?\*\*{_NAME}(?::\*\*|\*\*:)(?:\s+|$)"),
    re.compile(rf"{_NAME}:(?:\s+|$)"),
)
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.*\S)")
_FENCE = re.compile(r"\s*(```|~~~)")
_RULE = re.compile(r"\s*([-=*_])(\s*\1){2,}\s*")
_DECORATION = "#=-*_~ \t"
_MAX_WORDS = 4


@dataclass(slots=True)
class _Utterance:
    line: int
    actor: str
    texts: list[str]
    at: str | None


@dataclass(slots=True)
class _Part:
    """The lines of one session; with an error, its date is bad and it is left out."""

    line: int
    started_at: Instant | None = None
    title: str = ""
    utterances: list[_Utterance] = field(default_factory=list)
    error: Malformed | None = None

    @property
    def begun(self) -> bool:
        return bool(self.utterances) or self.started_at is not None or self.error is not None


def _match(style: re.Pattern[str], line: str) -> re.Match[str] | None:
    match = style.match(line)
    return match if match and len(match["name"].split()) <= _MAX_WORDS else None


def _style(lines: list[str]) -> re.Pattern[str] | None:
    for line in lines:
        for style in _STYLES:
            if not _HEADING.match(line) and _match(style, line):
                return style
    return None


def _fences(lines: list[str]) -> set[int]:
    """The numbers of the lines that open or close fenced code; one that stays open is none."""
    numbers = [number for number, line in enumerate(lines, start=1) if _FENCE.match(line)]
    return set(numbers[: len(numbers) // 2 * 2])


class _Splitter:
    """Splits lines into sessions and their turns."""

    def __init__(self, name: str, style: re.Pattern[str], options: LoadOptions) -> None:
        self.name = name
        self.style = style
        self.options = options

    def split(self, lines: list[str]) -> Iterator[_Part | Malformed]:
        part = _Part(line=1)
        fences = _fences(lines)
        fenced = stray = False
        for number, line in enumerate(lines, start=1):
            fenced ^= number in fences
            if not fenced:
                heading = self._heading(line, number)
                if heading is not None:
                    if part.begun:
                        yield part
                    heading.title = heading.title or part.title
                    part, stray = heading, False
                    continue
                match = _match(self.style, line)
                if match:
                    part.utterances.append(_utterance(match, line, number))
                    continue
            if part.utterances:
                part.utterances[-1].texts.append(line.rstrip())
            elif title := _HEADING.match(line):
                part.title = title["title"]
            elif line.strip() and not _RULE.fullmatch(line) and not stray:
                stray = True
                yield Malformed(f"{self.name}, line {number}", "text before the first speaker")
        if part.begun:
            yield part

    def _heading(self, line: str, number: int) -> _Part | None:
        """The new session that the line starts, if it does."""
        try:
            if heading := _HEADING.match(line):
                start = find_stamp(heading["title"], self.options.timezone)
                return None if start is None else _Part(number, start, heading["title"])
            bare = line.strip(_DECORATION)
            if not bare or not any(character.isdigit() for character in bare) or len(bare) > 40:
                return None
            start = find_stamp(bare, self.options.timezone)
            if start is None or start != parse_stamp(bare, self.options.timezone):
                return None
            return _Part(number, start)
        except InvalidInputError as error:
            if _HEADING.match(line):
                return _Part(number, error=Malformed(f"{self.name}, line {number}", str(error)))
            return None


def _utterance(match: re.Match[str], line: str, number: int) -> _Utterance:
    at = match["at"] if "at" in match.groupdict() else None
    return _Utterance(number, match["name"], [line[match.end() :].rstrip()], at)


def _session(
    part: _Part, name: str, file: str, options: LoadOptions, fallback: FallbackStart
) -> Iterator[Item]:
    builder = SessionBuilder(
        name,
        started_at=part.started_at,
        actor=options.actor,
        metadata={"title": part.title} if part.title else None,
        place=f"{file}, line {part.line}",
    )
    before = part.started_at
    for utterance in part.utterances:
        place = f"{file}, line {utterance.line}"
        try:
            at = _time(utterance.at, before, options, place) if utterance.at else None
            text = "\n".join(line for line in utterance.texts if not _RULE.fullmatch(line))
            builder.add(text.strip(), utterance.actor, place=place, occurred_at=at)
        except InvalidRecordError as error:
            yield Malformed.of(error)
            continue
        except InvalidInputError as error:
            yield Malformed(place, str(error))
            continue
        before = before if at is None else at
    try:
        yield fallback.build(builder)
    except InvalidRecordError as error:
        yield Malformed.of(error)


def _time(text: str, before: Instant | None, options: LoadOptions, place: str) -> Instant:
    clock = parse_clock(text)
    if clock is None:
        return parse_stamp(text, options.timezone)
    if before is None:
        before = options.started_at
    if before is None:
        raise InvalidRecordError(f"[{text}] has no day; give started_at", place=place)
    return _on_day(clock, before, options, place)


def _on_day(clock: time, before: Instant, options: LoadOptions, place: str) -> Instant:
    """The time on the day of `before`, or on the next when it lies more than 12 hours back."""
    try:
        last = (EPOCH + timedelta(microseconds=before)).astimezone(options.timezone)
        at = datetime.combine(last.date(), clock, options.timezone)
        if last - at > timedelta(hours=12):
            at = datetime.combine(last.date() + timedelta(days=1), clock, options.timezone)
        return min(max(from_datetime(at.astimezone(UTC)), EARLIEST), LATEST)
    except OverflowError as error:
        raise InvalidRecordError("the time is outside the years 1 to 9999", place=place) from error
