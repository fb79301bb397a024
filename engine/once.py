"""What takes long to load is loaded when it is first used, once, whichever thread comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Once(Generic[Made]):
    """Makes a value at the first call, and gives the same one at every other."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: Made | None = None
        self._making = threading.Lock()

    @property
    def made(self) -> Made | None:
        """The value if it has been made."""
        return self._made

    def __call__(self) -> Made:
        if self._made is None:
            with self._making:
                if self._made is None:
                    self._made = self._make()
        return self._made
