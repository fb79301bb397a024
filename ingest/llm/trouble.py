"""What an error of the openai package means for the caller, and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bitempo.engine.errors import ModelError
from bitempo.ingest.llm.failures import RefusedError, TooLongError

if TYPE_CHECKING:
    from openai import OpenAIError


def failure(error: OpenAIError, model: str) -> ModelError:
    """The error in our words. What the endpoint says is cut short, as it may repeat turns."""
    if _is_too_long(error):
        return TooLongError(f"the request does not fit into the context of {model}")
    if _is_filtered(error):
        return RefusedError("a content filter of the endpoint refused these turns")
    status = getattr(error, "status_code", None)
    if status in _ADVICE:
        return ModelError(_ADVICE[status].format(model=model))
    said = _LONG_SPACE.sub(" ", str(error)).strip()[:_LONGEST]
    if status is None:
        url = getattr(getattr(error, "request", None), "url", None)
        where = f" at {url}" if url is not None else ""
        return ModelError(
            f"the endpoint of {model}{where} could not be reached: {said}. Check the base URL, and "
            "that the endpoint is up"
        )
    return ModelError(f"the endpoint of {model} answered {status}: {said}")


def is_about_the_request(error: OpenAIError) -> bool:
    """Whether the endpoint refused how it was asked, so that asking otherwise may help."""
    status = getattr(error, "status_code", None)
    if status not in _REFUSALS or _is_too_long(error) or _is_filtered(error):
        return False
    if getattr(error, "param", None) == "model" or getattr(error, "code", None) in _OF_THE_MODEL:
        return False
    return status in (400, 422) or _FORM.search(str(error)) is not None


_REFUSALS = frozenset({400, 404, 405, 415, 422, 501})
_OF_THE_MODEL = ("model_not_found", "invalid_model", "DeploymentNotFound")
_FORM = re.compile(r"response.?format|json|schema|structured|\btools?\b|tool.?(?:use|choice)", re.I)
_LONGEST = 300
_LONG_SPACE = re.compile(r"\s+")
_ADVICE = {
    401: "the endpoint of {model} refused the key (401); set OPENAI_API_KEY or give api_key=",
    403: "the key may not use {model} (403); choose another model or another key",
    429: "the endpoint of {model} is too busy, or its quota is used up (429), also after "
    "waiting; resume later, or lower the concurrency",
}
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|maximum context|too many tokens|prompt is too long|"
    r"exceed\w{0,9}.{0,40}(?:context|n_ctx|tokens)|"
    r"(?:input|prompt|request).{0,30}too (?:long|large)",
    re.I | re.S,
)
_FILTERED = re.compile(r"content.?(?:filter|management|policy)|safety system|responsible.?ai", re.I)


def _is_too_long(error: OpenAIError) -> bool:
    status = getattr(error, "status_code", None)
    return (
        getattr(error, "code", None) == "context_length_exceeded"
        or status == 413
        or (status in _REFUSALS and _TOO_LONG.search(str(error)) is not None)
    )


def _is_filtered(error: OpenAIError) -> bool:
    code = str(getattr(error, "code", None) or "")
    status = getattr(error, "status_code", None)
    return code in ("content_filter", "content_policy_violation") or (
        status in (400, 403) and _FILTERED.search(str(error)) is not None
    )
