"""Rerankers: endpoints with a rerank route, and cross-encoders as local ONNX files."""

from __future__ import annotations

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.reranking import Reranker
from bitempo.ingest.identities import identified

NONE = "none"


def open_reranker(spec: str | Reranker | None) -> Reranker | None:
    """The reranker that a setting names; nothing is loaded or asked before it is used.

    Args:
        spec: "endpoint:MODEL" (an endpoint with a rerank route, needs `bitempo[rerank]`;
            BITEMPO_RERANK_URL and BITEMPO_RERANK_KEY say which), "onnx:FOLDER" (a cross-encoder
            in a local folder, needs `bitempo[minilm]`), or "none". One that is there already,
            or None, is given back.

    Raises:
        InvalidInputError: there is no such reranker, or one that is there has no identity;
            the extra that it needs is not installed, or
            the folder or the endpoint's URL is missing.
    """
    if spec is None:
        return None
    if not isinstance(spec, str):
        return identified(spec, "reranker", "scores")
    kind, _, rest = spec.strip().partition(":")
    if kind == NONE and not rest:
        return None
    if kind == "endpoint" and rest:
        from bitempo.ingest.rerankers.endpoint import EndpointReranker

        return EndpointReranker(rest)
    if kind == "onnx" and rest:
        from bitempo.ingest.rerankers.cross_encoder import CrossEncoderReranker

        return CrossEncoderReranker(rest)
    raise InvalidInputError(
        f"there is no reranker {spec!r}; give endpoint:MODEL (such as "
        "endpoint:jina-reranker-v2-base-multilingual), onnx:FOLDER or none"
    )
