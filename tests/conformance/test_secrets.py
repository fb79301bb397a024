"""No secret that is handed in reaches a store, however it is handed in."""

from __future__ import annotations

from typing import Any

import pytest

from bitempo import (
    NO_REDACTION,
    LLMExtractor,
    Memory,
    Redacted,
    SecretRedactor,
    Statement,
    Tenant,
)
from bitempo.engine.model import EntityRef
from bitempo.ingest.extraction import Extraction, Window
from bitempo.ingest.rules import RulesExtractor
from bitempo.ingest.sessions import parse_messages
from bitempo.testing import Call, ScriptedModel
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh

SAID = "I live in Lima. My password is hunter2."
KEPT = "I live in Lima. My password is [REDACTED:password]."


def message(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": "2024-01-05T12:00:00Z"} | fields


def whole(tenant: Tenant) -> str:
    return "\n".join(tenant.export())


def test_a_session_is_stored_without_its_secrets_and_counts_them(open_memory: Opener) -> None:
    tenant = fresh(open_memory())
    messages = [
        message(SAID, metadata={"note": "card 4242 4242 4242 4242", "api_key": "ab12cd34ef56"}),
        message("thanks"),
    ]
    session = parse_messages(messages, session="s1", metadata={"wifi": {"password": "opensesame"}})
    report = tenant.ingest(session)
    assert report.redacted == {"password": 2, "card-number": 1, "secret": 1}
    assert KEPT in whole(tenant)
    for secret in ("hunter2", "4242 4242", "ab12cd34ef56", "opensesame"):
        assert secret not in whole(tenant)
    assert [fact.answer for fact in tenant.as_of(predicate="LIVES_IN")] == ["Lima"]


def test_the_same_turn_with_its_secret_is_the_same_episode(open_memory: Opener) -> None:
    tenant = fresh(open_memory())
    for given in (message(SAID), message(SAID, id="t9")):
        session = given.get("id", "s1")
        assert tenant.ingest([given], session=session).new_turns == 1
        again = tenant.ingest([given], session=session)
        assert again.new_turns == 0
        assert again.last_tx is None


def test_an_appended_turn_is_stored_without_its_secrets(open_memory: Opener) -> None:
    tenant = fresh(open_memory())
    report = tenant.append("s1", message(SAID, id="t1"))
    assert report.redacted == {"password": 1}
    assert tenant.append("s1", message(SAID, id="t1")).new_turns == 0
    assert KEPT in whole(tenant)
    assert "hunter2" not in whole(tenant)


def test_an_extractor_sees_no_secret(open_memory: Opener) -> None:
    seen: list[str] = []

    class Listening(RulesExtractor):
        def extract(self, window: Window) -> Extraction:
            seen.extend(episode.text for episode in (*window.context, *window.episodes))
            return super().extract(window)

    tenant = fresh(open_memory(extractor=Listening()))
    tenant.ingest([message(SAID)], session="s1")
    assert seen == [KEPT]


def test_what_fails_tells_no_secret(open_memory: Opener) -> None:
    class Failing(RulesExtractor):
        def extract(self, window: Window) -> Extraction:
            raise RuntimeError(window.episodes[0].text)

    tenant = fresh(open_memory(extractor=Failing()))
    (reason,) = tenant.ingest([message(SAID)], session="s1").failed.values()
    assert "[REDACTED:password]" in reason
    assert "hunter2" not in reason


@pytest.mark.parametrize(
    "statement",
    [
        Statement("Ana", "PASSWORD", value="hunter2"),
        Statement("Ana", "wifi password", value="hunter2", text="Ana's wifi is open with hunter2"),
        Statement("Ana", "NOTES", value="password: hunter2"),
        Statement("Ana", "KNOWS", "password hunter2"),
        Statement(EntityRef("Ana", "person", ("my password is hunter2",)), "KNOWS", "Ben"),
        Statement("Ana", "LIVES_IN", "Lima", text="Ana lives in Lima, her password is hunter2"),
    ],
)
def test_a_statement_is_stored_without_its_secret(
    open_memory: Opener, statement: Statement
) -> None:
    tenant = fresh(open_memory())
    written = tenant.assert_facts([statement], episode="e1")
    assert written.redacted == {"password": 1}
    assert "hunter2" not in whole(tenant)
    assert "[REDACTED:password]" in whole(tenant)
    assert tenant.assert_facts([statement], episode="e1").tx is None


def test_no_redaction_keeps_what_was_said(open_memory: Opener) -> None:
    tenant = fresh(open_memory(redactor=NO_REDACTION))
    assert tenant.ingest([message(SAID)], session="s1").redacted == {}
    tenant.assert_fact("Ana", "PASSWORD", value="opensesame")
    assert SAID in whole(tenant)
    assert "opensesame" in whole(tenant)


def test_a_redactor_of_ones_own_is_used(open_memory: Opener) -> None:
    class Shy:
        def redact(self, text: str) -> Redacted:
            return Redacted(text.replace("Lima", "[REDACTED:town]"), {"town": text.count("Lima")})

    tenant = fresh(open_memory(redactor=Shy()))
    assert tenant.ingest([message(SAID)], session="s1").redacted["town"] == 1
    assert "Lima" not in whole(tenant)


def test_a_memory_redacts_unless_it_is_told_not_to(open_memory: Opener) -> None:
    memory: Memory = open_memory()
    assert memory.redactor is not NO_REDACTION


def test_what_a_model_puts_together_is_stored_without_its_secrets(open_memory: Opener) -> None:
    key = "sk-proj-01Ab23Cd45Ef67Gh7jK9mN2pQ4rS6tU8vW0xY1zA3bC5d"
    halves = (f"the key begins with {key[:12]}", f"and then comes {key[12:]}")

    def together(_: Call) -> object:
        claim = {
            "text": f"Ana's deployment goes by {key}",
            "subject": "Ana",
            "predicate": "USES_KEY",
            "object": None,
            "value": key,
            "cardinality": "many",
            "polarity": "+",
            "modality": "actual",
            "kind": "state",
            "time_text": None,
            "valid_from": None,
            "valid_to": None,
            "granularity": "unknown",
            "due": None,
            "importance": 5,
            "confidence": 0.9,
            "inferred": False,
            "evidence": ["t1"],
            "quote": halves[0],
            "corrects": None,
        }
        return {"entities": [], "assertions": [claim]}

    with ScriptedModel(together) as model:
        extractor = LLMExtractor("scripted", base_url=model.url, api_key="test")
        tenant = fresh(open_memory(extractor=extractor, redactor=SecretRedactor()))
        report = tenant.ingest([message(half, name="Ana") for half in halves], session="s1")
    assert report.failed == {}
    assert report.redacted["openai-key"] + report.redacted["secret"] >= 1, report.redacted
    assert key not in whole(tenant)


def test_who_a_session_is_of_is_stored_without_secrets(open_memory: Opener) -> None:
    tenant = fresh(open_memory())
    report = tenant.ingest([message("hello")], session="s1", actor="password: opensesame")
    assert report.redacted["password"] >= 1
    assert "opensesame" not in whole(tenant)
