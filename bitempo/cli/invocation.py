"""One run of the command line: its settings, its two consoles, and the memory it works on."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bitempo.cli.words import safe

if TYPE_CHECKING:
    from rich.console import Console

    from bitempo import Memory, Tenant
    from bitempo.cli.settings import Settings
    from bitempo.engine.time import Clock
    from bitempo.ingest.extraction import Extractor

_WIDTH_OF_A_PIPE = 120
Show = Callable[["Console"], None]


@dataclass
class Invocation:
    """What the global options of one run say, and what follows from them."""

    store: str | None = None
    tenant_name: str | None = None
    policy: str | None = None
    embedder: str | None = None
    reranker: str | None = None
    rewriter: str | None = None
    as_json: bool = False
    debug: bool = False
    exit_code: int = 0
    """What the run ends with when it raises nothing."""

    @cached_property
    def settings(self) -> Settings:
        """The options given, and the environment for those that are not."""
        from bitempo.cli.settings import Settings

        given = {
            "store": self.store,
            "tenant": self.tenant_name,
            "policy": self.policy,
            "embedder": self.embedder,
            "reranker": self.reranker,
            "rewriter": self.rewriter,
        }
        chosen: dict[str, Any] = {name: one for name, one in given.items() if one is not None}
        return Settings(**chosen)

    @cached_property
    def out(self) -> Console:
        """Standard output, for what was asked."""
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        """Standard error, for all that is said beside it."""
        return _console(stderr=True)

    def emit(self, shape: Any, shown: Show | str) -> None:
        """The answer: one JSON document for machines, or what `shown` is or prints for people."""
        if self.as_json:
            machine_readable(sys.stdout).write(json.dumps(shape, ensure_ascii=False) + "\n")
        elif isinstance(shown, str):
            _print_plain(self.out, shown)
        else:
            shown(self.out)

    def note(self, text: str) -> None:
        """A remark on standard error."""
        _print_plain(self.err, text)

    def note_unembedded(self, error: str | None) -> None:
        """Say why something that was written has no vector, if the embedder failed."""
        if error is not None:
            self.note(f"written, but without vectors: {error}")

    @contextmanager
    def memory(
        self,
        *,
        create: bool = False,
        clock: Clock | None = None,
        extractor: Extractor | None = None,
    ) -> Iterator[Memory]:
        """The memory, open.

        Raises:
            NotFoundError: there is no store, and this command does not make one.
            StoreError: it cannot be opened.
            PolicyError: the policy file cannot be used.
            InvalidInputError: there is no such embedder, reranker or rewriter, or its extra
                is not installed.
        """
        from bitempo import Memory, NotFoundError, PredicatePolicy

        file = self.settings.file
        if not create and file is not None and not Path(file).exists():
            raise NotFoundError(
                f"there is no memory at {file}; make one with bitempo init, or name another "
                "with --store or BITEMPO_STORE"
            )
        path = self.settings.policy
        policy = None if path is None else PredicatePolicy.from_toml(path)
        settings = self.settings
        with Memory.open(
            settings.store,
            policy=policy,
            clock=clock,
            extractor=extractor,
            embedder=settings.embedder,
            reranker=settings.reranker,
            rewriter=settings.rewriter,
        ) as memory:
            yield memory

    @contextmanager
    def tenant(
        self,
        *,
        create: bool = False,
        clock: Clock | None = None,
        extractor: Extractor | None = None,
    ) -> Iterator[Tenant]:
        """The tenant's handle, on the open memory.

        Raises:
            InvalidInputError: no tenant is named.
        """
        name = self.named_tenant()
        with self.memory(create=create, clock=clock, extractor=extractor) as memory:
            yield memory.tenant(name)

    def named_tenant(self) -> str:
        """The tenant that was named; there is no default.

        Raises:
            InvalidInputError: none was.
        """
        from bitempo import InvalidInputError

        # An empty option is a mistake of the caller's, not a wish for the environment's tenant.
        if self.settings.tenant is None or self.tenant_name == "":
            raise InvalidInputError(
                "no tenant is named; say whose memory it is with --tenant NAME or BITEMPO_TENANT"
            )
        return self.settings.tenant


def machine_readable(stream: TextIO) -> TextIO:
    """The stream, writing UTF-8 whatever the terminal's encoding is: JSON has no other."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream


def _print_plain(console: Console, text: str) -> None:
    # What people wrote is text, never rich's markup, and a long line is the terminal's to wrap.
    console.print(safe(text), markup=False, soft_wrap=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        # A character that the terminal cannot show is no reason to show nothing.
        stream.reconfigure(errors="backslashreplace")
    # A pipe has no width of its own; at rich's 80 the ids would push the text into slivers.
    width = None if stream.isatty() else shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 0)).columns
    return Console(stderr=stderr, width=width, highlight=False)
