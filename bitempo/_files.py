"""Files that are complete or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bitempo.engine.errors import InvalidInputError


def write_lines(target: Path, lines: Iterable[str]) -> int:
    """Write the lines to a file beside the target, then put it in the target's place.

    Returns:
        How many lines there were.

    Raises:
        InvalidInputError: the file cannot be written, for want of rights or of room.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent or Path())
    except OSError as error:
        raise InvalidInputError(f"{target} cannot be written: {error}") from error
    count = 0
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(line + "\n")
                count += 1
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise InvalidInputError(f"{target} cannot be written: {error}") from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count
