"""The commands about recall: recall itself, and replay of its receipts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitempo.cli.failure import SAYS_NO
from bitempo.cli.invocation import Invocation
from bitempo.cli.options import KnownAt, ValidAt
from bitempo.cli.words import safe

if TYPE_CHECKING:
    from rich.console import Console


def recall(
    invocation: Invocation,
    question: Annotated[str, typer.Argument(help="A question in plain words.")],
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    said: Annotated[
        list[str] | None,
        typer.Option(
            "--said",
            metavar="TEXT",
            help="A message before the question, for the --rewriter; oldest first.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each item's score is made of.")
    ] = False,
    receipt: Annotated[
        Path | None,
        typer.Option("--receipt", metavar="FILE", help="Write the receipt, for bitempo replay."),
    ] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Print the items as text for a model's prompt.")
    ] = False,
    max_tokens: Annotated[
        int,
        typer.Option(
            "--max-tokens", min=0, help="Of --context: the most it may have, by an estimate."
        ),
    ] = 2000,
) -> None:
    """Find the facts and turns that answer a question, best first."""
    from bitempo.cli import shapes, tables

    with invocation.tenant() as tenant:
        found = tenant.recall(
            question, context=said or (), valid_at=valid_at, known_at=known_at, limit=limit
        )
    if found.rewrite_error is not None:
        invocation.note(f"the question was searched as it is: {found.rewrite_error}")
    if not found.items:
        invocation.note("nothing is known of it at that point")
    if receipt is not None:
        receipt.write_text(found.receipt.to_json() + "\n", encoding="utf-8")

    packed = found.to_context(max_tokens) if context else None

    def show(out: Console) -> None:
        if packed is not None:
            out.print(safe(packed.text), markup=False, soft_wrap=True)
        elif explain:
            if explanation := found.explain():
                out.print(safe(explanation), markup=False, soft_wrap=True)
        elif found.items:
            out.print(tables.recalled(found))

    shape = shapes.recall(found)
    if packed is not None:
        shape["context"] = shapes.context(packed)
    invocation.emit(shape, show)


def replay(
    invocation: Invocation,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A receipt, written by recall --receipt.")
    ],
) -> None:
    """Compute a recall again from its receipt, and say whether the answer is the same.

    It ends with 1 if it is not.
    """
    from bitempo.cli import shapes

    with invocation.tenant() as tenant:
        found = tenant.replay(path.read_text(encoding="utf-8", errors="replace"))
    if not found.same:
        invocation.exit_code = SAYS_NO
    items = len(found.recall.items)
    same = f"the same: {items} {'item' if items == 1 else 'items'}, as in the receipt"
    told = same if found.difference is None else f"not the same\n{found.difference.to_text()}"
    invocation.emit(shapes.replay(found), told)
