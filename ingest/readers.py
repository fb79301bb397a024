"""Whose turn it is to read: what one extractor began is not left to another without being said.

The name of the extractor that a window was taken in for is kept with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bitempo.engine.errors import ConflictError
from bitempo.engine.store.port import InboxWindow, Reading

_LLM = "llm"


def of_others(extractor: str, waiting: Iterable[InboxWindow]) -> list[InboxWindow]:
    """The windows that still have to be extracted, and were taken in for another extractor.

    One that was taken in by an older bitempo, which did not say for whom, is nobody's.
    """
    return [
        window
        for window in waiting
        if window.extraction is None and _is_other(extractor, window.extractor)
    ]


def read_by_others(extractor: str, readings: Iterable[Reading]) -> list[Reading]:
    """The windows that another extractor read."""
    return [reading for reading in readings if _is_other(extractor, reading.extractor)]


def refuse_unchosen(
    extractor: str, found: Iterable[InboxWindow | Reading], verbs: tuple[str, str]
) -> None:
    """Refuse to read with an extractor that nobody chose what another one began or has read.

    Args:
        extractor: the one that nobody chose.
        found: what is another's.
        verbs: what one window does, and several: such as "waits for" and "wait for".

    Raises:
        ConflictError: there is any; it names the extractor on record and how to choose.
    """
    names = Counter(window.extractor for window in found if window.extractor is not None)
    if not names:
        return
    [(name, number)] = names.most_common(1)
    one = number == 1
    windows, verb, them = ("window", verbs[0], "it") if one else ("windows", verbs[1], "them")
    raise ConflictError(
        f"{number} {windows} of this tenant {verb} {name}, and no extractor was chosen, so that "
        f"{extractor} would read {them}. {_how_to_choose(name)}; or say that the rules shall: "
        "--extractor rules, in Python Memory.open(..., extractor=RulesExtractor())"
    )


def _is_other(extractor: str, name: str | None) -> bool:
    """Whether it is another extractor, and not only another version of the same."""
    return name is not None and name.partition("/")[0] != extractor.partition("/")[0]


def _how_to_choose(name: str) -> str:
    kind, _, rest = name.partition("/")
    model = rest.partition("/")[2].partition("+")[0]
    if kind != _LLM or not model:
        return "Choose the one on record: in Python Memory.open(..., extractor=...)"
    return (
        f"Choose the one on record: --extractor llm --model {model}, in Python "
        f"Memory.open(..., extractor=LLMExtractor({model!r}))"
    )
