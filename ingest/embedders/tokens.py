"""Which tokens of a text carry a meaning: all but punctuation and stop words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.lexical import STOP_WORDS

WORD_START = "▁"
"""How a SentencePiece vocabulary marks a piece that begins a word."""

WORD_REST = "##"
"""How a WordPiece vocabulary marks a piece that goes on with a word."""


_BYTE_START = "Ġ"
"""How a byte-level vocabulary writes the space before a piece that begins a word."""


def telling(pieces: Sequence[str]) -> NDArray[np.bool_]:
    """For each piece, whether it is to be kept; all are, where nothing else would be left."""
    pieces = _with_marks(pieces)
    words = [_is_word(piece) for piece in pieces]
    kept = np.array(
        [
            word and not (_is_stop_word(piece) and _stands_alone(pieces, words, place))
            for place, (piece, word) in enumerate(zip(pieces, words, strict=True))
        ],
        dtype=np.bool_,
    )
    if kept.any():
        return kept
    return np.array(words if any(words) else [True] * len(pieces), dtype=np.bool_)


def _with_marks(pieces: Sequence[str]) -> Sequence[str]:
    """Byte-level pieces as a SentencePiece vocabulary would have them: the first begins a word."""
    if not any(piece.startswith(_BYTE_START) for piece in pieces):
        return pieces
    first = WORD_START + pieces[0].removeprefix(_BYTE_START)
    return [first, *(piece.replace(_BYTE_START, WORD_START) for piece in pieces[1:])]


def _is_word(piece: str) -> bool:
    return any(char.isalnum() for char in piece)


def _is_stop_word(piece: str) -> bool:
    return piece.removeprefix(WORD_START).casefold() in STOP_WORDS


def _stands_alone(pieces: Sequence[str], words: Sequence[bool], place: int) -> bool:
    """Whether the piece is a whole word: no word goes on in it, and it does not go on."""
    marked = pieces[0].startswith(WORD_START)
    starts = _begins(pieces[place], marked) or not words[place - 1]
    last = place + 1 == len(pieces)
    return starts and (last or _begins(pieces[place + 1], marked) or not words[place + 1])


def _begins(piece: str, marked: bool) -> bool:
    return piece.startswith(WORD_START) if marked else not piece.startswith(WORD_REST)
