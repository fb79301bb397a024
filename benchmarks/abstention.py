"""Does recall know when it has no answer? Its confidence on questions with and without one.

    python -m benchmarks.abstention FILE [--embedder NAME] [--json]

FILE is in the format of LoCoMo. Each conversation goes into a memory of its own, which is asked

- its own questions of categories 1 to 4, which it can answer;
- its own of category 5, "adversarial": mostly what one speaker did, asked of the other;
- questions of the other conversations, as they are: about people it has never heard of;
- the same with the names of its own speakers in the place of theirs.

Reported is the AUC of the first against each of the others: how often an answerable question has
the higher confidence than an unanswerable one, ties counted half. The numbers in
`bitempo.query.confidence` were fitted on conv-26 and conv-30, and not on the others.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bitempo import Memory, Tenant
from bitempo.bench.locomo import read_conversations
from bitempo.testing import FixedClock

FITTED = ("conv-26", "conv-30")
KINDS = ("adversarial", "other conversation", "other conversation, own names")
ANSWERABLE = "answerable"
_MOST = 60
"""Questions of other conversations that a memory is asked."""

Scores = dict[str, list[float]]
"""By kind of question, the confidence of each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path)
    parser.add_argument("--embedder")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    report = measure(options.file, options.embedder)
    print(json.dumps(report) if options.json else _table(report))
    return 0


def measure(path: Path, embedder: str | None = None) -> dict[str, Any]:
    """The AUC by kind of question, on the conversations fitted on, and on the others."""
    records = {str(one["sample_id"]): one for one in json.loads(path.read_text(encoding="utf-8"))}
    scores: dict[bool, Scores] = {True: {}, False: {}}
    for conversation in read_conversations(path):
        clock = FixedClock("2030-01-01")
        with Memory.open(":memory:", clock=clock, embedder=embedder) as memory:
            tenant = memory.tenant(conversation.sample)
            tenant.ingest(conversation.sessions)
            kept = scores[conversation.sample in FITTED]
            for kind, question in _questions(records, conversation.sample):
                kept.setdefault(kind, []).append(_confidence(tenant, question))
    return {
        name: {kind: round(auc(found[ANSWERABLE], found.get(kind, [])), 3) for kind in KINDS}
        for name, found in (("fitted on", scores[True]), ("not fitted on", scores[False]))
        if found
    }


def auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """How often one of `higher` is above one of `lower`; ties count half. 0.5 if one is empty."""
    pairs = [(a > b) + (a == b) / 2 for a in higher for b in lower]
    return sum(pairs) / len(pairs) if pairs else 0.5


def _confidence(tenant: Tenant, question: str) -> float:
    return tenant.recall(question).confidence


def _questions(records: dict[str, Any], sample: str) -> Iterator[tuple[str, str]]:
    for text, category in _asked(records[sample]):
        yield KINDS[0] if category == 5 else ANSWERABLE, text
    others = [
        (other, text)
        for other, record in records.items()
        for text, category in _asked(record)
        if other != sample and category != 5
    ]
    for other, text in random.Random(sample).sample(others, min(_MOST, len(others))):
        yield KINDS[1], text
        yield KINDS[2], _renamed(text, _speakers(records[other]), _speakers(records[sample]))


def _asked(record: dict[str, Any]) -> list[tuple[str, int]]:
    return [(one["question"], one["category"]) for one in record["qa"] if one.get("question")]


def _speakers(record: dict[str, Any]) -> tuple[str, str]:
    return record["conversation"]["speaker_a"], record["conversation"]["speaker_b"]


def _renamed(text: str, theirs: Sequence[str], ours: Sequence[str]) -> str:
    for their, our in zip(theirs, ours, strict=True):
        text = re.sub(rf"\b{re.escape(their)}\b", our, text)
    return text


def _table(report: dict[str, Any]) -> str:
    lines = [f"{'AUC, answerable against':32}" + "".join(f"{name:>15}" for name in report)]
    for kind in KINDS:
        lines.append(f"{kind:32}" + "".join(f"{found[kind]:>15.3f}" for found in report.values()))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
