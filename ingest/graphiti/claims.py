"""From one fact of Graphiti to the claims that it amounts to, each at its transaction time.

Graphiti keeps one row per fact and overwrites it. The row still tells when the fact was first
believed (`created_at`), when its end was learnt (`expired_at`) and what supported it; from these
the claims are replayed:

- each supporting episode claims the fact: those that were there at `created_at` then, those that
  came later when they came;
- before `expired_at` the fact is claimed without an end. At `expired_at` the episode that ended
  it denies it from `invalid_at` on, so that retracting that episode opens it again. Where other
  facts say the same of the same two entities, a denial would end them too: then each claim is
  corrected by one that ends at `invalid_at`. Where there is no `invalid_at`, or none after the
  start, the claims are retracted;
- an `invalid_at` without an `expired_at`, or one that expired no later than it was created, was
  part of the fact from the first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bitempo.engine.errors import InvalidRecordError, PolicyError
from bitempo.engine.model import AssertionDraft, Cardinality, EntityRef, Literal, Polarity
from bitempo.engine.names import digest
from bitempo.engine.policy import normalise_predicate
from bitempo.engine.time import BEGINNING, Instant
from bitempo.ingest.graphiti.model import EXTRACTOR, GraphitiFact
from bitempo.ingest.graphiti.scope import id_of

UNNAMED = "RELATES_TO"
"""The predicate of a fact whose own name cannot be one."""


@dataclass(frozen=True, slots=True)
class Supporter:
    """An episode that supports a fact: when it was recorded, and when it happened."""

    id: str
    created_at: Instant
    occurred_at: Instant


@dataclass(frozen=True, slots=True)
class Taken:
    """How a fact stood at an earlier import: the row, and the assertions that speak for it.

    `claims` maps a supporter's id to the id of its latest claim; those of the supporters in
    `retracted` have been retracted here since, and stay so. `denial` is what ends them, if they
    are without an end themselves.
    """

    fact: GraphitiFact
    claims: Mapping[str, str]
    denial: str | None = None
    retracted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Setting:
    """What surrounds a fact: its entities, its supporters, and the episode that ended it.

    `alone` is whether no other fact says the same of the same entities from before its end;
    `late` is the transaction time of changes that carry none of their own.
    """

    subject: EntityRef
    object: EntityRef | None
    value: Literal | None
    supporters: Sequence[Supporter]
    ended_by: str | None
    alone: bool
    late: Instant
    taken: Taken | None = None


@dataclass(slots=True)
class Stage:
    """What to write about a fact at one transaction time."""

    at: Instant
    drafts: list[AssertionDraft] = field(default_factory=list)
    retract: list[str] = field(default_factory=list)


def check(fact: GraphitiFact) -> None:
    """Check that the fact's own times allow it to hold at all.

    Raises:
        InvalidRecordError: it ends before it starts, and nothing says when that was learnt.
    """
    if fact.expired_at is None and _is_empty(fact):
        raise InvalidRecordError("its invalid_at is not after its valid_at, so it never held")


def stages(fact: GraphitiFact, setting: Setting) -> tuple[list[Stage], Taken]:
    """What to write, in order of transaction time, and how the fact stands at the end."""
    return _Telling(fact, setting).run()


def predicate_of(fact: GraphitiFact) -> str:
    """The predicate that the fact's name becomes."""
    try:
        return normalise_predicate(fact.name)
    except PolicyError:
        return UNNAMED


@dataclass(frozen=True, slots=True)
class _Said:
    """What is claimed of a fact over one stretch of transaction time."""

    predicate: str
    text: str
    subject: str | None
    object: str | None
    valid_from: Instant | None
    valid_to: Instant | None


