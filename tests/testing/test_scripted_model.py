"""The scripted model, asked by the client that the product uses."""

from __future__ import annotations

import base64
import json
import struct
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletion

from bitempo.ingest.llm.reply import Reply
from bitempo.testing import (
    BrokenJson,
    Call,
    ContentFilter,
    ContextOverflow,
    Dropped,
    Fenced,
    Held,
    Refusal,
    SchemaEcho,
    ScriptedModel,
    ScriptedReply,
    ScriptError,
    Status,
    Thinking,
    Truncated,
    UnsupportedFormat,
    UnsupportedParameter,
    WithoutUsage,
    WrongJson,
    failing_first,
    hashed_vector,
)

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
JSON_SCHEMA = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA}}
TOOL = {"type": "function", "function": {"name": "reply", "parameters": SCHEMA}}
CHOSEN = {"type": "function", "function": {"name": "reply"}}


def client(model: ScriptedModel, **options: Any) -> OpenAI:
    return OpenAI(base_url=model.url, api_key="test", **{"max_retries": 0, **options})


def ask(model: ScriptedModel, text: Any = "hello", **options: Any) -> ChatCompletion:
    with client(model) as asking:
        return _create(asking, text, **options)


def _create(asking: OpenAI, text: Any = "hello", **options: Any) -> ChatCompletion:
    messages: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    create: Any = asking.chat.completions.create
    reply: ChatCompletion = create(model="scripted", messages=messages, **options)
    return reply


def said(reply: ChatCompletion) -> str:
    return reply.choices[0].message.content or ""


class TestReplies:
    def test_replies_come_in_turn_as_text_data_or_models(self) -> None:
        empty = Reply(entities=[], assertions=[])
        with ScriptedModel(["plain", {"n": "é"}, empty]) as model:
            assert [said(ask(model)) for _ in range(3)] == [
                "plain",
                '{"n": "é"}',
                '{"entities":[],"assertions":[]}',
            ]

    def test_a_function_sees_the_call(self) -> None:
        with ScriptedModel(lambda call: call.prompt.upper()) as model:
            assert said(ask(model, "louder")) == "LOUDER"

    def test_without_a_script_no_text_says_anything(self) -> None:
        with ScriptedModel() as model:
            assert Reply.model_validate_json(said(ask(model))) == Reply(entities=[], assertions=[])

    def test_structure_by_schema_and_by_object_is_content(self) -> None:
        with ScriptedModel(lambda _: {"n": 1}) as model:
            for wanted in (JSON_SCHEMA, {"type": "json_object"}):
                reply = ask(model, response_format=wanted)
                assert json.loads(said(reply)) == {"n": 1}
                assert reply.choices[0].finish_reason == "stop"

    @pytest.mark.parametrize(
        ("choice", "reason"), [(CHOSEN, "stop"), ("required", "tool_calls"), (None, "tool_calls")]
    )
    def test_structure_by_a_tool_is_a_call_of_it(self, choice: Any, reason: str) -> None:
        chosen = {} if choice is None else {"tool_choice": choice}
        with ScriptedModel(lambda _: {"n": 1}) as model:
            reply = ask(model, tools=[TOOL], **chosen)
        (called,) = reply.choices[0].message.tool_calls or []
        assert called.type == "function"
        assert (called.function.name, json.loads(called.function.arguments)) == ("reply", {"n": 1})
        assert reply.choices[0].message.content is None
        assert reply.choices[0].finish_reason == reason

    def test_usage_is_four_characters_a_token(self) -> None:
        with ScriptedModel(["x" * 9]) as model:
            usage = ask(model, "y" * 10).usage
        assert usage is not None
        # "Be brief.", a line end and ten letters are twenty characters.
        assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (5, 3, 8)


