"""What a user brings in place of a model of ours is refused at once if it lacks something."""

from __future__ import annotations

from typing import Any

import pytest

from bitempo import InvalidInputError, Memory, ModelError
from bitempo.ingest.identities import identified


class Named:
    def __init__(self, identity: Any) -> None:
        self.identity = identity

    def rewrite(self, *asked: Any) -> str:
        return str(asked[0])

    def scores(self, *asked: Any) -> list[float]:
        return [0.0 for _ in asked[1]]


class Broken:
    def __init__(self, error: Exception) -> None:
        self.error = error

    @property
    def identity(self) -> str:
        raise self.error


@pytest.mark.parametrize("kind", ["rewriter", "reranker"])
@pytest.mark.parametrize("brought", [object(), 5, Named(None), Named(7), Named(" ")])
def test_without_an_identity_or_its_verb_it_is_refused_at_opening(kind: str, brought: Any) -> None:
    with pytest.raises(InvalidInputError, match=f"a {kind} needs a method"):
        Memory.open(":memory:", **{kind: brought})


def test_an_identity_that_cannot_be_read_is_told() -> None:
    with pytest.raises(InvalidInputError, match="cannot be read"):
        identified(Broken(KeyError("x")), "reranker", "scores")
    with pytest.raises(ModelError, match="no answer"):
        identified(Broken(ModelError("no answer")), "reranker", "scores")


def test_what_has_both_is_given_back_as_it_is() -> None:
    brought = Named("mine/1")
    assert identified(brought, "rewriter", "rewrite") is brought
    with Memory.open(":memory:", rewriter=brought, reranker=brought) as memory:
        assert memory.tenant("a").recall("Where?").items == ()
