"""Question rewriters: a chat model at an OpenAI-compatible endpoint."""

from __future__ import annotations

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.ingest.identities import identified

NONE = "none"


def open_rewriter(spec: str | QuestionRewriter | None) -> QuestionRewriter | None:
    """The rewriter that a setting names; nothing is loaded or asked before it is used.

    Args:
        spec: "endpoint:MODEL" (a chat model at an OpenAI-compatible endpoint, needs
            `bitempo[openai]`; BITEMPO_REWRITE_URL and BITEMPO_REWRITE_KEY say which, else
            OPENAI_BASE_URL and OPENAI_API_KEY), or "none". One that is there already, or None, is
            given back.

    Raises:
        InvalidInputError: there is no such rewriter, or one that is there has no identity;
            the extra that it needs is not installed, or
            there is no key.
    """
    if spec is None:
        return None
    if not isinstance(spec, str):
        return identified(spec, "rewriter", "rewrite")
    kind, _, model = spec.strip().partition(":")
    if kind == NONE and not model:
        return None
    if kind == "endpoint" and model.strip():
        from bitempo.ingest.rewriters.chat import ChatRewriter

        return ChatRewriter(model.strip())
    raise InvalidInputError(
        f"there is no rewriter {spec!r}; give endpoint:MODEL (such as endpoint:gpt-4.1-mini) or "
        "none"
    )
