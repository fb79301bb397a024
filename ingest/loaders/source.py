"""A file as the loaders read it: decompressed, decoded, and parsed at most once.

A file that cannot be read at all (missing, a folder, empty, not UTF-8, damaged compression,
not JSON) is an `InvalidRecordError`. A file read by the line can be bad in one line and good in
the next, so there each bad line is a `Malformed`.
"""

from __future__ import annotations

import gzip
import itertools
import json
import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from bitempo.engine.errors import InvalidRecordError
from bitempo.ingest.sessions import Malformed


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file that has text in it. `number` counts from 1, `text` has no line end."""

    number: int
    text: str


class Source:
    """One file. `name` is its name without the folder, `stem` also without suffixes.

    Compression is told by the first bytes of the file (gzip, xz), not by its suffix.

    Raises:
        InvalidRecordError: it is missing, a folder, unreadable or empty, or is not text.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = self.path.name
        plain = re.sub(r"\.(gz|xz)$", "", self.name, flags=re.IGNORECASE)
        self.suffix = Path(plain).suffix.lower()
        self.stem = Path(plain).stem or self.name
        self.head = self._read_head()

    @cached_property
    def is_json(self) -> bool:
        """Whether it looks like one JSON document."""
        if self.is_json_lines:
            return False
        return self.suffix == ".json" or _JSON_START.match(self.head) is not None

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether it looks like one JSON value a line."""
        if self.suffix in _LINE_SUFFIXES:
            return True
        first, _, rest = self.head.lstrip().partition("\n")
        return rest.strip() != "" and isinstance(_quiet_json(first), dict)

    @cached_property
    def first_records(self) -> tuple[Any, ...]:
        """What the first 20 lines hold, for recognising JSON lines; bad lines are left out."""
        lines = itertools.islice(self.lines(), 20)
        return tuple(_quiet_json(line.text) for line in lines if isinstance(line, Line))

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value.

        Raises:
            InvalidRecordError: not JSON (`place` has line and column), or not UTF-8.
        """
        return parse_json(self.text(), self.name)

    def text(self) -> str:
        """The whole file, with LF line ends.

        Raises:
            InvalidRecordError: not UTF-8 (`place` has the line), or damaged compression.
        """
        try:
            with self._open() as stream:
                data = stream.read()
        except _READ_ERRORS as error:
            raise InvalidRecordError(_unreadable(error), place=self.name) from error
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InvalidRecordError(_not_utf8(error), place=f"{self.name}, line {line}") from error
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def lines(self) -> Iterator[Line | Malformed]:
        """The lines with text, one at a time; those that are not UTF-8 are reported.

        When the file breaks off in the middle, that is reported last.
        """
        number = 0
        try:
            with self._open() as stream:
                for number, raw in enumerate(stream, start=1):
                    place = f"{self.name}, line {number}"
                    try:
                        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                    except UnicodeDecodeError as error:
                        yield Malformed(place, _not_utf8(error))
                        continue
                    if text.strip():
                        yield Line(number, text.rstrip("\r\n"))
        except _READ_ERRORS as error:
            yield Malformed(f"{self.name}, after line {number}", _unreadable(error))

    def _open(self) -> IO[bytes]:
        with self.path.open("rb") as stream:
            magic = stream.read(6)
        if magic.startswith(b"\x1f\x8b"):
            return cast(IO[bytes], gzip.open(self.path, "rb"))
        if magic == b"\xfd7zXZ\x00":
            return cast(IO[bytes], lzma.open(self.path, "rb"))
        return self.path.open("rb")

    def _read_head(self) -> str:
        """The first 64 KiB as text. Checks on the way that there is something to read."""
        try:
            with self._open() as stream:
                data = stream.read(65_536)
        except FileNotFoundError as error:
            raise InvalidRecordError("there is no such file", place=str(self.path)) from error
        except IsADirectoryError as error:
            raise InvalidRecordError("is a folder; give a file", place=str(self.path)) from error
        except (*_READ_ERRORS, ValueError) as error:
            raise InvalidRecordError(_unreadable(error), place=str(self.path)) from error
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InvalidRecordError("is UTF-16; save it as UTF-8", place=f"{self.name}, line 1")
        head = data.decode("utf-8-sig", errors="replace")
        if not head.strip():
            raise InvalidRecordError("is empty", place=self.name)
        return head


def parse_json(text: str, name: str, line: int | None = None) -> Any:
    """The JSON value of a text; `line` is its number when it is one line of a file.

    Raises:
        InvalidRecordError: not JSON; `place` has the line and the column.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line or error.lineno}, column {error.colno}"
        raise InvalidRecordError(f"not JSON: {error.msg}", place=place) from error
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        place = name if line is None else f"{name}, line {line}"
        raise InvalidRecordError(f"not JSON that can be read: {reason}", place=place) from error


_LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
# A transcript may start with "[2024-05-01 10:32]", which is no JSON list.
_JSON_START = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{\]"])')
_READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error)


def _quiet_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"not UTF-8 (byte 0x{error.object[error.start]:02x}); save the file as UTF-8"


def _unreadable(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror}"
    return f"cannot be read, the compression is damaged or cut off: {error}"