class _Telling:
    """Goes through the transaction times of a fact, keeping which assertions speak for it."""

    def __init__(self, fact: GraphitiFact, setting: Setting) -> None:
        self._fact = fact
        self._setting = setting
        self._taken = setting.taken or Taken(fact, {})
        self._claims = dict(self._taken.claims)
        self._denial = self._taken.denial
        self._stages: dict[Instant, Stage] = {}

    def run(self) -> tuple[list[Stage], Taken]:
        said, changes = self._changes()
        told = self._claims.keys()
        waiting = sorted(
            (s for s in self._setting.supporters if s.id not in told),
            key=lambda s: (s.created_at, s.id),
        )
        for at, becomes in changes:
            arrived = [s for s in waiting if s.created_at < at]
            waiting = waiting[len(arrived) :]
            if said is None and becomes is not None:
                self._claim_again(at, arrived, becomes)
            else:
                self._claim(arrived, said)
                self._change(at, said, becomes)
            said = becomes
        self._claim(waiting, said)
        stages = sorted(self._stages.values(), key=lambda stage: stage.at)
        return stages, Taken(self._fact, self._claims, self._denial)

    def _changes(self) -> tuple[_Said | None, list[tuple[Instant, _Said | None]]]:
        """What was said at first, and what it became when."""
        fact, taken = self._fact, self._setting.taken
        final = self._final(fact)
        if taken is not None:
            before = self._final(taken.fact)
            apart = taken.denial is None or self._setting.alone
            if before == final and fact.expired_at == taken.fact.expired_at and apart:
                return final, []
            newly = fact.expired_at is not None and taken.fact.expired_at is None
            at = fact.expired_at if newly and fact.expired_at is not None else self._setting.late
            return before, [(at, final)]
        if fact.expired_at is None or fact.expired_at <= fact.created_at:
            return final, []
        return self._said(fact, None), [(fact.expired_at, final)]

    def _final(self, fact: GraphitiFact) -> _Said | None:
        if _is_empty(fact) or (fact.expired_at is not None and fact.invalid_at is None):
            return None
        return self._said(fact, fact.invalid_at)

    def _said(self, fact: GraphitiFact, end: Instant | None) -> _Said:
        setting = self._setting
        object = setting.object.id if setting.object else None
        return _Said(predicate_of(fact), fact.fact, setting.subject.id, object, fact.valid_at, end)

    def _claim(self, supporters: Sequence[Supporter], said: _Said | None) -> None:
        if said is None:
            return
        for supporter in supporters:
            draft = self._draft(said, (supporter.id,), key_of(self._fact.uuid, supporter.id))
            at = max(supporter.created_at, self._fact.created_at)
            self._stage(at).drafts.append(draft)
            self._claims[supporter.id] = f"{supporter.id}#{draft.key}"

    def _claim_again(self, at: Instant, supporters: Sequence[Supporter], said: _Said) -> None:
        """Graphiti holds again what it had withdrawn; the old claims stay retracted."""
        for supporter in supporters:
            key = f"{key_of(self._fact.uuid, supporter.id)}.{digest('again', repr(said))[:8]}"
            self._stage(at).drafts.append(self._draft(said, (supporter.id,), key))
            self._claims[supporter.id] = f"{supporter.id}#{key}"

    def _change(self, at: Instant, before: _Said | None, becomes: _Said | None) -> None:
        stage = self._stage(at)
        standing = {
            supporter: claim
            for supporter, claim in sorted(self._claims.items())
            if supporter not in self._taken.retracted
        }
        if becomes is not None and self._can_deny(before, becomes, standing):
            self._deny(stage, becomes, list(standing))
            return
        if self._denial is not None:
            stage.retract.append(self._denial)
            self._denial = None
        if becomes is None:
            stage.retract.extend(standing.values())
            for supporter in standing:
                del self._claims[supporter]
            return
        for supporter, claim in standing.items():
            self._correct(stage, becomes, supporter, claim)

    def _can_deny(self, before: _Said | None, becomes: _Said, supporters: Collection[str]) -> bool:
        """Whether a denial of what goes on after the end says just what has become of it."""
        if before is None or becomes.valid_to is None or not self._setting.alone:
            return False
        unended = before.valid_to is None or self._denial is not None
        if not unended or replace(before, valid_to=becomes.valid_to) != becomes:
            return False
        occurred = {s.id: s.occurred_at for s in self._setting.supporters}
        return becomes.valid_from is not None or all(
            occurred.get(supporter, becomes.valid_to) < becomes.valid_to for supporter in supporters
        )

    def _deny(self, stage: Stage, becomes: _Said, supporters: Sequence[str]) -> None:
        if not supporters:
            return
        by = self._setting.ended_by
        evidence = (by,) if by else tuple(supporters)
        key = f"{key_of(self._fact.uuid, evidence[0])}.{digest('end', repr(becomes))[:8]}"
        denied = replace(becomes, valid_from=becomes.valid_to, valid_to=None)
        draft = self._draft(denied, evidence, key, corrects=self._denial)
        text = f"no longer: {becomes.text}"
        stage.drafts.append(replace(draft, polarity=Polarity.NEGATIVE, text=text))
        self._denial = f"{evidence[0]}#{key}"

    def _correct(self, stage: Stage, becomes: _Said, supporter: str, claim: str) -> None:
        evidence = self._setting.ended_by or supporter
        key = f"{key_of(self._fact.uuid, evidence)}.{digest(claim, repr(becomes))[:8]}"
        said = becomes
        if said.valid_from is None and evidence != supporter:
            # The start is inferred from when it was told, not from when it was ended.
            occurred = {s.id: s.occurred_at for s in self._setting.supporters}
            said = _starting(said, occurred.get(supporter))
        stage.drafts.append(self._draft(said, (evidence,), key, corrects=claim))
        self._claims[supporter] = f"{evidence}#{key}"

    def _draft(
        self, said: _Said, evidence: tuple[str, ...], key: str, corrects: str | None = None
    ) -> AssertionDraft:
        return AssertionDraft(
            subject=self._setting.subject,
            predicate=said.predicate,
            object=self._setting.object,
            value=self._setting.value,
            text=said.text,
            evidence=evidence,
            key=key,
            valid_from=said.valid_from,
            valid_to=said.valid_to,
            corrects=corrects,
            # Graphiti has no slots: a fact ends only when it says so itself.
            cardinality=Cardinality.MANY,
            extractor=EXTRACTOR,
        )

    def _stage(self, at: Instant) -> Stage:
        return self._stages.setdefault(at, Stage(at))


def key_of(uuid: str, evidence: str) -> str:
    """The key of a fact's claim within an episode: its uuid.

    An export of ours makes uuids of the ids of assertions, which come back as they were.
    """
    id = id_of(uuid)
    key = id.removeprefix(f"{evidence}#")
    return key if "#" not in key else digest(id)


def _starting(said: _Said, occurred: Instant | None) -> _Said:
    known = occurred is not None and (said.valid_to is None or occurred < said.valid_to)
    start = occurred if known else BEGINNING
    return replace(said, valid_from=start)


def _is_empty(fact: GraphitiFact) -> bool:
    return (
        fact.valid_at is not None
        and fact.invalid_at is not None
        and fact.invalid_at <= fact.valid_at
    )
