"""Replays run on every store of the conformance tests."""

from __future__ import annotations

from tests.conformance.conftest import open_memory, store

__all__ = ["open_memory", "store"]
