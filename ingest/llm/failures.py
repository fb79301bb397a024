"""How one request to a model can fail, where the caller can do something about it."""

from __future__ import annotations

from bitempo.engine.errors import ModelError


class RefusedError(ModelError):
    """The model, or a content filter before or after it, would not answer this request."""


class TooLongError(ModelError):
    """The request does not fit into the model's context."""


class UnusableReplyError(ModelError):
    """The model replied, and nothing could be made of what it said."""
