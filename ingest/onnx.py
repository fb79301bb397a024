"""Models in the ONNX format with their tokenizers, on the processor, from local files.

Nothing is fetched: a folder holds what the usual exporters write (Optimum, PyLate and others),
`model.onnx` and `tokenizer.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.errors import InvalidInputError, ModelError
from bitempo.engine.names import clean_text

NEEDED = ("onnxruntime", "tokenizers")

_LONGEST_TEXT = 10_000
_BATCH = 32
_MOST_PIECES = 512
"""How long a text may be for most encoders; attention costs by its square."""

_PADS = ("[PAD]", "<pad>", "<|padding|>")
_TOKENS = 3
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


@dataclass(frozen=True)
class ModelFolder:
    """The files of a model in one folder.

    Args:
        path: the folder; the model may lie in `onnx/` in it.

    Raises:
        InvalidInputError: a file that is needed, or the extra, is missing.
    """

    path: Path
    model: Path = field(init=False)
    tokenizer: Path = field(init=False)

    def __post_init__(self) -> None:
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            raise InvalidInputError(
                f"a local model needs {', '.join(missing)}: pip install 'bitempo[minilm]'"
            )
        object.__setattr__(self, "model", self._found("model.onnx", "onnx/model.onnx"))
        object.__setattr__(self, "tokenizer", self._found("tokenizer.json"))

    @property
    def most_pieces(self) -> int:
        """How many pieces of a text are read: 512, or fewer where the tokenizer says so."""
        said = self.config("tokenizer_config.json").get("model_max_length")
        known = isinstance(said, int | float) and 1 < said < _MOST_PIECES
        return int(said) if known and said is not None else _MOST_PIECES

    def config(self, name: str) -> dict[str, Any]:
        """A file of settings; empty where there is none."""
        path = self.path / name
        if not path.is_file():
            return {}
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InvalidInputError(f"{path} is not JSON: {error}") from error
        return found if isinstance(found, dict) else {}

    def digest(self, *settings: object) -> str:
        """16 hexadecimal digits that stand for the content of the files and the settings."""
        total = hashlib.sha256(json.dumps([self.most_pieces, *settings]).encode())
        # What is too large for one file lies beside it.
        beside = sorted(self.model.parent.glob(f"{self.model.name}?data*"))
        for path in (self.model, *beside, self.tokenizer):
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()[:16]

    def _found(self, *names: str) -> Path:
        for name in names:
            if (self.path / name).is_file():
                return self.path / name
        raise InvalidInputError(
            f"there is no {names[0]} in {self.path}; give the folder of a model that was exported "
            "to ONNX, with its tokenizer.json"
        )


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text or a pair of texts in pieces: their numbers, which text they are of, and they.

    `special` says which of them stand for no words: they mark the ends of texts.
    """

    ids: Sequence[int]
    types: Sequence[int]
    pieces: Sequence[str]
    special: Sequence[bool]


class OnnxModel:
    """A loaded model and its tokenizer. Safe to share between threads.

    Args:
        model: the ONNX file.
        tokenizer: the file of the tokenizer.
        most_pieces: what is longer is cut, of a pair the longer text first.
        of_tokens: whether the output with a row for each piece is meant, or the first one.
        threads: how many threads the model may use; 0 for all processors.

    Raises:
        InvalidInputError: a file cannot be loaded, or is no such model.
    """

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        most_pieces: int,
        of_tokens: bool,
        threads: int = 0,
    ) -> None:
        self._path = model
        try:
            self._session, self.tokenizer = _load(model, tokenizer, threads)
        except Exception as error:
            raise InvalidInputError(f"the model {model} cannot be loaded: {error}") from error
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(most_pieces)
        ids = (self.tokenizer.token_to_id(name) for name in _PADS)
        self._pad = next((id for id in ids if id is not None), 0)
        self._output = self._chosen(of_tokens)
        self._inputs = {one.name: _INTEGERS.get(one.type) for one in self._session.get_inputs()}
        strange = set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"}
        if strange or None in self._inputs.values():
            raise InvalidInputError(
                f"the model {model} wants other inputs than ids, a mask and types of tokens: "
                + ", ".join(sorted(self._inputs))
            )

    def encode(
        self, given: Sequence[str] | Sequence[tuple[str, str]], mark: int | None = None
    ) -> list[Encoded]:
        """The encodings of texts, or of pairs of texts.

        Args:
            mark: the number of a piece that is put after the first one.
        """
        clean = [
            _clean(one) if isinstance(one, str) else (_clean(one[0]), _clean(one[1]))
            for one in given
        ]
        return [_encoded(one, mark) for one in self.tokenizer.encode_batch(clean)]

    def run(self, encodings: Sequence[Encoded]) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The place of each encoding and its part of the output, in no certain order.

        Those of like length go together, since a batch costs as its longest one.

        Raises:
            ModelError: the model failed.
        """
        order = sorted(range(len(encodings)), key=lambda place: len(encodings[place].ids))
        for first in range(0, len(order), _BATCH):
            batch = order[first : first + _BATCH]
            try:
                (found,) = self._session.run(
                    [self._output], self._fed([encodings[place] for place in batch])
                )
            except Exception as error:
                raise ModelError(f"the model {self._path} failed: {error}") from error
            yield from zip(batch, found, strict=True)

    def _fed(self, encodings: Sequence[Encoded]) -> dict[str, NDArray[Any]]:
        shape = (len(encodings), max(len(one.ids) for one in encodings))
        every = {
            "input_ids": np.full(shape, self._pad, np.int64),
            "attention_mask": np.zeros(shape, np.int64),
            "token_type_ids": np.zeros(shape, np.int64),
        }
        for row, one in enumerate(encodings):
            every["input_ids"][row, : len(one.ids)] = one.ids
            every["attention_mask"][row, : len(one.ids)] = 1
            every["token_type_ids"][row, : len(one.ids)] = one.types
        return {name: every[name].astype(kind) for name, kind in self._inputs.items()}

    def _chosen(self, of_tokens: bool) -> str:
        outputs = self._session.get_outputs()
        fitting = [one.name for one in outputs if not of_tokens or len(one.shape) == _TOKENS]
        if not fitting:
            raise InvalidInputError(
                f"the model {self._path} gives no vectors of tokens; export it with its last "
                "hidden states as output"
            )
        return str(fitting[0])


def _encoded(one: Any, mark: int | None) -> Encoded:
    special = [bool(flag) for flag in one.special_tokens_mask]
    if mark is None:
        return Encoded(one.ids, one.type_ids, one.tokens, special)
    return Encoded(
        [*one.ids[:1], mark, *one.ids[1:]],
        [0, *one.type_ids],
        [*one.tokens[:1], "", *one.tokens[1:]],
        [*special[:1], True, *special[1:]],
    )


def _clean(text: str) -> str:
    return clean_text(text[:_LONGEST_TEXT])


def _load(model: Path, tokenizer: Path, threads: int) -> tuple[Any, Any]:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return session, Tokenizer.from_file(str(tokenizer))
