"""Secrets are found, and nothing else is; what is found is gone, and stays as it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.ingest.secrets import NO_REDACTION, SecretRedactor, redact, redaction, secret_free_json
from bitempo.ingest.secrets.cards import luhn
from bitempo.ingest.secrets.spans import Span
from tests.ingest.secrets_cases import (
    GITHUB,
    JWT,
    MORE_NEAR_MISSES,
    MORE_SECRETS,
    NEAR_MISSES,
    PEM,
    PEM_END,
    SECRETS,
)

FRAGMENTS = st.sampled_from(
    [text for text, _ in SECRETS]
    + list(NEAR_MISSES)
    + ["password ", "is ", "my ", "token", "=", ":", "'", '"', "[REDACTED:pin]", "[REDACTED:", "\n"]
    + ["https://", "@", "4242 ", "-----BEGIN PRIVATE KEY-----", "eyJ", "sk-", "?key=", ";base64,"]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(FRAGMENTS, st.text(max_size=8))).map("".join))


@pytest.mark.parametrize(("text", "secret"), SECRETS + MORE_SECRETS)
def test_a_secret_is_taken_out(text: str, secret: str) -> None:
    found = redact(text)
    assert secret not in found.text
    assert sum(found.counts.values()) == 1


@pytest.mark.parametrize("text", NEAR_MISSES + MORE_NEAR_MISSES)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).counts == {}


UNSEEN = ("\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff")


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize(
    ("said", "secret"), [("my password is hunter2", "hunter2"), (GITHUB, GITHUB)]
)
def test_what_cannot_be_seen_hides_no_secret(said: str, secret: str, unseen: str) -> None:
    hidden = unseen.join(said)
    found = redact(f"So: {hidden} .")
    assert sum(found.counts.values()) == 1
    assert secret not in found.text.replace(unseen, "")
    assert redact(found.text).text == found.text


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_json_within_json_hides_no_secret(depth: int) -> None:
    said = '{"user": "ana", "password": "hunter2", "wifi": "on"}'
    for _ in range(depth):
        said = json.dumps({"body": said})
    found = redact(said)
    assert "hunter2" not in found.text
    assert found.counts == {"password": 1}
    assert "ana" in found.text
    assert redact(found.text).text == found.text


def test_full_width_letters_and_digits_hide_no_secret() -> None:
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    for said in ("4242 4242 4242 4242", "pin: 4821", GITHUB):
        found = redact(" ".join(part.translate(wide) for part in said.split(" ")))
        assert sum(found.counts.values()) == 1, said


def test_what_cannot_be_seen_stays_where_there_is_no_secret() -> None:
    said = "She is a doctor \U0001f469\u200d\u2695\ufe0f, co\u00adoperation, \uff11\uff12 cats"
    assert redact(said).text == said


def test_the_words_around_a_secret_stay() -> None:
    said = f"On Monday I pushed {GITHUB} to the repo; the PIN is 4821."
    found = redact(said)
    assert found.text == (
        "On Monday I pushed [REDACTED:github-token] to the repo; the PIN is [REDACTED:pin]."
    )
    assert found.counts == {"github-token": 1, "pin": 1}


def test_all_of_several_secrets_are_counted() -> None:
    found = redact("password: hunter2\nold password: hunter1\ncard 4242424242424242")
    assert found.counts == {"card-number": 1, "password": 2}


def test_a_private_key_goes_whole_and_leaves_what_is_around_it() -> None:
    found = redact(f"before\n{PEM}{PEM_END}\nafter")
    assert found.text == "before\n[REDACTED:private-key]\nafter"


def test_a_private_key_on_one_line_of_json_goes_whole() -> None:
    line = (PEM + PEM_END).replace("\n", "\\n")
    assert redact(f'{{"key": "{line}\\n"}}').text == '{"key": "[REDACTED:private-key]\\n"}'


def test_the_signature_of_a_web_token_goes_with_it() -> None:
    assert redact(f"jwt {JWT}.").text == "jwt [REDACTED:jwt]."


def test_the_address_around_a_password_stays() -> None:
    found = redact("postgres://app:p4ssw0rd@db.internal:5432/app?sslmode=require")
    assert found.text == "postgres://app:[REDACTED:password]@db.internal:5432/app?sslmode=require"


def test_the_other_parameters_of_an_address_stay() -> None:
    found = redact("https://api.example.com/items?api_key=0a1b2c3d4e5f6a7b&page=2")
    assert found.text == "https://api.example.com/items?api_key=[REDACTED:url-token]&page=2"


def test_a_token_after_much_else_in_one_word_is_found() -> None:
    filler = "ab1/" * 2_000
    assert redact(f"{filler}{GITHUB}/{filler}").counts == {"github-token": 1}


def test_the_check_digit_decides() -> None:
    assert luhn("4242424242424242")
    assert not luhn("4242424242424241")


@settings(max_examples=50)
@given(TEXTS)
def test_what_was_redacted_stays_as_it_is(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert (again.text, again.counts) == (once.text, {})


@settings(max_examples=50)
@given(TEXTS)
def test_every_mark_is_counted(text: str) -> None:
    found = redact(text)
    marks = Counter(re.findall(r"\[REDACTED:([a-z-]{1,40})\]", found.text))
    before = Counter(re.findall(r"\[REDACTED:([a-z-]{1,40})\]", text))
    assert marks == before + Counter(found.counts)


@pytest.mark.parametrize(
    "piece",
    [
        "password ", "password is ", "my password for ", "password:", "token", "api key ", "x-",
        "a.", "http://a:", "://:@", "curl ", "bearer ", "4242 ", "4", "sk-", "eyJ",
        "eyJhbGciOi.", "ghp_",
        "-----BEGIN PRIVATE KEY-----\n", "a: b\n", "seed phrase ", "seed phrase: aa bb cc dd ",
        "pin ", "'", '"a ', "?key=", "aws", "//:_authToken=", "123456789:",
        "PuTTY-User-Key-File-2: a\n",
        "=", "is my password ", "it is ", "login a", "login a ", "pass: ", "code 1234 ",
        "my password, it is ", "data:a/b;base64,", "\\n", " ",
    ],
)  # fmt: skip
def test_no_text_takes_more_than_linear_work(piece: str) -> None:
    # A pattern that backtracks over a text of this length would run into the time limit of a test.
    text = piece * (50_000 // len(piece))
    assert redact(redact(text).text).counts == {}


def test_a_text_of_nothing_but_secrets_is_read_a_few_times_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: list[str] = []
    found = redaction._found

    def counted(text: str) -> Iterator[Span]:
        reads.append(text)
        return found(text)

    monkeypatch.setattr(redaction, "_found", counted)
    for piece in ("ghp_", "ghp_ ", "sk-", "eyJhbGciOi."):
        reads.clear()
        text = f"before {piece * 3_000} after"
        assert redact(text).text.startswith("before ")
        assert redact(text).text.endswith(" after")
        assert len(reads) <= 60


def test_fields_named_as_secrets_are_known_by_their_name() -> None:
    counts: Counter[str] = Counter()
    given = {
        "user": "ana",
        "password": "opensesame",
        "nested": [{"apiKey": "ab12cd34ef56", "pin": 4821}, "my PIN is 4821"],
        "card": 4242424242424242,
        "token_count": 35,
        "token": "none",
        "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
    }
    assert secret_free_json(given, SecretRedactor(), counts) == {
        "user": "ana",
        "password": "[REDACTED:password]",
        "nested": [
            {"apiKey": "[REDACTED:secret]", "pin": "[REDACTED:pin]"},
            "my PIN is [REDACTED:pin]",
        ],
        "card": "[REDACTED:card-number]",
        "token_count": 35,
        "token": "none",
        "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
    }
    assert counts == {"password": 1, "secret": 1, "pin": 2, "card-number": 1}


def test_no_redaction_keeps_everything() -> None:
    counts: Counter[str] = Counter()
    assert secret_free_json({"password": "hunter2"}, NO_REDACTION, counts) == {
        "password": "hunter2"
    }
    assert NO_REDACTION.redact("my password is hunter2").text == "my password is hunter2"
    assert not counts
