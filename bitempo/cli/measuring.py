"""The commands that measure: bench locomo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from bitempo.cli.invocation import Invocation


def locomo(
    invocation: Invocation,
    path: Annotated[Path, typer.Argument(help="A file in the LoCoMo format, with questions.")],
    conversations: Annotated[
        int | None, typer.Option("--conversations", min=1, help="How many to take. Default: all.")
    ] = None,
    extractions: Annotated[
        Path | None,
        typer.Option(
            "--extractions",
            metavar="FOLDER",
            help="Take the facts from recorded extractions (*.jsonl). Default: by the rules.",
        ),
    ] = None,
) -> None:
    """Measure how well recall finds the turns that answer, beside plain BM25.

    Each conversation goes into a memory of its own, in the machine's memory; no store is used.
    With an --embedder, recall uses its vectors too.
    """
    from bitempo.bench.locomo import run
    from bitempo.cli.progress import questions_bar

    with questions_bar(invocation) as progress:
        report = run(
            path,
            conversations=conversations,
            embedder=invocation.settings.embedder,
            extractions=extractions,
            progress=progress,
        )
    invocation.emit(json.loads(report.to_json()), report.to_text())