class TestCalls:
    def test_a_call_tells_what_was_asked(self) -> None:
        with ScriptedModel() as model:
            ask(model, "first", response_format=JSON_SCHEMA, temperature=0)
            ask(model, "second", tools=[TOOL], tool_choice=CHOSEN)
            ask(model, "third", response_format={"type": "json_object"})
            ask(model, "fourth")
            calls = model.calls
        assert [call.prompt for call in calls] == ["first", "second", "third", "fourth"]
        assert [call.response_format for call in calls] == [
            "json_schema",
            "tool",
            "json_object",
            "text",
        ]
        assert [call.schema for call in calls] == [SCHEMA, SCHEMA, None, None]
        assert calls[0].text == "Be brief.\nfirst"
        assert calls[0].body["temperature"] == 0
        assert calls[0].headers["authorization"] == "Bearer test"
        assert [call.number for call in calls] == [1, 2, 3, 4]

    def test_content_in_parts_is_read(self) -> None:
        parts: Any = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
        with ScriptedModel() as model:
            ask(model, parts)
            assert model.calls[0].prompt == "one\ntwo"

    def test_calls_at_once_are_all_recorded_and_answered(self) -> None:
        together = threading.Barrier(8)

        def script(call: Call) -> str:
            together.wait(timeout=30)  # passes only when all eight are asked at the same time
            return call.prompt

        heard: list[str] = []
        with ScriptedModel(script) as model:
            threads = [
                threading.Thread(target=lambda n=n: heard.append(said(ask(model, str(n)))))
                for n in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(heard) == [str(n) for n in range(8)]
            assert sorted(call.prompt for call in model.calls) == sorted(heard)
            assert sorted(call.number for call in model.calls) == list(range(1, 9))

    def test_calls_can_be_forgotten(self) -> None:
        with ScriptedModel() as model:
            ask(model)
            model.forget_calls()
            assert model.calls == []


class TestFailures:
    def test_a_status_carries_its_header(self) -> None:
        with ScriptedModel([Status(429, retry_after=7)]) as model:
            with pytest.raises(openai.RateLimitError) as caught:
                ask(model)
            assert caught.value.response.headers["retry-after"] == "7"

    def test_the_client_tries_again_after_an_error_of_the_server(self) -> None:
        script: list[ScriptedReply] = [
            Status(500),
            Status(429, retry_after=0.001),
            Dropped(),
            "at last",
        ]
        with ScriptedModel(script) as model, client(model, max_retries=3) as asking:
            assert said(_create(asking)) == "at last"
            assert len(model.calls) == 4

    def test_a_connection_drops_in_the_middle_of_the_body(self) -> None:
        with ScriptedModel([Dropped("x" * 1000)]) as model:
            connection = HTTPConnection("127.0.0.1", int(model.url.split(":")[2].split("/")[0]))
            body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "?"}]})
            connection.request("POST", "/v1/chat/completions", body)
            response = connection.getresponse()
            announced = int(response.headers["Content-Length"])
            with pytest.raises(Exception, match="IncompleteRead") as caught:
                response.read()
            connection.close()
        assert 0 < len(caught.value.partial) < announced  # type: ignore[attr-defined]

    def test_what_is_held_times_out(self) -> None:
        with (
            ScriptedModel([Held()]) as model,
            client(model, timeout=0.2) as asking,
            pytest.raises(openai.APITimeoutError),
        ):
            _create(asking)

    def test_closing_frees_who_is_held(self) -> None:
        asked = threading.Event()

        def script(_: Call) -> Held:
            asked.set()
            return Held()

        model = ScriptedModel(script)
        failed: list[Exception] = []

        def wait() -> None:
            try:
                ask(model)
            except openai.APIConnectionError as error:
                failed.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        asked.wait()
        model.close()
        waiting.join()
        assert len(failed) == 1

    def test_a_truncated_reply_says_so(self) -> None:
        with ScriptedModel([Truncated("0123456789", keep=0.3)]) as model:
            reply = ask(model)
        assert (said(reply), reply.choices[0].finish_reason) == ("012", "length")

    def test_a_refusal_has_no_content(self) -> None:
        with ScriptedModel([Refusal("no")]) as model:
            message = ask(model, tools=[TOOL]).choices[0].message
        assert (message.content, message.refusal, message.tool_calls) == (None, "no", None)

    def test_a_filter_stops_a_reply_or_refuses_a_prompt(self) -> None:
        with ScriptedModel([ContentFilter(), ContentFilter(of_prompt=True)]) as model:
            reply = ask(model)
            assert (said(reply), reply.choices[0].finish_reason) == ("", "content_filter")
            with pytest.raises(openai.BadRequestError) as caught:
                ask(model)
        assert caught.value.code == "content_filter"

    @pytest.mark.parametrize(
        ("failure", "code", "param"),
        [
            (ContextOverflow(100), "context_length_exceeded", "messages"),
            (UnsupportedFormat(), None, "response_format"),
            (UnsupportedParameter("seed"), "unsupported_parameter", "seed"),
        ],
    )
    def test_what_cannot_be_done_is_an_error_400(self, failure: Any, code: Any, param: str) -> None:
        with ScriptedModel([failure]) as model, pytest.raises(openai.BadRequestError) as caught:
            ask(model, response_format=JSON_SCHEMA)
        assert (caught.value.code, caught.value.param) == (code, param)

    def test_wrappers_go_around_each_other(self) -> None:
        with ScriptedModel([Fenced(Thinking({"n": 1}, "hm"), before="", after="")]) as model:
            assert said(ask(model)) == '<think>\nhm\n</think>\n\n```json\n{"n": 1}\n```'

    def test_a_thought_stays_out_of_a_tools_arguments(self) -> None:
        with ScriptedModel([Thinking({"n": 1}, "hm")]) as model:
            message = ask(model, tools=[TOOL], tool_choice=CHOSEN).choices[0].message
        assert message.content == "<think>\nhm\n</think>\n\n"
        assert message.tool_calls is not None
        assert message.tool_calls[0].function.arguments == '{"n": 1}'  # type: ignore[union-attr]

    def test_the_schema_comes_back_with_or_without_data(self) -> None:
        with ScriptedModel([SchemaEcho(), SchemaEcho({"n": 1})]) as model:
            alone, filled = (
                json.loads(said(ask(model, response_format=JSON_SCHEMA))) for _ in range(2)
            )
        assert alone == SCHEMA
        assert filled == {"type": "object", "properties": {"n": 1}}

    def test_json_is_wrong_or_broken(self) -> None:
        with ScriptedModel([WrongJson(), BrokenJson({"a": [{"n": 1}]})]) as model:
            assert json.loads(said(ask(model))) == {"answer": 42}
            reply = ask(model)
        assert (said(reply), reply.choices[0].finish_reason) == ('{"a": [{"n": 1', "stop")

    def test_usage_can_be_missing(self) -> None:
        with ScriptedModel([WithoutUsage("x")]) as model:
            assert ask(model).usage is None


