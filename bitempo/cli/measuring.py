"""The commands that measure: bench locomo, bench longmemeval."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitempo.cli.invocation import Invocation

if TYPE_CHECKING:
    from bitempo.bench.chats import Report
    from bitempo.bench.order import OrderReport

Extractions = Annotated[
    Path | None,
    typer.Option(
        "--extractions",
        metavar="FOLDER",
        help="Take the facts from recorded extractions (*.jsonl). Default: by the rules.",
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache", metavar="FOLDER", help="Keep the vectors of the --embedder for the next run."
    ),
]


def locomo(
    invocation: Invocation,
    path: Annotated[Path, typer.Argument(help="A file in the LoCoMo format, with questions.")],
    conversations: Annotated[
        int | None, typer.Option("--conversations", min=1, help="How many to take. Default: all.")
    ] = None,
    extractions: Extractions = None,
    cache: Cache = None,
) -> None:
    """Measure how well recall finds the turns that answer, beside plain BM25.

    Each conversation goes into a memory of its own, in the machine's memory; no store is used.
    With an --embedder, recall uses its vectors too; a --reranker and a --rewriter
    have their say.
    """
    from bitempo.bench.locomo import run
    from bitempo.cli.progress import questions_bar

    with questions_bar(invocation) as progress:
        report = run(
            path,
            conversations=conversations,
            embedder=invocation.settings.embedder,
            reranker=invocation.settings.reranker,
            rewriter=invocation.settings.rewriter,
            extractions=extractions,
            cache=cache,
            progress=progress,
        )
    invocation.emit(json.loads(report.to_json()), report.to_text())


def longmemeval(
    invocation: Invocation,
    path: Annotated[Path, typer.Argument(help="A file in a LongMemEval format.")],
    questions: Annotated[
        int | None, typer.Option("--questions", min=1, help="How many to ask. Default: all.")
    ] = None,
    order: Annotated[
        bool,
        typer.Option(
            "--order",
            help="Measure instead whether what is newer ranks above what it updates, and below "
            "it as of before.",
        ),
    ] = False,
    extractions: Extractions = None,
    cache: Cache = None,
) -> None:
    """Measure how well recall finds the turns and sessions that answer, in long chats.

    The history of each question goes into a memory of its own, in the machine's memory; no store
    is used. Plain BM25 stands beside it. With an --embedder, recall uses its vectors too. With
    --extractions, only the questions whose sessions were recorded are asked.
    """
    from bitempo.bench.longmemeval import run
    from bitempo.bench.order import run_order
    from bitempo.cli.progress import questions_bar

    measure: Callable[..., Report | OrderReport] = run_order if order else run
    with questions_bar(invocation) as progress:
        report = measure(
            path,
            questions=questions,
            embedder=invocation.settings.embedder,
            reranker=invocation.settings.reranker,
            rewriter=invocation.settings.rewriter,
            extractions=extractions,
            cache=cache,
            progress=progress,
        )
    invocation.emit(json.loads(report.to_json()), report.to_text())
