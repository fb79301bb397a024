"""The tables and trees that people see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from bitempo.cli import words
from bitempo.engine.model import Assertion, Entity, Episode, Fact, Polarity
from bitempo.engine.store.port import Neighbour, Stats
from bitempo.ingest.metering import Usage
from bitempo.ingest.preview import Preview
from bitempo.ingest.report import IngestReport
from bitempo.query.history import Diff, Evidence, Why
from bitempo.query.merges import Merge
from bitempo.query.recall import Recall, RecallItem

SENTENCE = "STATES"
FACT_COLUMNS = ("subject", "predicate", "value", "valid", "marks", "fact")
HISTORY_COLUMNS = ("subject", "predicate", "value", "valid", "believed", "marks", "fact")
ROOM_FOR_IDS = 100
_MOST_REMARKS = 20
_COUNTS = (
    "sessions",
    "episodes",
    "entities",
    "assertions",
    "retracted",
    "facts",
    "fact_versions",
    "predicates",
    "transactions",
)


def facts(
    found: Sequence[Fact],
    columns: Sequence[str] = FACT_COLUMNS,
    width: int = ROOM_FOR_IDS,
    distances: Sequence[int] | None = None,
) -> Table:
    """One row a fact, with the columns of `HISTORY_COLUMNS` that are asked for, and its distance.

    Ids are never broken, so a narrow terminal goes without them rather than break all else.
    """
    if width < ROOM_FOR_IDS:
        columns = [column for column in columns if column != "fact"]
    if distances is not None:
        columns = ["distance", *columns]
    cells = {
        "distance": [str(distance) for distance in distances or ()],
        "subject": [fact.subject.name for fact in found],
        "predicate": [fact.predicate for fact in found],
        "value": [str(fact.answer) for fact in found],
        "valid": [words.valid(fact) for fact in found],
        "believed": [words.span(fact.believed) for fact in found],
        "marks": [words.marks(fact) for fact in found],
        "fact": [fact.id for fact in found],
    }
    return table({column: cells[column] for column in columns}, whole=["fact"])


def neighbours(found: Sequence[Neighbour], width: int = ROOM_FOR_IDS) -> Table:
    """One row a fact, with how far it is."""
    return facts(
        [one.fact for one in found], distances=[one.distance for one in found], width=width
    )


def recalled(found: Recall, *, ids: bool = True) -> Table:
    """One row an item, best first."""
    columns = {
        "score": [f"{item.score:.3f}" for item in found.items],
        "kind": [item.kind for item in found.items],
        "text": [item.text for item in found.items],
        "when": [_when(item) for item in found.items],
        "marks": [_marks(item) for item in found.items],
    }
    if ids:
        columns["id"] = [item.id for item in found.items]
    return table(columns, whole=["score", "id"])


def entities(found: Sequence[Entity]) -> Table:
    """One row an entity."""
    columns = {
        "name": [entity.name for entity in found],
        "type": [entity.type for entity in found],
        "aliases": [", ".join(entity.aliases) for entity in found],
        "entity": [entity.id for entity in found],
    }
    return table(columns, whole=["entity"])


def merges(found: Sequence[Merge]) -> Table:
    """One row a merge."""
    columns = {
        "entity": [merge.entity.name for merge in found],
        "is": [merge.into.name for merge in found],
        "facts under": [merge.canonical.name for merge in found],
        "why": [merge.reason for merge in found],
        "believed": [words.span(merge.fact.believed) for merge in found],
    }
    return table(columns)


def show_diff(console: Console, found: Diff) -> None:
    """Two tables: what is believed at the second time only, and at the first time only."""
    later, earlier = words.moment(found.known_b), words.moment(found.known_a)
    for title, changed in (
        (f"Believed at {later}, not at {earlier}", found.believed),
        (f"Believed at {earlier}, no longer at {later}", found.no_longer),
    ):
        console.print(Text(f"{title}: {len(changed)}", style="bold"))
        if changed:
            console.print(facts(changed, width=console.width))


def why(found: Why, *, ids: bool = True) -> Tree:
    """The fact, and under it what it rests on, down to the turns."""
    tree = Tree(_fact_line(found.fact, ids))
    tree.add(Text(f"believed {words.span(found.fact.believed)}"))
    for title, cited in (
        ("because", found.support),
        ("corrects", found.corrected),
        ("contested by", found.contested),
        ("in conflict with", found.conflicts),
        ("merged by", found.merges),
    ):
        if cited:
            branch = tree.add(Text(title, style="bold"))
            for evidence in _told_once(cited):
                _add_evidence(branch, evidence, ids)
    for title, other in (
        ("superseded", found.superseded),
        ("superseded by", found.superseded_by),
    ):
        if other is not None:
            tree.add(Text(title, style="bold")).add(_fact_line(other, ids))
    return tree


def stats(found: Stats) -> Table:
    """How much there is, a line each."""
    counts = {name.replace("_", " "): str(getattr(found, name)) for name in _COUNTS}
    counts |= {f"inbox, {state}": str(count) for state, count in sorted(found.inbox.items())}
    counts["embedder"] = found.embedder or "none"
    if found.embedder is not None:
        counts |= {"vectors": str(found.vectors), "without a vector": str(found.unembedded)}
    for title, tx in (("first recorded", found.first_tx), ("last recorded", found.last_tx)):
        counts[title] = "never" if tx is None else words.moment(tx)
    return table({"what": list(counts), "how much": list(counts.values())})


def usage_by(by: str, found: Mapping[str | None, Usage]) -> Table:
    """One row an actor, session or extractor, and the total."""
    rows = [*(("-" if key is None else key, spent) for key, spent in found.items())]
    rows.append(("total", sum(found.values(), Usage())))
    return table(
        {
            by: [name for name, _ in rows],
            "calls": [str(spent.calls) for _, spent in rows],
            "tokens in": [str(spent.prompt_tokens) for _, spent in rows],
            "tokens out": [str(spent.completion_tokens) for _, spent in rows],
            "cost": [f"{spent.cost:.4f}" for _, spent in rows],
        }
    )


def previewed(found: Preview) -> list[str]:
    """What would be sent, message by message, and what that comes to."""
    lines = []
    for window in found.windows:
        lines.append(f"session {window.session}: {window.turns} turns")
        for request in window.requests:
            lines.append(f"  call of {request.model}, about {request.prompt_tokens} tokens in")
            for role, text in request.messages:
                lines.append(f"  [{role}]")
                lines += [f"    {line}" for line in text.splitlines()]
    usage = found.usage
    lines.append(
        f"{found.extractor} would read {len(found.windows)} windows with {usage.calls} calls or "
        f"more, about {usage.prompt_tokens} tokens in"
        + (f" at a cost of {usage.cost:.4f}" if usage.cost else "")
        + "; nothing was sent or written"
    )
    if found.redacted:
        lines.append(words.redacted(found.redacted))
    return lines


def ingested(report: IngestReport) -> list[str]:
    """What an ingest did, in a few lines."""
    lines = [
        f"{report.sessions} sessions, {report.turns} turns ({report.new_turns} new), "
        f"{report.assertions} assertions",
        f"{report.facts_opened} facts opened, {report.facts_closed} closed",
    ]
    if report.retracted:
        lines.append(f"{report.retracted} assertions of an earlier reading retracted")
    if report.usage.calls:
        lines.append(words.spent(report.usage).removeprefix(", "))
    if report.redacted:
        lines.append(words.redacted(report.redacted))
    if report.last_tx is not None:
        lines.append(f"last recorded {words.moment(report.last_tx)}")
    return lines


def remarks(report: IngestReport) -> list[str]:
    """What was not taken, with its place and why; long lists are cut."""
    found = [f"malformed: {one.place}: {one.reason}" for one in report.malformed]
    found += [f"left out: {one.place}: {one.reason}" for one in report.skipped]
    found += [f"rejected: {one.item}: {one.reason}" for one in report.rejections]
    cut = found[:_MOST_REMARKS]
    if len(found) > len(cut):
        cut.append(f"and {len(found) - len(cut)} more (--json lists all)")
    return cut + [f"failed: window {window}: {reason}" for window, reason in report.failed.items()]


def table(columns: Mapping[str, Sequence[str]], whole: Sequence[str] = ()) -> Table:
    """The cells by the title of their column; those of `whole` are never broken."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for title in columns:
        made.add_column(title, no_wrap=title in whole, overflow="fold")
    for row in zip(*columns.values(), strict=True):
        # What people wrote is text, never rich's markup.
        made.add_row(*(Text(words.safe(cell)) for cell in row))
    return made


