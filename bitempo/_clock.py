"""The clocks of the public face; the one place that reads the system's clock."""

from __future__ import annotations

from datetime import UTC, datetime

from bitempo.engine.time import BEGINNING, Instant, from_datetime


class SystemClock:
    """The machine's clock. Stores make transaction times strictly increasing whatever it says."""

    def now(self) -> Instant:
        """Microseconds since the epoch, UTC."""
        return from_datetime(datetime.now(UTC))


class ReplayClock:
    """Shows the time that a replay has come to; before it begins, the beginning of time.

    A memory with this clock records what is replayed as if it had been there when it happened.
    """

    def __init__(self, at: Instant = BEGINNING) -> None:
        self._at = at

    def now(self) -> Instant:
        """What it shows, in microseconds since the epoch, UTC."""
        return self._at

    def set(self, at: Instant) -> None:
        """Show another time."""
        self._at = at
