"""Clauses of a sentence: who it is about, and the head of what is said of them.

"I no longer live in X and Ana works at Y" gives two clauses; the first with the subject "I", a
negated present head and its main part at "live", the second with the subject Ana. A coordinated
verb ("I moved to X and work at Y") makes a clause of its own with the same subject. Patterns
match at the main part, so that one pattern serves every subject, tense and negation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bitempo.engine.model import EntityRef
from bitempo.ingest.rules.english.text import NAME, clean_name, is_name, without_opening
from bitempo.ingest.rules.language import Shape, Tense


@dataclass(frozen=True, slots=True)
class Head:
    """Auxiliaries, negation and adverbs before the main part, which starts at `main`."""

    main: int
    tense: Tense = Tense.PRESENT
    be: bool = False
    auxiliary: bool = False
    negative: bool = False
    never: bool = False
    modal: bool = False
    former: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One predicate: `text[start:end]`. A subject of None is the speaker.

    `own`: about the speaker or a named entity; other clauses only bound their neighbours.
    `dropped`: the subject is left out ("Moved to X last week").
    """

    start: int
    end: int
    head: Head
    subject: EntityRef | None = None
    own: bool = True
    dropped: bool = False


def clauses(text: str) -> list[Clause]:
    """The clauses about the speaker or a named person, in order; `text` has straight quotes."""
    found: list[Clause] = []
    anchors = list(_anchors(text))
    for number, (start, body, subject, own, dropped) in enumerate(anchors):
        end = anchors[number + 1][0] if number + 1 < len(anchors) else len(text)
        if not own or _is_hidden(text, start):
            continue
        first = Clause(start, end, _head(text, body, end), subject, own, dropped)
        found.extend(_coordinated(text, first))
    return found


def state_shape(head: Head, verb: str, *, past: bool = False, denied: bool = False) -> Shape | None:
    """How a state verb ("live", "lived", "living") lies in time; None when it claims nothing.

    `past`: the form is the simple past. `denied`: the clause has "any more".
    """
    if head.modal or head.tense is Tense.FUTURE or head.never:
        return None
    if head.former:
        return None if head.negative else Shape.FORMER
    if head.negative or denied:
        return None if past or head.tense is Tense.PAST else Shape.ENDED
    if head.tense is Tense.PERFECT:
        return Shape.PERFECT
    if verb.endswith("ing") or head.be:
        return Shape.FORMER if head.tense is Tense.PAST else Shape.HOLDS
    return Shape.FORMER if past or head.tense is Tense.PAST else Shape.HOLDS


def happened(head: Head, verb: str) -> bool:
    """Whether a verb of change ("moved", "quit") is told as done: past or perfect, affirmed."""
    if head.modal or head.negative or head.former or head.never or head.be:
        return False
    return head.tense is not Tense.FUTURE and not verb.endswith("ing")


