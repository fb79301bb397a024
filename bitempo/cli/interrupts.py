"""Ctrl-C, heard wherever it arrives.

Python raises KeyboardInterrupt at whatever runs at the time. Where that is compiled code, a
serialiser or a driver, it may come out as an error of that code's own, or be taken for a failure
of what was at work. So it is also remembered that the key was pressed.
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
        pressed.set()
        raise KeyboardInterrupt

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
    """The progress callback, which stops the work where the key went unheard."""

    def told(done: int) -> None:
        progress(done)
        if pressed():
            raise KeyboardInterrupt

    return told
