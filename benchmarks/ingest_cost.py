"""What it costs to take in episodes with a model: bitempo beside graphiti-core and Mem0.

    python -m benchmarks.ingest_cost [--server bolt://host:7687] [--without NAME] [--json]

All are given the same turns, one after the other in one run, and talk to the same scripted model
over HTTP. It finds the same facts for each, says them in the form that each one's own prompt asks
for, and answers at once. Counted are, for each episode (turns that are handed in at once):

- calls to the model, and tokens of prompts and replies as they came over the wire, four characters
  each; the JSON schema of a reply belongs to its prompt. Retries would count. So would a second
  opinion about names or facts: there is none unless a system asks for it.
- calls for embeddings. Vectors are those of `hashed_vector`; bitempo is not given an embedder, as
  by default it has none.
- processor time of the process that the system runs in, and time on the clock. The model is a
  process of its own, and so is Neo4j: neither's work is in the processor time. SQLite's is, and
  that of Qdrant, which Mem0 uses in its local mode.
- the facts that are there afterwards, and how many of them have come to an end.

An episode is told to a fresh owner who has told five facts before, as often as `--repeat` says.
What is not compared: how well a real model extracts with each prompt, and how well is recalled.
Undated facts come back from the model without a time. Graphiti then asks for the times of each
fact again; a model that always gives present facts the time of their episode saves that.

`pip install 'bitempo[compare]'` brings the others, and `make neo4j` starts a server; `--without`
graphiti, mem0 or neo4j leaves them out. The user and the password of the server come from the
location (`bolt://user:password@host:7687`), or from BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import platform
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from statistics import fmean, median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.endpoint import Asked, Endpoint
from benchmarks.episodes import EpisodeSet, episode_sets, script_of
from benchmarks.systems import (
    BitempoOnNeo4j,
    BitempoOnSqlite,
    GraphitiOnNeo4j,
    Kept,
    Mem0,
    System,
    versions,
)
from bitempo import BitempoError

OPTIONAL = ("graphiti", "mem0", "neo4j")
"""What can be left out; without Neo4j there is no Graphiti either."""

MODULES = {"graphiti": "graphiti_core", "mem0": "mem0", "neo4j": "neo4j"}
"""What has to be installed for each of them."""

_KNOWN = "known"


@dataclass(frozen=True)
class Cost:
    """What one system took for one episode, on average: see the module.

    `facts` and `ended` are what the episode added to what was there; `ended` is None where a
    system knows of no ends.
    """

    system: str
    episodes: str
    repeats: int
    asked: Mapping[str, float]
    facts: float
    ended: float | None
    processor_ms: Mapping[str, float]
    clock_ms: Mapping[str, float]

    @property
    def tokens(self) -> float:
        """Of prompts and replies."""
        return self.asked["prompt_tokens"] + self.asked["completion_tokens"]


@dataclass(frozen=True)
class _Once:
    asked: Asked
    facts: int
    ended: int | None
    processor_ms: float
    clock_ms: float


async def run(
    server: str | None,
    without: Collection[str],
    sets: Sequence[EpisodeSet],
    repeats: int,
    warm_up: Sequence[EpisodeSet] = (),
) -> list[Cost]:
    """Every system on every set, in turn, after what warms them up, which is not measured.

    A server plans its statements anew while it holds next to nothing.
    """
    with Endpoint(script_of([*sets, *warm_up])) as endpoint:
        async with AsyncExitStack() as closing:
            systems = []
            for make in _makers(server, without):
                systems.append(system := make(endpoint.url))
                closing.push_async_callback(system.close)
                await system.open()
                for one in warm_up:
                    await _once(system, one, endpoint)
            return [cost for one in sets for cost in await _costs(systems, one, endpoint, repeats)]


def _makers(server: str | None, without: Collection[str]) -> list[Any]:
    makers: list[Any] = [BitempoOnSqlite]
    if server is not None and "neo4j" not in without:
        from benchmarks.server import address_of

        address = address_of(server)
        makers.append(lambda url: BitempoOnNeo4j(url, address))
        if "graphiti" not in without:
            makers.append(lambda url: GraphitiOnNeo4j(url, address))
    if "mem0" not in without:
        makers.append(Mem0)
    return makers


async def _costs(
    systems: Sequence[System], episodes: EpisodeSet, endpoint: Endpoint, repeats: int
) -> list[Cost]:
    measured: dict[str, list[_Once]] = {system.name: [] for system in systems}
    for _ in range(repeats):
        # In turn, so that what else the machine does falls on all of them.
        for system in systems:
            measured[system.name].append(await _once(system, episodes, endpoint))
    return [_cost(name, episodes, runs) for name, runs in measured.items()]


async def _once(system: System, episodes: EpisodeSet, endpoint: Endpoint) -> _Once:
    await system.begin()
    await system.add(_KNOWN, episodes.known)
    before = await system.kept()
    endpoint.taken()
    session = _KNOWN if episodes.told == episodes.known else "told"
    clock, worked = time.perf_counter(), time.process_time()
    await system.add(session, episodes.told)
    worked, clock = time.process_time() - worked, time.perf_counter() - clock
    asked, after = endpoint.taken(), await system.kept()
    return _Once(
        asked, after.facts - before.facts, _ended(before, after), 1e3 * worked, 1e3 * clock
    )


def _ended(before: Kept, after: Kept) -> int | None:
    if before.ended is None or after.ended is None:
        return None
    return after.ended - before.ended


def _cost(name: str, episodes: EpisodeSet, runs: Sequence[_Once]) -> Cost:
    ends = [once.ended for once in runs if once.ended is not None]
    return Cost(
        system=name,
        episodes=episodes.name,
        repeats=len(runs),
        asked={
            field.name: fmean(getattr(once.asked, field.name) for once in runs)
            for field in fields(Asked)
        },
        facts=fmean(once.facts for once in runs),
        ended=fmean(ends) if ends else None,
        processor_ms=_summary([once.processor_ms for once in runs]),
        clock_ms=_summary([once.clock_ms for once in runs]),
    )


def _summary(values: Sequence[float]) -> dict[str, float]:
    return {"p50": median(values), "mean": fmean(values)}


def ratios(costs: Sequence[Cost]) -> list[dict[str, float | None]]:
    """Each one's figures for one of the first system's on the same episodes; None: it has none."""
    first: dict[str, Cost] = {}
    for cost in costs:
        first.setdefault(cost.episodes, cost)
    return [
        {
            "calls": _ratio(cost.asked["calls"], first[cost.episodes].asked["calls"]),
            "tokens": _ratio(cost.tokens, first[cost.episodes].tokens),
            "processor": _ratio(cost.processor_ms["p50"], first[cost.episodes].processor_ms["p50"]),
        }
        for cost in costs
    ]


def _ratio(value: float, base: float) -> float | None:
    return value / base if base else None


_COLUMNS = (
    "episode", "system", "calls", "prompt tokens", "reply tokens", "tokens, ratio", "embeddings",
    "new facts", "ended", "processor ms", "ratio", "clock ms",
)  # fmt: skip
_NOTE = "Times: the median, and the mean in brackets. Ratios: for one of the first system's."


def rows(costs: Sequence[Cost]) -> list[list[str]]:
    """The table's cells, a row for each system and set."""
    return [
        [
            cost.episodes,
            cost.system,
            f"{cost.asked['calls']:.3g}",
            f"{cost.asked['prompt_tokens']:,.0f}",
            f"{cost.asked['completion_tokens']:,.0f}",
            _shown(ratio["tokens"]),
            f"{cost.asked['embedding_calls']:.3g}",
            f"{cost.facts:.3g}",
            "never" if cost.ended is None else f"{cost.ended:.3g}",
            "{p50:,.0f} ({mean:,.0f})".format(**cost.processor_ms),
            _shown(ratio["processor"]),
            "{p50:,.0f} ({mean:,.0f})".format(**cost.clock_ms),
        ]
        for cost, ratio in zip(costs, ratios(costs), strict=True)
    ]


