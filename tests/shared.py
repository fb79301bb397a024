"""Where the shared cases and data sets stand; tests that need them skip where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared(*parts: str) -> Path:
    """The path of a shared file, from `BITEMPO_SHARED` or a folder `shared` beside the checkout.

    Skips the calling test with a clear message when the file is not there.
    """
    root = Path(os.environ.get("BITEMPO_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is absent; set BITEMPO_SHARED to the folder with the shared data")
    return path
