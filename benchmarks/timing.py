"""What calls take, by the clock on the wall and by the processor."""

from __future__ import annotations

import time
from collections.abc import Callable


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """The seconds of one call: on the wall, and of all threads of this process."""
    before = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - before[0], time.process_time() - before[1]
