"""A scripted model: a real HTTP server that speaks as OpenAI-compatible endpoints do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from bitempo.testing.answer import Answer, Behaviour, ScriptedReply, answer_to, error_answer
from bitempo.testing.call import Call, Format
from bitempo.testing.embedding import DIMENSIONS, hashed_scores, hashed_vector
from bitempo.testing.failures import UnsupportedFormat, UnsupportedParameter
from bitempo.testing.http import Exchange, HttpServer, JsonResponse
from bitempo.testing.script import Script, ScriptError, read_script
from bitempo.testing.wire import completion, embeddings, models, reranking

Reply = TypeVar("Reply")
_ALL_FORMATS: tuple[Format, ...] = ("json_schema", "tool", "json_object", "text")
_Reranking = Behaviour | Sequence[float] | None
_NOTHING_SAID: ScriptedReply = '{"entities": [], "assertions": []}'


class ScriptedModel:
    """An OpenAI-compatible endpoint on this machine that replies what a script says.

        with ScriptedModel([{"entities": [], "assertions": []}]) as model:
            LLMExtractor(model="scripted", base_url=model.url, api_key="test")

    It answers chat completions, in whichever way the request asks for structure, embeddings
    (`hashed_vector`), rerankings (`hashed_scores`) and the list of models. It answers at once,
    and counts four characters as one token. Leaving the `with` block raises a `ScriptError` if the
    script had no reply to a call or failed, or if `finding` looked for a quote that stood nowhere,
    unless another error is on its way out already.

    Args:
        script: a function of the call, or replies in turn (see `Script`); without one, it
            finds no fact in any text.
        embeddings: the same for embeddings, to make them fail; a reply of None, and every call
            after the last reply, gets the usual vectors.
        rerankings: the same for rerankings; a reply can also be the scores of the texts, in their
            order.
        formats: how a request may ask for structure; in any other way it is refused.
        refused_parameters: names that a chat request must not have in its body.
        api_key: where given, requests with another key get 401.
        dimensions: how long vectors are, where the request does not say.
        models: what the list of models names.
        port: 0 takes a free one.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        embeddings: Callable[[Call], Behaviour | None] | Sequence[Behaviour | None] = (),
        rerankings: Callable[[Call], _Reranking] | Sequence[_Reranking] = (),
        formats: Collection[Format] = _ALL_FORMATS,
        refused_parameters: Collection[str] = (),
        api_key: str | None = None,
        dimensions: int = DIMENSIONS,
        models: Sequence[str] = ("scripted",),
        port: int = 0,
    ) -> None:
        self._script = read_script((lambda _: _NOTHING_SAID) if script is None else script)
        self._embeddings = embeddings
        self._rerankings = rerankings
        self._formats = frozenset(formats)
        self._refused_parameters = sorted(refused_parameters)
        self._api_key = api_key
        self._dimensions = dimensions
        self._models = tuple(models)
        self._lock = threading.Lock()
        self._chats: list[Call] = []
        self._embedded: list[Call] = []
        self._reranked: list[Call] = []
        self._failures: list[Exception] = []
        self._server = HttpServer(self._respond, port)

    @property
    def url(self) -> str:
        """The base URL for clients, `/v1` included."""
        return f"http://127.0.0.1:{self._server.port}/v1"

    @property
    def calls(self) -> list[Call]:
        """The chat requests up to now, in the order in which they came in, those failed too."""
        with self._lock:
            return list(self._chats)

    @property
    def embedding_calls(self) -> list[Call]:
        """The requests for embeddings up to now."""
        with self._lock:
            return list(self._embedded)

    @property
    def rerank_calls(self) -> list[Call]:
        """The requests for rerankings up to now."""
        with self._lock:
            return list(self._reranked)

    def forget_calls(self) -> None:
        """Empty `calls`, `embedding_calls` and `rerank_calls`; the script goes on where it is."""
        with self._lock:
            self._chats.clear()
            self._embedded.clear()
            self._reranked.clear()

    def close(self) -> None:
        """Stop, and break off every connection, those that are held included."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if error is None and self._failures:
            first = self._failures[0]
            if isinstance(first, ScriptError):
                raise first
            raise ScriptError(f"the script failed: {first!r}") from first
        complaint = getattr(self._script, "complaint", None)
        if error is None and complaint is not None and (said := complaint()) is not None:
            raise ScriptError(said)

    def _respond(self, exchange: Exchange) -> JsonResponse:
        if self._api_key is not None:
            given = exchange.headers.get("authorization", "").removeprefix("Bearer ")
            if self._api_key not in (given, exchange.headers.get("api-key")):
                return _failed(error_answer(401, "Incorrect API key.", code="invalid_api_key"))
        # Clients of Azure put the name of a deployment before the name of the operation.
        operation = exchange.path.partition("?")[0].rstrip("/")
        if exchange.method == "GET" and operation.endswith("/models"):
            return JsonResponse(models(self._models))
        if exchange.method == "POST" and operation.endswith("/chat/completions"):
            return self._chat(exchange)
        if exchange.method == "POST" and operation.endswith("/embeddings"):
            return self._embed(exchange)
        if exchange.method == "POST" and operation.endswith("/rerank"):
            return self._rerank(exchange)
        said = f"There is no {exchange.method} {exchange.path} here."
        return _failed(error_answer(404, said, code="not_found"))

    def _chat(self, exchange: Exchange) -> JsonResponse:
        body = exchange.json()
        if body is None or not isinstance(body.get("messages"), list) or not body["messages"]:
            said = "The body must be a JSON object with messages."
            return _failed(error_answer(400, said, param="messages"))
        call = self._recorded(self._chats, exchange, body)
        if body.get("stream"):
            answer = UnsupportedParameter("stream").answer(call)
        else:
            answer = self._refusal(call) or self._scripted(call)
        if answer.error is not None or answer.held:
            return _failed(answer)
        return JsonResponse(
            completion(call, answer), answer.status, answer.headers, sent=answer.sent
        )

    def _embed(self, exchange: Exchange) -> JsonResponse:
        body = exchange.json()
        if body is None or not body.get("input"):
            said = "The body must be a JSON object with an input that is not empty."
            return _failed(error_answer(400, said, param="input"))
        call = self._recorded(self._embedded, exchange, body)
        behaviour = _reply(self._embeddings, call)
        answer = Answer() if behaviour is None else behaviour.answer(call)
        if answer.error is not None or answer.held:
            return _failed(answer)
        size = int(body.get("dimensions") or self._dimensions)
        vectors = [hashed_vector(text if isinstance(text, str) else repr(text), size)
                   for text in call.inputs]  # fmt: skip
        return JsonResponse(
            embeddings(call, vectors), answer.status, answer.headers, sent=answer.sent
        )

    def _rerank(self, exchange: Exchange) -> JsonResponse:
        body = exchange.json()
        if body is None or not body.get("query") or not isinstance(body.get("documents"), list):
            said = "The body must be a JSON object with a query and documents."
            return _failed(error_answer(400, said, param="documents"))
        call = self._recorded(self._reranked, exchange, body)
        reply = _reply(self._rerankings, call)
        answer = reply.answer(call) if isinstance(reply, Behaviour) else Answer()
        if answer.error is not None or answer.held:
            return _failed(answer)
        given = None if isinstance(reply, Behaviour) else reply
        scores = hashed_scores(call.question, call.documents) if given is None else given
        return JsonResponse(
            reranking(call, scores), answer.status, answer.headers, sent=answer.sent
        )

    def _recorded(self, calls: list[Call], exchange: Exchange, body: Mapping[str, Any]) -> Call:
        with self._lock:
            call = Call(len(calls) + 1, exchange.path, exchange.headers, body)
            calls.append(call)
        return call

    def _refusal(self, call: Call) -> Answer | None:
        """What the endpoint cannot do, whatever the script says."""
        if call.response_format not in self._formats:
            return UnsupportedFormat().answer(call)
        for name in self._refused_parameters:
            if name in call.body:
                return UnsupportedParameter(name).answer(call)
        return None

    def _scripted(self, call: Call) -> Answer:
        try:
            return answer_to(call, self._script(call))
        except Exception as error:  # noqa: BLE001 - told to the client, and raised at the end
            self._failures.append(error)
            # A client does not try again what is gone, as it would after an error 500.
            return error_answer(410, f"the script failed: {error}", code="script_failed")


def _reply(replies: Callable[[Call], Reply] | Sequence[Reply | None], call: Call) -> Reply | None:
    """What is to be answered; None after the last of replies in turn."""
    if callable(replies):
        return replies(call)
    index = call.number - 1
    return replies[index] if index < len(replies) else None


def _failed(answer: Answer) -> JsonResponse:
    return JsonResponse(
        {"error": answer.error},
        answer.status,
        answer.headers,
        sent=answer.sent,
        held=answer.held,
    )
