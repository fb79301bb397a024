"""A budget is one that can be kept, and is kept to the call."""

from __future__ import annotations

from typing import Any

import pytest

from bitempo import Budget, BudgetExceededError, InvalidInputError, Usage
from bitempo.ingest.metering import Meter


@pytest.mark.parametrize(
    "limits",
    [{"max_calls": -1}, {"max_tokens": True}, {"max_cost": float("nan")}, {"max_cost": "5"}],
)
def test_a_budget_that_could_not_be_kept_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(limits))):
        Budget(**limits)


def test_the_call_after_the_last_is_refused() -> None:
    run = Meter(Budget(max_calls=2))
    for window in (Meter(parent=run), Meter(parent=run)):
        window.start_call()
        window.finish_call(Usage(1, 10, 5))
    with pytest.raises(BudgetExceededError, match="max_calls=2"):
        Meter(parent=run).start_call()
    assert run.spent == Usage(2, 20, 10)


def test_tokens_and_cost_stop_the_next_call() -> None:
    for budget in (Budget(max_tokens=15), Budget(max_cost=0.5)):
        meter = Meter(budget)
        meter.start_call()
        meter.finish_call(Usage(1, 10, 5, 0.5))
        with pytest.raises(BudgetExceededError):
            meter.start_call()
