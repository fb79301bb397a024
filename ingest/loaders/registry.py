"""The formats that sessions can be loaded from, and the one call that loads them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, tzinfo
from pathlib import Path

from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.time import TimeLike
from bitempo.ingest.loaders.chatgpt import CHATGPT
from bitempo.ingest.loaders.loader import Item, Loader, LoadOptions
from bitempo.ingest.loaders.locomo import LOCOMO
from bitempo.ingest.loaders.longmemeval import LONGMEMEVAL
from bitempo.ingest.loaders.messages import MESSAGES
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.loaders.transcript import TRANSCRIPT
from bitempo.ingest.sessions import Malformed, SourceSession, moment

LOADERS: dict[str, Loader] = {
    loader.name: loader for loader in (LOCOMO, LONGMEMEVAL, CHATGPT, MESSAGES, TRANSCRIPT)
}
"""The loaders by name, in the order in which they are asked whether they recognise a file."""

Progress = Callable[[int, int | None], None]
"""Called with the number of sessions given out so far and their total, None if not known."""


def loader_names() -> tuple[str, ...]:
    """The names of the known formats."""
    return tuple(LOADERS)


def load_sessions(
    path: str | Path,
    *,
    format: str | None = None,
    strict: bool = False,
    started_at: TimeLike | None = None,
    timezone: tzinfo = UTC,
    actor: str | None = None,
    progress: Progress | None = None,
) -> Iterator[SourceSession | Malformed]:
    """Reads the sessions of a file, which may be compressed with gzip or xz.

    A malformed record is given as `Malformed` in its place, and the rest is loaded. With
    `strict`, the whole file is checked before this call returns, a malformed record is raised,
    and no session is given out. `format` is one of `loader_names()`; None recognises it.

    Times without an offset, which other people's formats are full of, are taken in `timezone`.
    `started_at` is for sessions that state no time; `actor` is whose sessions they are where the
    file does not say. `progress` knows the total except for JSON lines, which are streamed.

    Raises:
        InvalidRecordError: the file cannot be read or has no known format, `format` is not
            known, or (`strict`) a record is malformed; `place` says where.
        InvalidTimeError: `started_at` is naive or unparsable.
    """
    options = LoadOptions(timezone, None if started_at is None else moment(started_at), actor)
    known = None if format is None else _named(format)
    source = Source(path)
    loader = known or _recognised(source)
    items: Iterable[Item] = _started(loader.load(source, options))
    total: int | None = None
    if strict or (progress and not loader.streams(source)):
        held = list(items)
        if strict:
            _refuse_malformed(held)
        total = sum(isinstance(item, SourceSession) for item in held)
        items = held
    return _reporting(items, total, progress) if progress else iter(items)


def _named(format: str) -> Loader:
    try:
        return LOADERS[format]
    except KeyError:
        raise InvalidRecordError(
            f"there is no format {format!r}; known are {', '.join(LOADERS)}"
        ) from None


def _recognised(source: Source) -> Loader:
    for loader in LOADERS.values():
        if loader.recognises(source):
            return loader
    raise InvalidRecordError(
        f"the format is not recognised; name one of {', '.join(LOADERS)}", place=source.name
    )


def _started(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, with the first one read already: an unusable file is refused at once."""
    first = next(items, None)
    return iter(()) if first is None else itertools.chain((first,), items)


def _refuse_malformed(items: list[Item]) -> None:
    bad = [item for item in items if isinstance(item, Malformed)]
    if bad:
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise InvalidRecordError(f"{bad[0].reason}{more}", place=bad[0].place)


def _reporting(items: Iterable[Item], total: int | None, progress: Progress) -> Iterator[Item]:
    done = 0
    for item in items:
        yield item
        if isinstance(item, SourceSession):
            done += 1
            progress(done, total)
