"""Vectors from an OpenAI-compatible endpoint: OpenAI, Azure, vLLM, Ollama, llama.cpp's server."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from bitempo.engine.embedding import Matrix, normalised
from bitempo.engine.errors import InvalidInputError, ModelError
from bitempo.engine.names import clean_text
from bitempo.engine.once import Once
from bitempo.ingest.batches import batches

if TYPE_CHECKING:
    import openai

_KNOWN = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""The dimensions of OpenAI's own models; that of any other is asked for once."""

_MOST_TEXTS = 256
_MOST_CHARACTERS = 200_000
"""Of one request: some 60,000 tokens of English, where OpenAI takes 300,000."""

_LONGEST_TEXT = 24_000
"""Some 8,000 tokens of English; what is too long for a model all the same is halved."""

_SHORTEST_TEXT = 200

RETRIES = 5
"""How often the client tries a request again, by default."""


class OpenAIEmbedder:
    """Implements `Embedder` with the `/embeddings` route of an endpoint. Needs `bitempo[openai]`.

    It has no token vectors. Requests are retried by the client, which minds the server's headers.

    Args:
        model: the model's name at the endpoint.
        dimension: how many numbers to ask for, of a model that can give fewer; the model's own
            by default, which is asked for once where it is not known.
        base_url: the endpoint; OPENAI_BASE_URL by default, and OpenAI's own without.
        api_key: OPENAI_API_KEY by default; an endpoint of your own may need none.
        max_retries: how often a request is tried again; 5 by default.
        timeout: seconds to wait for an answer.
        client: a client of your own, such as `openai.AzureOpenAI(...)`, instead of these.

    Raises:
        InvalidInputError: the extra is not installed, or there is no key.
    """

    def __init__(
        self,
        model: str,
        *,
        dimension: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int | None = None,
        timeout: float = 60.0,
        client: openai.OpenAI | None = None,
    ) -> None:
        if find_spec("openai") is None:
            raise InvalidInputError(
                "an OpenAI-compatible embedder needs the client: pip install 'bitempo[openai]'"
            )
        self._model = model
        self._asked = dimension
        self._dimension = dimension or _KNOWN.get(model)
        self._probing = threading.Lock()
        self._client: Once[openai.OpenAI] = Once(
            lambda: (
                client
                or _client(
                    base_url, api_key, RETRIES if max_retries is None else max_retries, timeout
                )
            )
        )
        if client is None and not _has_key(base_url, api_key):
            raise InvalidInputError(
                "there is no key for the endpoint; set OPENAI_API_KEY, or OPENAI_BASE_URL for an "
                "endpoint that needs none"
            )

    @property
    def identity(self) -> str:
        """The model and the dimension, as `openai:text-embedding-3-small/1536`."""
        return f"openai:{self._model}/{self.dimension}"

    @property
    def dimension(self) -> int:
        """As `Embedder.dimension`; asks the endpoint where it is not known yet."""
        with self._probing:
            if self._dimension is None:
                self._dimension = len(self._request(["dimension"])[0])
            return self._dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As `Embedder.embed`."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        # The route refuses a text without words.
        given = [(place, clean_text(text[:_LONGEST_TEXT])) for place, text in enumerate(texts)]
        telling = [(place, text) for place, text in given if text.strip()]
        for batch in batches(
            telling, lambda one: len(one[1]), most=_MOST_TEXTS, most_size=_MOST_CHARACTERS
        ):
            found = self._embedded([text for _, text in batch])
            for (place, _), vector in zip(batch, found, strict=True):
                if len(vector) != self.dimension:
                    raise ModelError(
                        f"{self._model} gave a vector of {len(vector)} numbers where it has "
                        f"{self.dimension}; name the dimension: openai:{self._model}/{len(vector)}"
                    )
                rows[place] = vector
        return normalised(rows)

    def _embedded(self, texts: Sequence[str]) -> list[list[float]]:
        """As `_request`, with less of a text at a time where the model takes no more."""
        try:
            return self._request(texts)
        except _TooLong as error:
            if len(texts) > 1:
                half = len(texts) // 2
                return [*self._embedded(texts[:half]), *self._embedded(texts[half:])]
            if len(texts[0]) <= _SHORTEST_TEXT:
                raise ModelError(str(error)) from error
            return self._embedded([texts[0][: len(texts[0]) // 2]])

    def _request(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of one request, in the order of the texts."""
        import openai

        more: dict[str, Any] = {} if self._asked is None else {"dimensions": self._asked}
        try:
            # Not every server knows the client's own choice, base64.
            answer = self._client().embeddings.create(
                model=self._model, input=list(texts), encoding_format="float", **more
            )
        except openai.BadRequestError as error:
            if any(word in str(error).lower() for word in ("context", "too long", "too large")):
                raise _TooLong(_advice(self._model, error)) from error
            raise ModelError(_advice(self._model, error)) from error
        except openai.OpenAIError as error:
            raise ModelError(_advice(self._model, error)) from error
        found = {item.index: item.embedding for item in answer.data}
        if sorted(found) != list(range(len(texts))) or len(answer.data) != len(texts):
            raise ModelError(
                f"{self._model} gave {len(answer.data)} vectors for {len(texts)} texts, or did "
                "not number them; is it an embedding model?"
            )
        return [found[place] for place in range(len(texts))]


class _TooLong(Exception):  # noqa: N818 - caught here, and answered with a shorter text
    pass


def _client(
    base_url: str | None, api_key: str | None, max_retries: int, timeout: float
) -> openai.OpenAI:
    import openai

    key = api_key or os.environ.get("OPENAI_API_KEY") or "none"
    return openai.OpenAI(api_key=key, base_url=base_url, max_retries=max_retries, timeout=timeout)


def _has_key(base_url: str | None, api_key: str | None) -> bool:
    given = (api_key, base_url, *map(os.environ.get, ("OPENAI_API_KEY", "OPENAI_BASE_URL")))
    return any(given)


def _advice(model: str, error: Exception) -> str:
    """What failed, and what to do about it."""
    status = getattr(error, "status_code", None)
    todo = {
        400: "the endpoint refuses the request; is it an embedding model?",
        401: "check OPENAI_API_KEY",
        403: "the key may not use this model",
        404: "check the model's name and OPENAI_BASE_URL",
        429: "the endpoint is overloaded or the quota is used up; try again later",
    }.get(status or 0, "check OPENAI_BASE_URL and that the server runs, and try again")
    return (
        f"the embedder {model} failed ({error}); {todo}. What lacks vectors is embedded next time"
    )
