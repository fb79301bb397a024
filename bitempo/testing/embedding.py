"""Vectors of texts without a model: the same text gives the same vector everywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from hashlib import blake2b

DIMENSIONS = 256


def hashed_vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A unit vector in which each word of the text counts in one dimension.

    Texts are the nearer the more words they share; that is all it knows of meaning.
    """
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.casefold()):
        digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
        vector[int.from_bytes(digest, "big") % dimensions] += 1.0
    length = math.sqrt(sum(x * x for x in vector))
    if not length:
        # A text without words has a direction too, as it has with any model.
        return [1.0] + [0.0] * (dimensions - 1)
    return [x / length for x in vector]


def hashed_scores(question: str, texts: Sequence[str]) -> list[float]:
    """The cosine of the hashed vector of each text with that of the question."""
    asked = hashed_vector(question)
    return [
        sum(one * other for one, other in zip(asked, hashed_vector(text), strict=True))
        for text in texts
    ]
