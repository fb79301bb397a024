"""How well names are resolved: pairwise precision and recall of what is taken for one thing.

    python -m benchmarks.resolution [--shared FOLDER] [--json] [--show]

Measured through the whole path of ingest into a store in memory, by rules alone:

- `labelled`: mentions of people, pets, places and groups in LoCoMo conversations, labelled by
  reading (tests/resolution/labelled.jsonl). Two of the four conversations were held out while the
  rules were written;
- `recorded`: the entities of recorded extractions, every alias a mention of its own. The lists of
  aliases are the labels, and they are not given to the resolver;
- `aliases`: the same with the aliases given, as a model's reply gives them.
- `asked`: what a model that is always right adds to the first two, with what it is asked, and what
  it adds when an embedder finds more to ask about (`--embedder`).

A pair of different names is right when both are one thing by the labels. Pairs of one and the
same name are left out: they need no resolution.
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bitempo import Memory, load_sessions
from bitempo.engine.embedding import Embedder
from bitempo.engine.model import AssertionDraft, EntityRef
from bitempo.engine.names import normalise_name
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.ingest.embedders import open_embedder
from bitempo.ingest.extraction import Extraction, Window
from bitempo.ingest.metering import Meter
from bitempo.ingest.resolution import Decider, EntityMatcher
from bitempo.ingest.resolution.model import Question
from bitempo.ingest.sessions import SourceSession, parse_messages

SHARED = Path(os.environ.get("BITEMPO_SHARED", Path(__file__).resolve().parents[2] / "shared"))
LABELLED = Path(__file__).resolve().parents[1] / "tests" / "resolution" / "labelled.jsonl"
HELD_OUT = ("conv-30", "conv-42")
"""Conversations whose labels were not looked at while the rules were written."""

RECORDED = ("conv-26", "conv-30", "conv-41", "conv-42", "knowledge_update")


@dataclass(frozen=True)
class Said:
    """A mention: the turn that makes it, the name it uses, and what it really means."""

    turn: str
    ref: EntityRef
    meant: str
    drafts: tuple[AssertionDraft, ...] = ()


@dataclass
class Quality:
    """How many pairs of mentions were taken for one thing, and how many are."""

    right: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    pairs: int = 0

    def add(self, other: Quality) -> None:
        """Count the pairs of another conversation too."""
        self.right += other.right
        self.wrong += other.wrong
        self.missed += other.missed
        self.pairs += other.pairs

    @property
    def precision(self) -> float:
        """The share of the pairs taken for one thing that are."""
        found = self.right + len(self.wrong)
        return self.right / found if found else 1.0

    @property
    def recall(self) -> float:
        """The share of the pairs that are one thing which were found."""
        there = self.right + len(self.missed)
        return self.right / there if there else 1.0

    def shown(self) -> dict[str, float | int]:
        """The figures, for people and machines."""
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "right": self.right,
            "wrong": len(self.wrong),
            "missed": len(self.missed),
            "pairs": self.pairs,
        }


def measured(
    shared: Path, *, asked: bool = False, embedder: Embedder | None = None
) -> dict[str, Quality]:
    """All measures by name; files that are not there are an error that names them.

    Args:
        shared: the folder of the shared data.
        asked: measure too what a model that is always right would add.
        embedder: finds what that model is asked about by likeness too.
    """
    conversations = locomo(shared / "data" / "locomo_dev.json")
    results: dict[str, Quality] = {}
    for part in ("labelled, seen", "labelled, held out"):
        results[part] = Quality()
    for name, said in labelled().items():
        part = "labelled, held out" if name in HELD_OUT else "labelled, seen"
        results[part].add(resolve(conversations[name], said))
        if asked:
            whole = results.setdefault("labelled, asked", Quality())
            whole.add(resolve(conversations[name], said, ByLabels(said), embedder))
    histories = knowledge_update(shared / "data" / "longmemeval_oracle_dev.json.xz")
    for label, given in (("recorded", False), ("aliases", True)):
        results[label] = Quality()
        for file in RECORDED:
            path = shared / "data" / "extractions" / f"{file}.jsonl"
            for name, lines in recorded(path, file).items():
                sessions = conversations.get(name) or histories[name]
                said = mentions(name, lines, given=given)
                results[label].add(resolve(sessions, said))
                if asked and not given:
                    whole = results.setdefault("recorded, asked", Quality())
                    whole.add(resolve(sessions, said, ByLabels(said), embedder))
    return results


def resolve(
    sessions: Sequence[SourceSession],
    said: Sequence[Said],
    decider: Decider | None = None,
    embedder: Embedder | None = None,
) -> Quality:
    """Take the sessions in, and compare what became one thing with what is."""
    by_turn: dict[str, list[Said]] = defaultdict(list)
    for one in said:
        by_turn[one.turn].append(one)
    store = SqliteStore(":memory:")
    resolver = EntityMatcher(decider, embedder)
    with Memory(store, extractor=Mentions(by_turn), resolver=resolver) as memory:
        tenant = memory.tenant("benchmark")
        report = tenant.ingest(sessions)
        assert not report.failed, report.failed
        assert not report.rejections, report.rejections
        with store.read(tenant.name) as reader:
            one_with = reader.identities(None, report.last_tx or 0)
            entities = {
                (one.turn, one.ref.name): reader.assertions([f"{one.turn}#{number}"])
                for turn in by_turn.values()
                for number, one in enumerate(turn)
            }
    found = {
        mention: one_with.get(assertion.subject, assertion.subject)
        for mention, made in entities.items()
        for assertion in made.values()
    }
    return compared(said, found)


class Mentions:
    """An extractor that finds the given mentions."""

    name = "benchmark/1"

    def __init__(self, said: Mapping[str, Sequence[Said]]) -> None:
        self._said = said

    def extract(self, window: Window) -> Extraction:
        """The mentions of the window's turns, and the claims that they are part of."""
        drafts = [
            draft
            for turn in window.episodes
            for number, one in enumerate(self._said.get(turn.id, ()))
            for draft in (_mentioning(one, number), *one.drafts)
        ]
        return Extraction(self.name, tuple(drafts))


