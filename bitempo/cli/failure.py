"""From an exception to one line on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback

OK = 0
SAYS_NO = 1
BAD_INPUT = 2
INTERRUPTED = 130


def report(error: Exception, *, debug: bool) -> int:
    """Say what went wrong in one line, with the traceback only on request.

    Returns:
        The exit code that the error means.

    Raises:
        Exception: the error itself, when it is none that a user could have caused.
    """
    usage = getattr(error, "format_message", None)
    if debug:
        traceback.print_exception(error)
    if callable(usage):
        _say(str(usage()) + _hint(error))
        return BAD_INPUT
    from bitempo.engine.errors import BitempoError, InvalidInputError

    if isinstance(error, BitempoError):
        _say(str(error))
        return BAD_INPUT if isinstance(error, InvalidInputError) else SAYS_NO
    if isinstance(error, OSError):
        _say(f"{error.filename or 'the system'}: {error.strerror or error}")
        return BAD_INPUT
    raise error


def abandon_output() -> None:
    """The reader of a pipe has gone; keep the interpreter from complaining when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: str) -> None:
    print(f"bitempo: {' '.join(message.split())}", file=sys.stderr)


def _hint(error: Exception) -> str:
    path = getattr(getattr(error, "ctx", None), "command_path", None)
    return f" (see {path} --help)" if path else ""
