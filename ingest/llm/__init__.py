"""Fact extraction by a language model over any OpenAI-compatible endpoint."""

from bitempo.ingest.llm.client import ChatModel, Prices
from bitempo.ingest.llm.extractor import LLMExtractor

__all__ = ["ChatModel", "LLMExtractor", "Prices"]
