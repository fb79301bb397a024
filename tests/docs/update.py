"""`python -m tests.docs.update`: write what commands and snippets give now into the documents.

What is not the same each time is elided: ids, scores, and times of today.
"""

from __future__ import annotations

import os
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.docs.blocks import DOCUMENTS, outcomes, tidy

ID = re.compile(r"\b(fact|ep|ent|st|as|win)_[0-9a-f]{16,}(#[0-9-]+)?")
SCORE = re.compile(r"\b\d\.\d{3}\b")


def update(document: Path) -> int:
    """Rewrite the outputs that do not hold any more; returns how many."""
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wrong = [one for one in outcomes(document, Path(folder)) if not one.agrees]
        os.chdir("/")
    for outcome in reversed(wrong):
        end = outcome.start + len(outcome.expected)
        text = text[: outcome.start] + elided(outcome.actual) + text[end:]
    document.write_text(text, encoding="utf-8")
    return len(wrong)


def elided(output: str) -> str:
    """The output with what changes from run to run as `...`."""
    shown = SCORE.sub("...  ", ID.sub(r"\1_...", tidy(output)))
    return re.sub(rf"{datetime.now(UTC):%Y-%m-%d}[T ]?[\d:.Z]*", "...", shown)


if __name__ == "__main__":
    for path in DOCUMENTS:
        print(f"{path.name}: {update(path)} outputs written")
