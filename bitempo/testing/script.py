"""Scripts: what a scripted model replies to which call."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence

from bitempo.testing.answer import ScriptedReply
from bitempo.testing.call import Call

Script = Callable[[Call], ScriptedReply] | Sequence[ScriptedReply]
"""A function from a call to its reply, or replies that are given one after the other.

A function is called by several threads at once where requests come in at once.
"""


class ScriptError(AssertionError):
    """The script had no reply, or failed; a test of which this happens has not passed."""


def read_script(script: Script) -> Callable[[Call], ScriptedReply]:
    """The script as a function.

    Raises:
        TypeError: it is neither a function nor a sequence of replies.
    """
    if callable(script):
        return script
    if isinstance(script, str) or not isinstance(script, Sequence):
        raise TypeError(
            "a script is a function of the call, or a list of replies; "
            f"for one reply give [reply], not {type(script).__name__}"
        )
    return _InTurn(script)


def failing_first(script: Script, *failures: ScriptedReply) -> Callable[[Call], ScriptedReply]:
    """The script, with every request failing first: once in each of the given ways.

    Requests are told apart by their messages, so that each is answered when it has been tried
    again often enough, in whatever order requests come in.
    """
    then = read_script(script)
    tried: Counter[str] = Counter()
    lock = threading.Lock()

    def reply(call: Call) -> ScriptedReply:
        with lock:
            attempt = tried[call.text]
            tried[call.text] += 1
        return failures[attempt] if attempt < len(failures) else then(call)

    return reply


class _InTurn:
    """Gives one reply after the other, each once."""

    def __init__(self, replies: Sequence[ScriptedReply]) -> None:
        self._replies = list(replies)
        self._given = 0
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> ScriptedReply:
        with self._lock:
            self._given += 1
            if self._given > len(self._replies):
                raise ScriptError(
                    f"the script has {len(self._replies)} replies, and call {call.number} asks "
                    "for one more"
                )
            return self._replies[self._given - 1]
