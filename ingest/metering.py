"""What model calls cost, and the budget that stops them before it is exceeded."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from bitempo.engine.errors import BudgetExceededError, InvalidInputError


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls to a model took: a number of calls, tokens in and out, and money.

    `cost` is in the currency of the prices that the user gave; 0 where none were given.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
            self.cost - other.cost,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run may spend; None means no limit.

    A call is not started once a limit is reached. `max_tokens` and `max_cost` are known only
    after a call, so that the last one may go beyond them by what it took.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_calls", "max_tokens", "max_cost"):
            limit = getattr(self, name)
            if limit is None:
                continue
            number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if not number or not limit >= 0:
                raise InvalidInputError(f"{name} must be a number that is not negative: {limit!r}")


class Meter:
    """Counts what is spent, and refuses the next call when the budget is used up.

    Safe to share between threads. A `parent` counts too, so that a window's meter can belong to
    a run's; its budget holds for all its children together.
    """

    def __init__(self, budget: Budget | None = None, parent: Meter | None = None) -> None:
        self._budget = budget or Budget()
        self._parent = parent
        self._lock = threading.Lock()
        self._spent = Usage()
        self._started = 0

    @property
    def spent(self) -> Usage:
        """What has been spent up to now."""
        with self._lock:
            return self._spent

    def start_call(self) -> None:
        """Count a call as started, before it is made.

        Raises:
            BudgetExceededError: the budget allows no further call.
        """
        if self._parent is not None:
            self._parent.start_call()
        with self._lock:
            self._refuse_beyond_budget()
            self._started += 1

    def finish_call(self, usage: Usage) -> None:
        """Add what a started call took, also when nothing could be made of its reply."""
        if self._parent is not None:
            self._parent.finish_call(usage)
        with self._lock:
            self._spent += usage

    def _refuse_beyond_budget(self) -> None:
        limits: tuple[tuple[str, float, float | None], ...] = (
            ("max_calls", self._started, self._budget.max_calls),
            ("max_tokens", self._spent.tokens, self._budget.max_tokens),
            ("max_cost", self._spent.cost, self._budget.max_cost),
        )
        for name, used, limit in limits:
            if limit is not None and used >= limit:
                raise BudgetExceededError(
                    f"the budget of {name}={limit} is used up; what was not extracted waits in "
                    "the inbox. Resume with a new budget"
                )
