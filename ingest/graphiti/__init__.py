"""Graphiti interchange: from a Graphiti graph on Neo4j into a tenant, and back."""

from bitempo.ingest.graphiti.exporter import Embed, export_group
from bitempo.ingest.graphiti.importer import Progress, import_group
from bitempo.ingest.graphiti.report import GraphitiExport, GraphitiImport
from bitempo.ingest.graphiti.server import GraphitiServer
from bitempo.ingest.graphiti.source import GraphitiSource, group_ids

__all__ = [
    "Embed",
    "GraphitiExport",
    "GraphitiImport",
    "GraphitiServer",
    "GraphitiSource",
    "Progress",
    "export_group",
    "group_ids",
    "import_group",
]
