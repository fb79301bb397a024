"""The commands that measure: bench locomo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitempo.cli.invocation import Invocation


def locomo(
    invocation: Invocation,
    path: Annotated[Path, typer.Argument(help="A file in the LoCoMo format.")],
) -> None:
    """Measure recall on a file in the LoCoMo format, beside plain BM25."""
    raise NotImplementedError
