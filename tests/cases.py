"""Runs black-box timeline cases on both public faces: `python -m tests.cases FILE [--store URL]`.

Prints one line per case, and a readable difference for each that fails. Exits 0 when all pass,
1 when any fails, 2 when the file or the store cannot be used. The format is in `tests.case_format`.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import re
import sys
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bitempo import AsyncMemory, Memory, PredicatePolicy, StoreError
from bitempo.testing import FixedClock
from tests.case_format import Case, Expectation, MalformedFileError, Step, read_cases
from tests.case_telling import Play, Telling, Told, asserted, told_to_a_model


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases of a file; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description="Timeline cases.")
    parser.add_argument("file", type=Path, metavar="FILE", help="a JSON file of cases")
    parser.add_argument("--store", default=":memory:", metavar="URL", help="where to open memories")
    parser.add_argument(
        "--through-model",
        action="store_true",
        help="tell episodes as turns, and let a scripted model extract their statements",
    )
    options = parser.parse_args(arguments)
    try:
        cases = read_cases(options.file)
    except MalformedFileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    failed = 0
    for case in cases:
        for warning in case.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        try:
            differences = run(case, options.store, through_model=options.through_model)
        except StoreError as error:
            named = re.sub("//[^@/]*@", "//", options.store)  # without a password
            print(f"error: {named} cannot be used: {error}", file=sys.stderr)
            return 2
        failed += bool(differences)
        print("FAIL" if differences else "ok  ", case.id, case.title)
        for difference in differences:
            print(_indented(difference))
    print(f"{len(cases) - failed} of {len(cases)} cases pass", file=sys.stderr)
    return 1 if failed else 0


def run(case: Case, store: str = ":memory:", *, through_model: bool = False) -> list[str]:
    """What the case found to differ, on the sync face and then on the async one."""
    telling = told_to_a_model if through_model else asserted
    found = [f"on Memory: {difference}" for difference in run_sync(case, store, telling)]
    return found + [f"on AsyncMemory: {d}" for d in asyncio.run(run_async(case, store, telling))]


def run_sync(case: Case, store: str, telling: Telling) -> list[str]:
    """The differences on the blocking face."""
    clock = FixedClock(_START)
    with (
        telling(case) as told,
        Memory.open(store, clock=clock, policy=_policy(case), extractor=told.extractor) as memory,
    ):
        play, result = _play(case, memory, clock, told), None
        while True:
            try:
                result = play.send(result)
            except StopIteration as end:
                return list(end.value)


async def run_async(case: Case, store: str, telling: Telling) -> list[str]:
    """The differences on the asynchronous face."""
    clock = FixedClock(_START)
    with telling(case) as told:
        options: dict[str, Any] = {"policy": _policy(case), "extractor": told.extractor}
        async with AsyncMemory.open(store, clock=clock, **options) as memory:
            play, result, error = _play(case, memory, clock, told), None, None
            while True:
                try:
                    call = play.send(result) if error is None else play.throw(error)
                except StopIteration as end:
                    return list(end.value)
                result = error = None
                try:
                    result = await call if inspect.isawaitable(call) else call
                except Exception as caught:  # noqa: BLE001 - handed to the play, which reports it
                    error = caught


_START = "2000-01-01"


def _policy(case: Case) -> PredicatePolicy:
    return PredicatePolicy.default().with_single(*case.single)


def _play(case: Case, memory: Any, clock: FixedClock, told: Told) -> Play:
    # A store that outlives the run may hold earlier runs: each case has tenants of its own.
    run_id = uuid.uuid4().hex[:12]
    tenants: dict[str, Any] = {}
    named = {step.tenant for step in case.steps} | {item.tenant for item in case.expect}
    for name in sorted(named):
        tenants[name] = yield memory.tenant(f"case-{run_id}-{name}")
    for i, step in enumerate(case.steps):
        if step.at is not None:
            clock.set(step.at)
        try:
            yield from _write(step, tenants[step.tenant], told)
        except Exception as error:  # noqa: BLE001 - any error is a failure of the case
            return [f"steps[{i}] ({step.op} {step.episode or step.key}): {_named(error)}"]
    differences = []
    for item in case.expect:
        try:
            facts = yield tenants[item.tenant].as_of(
                item.subject,
                item.predicate,
                valid_at=item.valid,
                modality=item.modality,
                **({} if item.known is None else {"known_at": item.known}),
            )
        except Exception as error:  # noqa: BLE001 - as above
            differences.append(f"{item}\n  expected: {_listed(item.values)}\n  {_named(error)}")
            continue
        differences += _compared(item, [str(fact.answer) for fact in facts])
    return differences


def _write(step: Step, tenant: Any, told: Told) -> Play:
    if step.op == "retract_episode":
        yield tenant.retract(episode=step.episode)
    elif step.op == "retract":
        yield tenant.retract(told.ids[step.tenant, step.key])
    else:
        yield from told.tell(step, tenant)
    return []


def _compared(item: Expectation, values: list[str]) -> list[str]:
    if sorted(values) == sorted(item.values):
        return []
    return [f"{item}\n  expected: {_listed(item.values)}\n  got:      {_listed(values)}"]


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values)) or "nothing"


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _indented(text: str) -> str:
    return "\n".join(f"     {line}" for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main())
