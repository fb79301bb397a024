"""English."""

from __future__ import annotations

import re
from functools import lru_cache

from bitempo.ingest.rules.english import home, identity, people, tastes, work
from bitempo.ingest.rules.english.clauses import Clause, clauses
from bitempo.ingest.rules.english.corrections import correction_in
from bitempo.ingest.rules.english.kinds import kind_of, units_of
from bitempo.ingest.rules.english.lexicon import ABBREVIATIONS
from bitempo.ingest.rules.english.mentions import mentions_in
from bitempo.ingest.rules.english.patterns import Line
from bitempo.ingest.rules.english.plans import plan_in
from bitempo.ingest.rules.english.speakers import another_speaker
from bitempo.ingest.rules.english.text import level
from bitempo.ingest.rules.language import (
    CorrectionCue,
    Finding,
    Kind,
    Reading,
    Sentence,
    Shape,
    Tense,
)
from bitempo.ingest.rules.sentences import split_sentences

_FAMILIES = (home, work, people, tastes, identity)
_VERB_RULES = tuple(rule for family in _FAMILIES for rule in family.RULES)
_PHRASE_RULES = (*people.PHRASES, *tastes.PHRASES, *identity.PHRASES)


class English:
    """The rules of English; see `LanguageRules`."""

    code = "en"
    future_cue = "we will "

    def sentences(self, text: str) -> list[Sentence]:
        """The sentences of a turn that are its speaker's own."""
        return split_sentences(text, ABBREVIATIONS)

    def units(self, sentence: Sentence) -> list[Sentence]:
        """The parts of a sentence that stand or fall apart."""
        return units_of(sentence, level(sentence.text))

    def kind(self, sentence: str) -> Kind:
        """What the sentence does."""
        return _kind(sentence)

    def correction(self, sentence: str) -> CorrectionCue | None:
        """Whether and what it corrects."""
        return correction_in(level(sentence))

    def read(self, sentence: str, speaker: str) -> Reading:
        """What the sentence claims."""
        text = _without_quotations(level(sentence))
        line = Line(text, speaker, lower=_LOWER.fullmatch(text) is not None)
        parts = clauses(text)
        kind = self.kind(sentence)
        findings = _findings(line, parts)
        if kind is Kind.REPORTED:
            findings = tuple(found for found in findings if found.subject is not None)
        elif kind is Kind.INSTRUCTION:
            findings = tuple(found for found in findings if found.predicate == "NAME")
        another = another_speaker(text, speaker)
        if another:
            findings = tuple(found for found in findings if found.subject is not None)
        planning = not another and (kind is Kind.STATEMENT or "due" in text)
        return Reading(
            tense=_tense(text, parts),
            ongoing=_ONGOING.search(text) is not None,
            findings=findings,
            plan=plan_in(text) if planning else None,
            mentions=mentions_in(text, speaker, findings),
            importance=_importance(text),
        )


@lru_cache(maxsize=4_096)
def _kind(sentence: str) -> Kind:
    return kind_of(level(sentence))


def _findings(line: Line, parts: list[Clause]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for clause in parts:
        for verb_rule in _VERB_RULES:
            match = verb_rule.pattern.match(line.text, clause.head.main, clause.end)
            if match:
                found.extend(verb_rule.build(line, clause, match))
    for phrase_rule in _PHRASE_RULES:
        for match in phrase_rule.pattern.finditer(line.text):
            found.extend(phrase_rule.build(line, match))
    return _distinct(found)


def _distinct(found: list[Finding]) -> tuple[Finding, ...]:
    """Without repeats; where one is said to hold and to have ended, the end counts."""
    kept: dict[tuple[object, ...], Finding] = {}
    for finding in found:
        key = (finding.subject, finding.predicate, finding.answer)
        if key not in kept or finding.shape is Shape.ENDED:
            kept[key] = finding
    return tuple(kept.values())


_ONGOING = re.compile(
    r"\b(?:[Ii]|[Ww]e)(?:'ve|\s+have)?(?:\s+(?:just|also|only|recently|finally|first|then))*\s+"
    r"(?:started|began|begun|taken\s+up|took\s+up)\s+(?:(?<=up\s)[a-z]|\w+ing\b)"
    r"(?!.*\b(?:stopped|quit|gave up|finished)\b)"
)
_LOWER = re.compile(r"[^A-Z]*")
_QUOTATION = re.compile(r"\"[^\"]{1,600}\"|`[^`]{1,600}`")
_PAST = re.compile(
    r"(?:\w+ed|went|was|were|had|got|made|took|met|saw|bought|found|gave|told|felt|ran|won|lost|"
    r"came|"
    r"began|became|ate|drove|flew|spent|left|thought|brought|wrote|read|built|taught|caught|sold|"
    r"spoke|grew|knew|did|said|held|kept|sang|swam|slept|heard|put|set|hit|hurt|fell|broke|chose|"
    r"drew|wore|threw|rode|stood|understood|sat|sent|paid|fought|forgot|led|lent|hung|shot|shut|"
    r"cut|quit|let|rose|stuck|stumbled)\b",
    re.IGNORECASE,
)
_WEIGHTS = (
    (
        8,
        re.compile(
            r"\b(?:married|wedding|engaged|divorced?|pregnant|born|died|death|passed away|cancer|"
            r"surgery|hospital|diagnosed|allerg\w+|asthma|diabetes|depress\w+|baby)\b",
            re.I,
        ),
    ),
    (
        7,
        re.compile(
            r"\b(?:job|work(?:ing|ed)?|career|promot\w+|hired|fired|moved|house|apartment|degree|"
            r"graduat\w+|school|university|college|husband|wife|son|daughter|mother|father|mom|"
            r"mum|dad|sister|brother|partner|business|adopt\w+)\b",
            re.I,
        ),
    ),
    (5, re.compile(r"\b(?:love|hate|like|enjoy|favou?rite|prefer|hobby|passion\w*)\b", re.I)),
    (
        4,
        re.compile(
            r"\b(?:bought|visited|joined|started|finished|trip|travel\w*|dog|cat|friends?)\b", re.I
        ),
    ),
)


def _without_quotations(text: str) -> str:
    """The text with long quotations and code blanked, length kept; quoted names are left."""

    def blank(match: re.Match[str]) -> str:
        inner = match.group()[1:-1]
        short = len(inner.split()) <= 3 and not re.search(r"\bI\b", inner)
        return match.group() if short and match.group()[0] == '"' else "_" * len(match.group())

    return _QUOTATION.sub(blank, text)


def _tense(text: str, parts: list[Clause]) -> Tense:
    """That of the first clause about the speaker, else of the first verb that looks past."""
    for clause in parts:
        if clause.subject is None:
            head = clause.head
            if head.former:
                return Tense.PAST
            plain = head.tense is Tense.PRESENT and not head.be and not head.modal
            if plain and _PAST.match(text, head.main):
                return Tense.PAST
            return head.tense
    return Tense.PAST if _PAST.search(text) else Tense.PRESENT


def _importance(text: str) -> int:
    return next((weight for weight, pattern in _WEIGHTS if pattern.search(text)), 3)


def english() -> English:
    """The one instance's worth of English; it holds no state."""
    return English()
