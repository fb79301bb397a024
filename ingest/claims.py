"""One process at a time for one window, so that a call to a model is paid for by one of them.

A claim is durable and ends by itself, by the clock of the store: whoever works on a window renews
it, and a process that was killed cannot. What others do meanwhile is wait, and then find the
window done, or take it over.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from bitempo.engine.errors import StoreError
from bitempo.engine.names import digest
from bitempo.engine.store.port import Inbox, InboxWindow

log = logging.getLogger("bitempo.ingest")

LEASE_SECONDS = 30.0
"""After so long a window whose process has gone is taken over."""

RENEWALS = 3
"""How often a claim is renewed within that time, so that one that comes late does no harm."""

LOOK_AGAIN_SECONDS = 0.25
"""How long to wait before a window that another process holds is looked at again."""


@contextmanager
def claimed(inbox: Inbox, window: str, given_up: threading.Event) -> Iterator[InboxWindow | None]:
    """Hold the window against all other processes, as long as the block lasts.

    Waits while another one works on it. Gives the window as it is then, which may be applied; None
    when the wait was `given_up`.

    Raises:
        StoreError: the store failed.
    """
    # By thread, so that an extractor which itself ingests does not wait for its own window.
    owner = f"{_process()}/{threading.get_ident()}"
    held = _waited_for(inbox, window, owner, given_up)
    if held is None:
        yield None
        return
    over = threading.Event()
    keeper = threading.Thread(
        target=_renew, args=(inbox, window, owner, over), name="bitempo-claim", daemon=True
    )
    keeper.start()
    try:
        yield held
    finally:
        over.set()
        # Else a renewal that is under way could claim what has been released.
        keeper.join()
        # One that cannot be released ends by itself.
        with contextlib.suppress(StoreError):
            inbox.release(window, owner)


def _waited_for(
    inbox: Inbox, window: str, owner: str, given_up: threading.Event
) -> InboxWindow | None:
    told = False
    while True:
        claim = inbox.claim(window, owner, LEASE_SECONDS)
        if claim.owner is None or claim.owner == owner:
            return claim.window
        if _has_ended(claim.owner):
            inbox.release(window, claim.owner)
            continue
        if not told:
            log.info("window %s waits for another process that works on it", window)
            told = True
        if given_up.wait(LOOK_AGAIN_SECONDS):
            return None


def _renew(inbox: Inbox, window: str, owner: str, over: threading.Event) -> None:
    while not over.wait(LEASE_SECONDS / RENEWALS):
        # A store that is busy now may not be at the next time.
        with contextlib.suppress(StoreError):
            inbox.claim(window, owner, LEASE_SECONDS)


def _process() -> str:
    """Names this process among all that may ever share a store."""
    return f"{_machine()}/{os.getpid()}"


def _has_ended(owner: str) -> bool:
    """Whether the process is known to be gone, so that its claim need not run out.

    Only of a process of this machine can it be known.
    """
    machine, _, rest = owner.partition("/")
    number = rest.partition("/")[0]
    # Elsewhere there is no harmless signal.
    if sys.platform == "win32" or machine != _machine() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


@cache
def _machine() -> str:
    """This machine since it was started, and the part of it in which process numbers count."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
    with contextlib.suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return digest(*parts)
