"""Where the command line finds its memory: options first, then the environment."""

from __future__ import annotations

from pydantic_settings import BaseSettings, SettingsConfigDict

DEFAULT_STORE = "bitempo.db"


class Settings(BaseSettings):
    """The global options. Each can come from the environment, as `BITEMPO_STORE` and so on.

    `tenant` has no default: whose memory it is must be said.
    """

    model_config = SettingsConfigDict(env_prefix="BITEMPO_", env_ignore_empty=True, extra="ignore")

    store: str = DEFAULT_STORE
    tenant: str | None = None
    policy: str | None = None
    extractor: str = "rules"
    model: str | None = None
    base_url: str | None = None
    instructions: str | None = None
    prompt_price: float = 0.0
    completion_price: float = 0.0
    embedder: str = "none"
    reranker: str = "none"
    rewriter: str = "none"

    @property
    def store_given(self) -> bool:
        """Whether the store was chosen, by an option or the environment."""
        return "store" in self.model_fields_set

    @property
    def extractor_given(self) -> bool:
        """Whether the extractor was chosen by the environment."""
        return "extractor" in self.model_fields_set

    @property
    def shown(self) -> str:
        """The store as it can stand in a message: without the password of a server."""
        scheme, separator, rest = self.store.partition("://")
        return scheme + separator + rest.rpartition("@")[2] if separator else self.store

    @property
    def file(self) -> str | None:
        """The path of the store's file; None for a store that is no file."""
        scheme, separator, rest = self.store.partition("://")
        path = self.store if not separator else rest.removeprefix("/")
        is_file = not separator or scheme == "sqlite"
        return path if is_file and path not in ("", ":memory:") else None
