"""How well time expressions are read: our rules beside dateparser, on the same sentences.

    python -m benchmarks.dates FILE [--json]

FILE holds sentences with a reference time and the expressions in them, with the values that are
accepted for each (the Recognizers-Text layout of dates_en_dev.json). Figures:

- exact: the share of the expressions for which an overlapping hit has exactly an accepted interval.
  A date is that whole day; a moment is exact when the hit starts there and lasts an hour at most;
  a range must have both its ends, and an open end must be open.
- exact, set's range ends (ours only): the data set writes the end of a range as the start of its
  last unit ("from March to May" ends on 1 May), where we include the last unit. Here a range may
  end where its last stated unit starts.
- span precision and recall: hits whose place is that of an expression, after "the" and a leading
  preposition are dropped from both. Times of day alone, which the set leaves out, count as wrong.
- false hits on the sentences of tests/ingest/time_free_sentences.txt, which hold no time.

dateparser gives moments; with its `period` we grant it the whole day, week, month or year.
Expressions whose only value is "not resolved" count for the spans, not for the intervals. Pure
durations and recurring times are left out and counted.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bitempo.engine.time import BEGINNING, FOREVER, Instant, from_datetime
from bitempo.ingest.dates import find_times

POSITIONED = ("date", "daterange", "datetime", "datetimerange")
NEGATIVES = Path(__file__).resolve().parents[1] / "tests" / "ingest" / "time_free_sentences.txt"


@dataclass(frozen=True)
class Hit:
    """What a reader found: a place, an interval, and the start of the last stated unit."""

    start: int
    end: int
    valid: tuple[Instant, Instant]
    last_unit_start: Instant | None = None


@dataclass
class Score:
    """Counts of one reader."""

    exact: Counter[str] = field(default_factory=Counter)
    exact_as_the_set: Counter[str] = field(default_factory=Counter)
    spans_found: int = 0
    hits: int = 0
    right_hits: int = 0
    seconds: float = 0.0
    false_hits: list[str] = field(default_factory=list)


Reader = Callable[[str, datetime], list[Hit]]


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.dates", description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--misses", action="store_true", help="print what ours gets wrong")
    options = parser.parse_args(arguments)
    cases = json.loads(options.file.read_text(encoding="utf-8"))["cases"]
    report = measure(cases, misses=options.misses)
    print(json.dumps(report, indent=2) if options.json else _table(report))
    return 0


def measure(cases: list[dict[str, Any]], *, misses: bool = False) -> dict[str, Any]:
    """The report on the cases, for both readers."""
    totals: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for case in cases:
        for expression in case["expressions"]:
            if expression["type"] not in POSITIONED:
                left_out[expression["type"]] += 1
            elif _accepted(expression):
                totals[expression["type"]] += 1
    readers: dict[str, Reader] = {"bitempo": ours, "dateparser": theirs}
    negatives = NEGATIVES.read_text(encoding="utf-8").splitlines()
    scores = {}
    for name, reader in readers.items():
        reader("It was on May 5, 2021.", datetime(2023, 1, 1, tzinfo=UTC))
        scores[name] = _score(cases, negatives, reader, misses=misses and name == "bitempo")
    spans = sum(e["type"] in POSITIONED for case in cases for e in case["expressions"])
    return {
        "sentences": len(cases),
        "expressions": spans,
        "resolvable": dict(totals),
        "left_out": dict(left_out),
        "time_free_sentences": len(negatives),
        "readers": {name: _summary(score, totals, spans) for name, score in scores.items()},
    }


def ours(text: str, reference: datetime) -> list[Hit]:
    """The hits of bitempo."""
    return [
        Hit(found.start, found.end, (found.valid.start, found.valid.end), found.last_unit_start)
        for found in find_times(text, from_datetime(reference))
    ]


def theirs(text: str, reference: datetime) -> list[Hit]:
    """The hits of dateparser's `search_dates`, each as long as its `period` tells."""
    from dateparser.date import DateDataParser
    from dateparser.search import search_dates

    settings: Any = {"RELATIVE_BASE": reference.replace(tzinfo=None)}
    found = search_dates(text, languages=["en"], settings=settings) or []
    parser = DateDataParser(languages=["en"], settings={**settings, "RETURN_TIME_AS_PERIOD": True})
    hits, place = [], 0
    for part, moment in found:
        start = text.find(part, place)
        place = start + len(part)
        period = parser.get_date_data(part).period if part else "day"
        hits.append(Hit(start, place, _period(moment.replace(tzinfo=UTC), period)))
    return hits


def _period(moment: datetime, period: str) -> tuple[Instant, Instant]:
    if period == "time":
        return from_datetime(moment), from_datetime(moment + timedelta(minutes=1))
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "week":
        first = day - timedelta(days=day.weekday())
        return from_datetime(first), from_datetime(first + timedelta(days=7))
    if period == "month":
        first = day.replace(day=1)
        return from_datetime(first), from_datetime((first + timedelta(days=31)).replace(day=1))
    if period == "year":
        first = day.replace(month=1, day=1)
        return from_datetime(first), from_datetime(first.replace(year=first.year + 1))
    return from_datetime(day), from_datetime(day + timedelta(days=1))


def _score(
    cases: list[dict[str, Any]], negatives: list[str], reader: Reader, *, misses: bool
) -> Score:
    score = Score()
    for case in cases:
        reference = datetime.fromisoformat(case["reference"]).replace(tzinfo=UTC)
        begun = time.perf_counter()
        hits = reader(case["input"], reference)
        score.seconds += time.perf_counter() - begun
        wanted = [e for e in case["expressions"] if e["type"] in POSITIONED]
        _score_case(score, case["input"], wanted, hits)
        if misses:
            _print_misses(case, wanted, hits)
    reference = datetime(2023, 6, 15, 14, 30, tzinfo=UTC)
    score.false_hits = [text for text in negatives if reader(text, reference)]
    return score


