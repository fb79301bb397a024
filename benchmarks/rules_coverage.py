"""What the rules extractor finds in conversations of the LoCoMo format.

    python -m benchmarks.rules_coverage FILE [--show N]

Prints the share of the file's `observation` notes whose content words are covered at least half
(and 35 %) by one extracted draft or by one turn, the drafts per turn, and the time per turn;
with `--show`, N typed drafts drawn at random (seed 7) for rating by hand. It is a measure, not a
target: coverage is lexical, so that a paraphrase counts as a miss.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import snowballstemmer

from bitempo.engine.model import AssertionDraft, Episode
from bitempo.engine.time import from_datetime
from bitempo.ingest.extraction import Window
from bitempo.ingest.rules import RulesExtractor

_STOP = frozenset(
    "a an the and or but of in on at to for from with by as is are was were be been being it its "
    "this "
    "that these those she he they her his their them him has have had do does did not no so very "
    "who "
    "which what when where how why will would can could should about into over after before than "
    "then "
    "i me my we our you your also just some any all more most other".split()
)
_WORD = re.compile(r"[a-z0-9]+")
_STEM = snowballstemmer.stemmer("english")


def main() -> None:
    """Reads the file, extracts every session and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--show", type=int, default=0, help="typed drafts to print for rating")
    arguments = parser.parse_args()
    conversations = json.loads(arguments.file.read_text(encoding="utf-8"))
    extractor = RulesExtractor()
    scores = Counter[str]()
    predicates = Counter[str]()
    drafts: list[AssertionDraft] = []
    seconds = 0.0
    for conversation in conversations:
        for name, episodes in sessions(conversation["conversation"]):
            started = time.perf_counter()
            found = extractor.extract(Window(name, name, tuple(episodes))).drafts
            seconds += time.perf_counter() - started
            drafts.extend(found)
            scores["turns"] += len(episodes)
            notes = conversation["observation"].get(f"{name}_observation", {})
            score(scores, notes, found, episodes)
    predicates.update(draft.predicate for draft in drafts)
    report(scores, predicates, seconds)
    typed = [draft for draft in drafts if draft.predicate != "STATES"]
    random.seed(7)
    for draft in random.sample(typed, min(arguments.show, len(typed))):
        print(shown(draft))


def sessions(conversation: dict[str, Any]) -> Iterator[tuple[str, list[Episode]]]:
    """The sessions with their turns as episodes, each at its session's time."""
    for name, turns in conversation.items():
        if not re.fullmatch(r"session_\d+", name) or not isinstance(turns, list):
            continue
        said = conversation[f"{name}_date_time"]
        at = from_datetime(datetime.strptime(said, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC))
        yield (
            name,
            [
                Episode(turn["dia_id"], turn["text"], at, actor=turn["speaker"], position=position)
                for position, turn in enumerate(turns)
            ],
        )


def score(
    scores: Counter[str],
    notes: dict[str, list[list[Any]]],
    drafts: Iterable[AssertionDraft],
    episodes: Iterable[Episode],
) -> None:
    """Adds one session's coverage: notes, and those that one draft or one turn covers."""
    facts = [stems(f"{draft.subject.name} {draft.text}") for draft in drafts]
    turns = [stems(f"{episode.actor} {episode.text}") for episode in episodes]
    for note in (note for said in notes.values() for note in said):
        words = stems(str(note[0]))
        if not words:
            continue
        scores["notes"] += 1
        for label, texts in (("draft", facts), ("turn", turns)):
            best = max((len(words & text) / len(words) for text in texts), default=0.0)
            scores[f"{label} >= .5"] += best >= 0.5
            scores[f"{label} >= .35"] += best >= 0.35


def stems(text: str) -> set[str]:
    """The stems of the content words."""
    words = [word for word in _WORD.findall(text.lower()) if word not in _STOP]
    return set(_STEM.stemWords(words))


def report(scores: Counter[str], predicates: Counter[str], seconds: float) -> None:
    """Prints the figures."""
    notes = scores["notes"]
    for label in ("draft >= .5", "draft >= .35", "turn >= .5", "turn >= .35"):
        print(f"notes covered by one {label}: {100 * scores[label] / max(1, notes):.1f} %")
    total = predicates.total()
    print(
        f"{notes} notes, {scores['turns']} turns, {total} drafts, "
        f"{total - predicates['STATES']} of them typed"
    )
    print(f"{1000 * seconds / max(1, scores['turns']):.2f} ms per turn")
    print(", ".join(f"{name} {count}" for name, count in predicates.most_common()))


def shown(draft: AssertionDraft) -> str:
    """A draft on one line."""
    answer = draft.object.name if draft.object else draft.value
    return (
        f"{draft.subject.name} | {draft.predicate} | {draft.polarity.value}{answer} | "
        f"{draft.time_text or ''} << {draft.quote}"
    )


if __name__ == "__main__":
    main()
