"""Runs of things that go into one request each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def batches(
    items: Iterable[Item], size: Callable[[Item], int], *, most: int, most_size: int
) -> Iterator[list[Item]]:
    """The items in their order, so many at a time at most, and together no larger than that.

    An item that is larger by itself goes alone.
    """
    batch: list[Item] = []
    total = 0
    for item in items:
        length = size(item)
        if batch and (len(batch) == most or total + length > most_size):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += length
    if batch:
        yield batch