class TestEndpoint:
    def test_it_refuses_the_formats_that_it_does_not_have(self) -> None:
        with ScriptedModel(lambda _: {"n": 1}, formats=["json_object"]) as model:
            for wanted in ({"response_format": JSON_SCHEMA}, {"tools": [TOOL]}, {}):
                with pytest.raises(openai.BadRequestError):
                    ask(model, **wanted)
            assert said(ask(model, response_format={"type": "json_object"})) == '{"n": 1}'

    def test_it_refuses_parameters(self) -> None:
        with ScriptedModel(lambda _: "x", refused_parameters=["seed", "temperature"]) as model:
            with pytest.raises(openai.BadRequestError) as caught:
                ask(model, temperature=0)
            assert caught.value.param == "temperature"
            assert said(ask(model)) == "x"

    def test_it_wants_its_key(self) -> None:
        with ScriptedModel(api_key="other") as model, pytest.raises(openai.AuthenticationError):
            ask(model)

    def test_what_is_not_there_is_not_found(self) -> None:
        with (
            ScriptedModel() as model,
            client(model) as asking,
            pytest.raises(openai.NotFoundError, match=r"There is no POST /v1/moderations"),
        ):
            asking.moderations.create(input="x")

    def test_it_lists_its_models(self) -> None:
        with ScriptedModel(models=["small", "large"]) as model, client(model) as asking:
            assert [one.id for one in asking.models.list()] == ["small", "large"]

    def test_azure_clients_find_it(self) -> None:
        with ScriptedModel(["x"], api_key="k") as model:
            asking = openai.AzureOpenAI(
                azure_endpoint=model.url.removesuffix("/v1"), api_key="k", api_version="2024-10-21"
            )
            assert said(_create(asking)) == "x"

    def test_closing_twice_is_closing_once(self) -> None:
        model = ScriptedModel()
        model.close()
        model.close()


