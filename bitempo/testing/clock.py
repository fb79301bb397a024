"""A clock for tests."""

from __future__ import annotations

from datetime import timedelta

from bitempo.engine.time import Instant, TimeLike, parse_instant


class FixedClock:
    """A clock that stands still until it is told otherwise.

    Args:
        at: what it shows at first.
    """

    def __init__(self, at: TimeLike = "2024-01-01") -> None:
        self._now = parse_instant(at)

    def now(self) -> Instant:
        """What it shows, in microseconds since the epoch, UTC."""
        return self._now

    def set(self, at: TimeLike) -> None:
        """Show another time, earlier or later."""
        self._now = parse_instant(at)

    def advance(self, by: timedelta) -> None:
        """Show a time that much later."""
        self._now += by // timedelta(microseconds=1)
