"""Which earlier claim a correction takes back, and what is claimed in its place.

A correction that is a full sentence names its predicate itself. An elliptic one ("I meant X, not
Y", "not June, it was March") is settled against what the same speaker said shortly before: the
latest draft whose value, or whose time, is what it takes back. That draft is said again with the
new value, or with its own sentence read at the new time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import AssertionDraft, Correction, EntityRef, Polarity
from bitempo.engine.names import normalise_name
from bitempo.ingest.rules.language import CorrectionCue, LanguageRules, Sentence
from bitempo.ingest.rules.reading import Unit, read_unit
from bitempo.ingest.rules.times import TimeFinder


def marked(
    drafts: Sequence[AssertionDraft], cue: CorrectionCue, earlier: Sequence[AssertionDraft]
) -> list[AssertionDraft]:
    """The drafts of a full sentence, those that correct something marked so.

    With an explicit cue every typed positive draft corrects. With a soft one ("Actually, ...")
    only a draft whose predicate the same subject filled otherwise shortly before.
    """
    result = []
    for draft in drafts:
        corrects: Correction | None = None
        if draft.inferred and draft.polarity is Polarity.POSITIVE and draft.predicate != "PLANS_TO":
            before = _latest(draft, earlier)
            if cue.explicit:
                corrects = Correction(cue.wrong or (answer(before) if before else None))
            elif before is not None and _differs(before, draft):
                corrects = Correction(answer(before))
        result.append(replace(draft, corrects=corrects) if corrects else draft)
        if corrects and before is not None and corrects.value in (None, answer(before)):
            # All that the earlier sentence said of it is taken back: since when, and that it holds.
            told = [one for one in earlier if _same_claim(one, before)]
            told = [one for one in told if one.evidence == before.evidence]
            said = [one for one in drafts if _same_claim(one, draft)]
            if draft is said[-1]:
                again = max(0, len(told) - len(said))
                result.extend(replace(draft, corrects=corrects) for _ in range(again))
    return result


def settled(
    unit: Unit,
    cue: CorrectionCue,
    earlier: Sequence[tuple[AssertionDraft, Unit]],
    language: LanguageRules,
    find_times: TimeFinder,
    extractor: str,
) -> list[AssertionDraft]:
    """What an elliptic correction says again; empty where nothing it could mean was said."""
    if cue.right is None:
        return []
    own = [pair for pair in earlier if pair[1].speaker == unit.speaker]
    wrong = cue.wrong
    if wrong is None:
        latest = next((draft for draft, _ in reversed(own) if _answers(draft)), None)
        if latest is not None and _misplaced(latest, cue.right, earlier):
            return []
        of_time = latest is not None and _is_time(answer(latest) or "", own, find_times)
        if _is_time(cue.right, own, find_times) and not of_time:
            # "I mean July": of all that was said it can only take back a time.
            timed = next((draft for draft, _ in reversed(own) if draft.time_text), None)
            if timed is None or timed.time_text is None:
                return []
            right, wrong = cue.right, timed.time_text
            return list(_with_time(unit, right, wrong, own, language, find_times, extractor))
    redone = _with_value(unit, cue.right, wrong, own)
    if not redone and wrong is not None:
        return list(_with_time(unit, cue.right, wrong, own, language, find_times, extractor))
    return redone


def answer(draft: AssertionDraft) -> str | None:
    """The object's name or the value as text."""
    if draft.object is not None:
        return draft.object.name
    return None if draft.value is None else str(draft.value)


def _with_value(
    unit: Unit, right: str, wrong: str | None, earlier: Sequence[tuple[AssertionDraft, Unit]]
) -> list[AssertionDraft]:
    """The latest typed claim with the wrong value, with the right one in its place.

    A claim may be of two drafts: since when, and that it holds when told. Both are redone.
    """
    for draft, said in reversed(earlier):
        if not _answers(draft):
            continue
        if wrong is None:
            # "I meant Porto": it can only be the latest claim, and only of the same sort of thing.
            named = draft.object is not None or draft.predicate == "NAME"
            if named != right[:1].isupper():
                return []
        elif _same(answer(draft) or "", wrong) is False:
            continue
        told = [other for other, of in earlier if of is said and _same_claim(other, draft)]
        return [_said_again(other, unit, right) for other in told]
    return []


def _answers(draft: AssertionDraft) -> bool:
    """Whether the draft is a typed claim with a value that can be taken back."""
    return draft.inferred and draft.polarity is Polarity.POSITIVE and bool(answer(draft))


