"""Which claims of an extraction can be applied: a malformed one is rejected alone, with a reason.

An extractor may be a model, so nothing that it returns is taken on trust, not even its types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from bitempo.engine.errors import IngestError, InvalidInputError
from bitempo.engine.model import Assertion, AssertionDraft
from bitempo.engine.names import clean_text
from bitempo.engine.place import assertion_id, validate
from bitempo.engine.store.port import Reader
from bitempo.engine.time import BEGINNING, FOREVER, Interval
from bitempo.ingest.extraction import Extraction, Note, Rejection, Window
from bitempo.ingest.trust import as_trusted

_LONGEST_ITEM = 500
_DRAFT = TypeAdapter(AssertionDraft)


def well_typed(extraction: object, extractor: str) -> Extraction:
    """The extraction with only the drafts that are what their type says, as JSON keeps them.

    Raises:
        IngestError: it is no `Extraction` at all.
    """
    if not isinstance(extraction, Extraction):
        raise IngestError(
            f"{extractor} returned {type(extraction).__name__}, and must return an Extraction"
        )
    drafts: list[AssertionDraft] = []
    rejections = [_readable(rejection) for rejection in extraction.rejections]
    for draft in extraction.drafts:
        try:
            drafts.append(_DRAFT.validate_json(_DRAFT.dump_json(draft, warnings="error")))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            rejections.append(_rejection(draft, f"malformed: {error}"))
    return Extraction(
        clean_text(str(extraction.extractor)),
        tuple(drafts),
        tuple(rejections),
        tuple(_readable_note(note) for note in extraction.notes),
        clean_text(str(extraction.resolver)),
    )


def sound(
    drafts: Sequence[AssertionDraft], window: Window, reader: Reader
) -> tuple[tuple[AssertionDraft, ...], list[Rejection]]:
    """The drafts that can be applied with the window's episodes, and why others cannot."""
    rejections: list[Rejection] = []
    valid = as_trusted(_valid(drafts, rejections), (*window.context, *window.episodes))
    cited = {id for draft in valid for id in draft.evidence}
    told = {episode.id for episode in window.episodes}
    told |= reader.episodes(cited - told).keys()
    stored = reader.assertions([assertion_id(draft) for draft in valid])
    distinct: dict[str, AssertionDraft] = {}
    for draft in valid:
        id = assertion_id(draft)
        unknown = [episode for episode in draft.evidence if episode not in told]
        if unknown:
            rejections.append(_rejection(draft, f"there is no episode {unknown[0]!r}"))
        elif _taken(id, draft, distinct, stored):
            rejections.append(_rejection(draft, f"another assertion has the id {id!r}"))
        else:
            distinct[id] = draft
    _drop_vain_corrections(distinct, reader, rejections)
    _drop_distrusted_corrections(distinct, reader, rejections)
    return tuple(distinct.values()), rejections


def _valid(
    drafts: Iterable[AssertionDraft], rejections: list[Rejection]
) -> Iterable[AssertionDraft]:
    for draft in drafts:
        try:
            validate(draft)
            Interval(
                BEGINNING if draft.valid_from is None else draft.valid_from,
                FOREVER if draft.valid_to is None else draft.valid_to,
            )
        except InvalidInputError as error:
            rejections.append(_rejection(draft, str(error)))
        else:
            yield draft


def _taken(
    id: str,
    draft: AssertionDraft,
    distinct: Mapping[str, AssertionDraft],
    stored: Mapping[str, Assertion],
) -> bool:
    if id in stored:
        return stored[id].text != clean_text(draft.text)
    return distinct.get(id, draft) != draft


def _drop_vain_corrections(
    drafts: dict[str, AssertionDraft], reader: Reader, rejections: list[Rejection]
) -> None:
    """Take out what corrects nothing on record, and then what corrects one of those."""
    named = {id: d.corrects for id, d in drafts.items() if isinstance(d.corrects, str)}
    stored = reader.assertions(set(named.values()))
    while True:
        known = drafts.keys() | stored.keys()
        vain = [id for id, target in named.items() if target == id or target not in known]
        if not vain:
            return
        for id in vain:
            reason = f"there is no assertion {named.pop(id)!r} to correct"
            rejections.append(_rejection(drafts.pop(id), reason))


def _drop_distrusted_corrections(
    drafts: dict[str, AssertionDraft], reader: Reader, rejections: list[Rejection]
) -> None:
    """Leave what corrects something more trusted as a claim that corrects nothing."""
    named = {id: d.corrects for id, d in drafts.items() if isinstance(d.corrects, str)}
    trust = {id: draft.trust for id, draft in drafts.items()}
    trust |= {id: a.trust for id, a in reader.assertions(set(named.values())).items()}
    vain = [id for id, target in named.items() if trust[target] > drafts[id].trust]
    targets = set(named.values()) - {named[id] for id in vain}
    for id in vain:
        draft, target = drafts[id], named[id]
        drafts[id] = replace(draft, corrects=None)
        rejections.append(
            _rejection(
                draft,
                f"corrects nothing: it is trusted less ({draft.trust}) than what it would "
                f"correct ({trust[target]}); the claim itself was taken",
            )
        )
        # A claim that corrects several assertions is there once for each.
        others = [d for other, d in drafts.items() if other != id]
        if id not in targets and any(_alike(drafts[id], other) for other in others):
            del drafts[id]


def _alike(one: AssertionDraft, other: AssertionDraft) -> bool:
    return replace(other, corrects=None, key=one.key) == one


def _rejection(item: object, reason: str) -> Rejection:
    text = item.text if isinstance(item, AssertionDraft) else item
    return _readable(Rejection(text if isinstance(text, str) else repr(text), reason))


def _readable(rejection: object) -> Rejection:
    """A rejection that can be kept, whatever an extractor put in it."""
    if isinstance(rejection, Rejection):
        item, reason = str(rejection.item), str(rejection.reason)
    else:
        item, reason = repr(rejection), "rejected"
    return Rejection(clean_text(item[:_LONGEST_ITEM]), clean_text(reason[:_LONGEST_ITEM]))


def _readable_note(note: object) -> Note:
    """A note that can be kept, whatever an extractor put in it."""
    if not isinstance(note, Note):
        return Note("", clean_text(repr(note)[:_LONGEST_ITEM]))
    item, remark = str(note.item)[:_LONGEST_ITEM], str(note.remark)[:_LONGEST_ITEM]
    return Note(clean_text(item), clean_text(remark))
