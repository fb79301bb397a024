"""A late-interaction model in a local folder: what ColBERT and its kin are exported to."""

from __future__ import annotations

from pathlib import Path

from bitempo.engine.once import Once
from bitempo.ingest.embedders.contextual import ContextualEmbedder
from bitempo.ingest.onnx import ModelFolder, OnnxModel


class OnnxTokenEmbedder(ContextualEmbedder):
    """Implements `TokenEmbedder` with an ONNX file that gives a vector for each token.

    It may be any encoder whose output are its last hidden states, projected or not: one that was
    trained for late interaction (ColBERT style, often 96 or 128 numbers a token), or one that was
    not. Needs `bitempo[minilm]`. Of a text the first 512 pieces are read, or fewer where the
    tokenizer says so.

    Args:
        folder: holds `model.onnx` and `tokenizer.json`.
        threads: how many threads the model may use; all processors by default.

    Raises:
        InvalidInputError: a file or the extra is missing.
    """

    def __init__(self, folder: str | Path, *, threads: int = 0) -> None:
        files = ModelFolder(Path(folder))
        self._digest = Once(files.digest)
        super().__init__(
            lambda: OnnxModel(
                files.model,
                files.tokenizer,
                most_pieces=files.most_pieces,
                of_tokens=True,
                threads=threads,
            )
        )

    @property
    def identity(self) -> str:
        """What stands for the content of the files, wherever they lie."""
        return f"onnx:{self._digest()}"
