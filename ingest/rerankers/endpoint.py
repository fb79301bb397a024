"""Scores from an endpoint with a rerank route: Jina, Cohere, vLLM, llama.cpp's server."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bitempo.engine.errors import InvalidInputError, ModelError
from bitempo.engine.names import clean_text
from bitempo.engine.once import Once
from bitempo.ingest.batches import batches

if TYPE_CHECKING:
    import httpx

RETRIES = 5
"""How often a request is tried again, by default."""

_MOST_TEXTS = 100
_MOST_CHARACTERS = 400_000
"""Of one request: some 100,000 tokens of English."""

_LONGEST_TEXT = 24_000
_LONGEST_QUESTION = 4_000
_SHORTEST_TEXT = 200
_LONGEST_WAIT = 60.0
_LONGEST_MESSAGE = 300
"""What an endpoint says is cut short, as it may repeat turns."""

_AGAIN = frozenset({408, 409, 429})
_TOO_LONG = re.compile(
    r"too (?:long|large|many tokens)|context.{0,20}(?:length|window|size)|"
    r"maximum.{0,30}(?:length|tokens)|exceed",
    re.I | re.S,
)


class EndpointReranker:
    """Implements `Reranker` with the `/rerank` route of an endpoint. Needs `bitempo[rerank]`.

    The request is `{model, query, documents, top_n}` and the reply `{results: [{index,
    relevance_score}]}`, which Jina, Cohere, vLLM and llama.cpp's server share. A request is tried
    again after a broken connection, a timeout, and the statuses 408, 409, 429 and from 500 on,
    at the time that the server names, or after 0.5, 1, 2, 4 and 8 seconds. What is too long for
    the model is halved.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint, such as `https://api.jina.ai/v1`; BITEMPO_RERANK_URL by default.
        api_key: BITEMPO_RERANK_KEY by default; an endpoint of your own may need none.
        max_retries: how often a request is tried again; 5 by default.
        timeout: seconds to wait for an answer.

    Raises:
        InvalidInputError: the extra is not installed, or there is no URL.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int | None = None,
        timeout: float = 60.0,
    ) -> None:
        if find_spec("httpx") is None:
            raise InvalidInputError(
                "a reranker at an endpoint needs httpx: pip install 'bitempo[rerank]'"
            )
        self._model = model
        self._url = _route(base_url or os.environ.get("BITEMPO_RERANK_URL"))
        key = api_key or os.environ.get("BITEMPO_RERANK_KEY")
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._retries = RETRIES if max_retries is None else max_retries
        self._client = Once(lambda: _client(headers, timeout))

    @property
    def identity(self) -> str:
        """The model, as `endpoint:jina-reranker-v2-base-multilingual`."""
        return f"endpoint:{self._model}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """As `Reranker.scores`; on the model's own scale."""
        asked = _sent(question, _LONGEST_QUESTION)
        given = [_sent(text, _LONGEST_TEXT) for text in texts]
        parts = batches(given, len, most=_MOST_TEXTS, most_size=_MOST_CHARACTERS)
        return [score for batch in parts for score in self._scored(asked, batch)]

    def _scored(self, question: str, texts: Sequence[str]) -> list[float]:
        """As `_request`, with less at a time where the model takes no more."""
        try:
            return self._request(question, texts)
        except _TooLong as error:
            if len(texts) > 1:
                half = len(texts) // 2
                first, rest = texts[:half], texts[half:]
                return [*self._scored(question, first), *self._scored(question, rest)]
            if len(texts[0]) <= _SHORTEST_TEXT:
                raise ModelError(str(error)) from error
            return self._scored(question, [texts[0][: len(texts[0]) // 2]])

    def _request(self, question: str, texts: Sequence[str]) -> list[float]:
        """The scores of one request, in the order of the texts."""
        body = {
            "model": self._model,
            "query": question,
            "documents": list(texts),
            "top_n": len(texts),
        }
        found = _scores(self._posted(body), len(texts))
        if found is None:
            raise ModelError(
                f"{self._model} did not give a score for each of {len(texts)} texts; is it a "
                "reranking model?"
            )
        return found

    def _posted(self, body: Mapping[str, Any]) -> object:
        """The JSON of the answer; None where it is none."""
        import httpx

        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._client().post(self._url, json=body)
            except httpx.TransportError as error:
                if last:
                    raise ModelError(self._advice(0, repr(error))) from error
                _pause(_backoff(attempt))
                continue
            if answer.is_success:
                return _json(answer)
            status, said = answer.status_code, " ".join(answer.text.split())[:_LONGEST_MESSAGE]
            if status == 413 or (status != 429 and _TOO_LONG.search(said)):
                raise _TooLong(self._advice(status, said))
            if last or not (status in _AGAIN or status >= 500):
                raise ModelError(self._advice(status, said))
            named = _named_wait(answer)
            _pause(_backoff(attempt) if named is None else named)
        raise AssertionError("the last attempt returns or raises")

    def _advice(self, status: int, said: str) -> str:
        """What failed, and what to do about it."""
        todo = {
            400: "the endpoint refuses the request; is it a reranking model?",
            401: "check BITEMPO_RERANK_KEY",
            403: "the key may not use this model",
            404: "check the model's name and BITEMPO_RERANK_URL",
            413: "the question is too long for it",
            429: "the endpoint is overloaded or the quota is used up; try again later",
        }.get(status, "check BITEMPO_RERANK_URL and that the server runs, and try again")
        what = f"{status}: {said}" if status else said
        return f"the reranker {self._model} at {self._url} failed ({what}); {todo}"


class _TooLong(Exception):  # noqa: N818 - caught here, and answered with a shorter text
    pass


def _route(base_url: str | None) -> str:
    if not base_url:
        raise InvalidInputError(
            "there is no endpoint for the reranker; set BITEMPO_RERANK_URL or give base_url=, such "
            "as https://api.jina.ai/v1 or http://localhost:8000/v1"
        )
    if not base_url.startswith(("http://", "https://")):
        raise InvalidInputError(
            f"the URL of a reranker begins with http:// or https://, and {base_url!r} does not"
        )
    plain = base_url.rstrip("/")
    return plain if plain.endswith("/rerank") else f"{plain}/rerank"


def _client(headers: Mapping[str, str], timeout: float) -> httpx.Client:
    import httpx

    return httpx.Client(headers=dict(headers), timeout=timeout)


def _sent(text: str, longest: int) -> str:
    """The text as it is sent. Not every endpoint takes one without words."""
    return clean_text(text[:longest]).strip() or "."


def _scores(answer: object, texts: int) -> list[float] | None:
    """The scores in an answer, by place; None if it does not hold one for each text."""
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        return None
    found: dict[int, float] = {}
    for one in results:
        place = one.get("index") if isinstance(one, dict) else None
        score = one.get("relevance_score") if isinstance(one, dict) else None
        if not isinstance(place, int) or not isinstance(score, int | float):
            return None
        found[place] = float(score)
    if len(results) != texts or sorted(found) != list(range(texts)):
        return None
    return [found[place] for place in range(texts)]


def _json(answer: httpx.Response) -> object:
    try:
        found: object = json.loads(answer.content)
    except ValueError:
        return None
    return found


def _named_wait(answer: httpx.Response) -> float | None:
    """How many seconds the server wants to be left alone, if it says so in seconds."""
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= _LONGEST_WAIT else None


def _backoff(attempt: int) -> float:
    """Seconds, a little less than the power of two, so that many clients do not come at once."""
    return min(0.5 * 2.0**attempt, 8.0) * random.uniform(0.75, 1.0)


def _pause(seconds: float) -> None:
    time.sleep(seconds)
