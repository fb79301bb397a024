"""bitempo: a bitemporal knowledge-graph memory engine for AI agents."""

from importlib import import_module
from typing import TYPE_CHECKING

from bitempo._async import AsyncMemory, AsyncTenant
from bitempo._memory import Memory, Tenant
from bitempo._statement import NOT_STATED, Statement
from bitempo._written import Written
from bitempo.engine.errors import (
    BitempoError,
    BudgetExceededError,
    ConflictError,
    EmbedderMismatchError,
    EpisodeConflictError,
    IngestError,
    InvalidInputError,
    InvalidRecordError,
    InvalidTimeError,
    ModelError,
    NotFoundError,
    PolicyError,
    RerankerMismatchError,
    SchemaVersionError,
    StoreBusyError,
    StoreClosedError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    TenantNotEmptyError,
)
from bitempo.engine.model import (
    Assertion,
    Cardinality,
    Entity,
    EntityRef,
    Episode,
    Fact,
    Modality,
    Polarity,
)
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import Neighbour
from bitempo.engine.time import Granularity, Interval
from bitempo.ingest.loaders import load_sessions, loader_names
from bitempo.ingest.metering import Budget, Meter, Usage
from bitempo.ingest.preview import Preview
from bitempo.ingest.report import IngestReport
from bitempo.ingest.resolution import NO_RESOLUTION, ChatDecider, EntityMatcher, Resolver
from bitempo.ingest.secrets import NO_REDACTION, Redacted, Redactor, SecretRedactor
from bitempo.ingest.sessions import SourceSession, Turn, parse_messages
from bitempo.query.aggregates import Count, Duration, Pick
from bitempo.query.bounds import Bound, Bounds, Origin
from bitempo.query.context import Context, TokenCounter, estimated_tokens
from bitempo.query.graph import GraphView
from bitempo.query.history import Diff, Why
from bitempo.query.merges import Merge
from bitempo.query.paths import Paths
from bitempo.query.recall import Recall, RecallItem, RecallSettings, Receipt
from bitempo.query.relations import Relation, relation
from bitempo.query.replaying import Replay, ReplayDifference
from bitempo.query.spans import SourceSpan
from bitempo.query.times import AskedTime, TimeAnchor, TimeOrder, TimeRelation, TimeWindow

if TYPE_CHECKING:
    from bitempo.ingest.llm import ChatModel, LLMExtractor, Prices
    from bitempo.ingest.rules import RulesExtractor

__version__ = "0.1.0"

__all__ = [
    "NOT_STATED",
    "NO_REDACTION",
    "NO_RESOLUTION",
    "AskedTime",
    "Assertion",
    "AsyncMemory",
    "AsyncTenant",
    "BitempoError",
    "Bound",
    "Bounds",
    "Budget",
    "BudgetExceededError",
    "Cardinality",
    "ChatDecider",
    "ChatModel",
    "ConflictError",
    "Context",
    "Count",
    "Diff",
    "Duration",
    "EmbedderMismatchError",
    "Entity",
    "EntityMatcher",
    "EntityRef",
    "Episode",
    "EpisodeConflictError",
    "Fact",
    "Granularity",
    "GraphView",
    "IngestError",
    "IngestReport",
    "Interval",
    "InvalidInputError",
    "InvalidRecordError",
    "InvalidTimeError",
    "LLMExtractor",
    "Memory",
    "Merge",
    "Meter",
    "Modality",
    "ModelError",
    "Neighbour",
    "NotFoundError",
    "Origin",
    "Paths",
    "Pick",
    "Polarity",
    "PolicyError",
    "PredicatePolicy",
    "Preview",
    "Prices",
    "Recall",
    "RecallItem",
    "RecallSettings",
    "Receipt",
    "Redacted",
    "Redactor",
    "Relation",
    "Replay",
    "ReplayDifference",
    "RerankerMismatchError",
    "Resolver",
    "RulesExtractor",
    "SchemaVersionError",
    "SecretRedactor",
    "SourceSession",
    "SourceSpan",
    "Statement",
    "StoreBusyError",
    "StoreClosedError",
    "StoreCorruptError",
    "StoreError",
    "StoreFullError",
    "StoreReadOnlyError",
    "Tenant",
    "TenantNotEmptyError",
    "TimeAnchor",
    "TimeOrder",
    "TimeRelation",
    "TimeWindow",
    "TokenCounter",
    "Turn",
    "Usage",
    "Why",
    "Written",
    "estimated_tokens",
    "load_sessions",
    "loader_names",
    "parse_messages",
    "relation",
]


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# The patterns of the rules take long to compile: most of what an import would cost.
_LATER = {
    "ChatModel": "bitempo.ingest.llm",
    "LLMExtractor": "bitempo.ingest.llm",
    "Prices": "bitempo.ingest.llm",
    "RulesExtractor": "bitempo.ingest.rules",
}
