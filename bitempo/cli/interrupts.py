"""Ctrl-C, taken between two windows of an ingest.

Python raises KeyboardInterrupt at whatever runs at the time. Where that is compiled code, a
serialiser or a validator, it comes out as an error of that code's own, and a sentence would be
rejected for a key that was pressed. So the first press is only remembered, and the work stops
where it next says how far it is; a second press stops it at once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def listening() -> Iterator[Callable[[], bool]]:
    """Gives a function that says whether Ctrl-C was pressed meanwhile."""
    pressed = threading.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.getsignal(signal.SIGINT)
    mine = threading.current_thread() is threading.main_thread()
    # Somebody who embeds the command line may have a handler of their own, which stays.
    if not mine or before is not signal.default_int_handler:
        yield pressed.is_set
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def stopping(progress: Callable[[int], None], pressed: Callable[[], bool]) -> Callable[[int], None]:
    """The progress callback, which stops the work once the key was pressed."""

    def told(done: int) -> None:
        progress(done)
        if pressed():
            raise KeyboardInterrupt

    return told
