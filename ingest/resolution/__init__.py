"""Resolution: which names mean one thing, by rules, and by a model where rules leave it open."""

from bitempo.engine.identity import SAME_AS
from bitempo.ingest.resolution.candidates import KnownEntities, ListedEntities
from bitempo.ingest.resolution.model import ChatDecider, Decider
from bitempo.ingest.resolution.record import EntitiesOnRecord
from bitempo.ingest.resolution.resolver import NO_RESOLUTION, EntityMatcher, Resolver

__all__ = [
    "NO_RESOLUTION",
    "SAME_AS",
    "ChatDecider",
    "Decider",
    "EntitiesOnRecord",
    "EntityMatcher",
    "KnownEntities",
    "ListedEntities",
    "Resolver",
]
