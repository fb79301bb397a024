"""The one place that reads the system's clock."""

from __future__ import annotations

from datetime import UTC, datetime

from bitempo.engine.time import Instant, from_datetime


class SystemClock:
    """The machine's clock. Stores make transaction times strictly increasing whatever it says."""

    def now(self) -> Instant:
        """Microseconds since the epoch, UTC."""
        return from_datetime(datetime.now(UTC))