def _fact_line(fact: Fact, ids: bool) -> Text:
    line = Text(words.safe(f"{fact.subject.name} {fact.predicate} "))
    line.append(words.safe(str(fact.answer)), style="bold")
    return _line(line, [words.valid(fact), words.marks(fact)], fact.id if ids else "")


def _add_evidence(branch: Tree, evidence: Evidence, ids: bool) -> None:
    leaf = branch.add(_assertion_line(evidence.assertion, ids))
    for episode in evidence.episodes:
        leaf.add(_episode_line(episode, ids))


def _told_once(cited: Sequence[Evidence]) -> list[Evidence]:
    """One of those that one sentence of one turn gave: that it began, and that it holds."""
    told = {(one.assertion.text, one.assertion.evidence): one for one in reversed(cited)}
    return list(reversed(told.values()))


def _assertion_line(assertion: Assertion, ids: bool) -> Text:
    parts = [
        "" if assertion.polarity is Polarity.POSITIVE else "denies",
        f"trust {assertion.trust}",
        f"recorded {words.moment(assertion.recorded_at)}",
        f"retracted {words.moment(assertion.believed.end)}" if assertion.retracted else "",
    ]
    said = ", ".join(part for part in parts if part)
    return _line(Text(words.safe(f'"{assertion.text}"')), [said], assertion.id if ids else "")


def _episode_line(episode: Episode, ids: bool) -> Text:
    who = episode.actor or str(episode.kind)
    where = f", session {episode.session}" if episode.session else ""
    said = f"{who}, {words.moment(episode.occurred_at)}{where}: {episode.text}"
    line = Text(words.safe(said))
    return _line(line, [], episode.id if ids else "")


def _line(start: Text, parts: Sequence[str], id: str) -> Text:
    for part in parts:
        start.append(f"  {part}" if part else "")
    return start.append(f"  {id}" if id else "", style="dim")


def _when(item: RecallItem) -> str:
    if item.fact is not None:
        return words.valid(item.fact)
    return words.moment(item.episode.occurred_at) if item.episode is not None else ""


def _marks(item: RecallItem) -> str:
    marks = "" if item.fact is None else words.marks(item.fact)
    if item.episode is not None:
        marks = item.episode.actor or ""
    former = "former" if item.former else ""
    return ", ".join(mark for mark in (marks, former) if mark)
