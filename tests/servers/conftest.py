"""Marks what starts servers of its own."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """`-m "not servers"` leaves out the tests of the test server, which take a minute."""
    config.addinivalue_line("markers", "servers: starts and stops servers of its own")