class ByLabels:
    """A decider that is always right, by the labels."""

    name = "labels"

    def __init__(self, said: Sequence[Said]) -> None:
        self._meant = {normalise_name(one.ref.name): one.meant for one in said}

    def same(self, questions: Sequence[Question], meter: Meter) -> Mapping[int, str]:
        """The questions whose two names are labelled as one thing."""
        del meter
        return {
            index: "by the labels"
            for index, question in enumerate(questions)
            if self._of(question.new.name) is not None
            and self._of(question.new.name) == self._of(question.known.name)
        }

    def _of(self, name: str) -> str | None:
        return self._meant.get(normalise_name(name))


def _mentioning(said: Said, number: int) -> AssertionDraft:
    return AssertionDraft(
        subject=said.ref,
        predicate="MENTIONED",
        value=True,
        text=f"{said.ref.name} is mentioned.",
        evidence=(said.turn,),
        key=str(number),
    )


def compared(said: Sequence[Said], found: Mapping[tuple[str, str], str]) -> Quality:
    """The pairs of different names, by what they mean and by what they were taken for."""
    quality = Quality()
    distinct = {(normalise_name(one.ref.name), one.meant): one for one in reversed(said)}
    for a, b in itertools.combinations(distinct.values(), 2):
        if normalise_name(a.ref.name) == normalise_name(b.ref.name) and a.meant == b.meant:
            continue
        same = found[a.turn, a.ref.name] == found[b.turn, b.ref.name]
        pair = (f"{a.turn} {a.ref.name}", f"{b.turn} {b.ref.name}")
        quality.pairs += 1
        quality.right += same and a.meant == b.meant
        if same and a.meant != b.meant:
            quality.wrong.append(pair)
        if not same and a.meant == b.meant:
            quality.missed.append(pair)
    return quality


def locomo(file: Path) -> dict[str, list[SourceSession]]:
    """The sessions by conversation."""
    conversations: dict[str, list[SourceSession]] = defaultdict(list)
    for session in load_sessions(file):
        assert isinstance(session, SourceSession), session
        conversations[session.id.partition("/")[0]].append(session)
    return conversations


def labelled() -> dict[str, list[Said]]:
    """The labelled mentions by conversation."""
    said: dict[str, list[Said]] = defaultdict(list)
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        name = label["conversation"]
        ref = EntityRef(label["name"], label["type"])
        said[name].append(Said(f"{name}/{label['turn']}", ref, label["entity"]))
    return said


def recorded(path: Path, file: str) -> dict[str, list[dict[str, Any]]]:
    """The lines of a file of recorded extractions, by conversation or question."""
    lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        lines[line.get("question_id", file)].append(line)
    return lines


