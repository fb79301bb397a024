"""A late-interaction model in a local folder: what ColBERT and its kin are exported to."""

from __future__ import annotations

from pathlib import Path

from bitempo.engine.embedding import TokenVectors
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.once import Once
from bitempo.ingest.embedders.contextual import ContextualEmbedder
from bitempo.ingest.onnx import ModelFolder, OnnxModel

_MARKS = (
    ("config_sentence_transformers.json", "query_prefix", "document_prefix"),
    ("onnx_config.json", "query_prefix", "document_prefix"),
    ("artifact.metadata", "query_token_id", "doc_token_id"),
)
"""Files of PyLate, of its exporter and of ColBERT, with their names for what marks a question and
what marks a text."""


class OnnxTokenEmbedder(ContextualEmbedder):
    """Implements `QuestionEmbedder` with an ONNX file that gives a vector for each token.

    It may be any encoder whose output are its last hidden states, projected or not: one that was
    trained for late interaction (ColBERT style, often 96 or 128 numbers a token), or one that was
    not. Needs `bitempo[minilm]`. Of a text the first 512 pieces are read, or fewer where the
    tokenizer says so.

    Where the folder says how questions and texts are marked, as ColBERT and PyLate do, they are.
    Questions are not filled up with masks (query expansion).

    Args:
        folder: holds `model.onnx` and `tokenizer.json`.
        threads: how many threads the model may use; all processors by default.

    Raises:
        InvalidInputError: a file or the extra is missing.
    """

    def __init__(self, folder: str | Path, *, threads: int = 0) -> None:
        files = ModelFolder(Path(folder))
        marks = _marks(files)
        self._digest = Once(lambda: files.digest(*marks))
        super().__init__(
            lambda: OnnxModel(
                files.model,
                files.tokenizer,
                most_pieces=files.most_pieces - any(marks),
                of_tokens=True,
                threads=threads,
            )
        )
        self._ids = Once(lambda: (self._piece(marks[0]), self._piece(marks[1])))

    @property
    def identity(self) -> str:
        """What stands for the content of the files, wherever they lie."""
        return f"onnx:{self._digest()}"

    def embed_question(self, question: str) -> TokenVectors:
        """As `QuestionEmbedder.embed_question`."""
        ((_, encoded, states),) = self._run([question], self._ids()[0])
        return self._kept(encoded, states)

    def _mark(self) -> int | None:
        return self._ids()[1]

    def _piece(self, mark: str) -> int | None:
        if not mark:
            return None
        tokenizer = self._loaded().tokenizer
        for name in (mark, mark.strip()):
            id = tokenizer.token_to_id(name)
            if id is not None:
                return int(id)
        raise InvalidInputError(
            f"the model's settings mark texts with {mark!r}, which its tokenizer does not know; "
            "give the tokenizer.json that was exported with the model"
        )


def _marks(files: ModelFolder) -> tuple[str, str]:
    """What marks questions, and what marks texts; nothing where nobody says so."""
    for name, *keys in _MARKS:
        config = files.config(name)
        if any(config.get(key) for key in keys):
            return str(config.get(keys[0]) or ""), str(config.get(keys[1]) or "")
    return "", ""
