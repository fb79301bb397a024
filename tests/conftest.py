"""What the whole suite says at its end: what was left out, and how to get it."""

from __future__ import annotations

import os
from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line on what was skipped, by reason."""
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    listed = "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(3))
    more = f"; and {len(reasons) - 3} reasons more" if len(reasons) > 3 else ""
    failing = ", which fails the run in CI" if _in_ci() else ""
    terminalreporter.write_line(f"left out: {len(skipped)} tests{failing} ({listed}{more})")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI nothing may be left out: a skip there would hide that a promise is not checked."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    if _in_ci() and skipped and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _in_ci() -> bool:
    return os.environ.get("CI") == "true"
