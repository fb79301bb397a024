"""What an extractor claims, without secrets: a model may put together what turns kept apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from bitempo.engine.model import AssertionDraft, EntityRef
from bitempo.ingest.extraction import Extraction, Note, Rejection
from bitempo.ingest.secrets.records import secret_free_json, secret_free_value
from bitempo.ingest.secrets.redaction import NO_REDACTION, Redactor


def secret_free_extraction(
    extraction: Extraction, redactor: Redactor, counts: Counter[str]
) -> Extraction:
    """The extraction with the redactor applied to all that it says."""
    if redactor is NO_REDACTION:
        return extraction

    def free(text: str) -> str:
        return str(secret_free_json(text, redactor, counts))

    def entity(ref: EntityRef) -> EntityRef:
        return replace(ref, name=free(ref.name), aliases=tuple(map(free, ref.aliases)))

    def draft(one: AssertionDraft) -> AssertionDraft:
        return replace(
            one,
            text=free(one.text),
            subject=entity(one.subject),
            object=None if one.object is None else entity(one.object),
            value=secret_free_value(one.predicate, one.value, redactor, counts),
            quote=None if one.quote is None else free(one.quote),
            time_text=None if one.time_text is None else free(one.time_text),
            mentions=tuple(map(entity, one.mentions)),
        )

    return replace(
        extraction,
        drafts=tuple(map(draft, extraction.drafts)),
        rejections=tuple(Rejection(free(r.item), free(r.reason)) for r in extraction.rejections),
        notes=tuple(Note(free(note.item), free(note.remark)) for note in extraction.notes),
    )
