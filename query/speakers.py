"""Whose words a question asks for, of those who spoke."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bitempo.query.question import Question, normal, without_possessive

_ASKERS = frozenset({"user", "human"})
"""What chats call whoever asks."""

_JOINING = frozenset({"and", "or", "&"})
_SEVERAL = 2


def speaker_named(question: Question, speakers: Iterable[str | None]) -> str | None:
    """The one speaker whose words the question asks for; None when it names none, or several alike.

    A speaker is named by the whole name or, where no other speaker shares it, its first word. Of
    several that are named it is the first, who does or says what is asked for: "What does Anna
    think about Ben's plan?"; unless they are joined ("Anna and Ben"), or it is something of the
    first that is asked about ("Anna's plan"). Who says "I", and names nobody, means the one that
    chats call the user.
    """
    names = {speaker: name for speaker in speakers if speaker and (name := normal(speaker))}
    named = _named(question, names)
    if not named and question.of_asker:
        named = {speaker: "" for speaker, name in names.items() if name in _ASKERS}
    return next(iter(named)) if len(named) == 1 else _acting(question.words, named)


def _named(question: Question, names: Mapping[str, str]) -> dict[str, str]:
    """The speakers that the question names, and by which name it does."""
    first: dict[str, list[str]] = {}
    for speaker, name in names.items():
        first.setdefault(name.split(" ")[0], []).append(speaker)
    found = {}
    for speaker, name in names.items():
        start = name.split(" ")[0]
        if name in question.names:
            found[speaker] = name
        elif len(first[start]) == 1 and start in question.names:
            found[speaker] = start
    return found


def _acting(words: Sequence[str], named: Mapping[str, str]) -> str | None:
    """Of several speakers the one who stands first, alone and not as the owner of something."""
    places = sorted((*_place(words, name), speaker) for speaker, name in named.items())
    if len(places) < _SEVERAL:
        return None
    (_, end, speaker), (following, _, _) = places[:_SEVERAL]
    joined = following <= end or words[following - 1] in _JOINING
    last = words[end - 1]
    return None if joined or last != without_possessive(last) else speaker


def _place(words: Sequence[str], name: str) -> tuple[int, int]:
    """Where the name stands first in the words: from where to where."""
    size = len(name.split(" "))
    for start in range(len(words) - size + 1):
        said = " ".join(words[start : start + size])
        if name in (said, without_possessive(said)):
            return start, start + size
    return len(words), len(words)