class TestScripts:
    def test_a_script_that_ends_too_early_fails_the_test(self) -> None:
        model = ScriptedModel(["x"])
        ask(model)
        with pytest.raises(openai.APIStatusError) as told:
            ask(model)
        assert told.value.status_code == 410
        with pytest.raises(ScriptError, match="has 1 replies, and call 2 asks for one more"):
            model.__exit__(None, None, None)

    def test_a_script_that_fails_fails_the_test(self) -> None:
        with (
            pytest.raises(ScriptError, match="KeyError"),
            ScriptedModel(_mistaken) as model,
            pytest.raises(openai.APIStatusError),
        ):
            ask(model)

    def test_an_error_on_its_way_is_not_hidden(self) -> None:
        with pytest.raises(openai.APIStatusError), ScriptedModel(_mistaken) as model:
            ask(model)

    @pytest.mark.parametrize("script", ["one reply", {"n": 1}, 7])
    def test_one_reply_is_no_script(self, script: Any) -> None:
        with pytest.raises(TypeError, match=r"give \[reply\]"):
            ScriptedModel(script)

    def test_every_request_fails_first_in_every_given_way(self) -> None:
        script = failing_first(lambda call: call.prompt, Status(500), Dropped())
        with ScriptedModel(script) as model, client(model, max_retries=2) as asking:
            assert [said(_create(asking, text)) for text in ("a", "b")] == ["a", "b"]
            assert [call.prompt for call in model.calls] == ["a"] * 3 + ["b"] * 3


def _mistaken(call: Call) -> str:
    return str(call.body["no such field"])


class TestEmbeddings:
    @pytest.fixture
    def model(self) -> Iterator[ScriptedModel]:
        with ScriptedModel(dimensions=16) as model:
            yield model

    @pytest.mark.parametrize("encoding", ["float", "base64"])
    def test_a_text_has_its_vector(self, model: ScriptedModel, encoding: Any) -> None:
        with client(model) as asking:
            found = asking.embeddings.create(
                model="e", input=["Lima", "no words: …"], encoding_format=encoding
            )
        for index, text in enumerate(["Lima", "no words: …"]):
            vector: Any = found.data[index].embedding
            if encoding == "base64":
                # Asked for by name, the client hands it on as it came.
                vector = list(struct.unpack("<16f", base64.b64decode(vector)))
            assert vector == pytest.approx(hashed_vector(text, 16), abs=1e-6)

    def test_the_clients_own_choice_of_encoding_works(self, model: ScriptedModel) -> None:
        with client(model) as asking:
            found = asking.embeddings.create(model="e", input="Lima", dimensions=8)
        assert found.data[0].embedding == pytest.approx(hashed_vector("Lima", 8), abs=1e-6)
        assert found.usage.prompt_tokens == 1
        assert [call.inputs for call in model.embedding_calls] == [["Lima"]]
        assert model.calls == []

    def test_they_fail_as_told(self) -> None:
        with ScriptedModel(embeddings=[Status(429, retry_after=0), None, Status(500)]) as model:
            with client(model, max_retries=1) as asking:
                assert asking.embeddings.create(model="e", input="x").data
            with client(model) as asking, pytest.raises(openai.InternalServerError):
                asking.embeddings.create(model="e", input="x")

    def test_shared_words_bring_vectors_near(self) -> None:
        tea, coffee, car = (
            hashed_vector(text) for text in ("I drink tea", "I drink coffee", "red car")
        )
        near = sum(a * b for a, b in zip(tea, coffee, strict=True))
        far = sum(a * b for a, b in zip(tea, car, strict=True))
        assert near > far
        assert sum(x * x for x in hashed_vector("")) == 1.0
