"""Scripts of claims: where a quote stands, its claim is found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bitempo import LLMExtractor, Meter
from bitempo.engine.model import Episode
from bitempo.ingest.extraction import Window
from bitempo.ingest.llm.reply import Reply
from bitempo.testing import (
    Call,
    Claim,
    Corrected,
    Named,
    ScriptedModel,
    ScriptError,
    finding,
    read_prompt,
)

CUSCO = Claim("Ana", "LIVES_IN", "Cusco", quote="moved to Cusco", cardinality="one")


def call(*lines: dict[str, Any] | str) -> Call:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return Call(1, "/v1/chat/completions", {}, {"messages": [{"role": "user", "content": text}]})


def turn(label: str, text: str) -> dict[str, Any]:
    return {"label": label, "actor": "Ana", "time": "2024-05-01T12:30Z Wednesday", "text": text}


def fact(label: str, subject: str, predicate: str, answer: object) -> dict[str, Any]:
    return {"label": label, "subject": subject, "predicate": predicate, "answer": answer}


def test_a_prompt_is_read_back() -> None:
    prompt = read_prompt(
        call(
            "KNOWN FACTS",
            fact("f1", "Ana", "LIVES_IN", "Lima"),
            {"name": "Ana", "type": "person"},
            "{ this is no JSON",
            turn("c1", "Hi!"),
            turn("t1", "I moved\nto Cusco."),
        )
    )
    assert [(f.label, f.subject, f.predicate, f.answer) for f in prompt.facts] == [
        ("f1", "Ana", "LIVES_IN", "Lima")
    ]
    assert [(t.label, t.actor, t.text, t.is_context) for t in prompt.context] == [
        ("c1", "Ana", "Hi!", True)
    ]
    assert [(t.label, t.text) for t in prompt.turns] == [("t1", "I moved\nto Cusco.")]
    assert prompt.turns[0].occurred_at == 1_714_566_600_000_000


def test_a_claim_is_found_in_the_turn_that_holds_its_quote() -> None:
    script = finding(CUSCO, entities=[Named("Cusco", "place"), Named("Lima", "place")])
    reply = script(call(turn("t1", "Hello."), turn("t2", "We moved to Cusco.")))
    (claim,) = reply.assertions
    assert (claim.subject, claim.predicate, claim.object) == ("Ana", "LIVES_IN", "Cusco")
    assert (claim.evidence, claim.quote, claim.text) == (
        ["t2"],
        "moved to Cusco",
        "Ana lives in Cusco",
    )
    assert [entity.name for entity in reply.entities] == ["Cusco"]


def test_nothing_is_found_elsewhere_nor_in_the_context() -> None:
    script = finding(CUSCO)
    nothing = Reply(entities=[], assertions=[])
    assert script(call(turn("t1", "moved to Lima"))) == nothing
    assert script(call(turn("c1", "moved to Cusco"), turn("t1", "Yes."))) == nothing
    assert finding(Claim("Ana", "LIKES", "tea"))(call(turn("t1", "tea"))) == nothing


@pytest.mark.parametrize(
    ("answer", "label"), [("Lima", "f2"), ("Puno", "f1"), ("Quito", None)], ids=str
)
def test_a_correction_names_the_known_fact(answer: str, label: str | None) -> None:
    wrong = Corrected("ana", "lives in", answer)
    script = finding(Claim("Ana", "LIVES_IN", "Cusco", quote="No, Cusco", corrects=wrong))
    reply = script(
        call(
            fact("f1", "Ana", "LIVES_IN", "Puno"),
            fact("f2", "Ana", "LIVES_IN", "Lima"),
            turn("t1", "No, Cusco."),
        )
    )
    assert reply.assertions[0].corrects == label


def test_a_correction_names_an_earlier_claim_of_the_reply_first() -> None:
    wrong = Claim("Ana", "LIVES_IN", "Lima", quote="in Lima")
    right = Claim(
        "Ana", "LIVES_IN", "Cusco", quote="Cusco", corrects=Corrected("Ana", "LIVES_IN", "Lima")
    )
    script = finding(wrong, right)
    reply = script(call(fact("f1", "Ana", "LIVES_IN", "Lima"), turn("t1", "in Lima, no, Cusco")))
    assert [claim.corrects for claim in reply.assertions] == [None, "a1"]


def test_a_quote_that_stands_nowhere_is_an_error_of_the_script() -> None:
    script = finding(CUSCO, Claim("Ana", "LIKES", "tea", quote="I like teh"))
    with pytest.raises(ScriptError, match="'I like teh'"), ScriptedModel(script) as model:
        ask(model, "We moved to Cusco.", "I like tea.")
    with ScriptedModel(finding(CUSCO)) as model:
        ask(model, "Hello.", "We moved to Cusco.", "Bye.")
    with ScriptedModel(finding(CUSCO)):
        pass


def ask(model: ScriptedModel, *texts: str) -> None:
    """Have each text extracted, as a window of its own."""
    extractor = LLMExtractor("scripted", base_url=model.url, api_key="test", max_retries=0)
    for text in texts:
        turn = Episode("e", text, 0, session="s", position=0, actor="Ana")
        extractor.extract_metered(Window("w", "s", (turn,)), Meter())
