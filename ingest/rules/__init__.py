"""Assertions from conversation by rules: no model, no key, no network.

`RulesExtractor` reads each turn sentence by sentence. What the speaker states in the first person
becomes a fact whose text is the sentence; common self-disclosures become typed facts beside it.
Questions, greetings, suppositions and instructions become nothing.
"""

from bitempo.ingest.rules.english import English
from bitempo.ingest.rules.extractor import SILENT_ACTORS, RulesExtractor
from bitempo.ingest.rules.language import (
    CorrectionCue,
    Finding,
    Kind,
    LanguageRules,
    Plan,
    Reading,
    Sentence,
    Shape,
    Tense,
    language_rules,
    register,
)

register("en", English)

__all__ = [
    "SILENT_ACTORS",
    "CorrectionCue",
    "English",
    "Finding",
    "Kind",
    "LanguageRules",
    "Plan",
    "Reading",
    "RulesExtractor",
    "Sentence",
    "Shape",
    "Tense",
    "language_rules",
    "register",
]
