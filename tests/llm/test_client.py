"""The client finds out once what an endpoint takes, and every failure has its meaning."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from bitempo import Budget, BudgetExceededError, ModelError, Prices, Usage
from bitempo.engine.errors import InvalidInputError
from bitempo.ingest.llm.capability import Mode
from bitempo.ingest.llm.client import ChatModel
from bitempo.ingest.llm.failures import RefusedError, TooLongError, UnusableReplyError
from bitempo.ingest.llm.reply import Reply
from bitempo.ingest.metering import Meter
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
    Status,
    Thinking,
    Truncated,
    UnsupportedFormat,
    UnsupportedParameter,
    WithoutUsage,
    WrongJson,
)
from tests.llm.replies import claim, reply

ASKED = (("system", "Extract."), ("user", "Some turns."))


def chat(model: ScriptedModel, **settings: object) -> ChatModel:
    return ChatModel("scripted", base_url=model.url, api_key="test", **settings)  # type: ignore[arg-type]


def test_the_best_means_comes_first_and_costs_one_call() -> None:
    with ScriptedModel([reply(claim())]) as model:
        meter = Meter()
        answer = chat(model).ask(ASKED, Reply, meter)
        assert answer == Reply.model_validate(reply(claim()))
        assert [call.response_format for call in model.calls] == ["json_schema"]
        assert model.calls[0].body["temperature"] == 0
        assert meter.spent.calls == 1


@pytest.mark.parametrize(
    ("known", "taken"),
    [
        ({"json_schema", "tool", "json_object", "text"}, Mode.JSON_SCHEMA),
        ({"tool", "json_object", "text"}, Mode.TOOL),
        ({"json_object", "text"}, Mode.JSON_OBJECT),
        ({"text"}, Mode.TEXT),
    ],
)
def test_the_means_is_found_once_by_what_the_endpoint_refuses(known: set[str], taken: Mode) -> None:
    def script(call: Call) -> ScriptedReply:
        return reply(claim()) if call.response_format in known else UnsupportedFormat()

    with ScriptedModel(script) as model:
        asking = chat(model)
        asking.ask(ASKED, Reply, Meter())
        found = len(model.calls)
        assert asking.capability.mode is taken
        asking.ask(ASKED, Reply, Meter())
        assert len(model.calls) == found + 1
        assert model.calls[-1].response_format == taken.value


def test_the_schema_is_said_in_words_where_the_endpoint_takes_none() -> None:
    def script(call: Call) -> ScriptedReply:
        return reply() if call.response_format == "json_object" else UnsupportedFormat()

    with ScriptedModel(script) as model:
        chat(model).ask(ASKED, Reply, Meter())
        assert '"valid_from"' not in model.calls[0].text
        assert '"valid_from"' in model.calls[-1].text


@pytest.mark.parametrize("name", ["temperature", "seed", "max_tokens"])
def test_a_parameter_that_is_refused_is_left_out_from_then_on(name: str) -> None:
    def script(call: Call) -> ScriptedReply:
        return UnsupportedParameter(name) if name in call.body else reply()

    with ScriptedModel(script) as model:
        asking = chat(model, max_output_tokens=500)
        asking.ask(ASKED, Reply, Meter())
        asking.ask(ASKED, Reply, Meter())
        assert [name in call.body for call in model.calls] == [True, False, False]
        assert {call.response_format for call in model.calls} == {"json_schema"}


def test_the_limit_of_a_reply_is_sent_under_the_name_that_the_endpoint_takes() -> None:
    def script(call: Call) -> ScriptedReply:
        return UnsupportedParameter("max_tokens") if "max_tokens" in call.body else reply()

    with ScriptedModel(script) as model:
        chat(model, max_output_tokens=500).ask(ASKED, Reply, Meter())
        assert model.calls[-1].body["max_completion_tokens"] == 500


@pytest.mark.parametrize(
    "wrapped",
    [
        Fenced(reply(claim())),
        Thinking(reply(claim())),
        Thinking(Fenced(reply(claim()))),
        SchemaEcho(reply(claim())),
    ],
)
def test_a_wrapped_reply_is_read_without_asking_again(wrapped: ScriptedReply) -> None:
    with ScriptedModel([wrapped]) as model:
        answer = chat(model).ask(ASKED, Reply, Meter())
    assert answer == Reply.model_validate(reply(claim()))


@pytest.mark.parametrize("useless", [WrongJson(), SchemaEcho(), "Sorry, here you are.", ""])
def test_a_reply_without_the_object_is_asked_for_again_with_the_schema_in_words(
    useless: ScriptedReply,
) -> None:
    with ScriptedModel([useless, reply(claim()), reply()]) as model:
        asking = chat(model)
        assert asking.ask(ASKED, Reply, Meter()).assertions[0].object == "Lisbon"
        assert "could not be used" in model.calls[1].text
        assert '"valid_from"' in model.calls[1].text
        asking.ask(ASKED, Reply, Meter())
        assert '"valid_from"' in model.calls[2].text


def test_a_second_useless_reply_is_an_error() -> None:
    with ScriptedModel([WrongJson(), WrongJson()]) as model:
        meter = Meter()
        with pytest.raises(UnusableReplyError, match="no JSON object"):
            chat(model).ask(ASKED, Reply, meter)
        assert meter.spent.calls == len(model.calls) == 2


@pytest.mark.parametrize("cut", [Truncated(reply(claim()), keep=0.6), BrokenJson(reply(claim()))])
def test_a_cut_reply_is_told(cut: ScriptedReply) -> None:
    with ScriptedModel([cut]) as model:
        assert not chat(model).answer(ASKED, Reply, Meter()).complete


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        (Refusal(), RefusedError),
        (ContentFilter(), RefusedError),
        (ContentFilter(of_prompt=True), RefusedError),
        (ContextOverflow(), TooLongError),
        (Status(413), TooLongError),
        (Status(401), ModelError),
        (Status(403), ModelError),
        (Status(404, "The model does not exist."), ModelError),
    ],
)
def test_a_failure_that_no_retry_mends_is_told_at_once(
    failing: ScriptedReply, error: type[ModelError]
) -> None:
    with ScriptedModel([failing]) as model:
        meter = Meter()
        with pytest.raises(error) as raised:
            chat(model).ask(ASKED, Reply, meter)
        assert type(raised.value) is error
        assert meter.spent.calls == len(model.calls) == 1


@pytest.mark.parametrize("failing", [Status(429, retry_after=0.01), Status(500), Status(503)])
def test_a_busy_endpoint_is_tried_again(failing: ScriptedReply) -> None:
    with ScriptedModel([failing, reply()]) as model:
        assert chat(model).ask(ASKED, Reply, Meter()) == Reply(entities=[], assertions=[])
        assert len(model.calls) == 2


def test_a_dropped_connection_is_tried_again() -> None:
    with ScriptedModel([Dropped(reply()), reply()]) as model:
        assert chat(model).ask(ASKED, Reply, Meter()) == Reply(entities=[], assertions=[])


def test_retries_end() -> None:
    with ScriptedModel([Status(429, retry_after=0.01)] * 3) as model:
        with pytest.raises(ModelError, match="too busy"):
            chat(model, max_retries=2).ask(ASKED, Reply, Meter())
        assert len(model.calls) == 3


def test_an_endpoint_that_there_is_not_is_an_error() -> None:
    with ScriptedModel([]) as model:
        url = model.url
    with pytest.raises(ModelError, match="could not be reached"):
        ChatModel("m", base_url=url, max_retries=0).ask(ASKED, Reply, Meter())


def test_an_endpoint_that_does_not_answer_in_time_is_an_error() -> None:
    with ScriptedModel([Held()]) as model, pytest.raises(ModelError, match="timed out"):
        chat(model, timeout=0.2, max_retries=0).ask(ASKED, Reply, Meter())


def test_usage_and_cost_are_counted() -> None:
    with ScriptedModel([reply(claim())]) as model:
        meter = Meter()
        chat(model, prices=Prices(2.0, 8.0)).ask(ASKED, Reply, meter)
    spent = meter.spent
    assert spent.prompt_tokens > 0
    assert spent.completion_tokens > 0
    assert spent.cost == pytest.approx(
        (2.0 * spent.prompt_tokens + 8.0 * spent.completion_tokens) / 1e6
    )


def test_usage_is_estimated_where_the_endpoint_reports_none() -> None:
    with ScriptedModel([WithoutUsage('{"entities": [], "assertions": []}')]) as model:
        meter = Meter()
        chat(model).ask(ASKED, Reply, meter)
    assert meter.spent == Usage(1, 2 + 3, 9, 0.0)


def test_a_budget_stops_before_the_call() -> None:
    with ScriptedModel([reply()]) as model:
        asking, meter = chat(model), Meter(Budget(max_calls=1))
        asking.ask(ASKED, Reply, meter)
        with pytest.raises(BudgetExceededError):
            asking.ask(ASKED, Reply, meter)
        assert len(model.calls) == 1


def test_without_a_key_openai_itself_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InvalidInputError, match="OPENAI_API_KEY"):
        ChatModel("gpt-4.1-mini")


def test_an_endpoint_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ScriptedModel([reply()]) as model:
        ChatModel("scripted", base_url=model.url).ask(ASKED, Reply, Meter())


def test_a_client_of_ones_own_is_used() -> None:
    import openai

    with ScriptedModel([reply()]) as model:
        client = openai.OpenAI(base_url=model.url, api_key="mine", default_headers={"x-mine": "1"})
        ChatModel("scripted", client=client).ask(ASKED, Reply, Meter())
        assert model.calls[0].headers["x-mine"] == "1"


def test_threads_that_ask_at_once_all_find_out_the_same() -> None:
    def script(call: Call) -> ScriptedReply:
        if "seed" in call.body:
            return UnsupportedParameter("seed")
        return reply(claim()) if call.response_format == "tool" else UnsupportedFormat()

    with ScriptedModel(script) as model, ThreadPoolExecutor(8) as threads:
        asking, meter = chat(model), Meter()
        answers = list(threads.map(lambda _: asking.ask(ASKED, Reply, meter), range(24)))
        assert {len(answer.assertions) for answer in answers} == {1}
        assert (asking.capability.mode, asking.capability.without) == (Mode.TOOL, {"seed"})
        assert meter.spent.calls == len(model.calls)
