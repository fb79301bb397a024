"""Names of entities and values: what counts as the same.

Two spellings are one name when they differ only in Unicode form, case, spacing, or the space
between characters of scripts that are written without spaces. Digits, punctuation inside a
name and everything else are kept, so `room 12` and `room 13` stay apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from math import isfinite

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Literal

_SPACELESS = (
    r"[\u2e80-\u2fdf\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_SPACE_BETWEEN = re.compile(rf"(?<={_SPACELESS})\s+(?={_SPACELESS})")
_SPACES = re.compile(r"\s+")
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})
# Soft hyphens, zero-width spaces and marks of direction are not seen, so they name nothing. The
# joiners U+200C and U+200D stay: words and emoji differ by them.
_UNSEEN = dict.fromkeys(
    [0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
_HYPHENS = str.maketrans({"\u2010": "-", "\u2011": "-"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_OPENING = " \t\r\n\"'([{"
_EDGES = " \t\r\n.,;:!?\"'()[]{}"


@lru_cache(maxsize=65_536)
def normalise_name(name: str) -> str:
    """The form under which names are compared: NFKC, case-folded, spacing and quotes levelled.

    Raises:
        InvalidInputError: nothing is left of the name.
    """
    text = unicodedata.normalize("NFKC", clean_text(name).translate(_UNSEEN))
    text = text.translate(_QUOTES).translate(_HYPHENS).casefold()
    text = _SPACE_BETWEEN.sub("", _SPACES.sub(" ", text)).strip()
    trimmed = text.lstrip(_OPENING).rstrip(_EDGES)
    # A name that is all punctuation ("C++" is not, "!!!" is) still needs a form of its own.
    result = trimmed or text
    if not result:
        raise InvalidInputError(f"{name!r} is not a name: it has no visible characters")
    return result


def name_words(name: str) -> frozenset[str]:
    """The words of a name in normalised form, by which names that resemble it are found.

    They are split at everything that is no letter or digit, and without an English possessive:
    "St. Mary's Hospital" has `st`, `mary` and `hospital`. A name without a word has none.
    """
    return frozenset(word.removesuffix("'s") for word in _WORD.findall(normalise_name(name)))


def clean_text(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD, which every store can hold."""
    if text.isascii() and "\0" not in text:
        return text
    return "".join(
        "\ufffd" if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in text
    )


def check_id(id: str, of: str = "an episode") -> str:
    """The id itself, if every store can hold it and a person can read it.

    Ids are never mended, since two that differ must not become one. `of` says whose id it is,
    for the message.

    Raises:
        InvalidInputError: it is blank, or holds NUL, lone surrogates or line breaks.
    """
    if not id.strip() or clean_text(id) != id or len(id.splitlines()) > 1:
        raise InvalidInputError(
            f"{id!r} cannot be the id of {of}; use text that is not blank, without NUL, "
            "surrogates or line breaks"
        )
    return id


def check_literal(value: object) -> None:
    """Check that a literal is one that every store can hold and an export can restore.

    Raises:
        InvalidInputError: it is no text, number or truth value, is not finite, or is a whole
            number of more than 64 bits.
    """
    if not isinstance(value, str | int | float):
        raise InvalidInputError(
            f"a value must be text, a number, True or False, not {type(value).__name__}"
        )
    if isinstance(value, float) and not isfinite(value):
        raise InvalidInputError(f"a number must be finite, and {value} is not")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInputError("a whole number must fit in 64 bits; give a longer one as text")


def entity_id(name: str, type: str) -> str:
    """The id of the entity first met under this name and type; the same wherever it is met."""
    return "ent_" + digest(normalise_name(type) if type else "", normalise_name(name))


def value_key(object_id: str | None, value: Literal | None) -> str | None:
    """What identifies the object or the literal inside a slot; None when there is neither.

    Literals are compared as JSON after NFC and trimming: `1`, `1.0`, `"1"` and `True` differ.
    """
    if object_id is not None:
        return object_id
    if value is None:
        return None
    if isinstance(value, str):
        value = _SPACES.sub(" ", unicodedata.normalize("NFC", value)).strip()
    return "val_" + digest(json.dumps(value, ensure_ascii=False))


def digest(*parts: str) -> str:
    """24 hex digits that stand for the parts; 96 bits, so that collisions need 2^48 of them."""
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=12).hexdigest()