def _score_case(score: Score, text: str, wanted: list[dict[str, Any]], hits: list[Hit]) -> None:
    places = {_core(text, e["start"], e["start"] + len(e["text"])) for e in wanted}
    found = {_core(text, hit.start, hit.end) for hit in hits}
    score.hits += len(found)
    score.right_hits += len(found & places)
    score.spans_found += len(found & places)
    for expression in wanted:
        exact, as_the_set = _is_exact(expression, hits)
        score.exact[expression["type"]] += exact
        score.exact_as_the_set[expression["type"]] += as_the_set


def _is_exact(expression: dict[str, Any], hits: list[Hit]) -> tuple[bool, bool]:
    start, end = expression["start"], expression["start"] + len(expression["text"])
    beside = [hit for hit in hits if hit.start < end and start < hit.end]
    accepted = _accepted(expression)
    moments = expression["type"] == "datetime"
    exact = as_the_set = False
    for hit in beside:
        first, last = hit.valid
        for wanted in accepted:
            if moments:
                same = first == wanted[0] and last - first <= 3_600_000_000
                exact, as_the_set = exact or same, as_the_set or same
                continue
            exact = exact or (first, last) == wanted
            as_the_set = as_the_set or wanted in (hit.valid, (first, hit.last_unit_start))
    return exact, as_the_set


def _accepted(expression: dict[str, Any]) -> list[tuple[Instant, Instant]]:
    accepted = []
    for value in expression["values"]:
        if value.get("value") == "not resolved":
            continue
        if "value" in value:
            first = from_datetime(datetime.fromisoformat(value["value"]).replace(tzinfo=UTC))
            last = first + 86_400_000_000 if expression["type"] == "date" else first + 1
        else:
            first = _instant(value["start"]) if "start" in value else BEGINNING
            last = _instant(value["end"]) if "end" in value else FOREVER
        accepted.append((first, last))
    return accepted


def _instant(text: str) -> Instant:
    # The set cannot write 24:00 and writes the last second of the day instead.
    instant = from_datetime(datetime.fromisoformat(text).replace(tzinfo=UTC))
    return instant + 1_000_000 if text.endswith("23:59:59") and "T" not in text else instant


_LEADING = re.compile(r"(?:(?:on|in|at|the|around|about|during|of|for)\b\s*)+", re.IGNORECASE)


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    match = _LEADING.match(text, start, end)
    return (match.end() if match and match.end() < end else start), end


def _summary(score: Score, totals: Counter[str], spans: int) -> dict[str, Any]:
    sentences_ms = score.seconds * 1000
    total = sum(totals.values())

    def shares(counts: Counter[str]) -> dict[str, float]:
        by_type = {kind: counts[kind] / totals[kind] for kind in POSITIONED if totals[kind]}
        return {**by_type, "overall": sum(counts.values()) / total if total else 0.0}

    return {
        "exact": shares(score.exact),
        "exact_with_the_sets_range_ends": shares(score.exact_as_the_set),
        "span_precision": score.right_hits / score.hits if score.hits else 0.0,
        "span_recall": score.spans_found / spans if spans else 0.0,
        "milliseconds": sentences_ms,
        "false_hits": score.false_hits,
    }


def _table(report: dict[str, Any]) -> str:
    lines = [
        f"{report['sentences']} sentences, {report['expressions']} expressions; "
        f"left out: {report['left_out'] or 'none'}; "
        f"{report['time_free_sentences']} sentences without a time",
        f"{'':34}" + "".join(f"{name:>14}" for name in report["readers"]),
    ]

    def row(title: str, value: Callable[[dict[str, Any]], str]) -> None:
        cells = "".join(f"{value(reader):>14}" for reader in report["readers"].values())
        lines.append(f"{title:34}{cells}")

    for kind in [*report["resolvable"], "overall"]:
        count = report["resolvable"].get(kind, sum(report["resolvable"].values()))
        row(f"exact, {kind} ({count})", _exact_of(kind))
    row(
        "exact overall, set's range ends",
        lambda r: f"{r['exact_with_the_sets_range_ends']['overall']:.1%}",
    )
    row("span precision", lambda r: f"{r['span_precision']:.1%}")
    row("span recall", lambda r: f"{r['span_recall']:.1%}")
    row("ms per sentence", lambda r: f"{r['milliseconds'] / report['sentences']:.3f}")
    row("false hits, time-free", lambda r: str(len(r["false_hits"])))
    return "\n".join(lines)


def _exact_of(kind: str) -> Callable[[dict[str, Any]], str]:
    return lambda reader: f"{reader['exact'][kind]:.1%}"


def _print_misses(case: dict[str, Any], wanted: list[dict[str, Any]], hits: list[Hit]) -> None:
    text = case["input"]
    for expression in wanted:
        if _accepted(expression) and not _is_exact(expression, hits)[1]:
            print("MISS", case["reference"], repr(text[:100]), expression["text"],
                  expression["values"], [_shown(text, hit) for hit in hits])  # fmt: skip
    places = {_core(text, e["start"], e["start"] + len(e["text"])) for e in wanted}
    for hit in hits:
        if _core(text, hit.start, hit.end) not in places:
            print("SPAN", repr(text[:100]), _shown(text, hit), [e["text"] for e in wanted])


def _shown(text: str, hit: Hit) -> str:
    from bitempo.engine.time import format_instant

    first, last = (format_instant(instant) for instant in hit.valid)
    return f"{text[hit.start : hit.end]!r} {first}..{last}"


if __name__ == "__main__":
    sys.exit(main())