_VERBS_OF_NAMES = (
    r"(?:is|was|'s|has|had|isn't|doesn't|no longer|just|recently|now|still|currently|used to|"
    r"lives?|lived|works?|worked|moved|relocated|loves?|likes|hates?|enjoys|studies|studied|speaks|"
    r"plays|played|quit|left|started|joined|got|bought|adopted|owns|stopped|prefers|became|turned|"
    r"went|grew|retired|married|settled|told|said|says|mentioned|texted)"
)
_ANCHOR = re.compile(
    r"\b(?P<self>I|i|We|we)(?=['\s]|$)"
    rf"|(?<![\w'-])(?P<name>{NAME})(?='s\s+(?:\w+ing|a|an|not|now|based|allergic|vegan|married)\b"
    rf"|,?\s+{_VERBS_OF_NAMES}\b)"
    r"|\b(?P<other>[Yy]ou|[Hh]e|[Ss]he|[Tt]hey|[Ii]t|[Tt]here|[Ww]ho|[Ww]hich|"
    r"[Tt]hat's|[Tt]hat (?:is|was)|[Tt]his (?:is|was))\b"
    r"|(?:^|(?<=[,;:] )|(?<=and )|(?<=but ))(?P<possessed>(?:[Mm]y|[Oo]ur)\s+(?:[a-z-]+\s+){1,3}?)"
    r"(?=(?:is|was|are|were|has|have|had|lives?|works?|moved|loves?|got)\b)"
)
_DROPPED = re.compile(
    r"(?:(?:yeah|yes|yep|well|so|oh|also|hey|actually|recently|finally|just|lately|still|and|but|"
    r"guess what|btw|by the way|currently|yesterday|last \w+|this \w+)[,!:]?\s+)*"
    r"(?=(?:moved|got|started|been|went|bought|adopted|quit|joined|finished|took|made|had|met|"
    r"visited|saw|spent|gave|found|signed|tried|decided|learned|working|living|studying|trying|"
    r"feeling|looking|moving|love|hate|became|turned|never been|can't|used to|lost|won|ran|built|"
    r"based|painted|wrote|watched|enjoyed|thinking|planning|going|haven't|didn't|"
    r"left my|stopped|retired|allergic|born|grew up)\b)",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    r"\b(?:if|unless|whether|imagine|suppose|supposing|wish|wishing|pretend|think|thinks|thought|"
    r"says?|said|claims?|claimed|believes?|told \w+|asked|wonders?|assumes?|heard|dream(?:ed|t)?|"
    r"where|why|how|what|like|as|once|until|till|by the time|den(?:y|ies|ied)|doubts?|"
    r"(?:not|\w+n't|no longer|never|hardly)(?:\s+(?:really|even|actually|quite|at all))?\s+"
    r"(?:true|the case|the truth|right|correct|a fact|accurate)|"
    r"false|untrue|wrong|incorrect|inaccurate|a lie|a myth|a rumou?r)(?:\s+that)?\s+$",
    re.IGNORECASE,
)
_OWN_THOUGHT = re.compile(r"\b(?:I|we)(?:'ve| have)?(?:\s+just)?\s+(?:think|said)(?:\s+that)?\s+$")
_PREPOSITION = re.compile(r"\b(?:in|at|to|from|of|near|with|for|and|by|about|called|named)\s+$")
_COORDINATE = re.compile(
    r"(?:,\s*(?!like\b)(?:and\s+|but\s+|then\s+)?|\s+(?:and|but)\s+(?:then\s+)?)"
    r"(?=(?:(?:now|also|then|just|recently|currently|still|even|have|am|'m)\s+)*"
    r"(?:live[sd]?|living|work(?:s|ed|ing)?|moved|relocated|am|is|was|based|stud(?:y|ies|ied|ying)|"
    r"speaks?|spoke|plays?|played|loves?|likes?|hates?|enjoys?|got|bought|sold|adopted|started|"
    r"stopped|quit|left|joined|became|turned|went|grew|own|owns|have|has|had|prefers?|dislikes?|"
    r"can't|don't|doesn't|retired|born|settled|allergic|vegan|vegetarian|lost|married)\b)"
)
_BASE = re.compile(r"(?:live|work|study|speak|play|love|like|hate|enjoy|own|have|prefer)\b")


def _anchors(text: str) -> Iterator[tuple[int, int, EntityRef | None, bool, bool]]:
    """Where each subject starts, where its predicate starts, and who it is."""
    dropped = _DROPPED.match(text)
    if dropped:
        yield 0, dropped.end(), None, True, True
    last = ""
    for match in _ANCHOR.finditer(text):
        if match.group("self"):
            yield match.start(), match.end(), None, True, False
        elif match.group("name"):
            name = without_opening(match.group("name"))
            start = match.end("name") - len(name)
            name = clean_name(name)
            if is_name(name) and not _PREPOSITION.search(text, max(0, start - 12), start):
                last = name
                yield start, match.end(), EntityRef(name, "person"), True, False
        elif match.group("other"):
            # "Ana told me she moved": the pronoun can only be hers.
            pronoun = match.group("other").lower() in ("he", "she")
            reported = bool(last) and pronoun and bool(_TOLD.search(text, 0, match.start()))
            subject = EntityRef(last, "person") if reported else None
            yield match.start(), match.end(), subject, reported, False
        else:
            yield match.start(), match.end(), None, False, False


_TOLD = re.compile(
    r"\b(?:told|said|says|mentioned|texted|wrote)\b(?:\s+(?:me|us))?(?:\s+that)?\s+$"
)


def _is_hidden(text: str, start: int) -> bool:
    """Whether the words before the subject make the clause no claim of the speaker's."""
    before = max(0, start - 40)
    if _HIDDEN.search(text, before, start) is None:
        return False
    if _TOLD.search(text, before, start):
        return bool(re.match(r"[Ii]\b|[Ww]e\b", text[start : start + 3]))
    return _OWN_THOUGHT.search(text, before, start) is None


