"""Scores from a cross-encoder in a local folder: a small model that reads both texts at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.once import Once
from bitempo.ingest.onnx import ModelFolder, OnnxModel

_LONGEST_QUESTION = 1_000
"""So that of 512 pieces some are left for the text."""


class CrossEncoderReranker:
    """Implements `Reranker` with a cross-encoder as an ONNX file. Needs `bitempo[minilm]`.

    The model is a classifier of pairs of texts with one column of logits, or with two, of which
    the second is for "relevant"; its score is then how much that is above the first.

    Args:
        folder: holds `model.onnx` and `tokenizer.json`.
        threads: how many threads the model may use; all processors by default.

    Raises:
        InvalidInputError: a file or the extra is missing.
    """

    def __init__(self, folder: str | Path, *, threads: int = 0) -> None:
        self._folder = ModelFolder(Path(folder))
        self._digest = Once(self._folder.digest)
        self._loaded = Once(lambda: self._load(threads))

    @property
    def identity(self) -> str:
        """What stands for the content of the files, wherever they lie."""
        return f"cross-encoder:{self._digest()}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """As `Reranker.scores`: logits.

        Raises:
            InvalidInputError: the files cannot be loaded, or are of another kind of model.
        """
        model = self._loaded()
        asked = question[:_LONGEST_QUESTION]
        found = [0.0] * len(texts)
        for place, logits in model.run(model.encode([(asked, text) for text in texts])):
            found[place] = self._score(logits)
        return found

    def _score(self, logits: Any) -> float:
        columns = logits.reshape(-1)
        if logits.ndim > 1 or len(columns) not in (1, 2):
            raise InvalidInputError(
                f"the model in {self._folder.path} gives an output of shape {logits.shape} for a "
                "pair of texts, and a cross-encoder gives one or two logits"
            )
        return float(columns[0] if len(columns) == 1 else columns[1] - columns[0])

    def _load(self, threads: int) -> OnnxModel:
        folder = self._folder
        return OnnxModel(
            folder.model,
            folder.tokenizer,
            most_pieces=folder.most_pieces,
            of_tokens=False,
            threads=threads,
        )
