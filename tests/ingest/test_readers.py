"""What one extractor began is another's to read only where somebody chose so."""

from __future__ import annotations

import pytest

from bitempo import ConflictError
from bitempo.engine.store.port import InboxWindow, Reading
from bitempo.ingest.readers import of_others, read_by_others, refuse_unchosen

OURS = "rules-en/1"
VERBS = ("waits for", "wait for")


def window(extractor: str | None, extraction: str | None = None) -> InboxWindow:
    return InboxWindow("w", "s", "{}", 0, extraction=extraction, extractor=extractor)


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("llm/1/gpt-4.1-mini", "--extractor llm --model gpt-4.1-mini, "),
        ("llm/2/Qwen/Qwen2.5-7B+fa7384", "LLMExtractor('Qwen/Qwen2.5-7B')"),
        ("mine/3", "extractor=...)"),
    ],
)
def test_the_error_names_the_extractor_on_record_and_how_to_choose(name: str, choice: str) -> None:
    with pytest.raises(ConflictError) as refused:
        refuse_unchosen(OURS, [window(name), window(name)], VERBS)
    said = str(refused.value)
    assert f"2 windows of this tenant wait for {name}" in said
    assert choice in said
    assert "--extractor rules" in said


def test_one_window_is_spoken_of_as_one() -> None:
    with pytest.raises(ConflictError, match=r"1 window of this tenant waits for .* would read it"):
        refuse_unchosen(OURS, [window("llm/1/x")], VERBS)


def test_another_version_of_the_same_and_what_nobody_is_named_for_are_no_others() -> None:
    assert of_others(OURS, [window("rules-en/0"), window(OURS), window(None)]) == []
    assert read_by_others(OURS, [Reading("s", "rules-en/0", None), Reading("s", None, None)]) == []
    refuse_unchosen(OURS, [], VERBS)


def test_what_was_extracted_already_needs_no_extractor() -> None:
    assert of_others(OURS, [window("llm/1/x", "{}")]) == []