_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<former>used to)\b"
    r"|(?P<no_longer>no longer)\b"
    r"|(?P<never>never|hardly|rarely|barely)\b"
    r"|(?P<negated>don't|doesn't|dont|isn't|aren't|haven't|hasn't|ain't)\b(?P<still_be>)"
    r"|(?P<negated_past>didn't|wasn't|weren't|hadn't|did not)\b"
    r"|(?P<cannot>won't|wouldn't|can't|cannot|couldn't|shouldn't|mightn't)\b"
    r"|(?P<future>'ll|will|shall|(?:'m|am|is|'s|are|'re)\s+(?:going to|gonna)(?=\s+[a-z]+))\b"
    r"|(?P<modal>would|could|can|may|might|should|must|'d(?!\s+(?:been|just|already|\w+ed)\b))\b"
    r"|(?P<perfect>'ve|(?:have|has|had|'s|'d)(?=\s+(?:(?:not|just|recently|always|already|only|"
    r"also|now|never|both|finally|actually)\s+)*(?:been|become|begun|gone|got|gotten|had|left|quit|"
    r"taken|grown|bought|sold|lost|met|loved|lived|\w+ed)\b))\b(?!\s+to\b)"
    r"|(?P<be>'m|am|is|'s|are|'re)(?![\w'])"
    r"|(?P<was>was|were)\b"
    r"|(?P<been>been|being|be)\b"
    r"|(?P<do>do|does)(?=\s+(?:not|[a-z]))\b"
    r"|(?P<did>did)\b"
    r"|(?P<not>not)\b"
    r"|(?P<adverb>just|also|now|currently|still|really|actually|recently|already|always|then|only|"
    r"both|finally|absolutely|totally|so|officially|happily|mostly|mainly|usually|generally|"
    r"originally|even|definitely|simply|truly|presently|proudly|all|myself|personally|"
    r"kinda|ever|since|have)(?=\s+\w)(?<!\bhave)\b"
    r")"
)


def _head(text: str, at: int, end: int) -> Head:
    """Reads auxiliaries, negations and adverbs from `at` on."""
    head = Head(at)
    for _ in range(8):
        match = _TOKEN.match(text, head.main, end)
        if match is None or match.end() == head.main:
            break
        head = replace(_after(head, match.lastgroup or "", match.group()), main=match.end())
    while head.main < end and text[head.main] == " ":
        head = replace(head, main=head.main + 1)
    return head


def _after(head: Head, group: str, token: str) -> Head:
    if group == "still_be":
        perfect = "hav" in token or "has" in token
        be = "isn" in token or "aren" in token
        tense = Tense.PERFECT if perfect else head.tense
        return replace(head, negative=True, be=be, tense=tense, auxiliary=True)
    changes: dict[str, dict[str, object]] = {
        "former": {"former": True},
        "no_longer": {"negative": True},
        "never": {"never": True},
        "negated_past": {
            "negative": True,
            "tense": Tense.PAST,
            "be": token.strip().startswith("w"),
        },
        "cannot": {"negative": True, "modal": True},
        "future": {"tense": Tense.FUTURE},
        "modal": {"modal": True},
        "perfect": {"tense": Tense.PERFECT},
        "be": {"be": True},
        "was": {"be": True, "tense": Tense.PAST},
        "been": {"be": True},
        "did": {"tense": Tense.PAST},
        "not": {"negative": True},
    }
    auxiliary = head.auxiliary or group not in ("adverb", "former")
    return replace(head, auxiliary=auxiliary, **changes.get(group, {}))  # type: ignore[arg-type]


def _coordinated(text: str, clause: Clause) -> Iterator[Clause]:
    """The clause cut where a further verb of the same subject begins."""
    cuts = list(_COORDINATE.finditer(text, clause.head.main, clause.end))
    ends = [cut.start() for cut in cuts] + [clause.end]
    yield replace(clause, end=ends[0])
    for number, cut in enumerate(cuts):
        head = _head(text, cut.end(), ends[number + 1])
        # "I used to live in X and work at Y", "I don't drink and smoke": the head carries over.
        if not head.auxiliary and not head.former and _BASE.match(text, head.main):
            before = clause.head
            if before.former or before.modal or before.tense is Tense.FUTURE:
                head = replace(before, main=head.main)
        yield replace(clause, start=cut.end(), end=ends[number + 1], head=head)
