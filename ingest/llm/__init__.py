"""Fact extraction by a language model over any OpenAI-compatible endpoint."""
