"""bitempo on Neo4j beside graphiti-core, on one server, in one run, with the same conversations.

    python -m benchmarks.graphiti [--episodes 30] [--server bolt://host:7687] [--json]

The user and the password of the server come from the location
(`bolt://user:password@host:7687`), or from BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD. What is
written goes into a group and tenants of their own, which are deleted at the end.

Each episode brings one fact or five, dated or undated, and part of them end earlier ones. Both
are given one episode after the other, in turn: Graphiti by `add_episode`, bitempo by `append`.
Measured for each episode are model calls, embedding calls, Cypher statements, milliseconds, and
those that this process worked; then for each question the same of Graphiti's `search` and
bitempo's `recall`, ten results each. Ratios are Graphiti's figure for one of bitempo's: above 1
bitempo does with less, below 1 Graphiti does.

What is compared, and what is not:

- The model is a scripted one that both ask over HTTP, each with its own client and prompts. It
  says the same facts to both and answers at once; with a real one, each call costs what it costs.
  How well a model extracts is not measured. Tokens are in `benchmarks.ingest_cost`.
- Graphiti embeds facts, entities and questions, by trivial vectors that take no time to speak of;
  bitempo embeds nothing, and recalls by words alone, turns as well as facts. So how well they find
  is not compared here.
- Undated facts get no time from the scripted model, and without one Graphiti ends nothing. A real
  model may give them the time of the episode.
- Statements are counted as they are handed to the driver; beginning and committing transactions
  is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from statistics import fmean

from rich.console import Console
from rich.table import Table

from benchmarks.server import address_of, version_of
from benchmarks.sides import Measured, Sides
from benchmarks.told import conversation, ended, questions
from bitempo import BitempoError
from bitempo.engine.store.neo4j.address import Address

CASES = [(1, True), (1, False), (5, True), (5, False)]
"""How many facts an episode brings, and whether they are dated."""

WARM_UP = 10
ROUNDS = 3
SIDES = ("Graphiti", "bitempo")
NOTE = (
    "Both ask one scripted model over HTTP, which says the same facts to both. bitempo embeds "
    "nothing."
)


@dataclass(frozen=True)
class Figures:
    """The same work on both sides, by the name of the figure."""

    graphiti: Mapping[str, float]
    bitempo: Mapping[str, float]

    @property
    def ratios(self) -> dict[str, float | None]:
        """Graphiti's figure for one of bitempo's; None where bitempo's is nothing."""
        return {k: self.graphiti[k] / v if v else None for k, v in self.bitempo.items()}


@dataclass(frozen=True)
class Case:
    """One conversation on both sides.

    `told` is what there was to keep, `kept` what each has in the end; `results` is how many a
    question has on average.
    """

    name: str
    episodes: int
    told: Mapping[str, int]
    kept: Mapping[str, Mapping[str, int]]
    questions: int
    results: Mapping[str, float]
    adding: Figures
    asking: Figures


async def run(address: Address, episodes: int) -> list[Case]:
    """All cases, after one that is not measured and warms both up."""
    await run_case(address, WARM_UP, 5, dated=False)
    return [await run_case(address, episodes, facts, dated=dated) for facts, dated in CASES]


async def run_case(address: Address, episodes: int, facts: int, *, dated: bool) -> Case:
    """Tell one conversation to both, then ask both the same."""
    said = conversation(episodes, facts, dated=dated)
    sides = Sides(address, said)
    try:
        await sides.open()
        adding, asking = (Measured(), Measured()), (Measured(), Measured())
        for number, one in enumerate(said):
            await sides.add(adding, one, number)
        asked = questions(said)
        for question in asked[:WARM_UP]:
            await sides.ask((Measured(), Measured()), question)
        results = [await sides.ask(asking, each) for each in asked for _ in range(ROUNDS)]
        kept = await sides.kept()
    finally:
        await sides.close()
    return Case(
        name=f"{facts} fact{'s'[: facts > 1]} an episode, {'dated' if dated else 'undated'}",
        episodes=episodes,
        told={"facts": sum(len(one.facts) for one in said), "ended": ended(said)},
        kept=dict(zip(SIDES, kept, strict=True)),
        questions=len(results),
        results={
            side: fmean(column)
            for side, column in zip(SIDES, zip(*results, strict=True), strict=True)
        },
        adding=Figures(*(one.summary() for one in adding)),
        asking=Figures(*(one.summary() for one in asking)),
    )


def show(cases: list[Case], about: Mapping[str, str]) -> None:
    """The figures as tables, and what they are of."""
    out = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    out.print(", ".join(f"{name} {value}" for name, value in about.items()))
    out.print(NOTE)
    for case in cases:
        table = Table(title=f"{case.name}: {case.episodes} episodes, {case.questions} questions")
        for title in ("", *SIDES, "ratio"):
            table.add_column(title, justify="right" if title else "left")
        for work, figures in (("episode", case.adding), ("question", case.asking)):
            for what, ours in figures.bitempo.items():
                ratio, theirs = figures.ratios[what], figures.graphiti[what]
                shown = "" if ratio is None else f"{ratio:.2f}"
                table.add_row(f"{work}: {what}", f"{theirs:.1f}", f"{ours:.1f}", shown)
        out.print(table)
        out.print(_remark(case))


def _remark(case: Case) -> str:
    kept = "; ".join(
        f"{side} has {one['facts']}, {one['ended']} of them ended, and gives "
        f"{case.results[side]:.1f} results a question"
        for side, one in case.kept.items()
    )
    return f"Told {case.told['facts']} facts, {case.told['ended']} end an earlier one. {kept}.\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--episodes", type=int, default=30, help="in each conversation; 5 or more")
    parser.add_argument("--server", default="bolt://localhost:7687", help="a Neo4j server")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if options.episodes < 5:
        parser.error("--episodes must be 5 or more")
    for noisy in ("neo4j", "graphiti_core"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    address = address_of(options.server)
    try:
        server = version_of(address)
    except BitempoError as error:
        parser.exit(1, f"{error}\n")
    about = {
        "graphiti-core": version("graphiti-core"),
        "bitempo": version("bitempo"),
        "Neo4j": server,
    }
    cases = asyncio.run(run(address, options.episodes))
    if options.json:
        shaped = [asdict(case) | {"ratios": _ratios(case)} for case in cases]
        json.dump({"about": about, "note": NOTE, "cases": shaped}, sys.stdout, indent=1)
        print()
        return
    show(cases, about)


def _ratios(case: Case) -> dict[str, Mapping[str, float | None]]:
    return {"adding": case.adding.ratios, "asking": case.asking.ratios}


if __name__ == "__main__":
    main()
