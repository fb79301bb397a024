"""What an English sentence does: state, ask, greet, suppose, instruct or report."""

from __future__ import annotations

import re

from bitempo.ingest.rules.english.clauses import _DROPPED as DROPPED_SUBJECT
from bitempo.ingest.rules.language import Kind, Sentence

_SELF = re.compile(r"\b(?:I|i|me|my|My|mine|myself|we|We|us|our|Our|ours|Im)\b(?!\.e)")
_TAIL_QUESTION = re.compile(
    r"(?:,|\s[-–—])\s*(?:and\s+|but\s+|so\s+)?(?:you know|how|what|where|who|when|why|which|do|"
    r"does|did|are|is|"
    r"have|has|can|could|would|will|right|isn't|aren't|don't|doesn't|you|any|ok|okay|huh|wanna)\b"
    r"[^,]*\?+[\"')\s]*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?[\"')\]*!?\s\u2600-\u27bf\U0001f000-\U0001faff]*$")
_ASKING = re.compile(
    r"(?:(?:and|but|so|hey|oh|well|ok|okay|btw|by the way|wow|yeah)[,!]?\s+)*"
    r"(?:what|where|who|whom|when|why|how|which)(?:'s|'re|'d)?\s+"
    r"(?:is|are|was|were|do|does|did|have|has|can|could|would|will|should|about|many|much|long|"
    r"often)\b"
    r"|^(?:do|does|did|are|is|was|were|have|has|can|could|would|will|should|may|shall|"
    r"am)(?:n't)?\s+"
    r"(?:you|i|we|he|she|they|it|that|this|there|my|your|the|any(?:one|body)|some(?:one|body)|"
    r"everyone)\b"
    r"|^(?:so|and|then)\s+you(?:\s+really)?\s+(?:think|thought|say|said|mean|believe|reckon|"
    r"assume)\b"
    r"|^.*\bhuh[\s.!]*$",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"^\W*\"[^\"]+\"\W*(?:(?:he|she|they|[A-Z][\w'-]+|(?:my|our|the)\s+[\w\s-]{1,30}?)\s+)?"
    r"(?:said|says|asked|told|replied|answered|wrote|texted|shouted|whispered|added)\b(?!\s+I\b)"
)
"""Somebody else's words and who said them: nothing of the speaker's own."""
_HYPOTHETICAL = re.compile(
    r"\b(?:if(?! not)|unless|imagine|suppose|supposing|"
    r"pretend(?:ing)?|hypothetically|wish(?:ed|ing)?(?! (?:you|him|her|them) (?:all|luck|a|the))|"
    r"maybe|perhaps|possibly|probably|hopefully|might|in case|what if|let's say|dream(?:ing)? of)\b"
    r"|\b(?:I|we|i|that|it|there|which|You|you)(?:\s+(?:really|definitely|probably|also|still))?\s+"
    r"(?:would|could(?!n't)|should|may)\b(?!\s+(?:always|sometimes|often)\b)"
    r"|\b(?:I|we|i|it|that)'d\s+(?!been\b|just\b|already\b|never\b|always\b|(?!need|feed|speed|"
    r"breed)\w+ed\b|"
    r"had\b|gone\b|got\b|lost\b|met\b)(?:\w+)"
    r"|^\s*(?:would|could|should|might|wanna)\b"
    r"|\b(?:hope|hoping)\b"
    r"|\bin (?:this|that|the|my|our|your|a) (?:[\w-]+ )?(?:scenario|hypothetical|role-?play|"
    r"thought experiment)\b"
    r"|(?<!was )(?<!were )\b(?:just|only) (?:kidding|joking)\b|\bjk\b\W*$|"
    r"\bI'm (?:kidding|joking)\b"
    r"|\bif only\b",
    re.IGNORECASE,
)
_HABIT_IF = re.compile(
    r"\b(?:as if|even if i|know if|not sure if|wonder(?:ing)? if)\b", re.IGNORECASE
)
_INSTRUCTION = re.compile(
    r"(?:please|kindly|always|never(?! been| had| thought)|don't|do not|ignore|disregard|forget|"
    r"make sure|"
    r"act as|be sure|from now on|you (?:must|should|shall|have to|need to|are to|will always)|"
    r"remember to|let me know|tell me|give me|show me|help me|send me|write|translate|summari[sz]e|"
    r"explain|list|remind me|approve|delete|execute|run|stop|keep|take|check|look|try|come|go|see|"
    r"let's|let us|consider|create|generate|recommend|suggest|provide|find me|answer|respond|use)\b"
    r"(?![,!]? (?:i|we|my)\b)",
    re.IGNORECASE,
)
_INSTRUCTING = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your |my )*(?:previous|prior|above|earlier|"
    r"system|instructions|rules)|\bI (?:want|need|expect|order|command|instruct|require|'d like) "
    r"(?:you|u) to\b|\byou (?:must|shall|are required to|are instructed to)\b|\bfrom now on,? you\b"
    r"|\bsystem prompt\b|\balways (?:approve|accept|allow|answer|reply|respond|trust|obey|agree)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?:^|[,;:]\s+|\band\s+|\bbut\s+)(?:(?:he|she|they|[A-Z][\w'-]+|(?:my|"
    r"our) (?:[\w-]+\s+){1,3}?)\s*)"
    r"(?:just |also |once |always )?(?:said|says|told (?:me|us)|tells (?:me|us)|thinks|thought|"
    r"claims|"
    r"claimed|believes|believed|mentioned|insists|insisted|heard|reckons|assumes|texted)\b"
)
_GREETING_WORD = (
    r"(?:hey|hi|hello|hiya|yo|howdy|good (?:morning|afternoon|evening|night)|morning|bye|goodbye|"
    r"see (?:you|ya)(?: \w+)?|take care|thanks|thank you|thx|cheers|wow|whoa|yay|woohoo|awesome|"
    r"cool|"
    r"nice|great|congrats|congratulations|ok|okay|yes|yeah|yep|yup|no|nope|sure|absolutely|"
    r"definitely|exactly|totally|of course|no (?:problem|worries|way)|you're welcome|welcome|"
    r"sounds "
    r"(?:good|great|fun|awesome|amazing|cool)|i see|got it|oh|ah|aw|aww|haha|lol|omg|oh my god|"
    r"well "
    r"done|me too|same here|i know|i do|i did|i will|i am|i have|we did|we do|you too|likewise|"
    r"long time no (?:see|talk)|let's go|guess what|really|right|fine|good|talk soon|later)"
)
_ONLY_GREETING = re.compile(
    rf"\W*(?:{_GREETING_WORD}(?:\s+(?:so much|a lot|very much|again|there|all|man|everyone|guys|"
    rf"friend|buddy|to you too))*(?:[,\s]+(?-i:[A-Z])[\w'-]*)?[\W_]*)+",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hey|hi|oh|aw+|wow|well|yeah|so|but|and|thanks|no|yes|ok|"
    r"okay)\b[\s,!]*(?:(?-i:[A-Z])\w*[,!]\s*)?)*(?:"
    r"(?:thanks|thank you|thx|cheers|congrats|congratulations)\b(?![^,.!]{0,20}, (?:i|my|we)\b)"
    r"|i(?:'m| am) (?:so |really |very |super |just |also |always )*(?:glad|happy|sorry|proud|"
    r"thrilled|"
    r"delighted|excited) (?:to hear|to see (?:you|that)|you|for you|of you|that you|it|about that|"
    r"that "
    r"(?:it|your))"
    r"|(?:so |really |very )?(?:glad|happy|sorry|proud|good|great|nice) (?:to hear|to see you|you|"
    r"for "
    r"you|of you|it|about that)"
    r"|i (?:totally |completely |really |definitely |fully |absolutely |couldn't |can't )*(?:agree|"
    r"understand|get it|get that|hear you|see what|feel you|appreciate (?:it|that|you|your))"
    r"|(?:really |so )?appreciate (?:it|that|you|your)"
    r"|i (?:bet|guess|suppose|believe|knew|know) (?:you|it|that|so|what|how)"
    r"|(?:i )?(?:can't|cannot|can not) (?:wait to (?:hear|see|catch|read)|imagine|believe (?:you|"
    r"it|that))"
    r"|i can (?:imagine|see (?:that|why|how|you)|tell)"
    r"|i(?:'ll| will) (?:let you know|keep (?:that|you|it)|be there for|check (?:it|that) out|"
    r"talk to "
    r"you|see you|do that|remember that|definitely check|take (?:it|that))"
    r"|i'm (?:here for|always here|rooting|all ears|so jealous|good|fine|great|doing (?:well|good|"
    r"great|"
    r"fine|okay|ok)|listening)\b"
    r"|i (?:love|like|admire|respect) (?:that|it|how|your|the way you|hearing|what you)"
    r"|i think (?:that's|it's|that is|it is|you|your|so)"
    r"|(?:take care|keep (?:it )?up|you (?:got|can(?! call)|did|should|must|deserve|are|really)|"
    r"you're|you've|your)\b"
    r"|(?:we|i) (?:should|gotta) (?:catch up|hang out)|let me know|tell me|talk to you"
    r"|i (?:mean|know)[,.!]?$|i hope (?:you|it|that|your)|i was (?:just )?(?:wondering|"
    r"thinking about you)"
    r"|long time no|nice to|good to|great to (?:hear|see)|(?:it's|it is) (?:so |really )?(?:good|"
    r"great|nice) to "
    r"(?:hear|see|know)"
    r")",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_NOTE = re.compile(
    r"^(?:please\s+)?(?:remember|note|keep in mind|be aware|know|fyi|for your information|"
    r"just so you know)"
    r"(?:[,:]|\s+that)?\s+(?=(?:I|i|my|we|our)\b)",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(
    "the and but for you your that this these those with was were are has have had not all too "
    "very "
    "really just also her him them they she its it so me my our we us am is be been do did does "
    "can "
    "will would there here what when how which who get got yes yeah thanks hey wow".split()
)
_SPLIT = re.compile(r"\s*(?:;|,?\s+but\s|,\s+(?=(?:though|although)\s))\s*", re.IGNORECASE)


def kind_of(text: str) -> Kind:
    """The kind of a sentence with straight quotes; questions first, then what claims nothing."""
    if _QUESTION.search(text) or _ASKING.match(text):
        return Kind.QUESTION
    if _ONLY_GREETING.fullmatch(text):
        return Kind.SMALL_TALK
    note = _NOTE.match(text)
    if note is None and (_INSTRUCTION.match(text) or _INSTRUCTING.search(text)):
        return Kind.INSTRUCTION
    if _HYPOTHETICAL.search(_HABIT_IF.sub(" ", text)):
        return Kind.HYPOTHETICAL
    if _SMALL_TALK.match(text) or not _has_content(text):
        return Kind.SMALL_TALK
    if _QUOTED.match(text):
        return Kind.THIRD_PERSON
    if _REPORTED.search(text):
        return Kind.REPORTED
    if _SELF.search(text) or DROPPED_SUBJECT.match(text):
        return Kind.STATEMENT
    return Kind.THIRD_PERSON


def units_of(sentence: Sentence, text: str) -> list[Sentence]:
    """The sentence, or its parts where only some of them claim something.

    A question or a supposition tagged on ("..., what about you?", "..., but I might move") does
    not take the claim before it along.
    """
    tail = _TAIL_QUESTION.search(text)
    if tail and len(text[: tail.start()].split()) >= 3:
        return [_part(sentence, 0, tail.start()), _part(sentence, tail.start(), len(text))]
    if kind_of(text) is not Kind.HYPOTHETICAL:
        return [sentence]
    cuts = list(_SPLIT.finditer(text))
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    parts = [_part(sentence, start, end) for start, end in zip(starts, ends, strict=True)]
    # "If it works out, but only then, I'll move": a condition governs all that follows.
    if len(parts) == 1 or _CONDITION.search(parts[0].text):
        return [sentence]
    return [part for part in parts if part.text]


_CONDITION = re.compile(r"\b(?:if|unless|imagine|suppose|supposing)\b", re.IGNORECASE)


def _part(sentence: Sentence, start: int, end: int) -> Sentence:
    text = sentence.text[start:end]
    left = len(text) - len(text.lstrip(" ,;-–—"))
    text = text.strip(" ,;-–—")
    begin = sentence.start + start + left
    return Sentence(text, begin, begin + len(text))


def _has_content(text: str) -> bool:
    words = _WORD.findall(text.lower())
    return len(words) >= 2 and any(
        word not in _EMPTY_WORDS and (len(word) > 1 or not word.isascii() or word.isdecimal())
        for word in words
    )
