"""Graphiti with a model, an embedder and a cross-encoder that need no network.

The benchmark and the tests of the interchange use it. What is asked of the model and of the
embedder is counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.driver import GraphDriver
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.embedder.openai import OpenAIEmbedder, OpenAIEmbedderConfig
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig, ModelSize
from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient
from graphiti_core.prompts.models import Message
from pydantic import BaseModel

from benchmarks.endpoint import DIMENSIONS
from benchmarks.script import Script, graphiti_reply

# Else it sends home what it was started with.
os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"


class ScriptedModel(LLMClient):
    """Answers each of Graphiti's prompts from a script."""

    def __init__(self, script: Script) -> None:
        super().__init__(LLMConfig(api_key="none", model="scripted"))
        self.script = script
        self.calls = 0

    async def _generate_response(
        self,
        messages: list[Message],
        response_model: type[BaseModel] | None = None,
        max_tokens: int = 0,  # noqa: ARG002
        model_size: ModelSize = ModelSize.medium,  # noqa: ARG002
        model: str | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        self.calls += 1
        name = response_model.__name__ if response_model is not None else ""
        return graphiti_reply(name, messages[-1].content, self.script)


class HashEmbedder(EmbedderClient):
    """A vector of a text's words, the same wherever it is asked for."""

    def __init__(self) -> None:
        self.calls = 0

    async def create(
        self, input_data: str | list[str] | Iterable[int] | Iterable[Iterable[int]]
    ) -> list[float]:
        self.calls += 1
        text = input_data if isinstance(input_data, str) else " ".join(map(str, input_data))
        return embed(text)

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        self.calls += 1
        return [embed(text) for text in input_data_list]


class SharedWords(CrossEncoderClient):
    """Ranks passages by the words that they share with the query."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        asked = set(query.lower().split())
        scores = [(p, len(asked & set(p.lower().split())) / (len(asked) or 1)) for p in passages]
        return sorted(scores, key=lambda one: one[1], reverse=True)


def embed(text: str) -> list[float]:
    """A unit vector with one dimension set for each word of the text."""
    found = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        found[int.from_bytes(blake2b(word.encode(), digest_size=4).digest()) % DIMENSIONS] += 1.0
    length = sum(x * x for x in found) ** 0.5 or 1.0
    return [x / length for x in found]


def graphiti_at(url: str, driver: GraphDriver) -> Graphiti:
    """Graphiti as it is set up for an OpenAI-compatible endpoint, here a scripted one."""
    model = LLMConfig(api_key="none", model="scripted", small_model="scripted", base_url=url)
    embedder = OpenAIEmbedderConfig(
        api_key="none", embedding_model="scripted", base_url=url, embedding_dim=DIMENSIONS
    )
    return graphiti(driver, OpenAIGenericClient(model), OpenAIEmbedder(embedder))


def graphiti(driver: GraphDriver, model: LLMClient, embedder: EmbedderClient) -> Graphiti:
    """Graphiti's own class on a server, with nothing that reaches for a network."""
    return Graphiti(
        graph_driver=driver, llm_client=model, embedder=embedder, cross_encoder=SharedWords()
    )