def _misplaced(
    latest: AssertionDraft, right: str, earlier: Sequence[tuple[AssertionDraft, Unit]]
) -> bool:
    """Whether `right` is somebody the conversation knows, where a place or the like was told."""
    if latest.object is None or latest.object.type == "person":
        return False
    people = {
        entity.name
        for draft, said in earlier
        for entity in (said.speaker, draft.subject, draft.object, *draft.mentions)
        if entity is not None and entity.type == "person"
    }
    return any(_same(name, right) or _same(name.split(" ")[0], right) for name in people)


def _is_time(
    text: str, earlier: Sequence[tuple[AssertionDraft, Unit]], find_times: TimeFinder
) -> bool:
    """Whether the text is a time and nothing else: by itself, or where the latest time was told,
    since a bare "April" or "2019" need not be one but is after "in"."""
    timed = next(((draft, said) for draft, said in reversed(earlier) if draft.time_text), None)
    places = [(0, text)]
    if timed is not None and timed[0].time_text:
        at = timed[1].text.find(timed[0].time_text)
        rest = timed[1].text[at + len(timed[0].time_text) :]
        places += [(at, timed[1].text[:at] + text + rest)] if at >= 0 else []
    said_at = earlier[-1][1].episode.occurred_at if earlier else 0
    return any(
        time.start <= start and start + len(text) <= time.end
        for start, whole in places
        for time in find_times(whole, said_at)
    )


def _said_again(draft: AssertionDraft, unit: Unit, right: str) -> AssertionDraft:
    text = re.sub(r"\s+", " ", unit.text)
    old = answer(draft)
    if draft.object is not None:
        name = right if right[:1].isupper() else right.title()
        changed = replace(draft, object=EntityRef(name, draft.object.type))
    else:
        value: str | int = right
        if isinstance(draft.value, int) and right.isdecimal() and len(right) < 6:
            value = int(right)
        changed = replace(draft, value=value)
    return replace(
        changed,
        text=text,
        quote=unit.text,
        evidence=(unit.episode.id,),
        corrects=Correction(old),
        mentions=(),
    )


def _with_time(
    unit: Unit,
    right: str,
    wrong: str,
    earlier: Sequence[tuple[AssertionDraft, Unit]],
    language: LanguageRules,
    find_times: TimeFinder,
    extractor: str,
) -> Iterator[AssertionDraft]:
    """The drafts of the latest sentence that told the wrong time, read at the right one."""
    pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)", re.IGNORECASE)
    source = next(
        (
            pair
            for pair in reversed(earlier)
            if pair[0].time_text and pattern.search(pair[0].time_text)
        ),
        None,
    )
    if source is None:
        return
    said = source[1]
    old_drafts = [draft for draft, of in earlier if of is said and draft.time_text]
    words = pattern.sub(lambda _: right, said.text, count=1)
    moved = Unit(Sentence(words, 0, len(words)), said.episode, said.speaker)
    text = re.sub(r"\s+", " ", unit.text)
    for new in read_unit(moved, language, find_times, extractor):
        old = next((draft for draft in old_drafts if _restates(draft, new)), None)
        if old is not None:
            # The sentence with the right time in it was never said: it is only read, not kept.
            yield replace(
                new,
                text=text,
                value=new.value if new.inferred else text,
                quote=unit.text,
                evidence=(unit.episode.id,),
                corrects=Correction(answer(old)),
            )


def _same_claim(one: AssertionDraft, other: AssertionDraft) -> bool:
    return (one.subject, one.predicate, one.polarity, answer(one)) == (
        other.subject,
        other.predicate,
        other.polarity,
        answer(other),
    )


def _restates(old: AssertionDraft, new: AssertionDraft) -> bool:
    same_slot = (old.subject, old.predicate, old.polarity) == (
        new.subject,
        new.predicate,
        new.polarity,
    )
    return same_slot and (not new.inferred or answer(old) == answer(new))


def _latest(draft: AssertionDraft, earlier: Sequence[AssertionDraft]) -> AssertionDraft | None:
    for before in reversed(earlier):
        if (
            before.predicate == draft.predicate
            and before.subject == draft.subject
            and before.polarity is Polarity.POSITIVE
        ):
            return before
    return None


def _differs(one: AssertionDraft, other: AssertionDraft) -> bool:
    return not _same(answer(one) or "", answer(other) or "")


def _same(one: str, other: str) -> bool:
    try:
        return normalise_name(one) == normalise_name(other)
    except InvalidInputError:
        return False