def _shown(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def show(costs: Sequence[Cost], about: Mapping[str, str], *, markdown: bool) -> None:
    """The table, and what it is of."""
    said = ", ".join(f"{name} {value}" for name, value in about.items())
    if markdown:
        for row in (_COLUMNS, ["---"] * len(_COLUMNS), *rows(costs)):
            print(f"| {' | '.join(row)} |")
        print(f"\n{_NOTE}\n\n{said}")
        return
    out = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    found = rows(costs)
    for episodes in dict.fromkeys(row[0] for row in found):
        table = Table(title=episodes, title_justify="left")
        for title in _COLUMNS[1:]:
            table.add_column(title, justify="left" if title == "system" else "right")
        for row in found:
            if row[0] == episodes:
                table.add_row(*row[1:])
        out.print(table)
    out.print(f"{_NOTE}\n{said}")


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--server", default="bolt://localhost:7687", help="a Neo4j server")
    parser.add_argument("--without", action="append", choices=OPTIONAL, default=[])
    parser.add_argument("--repeat", type=int, default=5, help="how often each episode is told")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--markdown", action="store_true", help="the table for a document")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat must be 1 or more")
    without = {*options.without, *(["graphiti"] if "neo4j" in options.without else [])}
    for name in sorted({*OPTIONAL} - without):
        if find_spec(MODULES[name]) is None:
            parser.error(
                f"{name} is not installed: pip install 'bitempo[compare]', "
                f"or leave it out by --without {name}"
            )
    for noisy in ("neo4j", "graphiti_core", "mem0", "httpx"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    try:
        about = _about(options.server, without)
    except BitempoError as error:
        parser.exit(1, f"{error}; --without neo4j leaves it out\n")
    sets = episode_sets()
    costs = asyncio.run(run(options.server, without, sets, options.repeat, warm_up=sets[-3:]))
    if options.json:
        shaped = [
            asdict(cost) | {"ratios": ratio}
            for cost, ratio in zip(costs, ratios(costs), strict=True)
        ]
        print(json.dumps({"about": about, "costs": shaped}, indent=1))
        return
    show(costs, about, markdown=options.markdown)


def _about(server: str, without: Collection[str]) -> dict[str, str]:
    packages = ["bitempo"]
    packages += ["graphiti-core"] if "graphiti" not in without else []
    packages += ["mem0ai"] if "mem0" not in without else []
    about = versions(packages)
    if "neo4j" not in without:
        from benchmarks.server import address_of, version_of

        about["Neo4j"] = version_of(address_of(server))
    about["Python"] = platform.python_version()
    about["machine"] = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return about


if __name__ == "__main__":
    main()
