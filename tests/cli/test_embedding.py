"""Vectors from the command line: made by writes, made anew by reembed, and told of by stats."""

from __future__ import annotations

import pytest

from tests.cli.runner import Run


def test_reembed_gives_a_memory_its_vectors(acme: Run) -> None:
    before = acme("stats", "--json").json
    assert (before["embedder"], before["vectors"]) == (None, 0)
    assert before["unembedded"] > 43
    made = acme("reembed", "--embedder", "static", "--json").json
    assert made["embedder"].startswith("wordllama-256/")
    assert made["made"] == made["vectors"] == before["unembedded"]
    assert acme("reembed", "--embedder", "static", "--json").json["made"] == 0
    after = acme("stats", "--json").json
    assert (after["vectors"], after["unembedded"]) == (before["unembedded"], 0)
    assert "without a vector" in acme("stats").out
    assert acme("reembed", "--embedder", "static").out == (
        f"0 vectors made, {after['vectors']} by {made['embedder']}\n"
    )


def test_writes_embed_with_the_embedder_of_the_environment(
    empty: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITEMPO_EMBEDDER", "static")
    assert empty("assert", "Ana", "LIVES_IN", "Porto", "--json").json["embedding_error"] is None
    assert empty("stats", "--json").json["vectors"] == 1
    assert empty("assert", "Bo", "LIVES_IN", "Porto", "--embedder", "none").code == 0
    assert empty("stats", "--json").json["unembedded"] == 1


def test_another_embedder_is_refused_in_one_line(empty: Run) -> None:
    empty("assert", "Ana", "LIVES_IN", "Porto", "--embedder", "static")
    other = ("--embedder", "minilm")
    empty("assert", "Bo", "LIVES_IN", "Porto", *other).refused(1, "wordllama", "bitempo reembed")
    assert empty("reembed", *other, "--json").json["made"] == 1
    assert empty("assert", "Bo", "LIVES_IN", "Porto", *other).code == 0


def test_an_endpoint_that_is_down_costs_no_write(
    empty: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("bitempo.ingest.embedders.openai.RETRIES", 0)
    done = empty(
        "assert", "Ana", "LIVES_IN", "Porto", "--embedder", "openai:text-embedding-3-small"
    )
    assert done.code == 0
    assert "written, but without vectors" in done.err
    assert "OPENAI_BASE_URL" in done.err
    assert empty("stats", "--json").json["assertions"] == 1


@pytest.mark.parametrize("name", ["nothing", "static:x", "openai:", "minilm/2"])
def test_an_unknown_embedder_is_refused_and_leaves_no_store(empty: Run, name: str) -> None:
    empty("init", "--embedder", name).refused(2, name, "static, minilm, openai:MODEL")
    empty("stats").refused(1, "there is no memory")


def test_reembed_needs_an_embedder(acme: Run) -> None:
    acme("reembed").refused(2, "--embedder static")
