"""What the parts of a tenant's face need of it to read."""

from __future__ import annotations

from typing import Protocol

from bitempo.engine.store.port import Point, Reader, Store
from bitempo.engine.time import Clock, Instant, TimeLike


class Bound(Protocol):
    """A handle that is bound to one tenant; `Reading` is one."""

    name: str
    _store: Store
    _clock: Clock

    def _point(
        self, reader: Reader, valid_at: TimeLike | None, known_at: TimeLike | None
    ) -> Point: ...
    def _known(self, reader: Reader, known_at: TimeLike | None) -> Instant: ...