def mentions(name: str, lines: Sequence[Mapping[str, Any]], *, given: bool) -> list[Said]:
    """Every entity of the recorded claims, where first spoken of, and every alias of it."""
    named: dict[str, Mapping[str, Any]] = {}
    said: list[Said] = []
    for line in lines:
        for entity in line["entities"]:
            named.setdefault(normalise_name(entity["name"]), entity)
        here = {normalise_name(entity["name"]): entity for entity in line["entities"]}
        for claim in line["assertions"]:
            turn = f"{name}/{claim['evidence'][0]}"
            for part in ("subject", "object"):
                key = normalise_name(claim[part]) if claim[part] else ""
                entity = here.get(key) or named.get(key)
                if entity is None:
                    continue
                aliases = tuple(entity["aliases"]) if given else ()
                ref = EntityRef(entity["name"], entity["type"], aliases)
                said.append(Said(turn, ref, key, (_claim(claim, turn, part, ref, named),)))
                if key in here:
                    said += _aliases(here.pop(key), turn, key)
    return _unambiguous(said)


def _aliases(entity: Mapping[str, Any], turn: str, meant: str) -> Iterator[Said]:
    for alias in entity["aliases"]:
        yield Said(turn, EntityRef(alias, entity["type"]), meant)


def _claim(
    claim: Mapping[str, Any],
    turn: str,
    part: str,
    ref: EntityRef,
    named: Mapping[str, Mapping[str, Any]],
) -> AssertionDraft:
    """The claim itself, so that the resolver knows what a model would have told it."""

    def of(name: str) -> EntityRef:
        entity = named.get(normalise_name(name))
        return ref if entity is None else EntityRef(entity["name"], entity["type"])

    return AssertionDraft(
        subject=of(claim["subject"]),
        predicate=claim["predicate"],
        object=of(claim["object"]) if claim["object"] else None,
        value=None if claim["object"] else claim["value"],
        text=claim["text"],
        evidence=(turn,),
        key=f"{claim['id'].replace('#', '-')}-{part}",
        quote=claim["quote"],
    )


def _unambiguous(said: Sequence[Said]) -> list[Said]:
    """Without the aliases that the file itself gives to two things ("the group")."""
    meant: dict[str, set[str]] = defaultdict(set)
    for one in said:
        meant[normalise_name(one.ref.name)].add(one.meant)
    kept: dict[tuple[str, str], Said] = {}
    for one in said:
        if len(meant[normalise_name(one.ref.name)]) == 1:
            kept.setdefault((one.turn, one.ref.name), one)
    return list(kept.values())


def knowledge_update(file: Path) -> dict[str, list[SourceSession]]:
    """The sessions by question, with turns named as the recorded extractions name them."""
    with lzma.open(file, "rt", encoding="utf-8") as text:
        questions = json.load(text)
    histories: dict[str, list[SourceSession]] = {}
    for question in questions:
        name = question["question_id"]
        dated = sorted(
            zip(question["haystack_dates"], question["haystack_sessions"], strict=True),
            key=lambda pair: pair[0],
        )
        histories[name] = [
            _history(name, number, stamp, turns)
            for number, (stamp, turns) in enumerate(dated, start=1)
        ]
    return histories


def _history(
    name: str, number: int, stamp: str, turns: Sequence[Mapping[str, Any]]
) -> SourceSession:
    day, _, clock = stamp.partition(" (")
    messages = [
        {"role": turn["role"], "content": turn["content"], "id": f"{name}/S{number}:{index}"}
        for index, turn in enumerate(turns, start=1)
    ]
    started = f"{day.replace('/', '-')}T{clock.rpartition(' ')[2]}:00Z"
    return parse_messages(messages, session=f"{name}/{number}", started_at=started)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder of the shared data")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--show", action="store_true", help="also print what is wrong or missed")
    parser.add_argument("--embedder", default="none", help="for what a model is asked about")
    chosen = parser.parse_args(arguments)
    embedder = open_embedder(chosen.embedder)
    results = measured(chosen.shared, asked=True, embedder=embedder)
    if chosen.json:
        print(json.dumps({name: quality.shown() for name, quality in results.items()}))
        return
    for name, quality in results.items():
        shown = quality.shown()
        print(
            f"{name:20} precision {100 * quality.precision:5.1f} %  recall "
            f"{100 * quality.recall:5.1f} %  ({shown['right']} right, {shown['wrong']} wrong, "
            f"{shown['missed']} missed of {shown['pairs']} pairs)"
        )
        if chosen.show:
            for kind, pairs in (("wrong", quality.wrong), ("missed", quality.missed)):
                for a, b in pairs:
                    print(f"  {kind}: {a} | {b}")


if __name__ == "__main__":
    main()
