"""A text as a reader sees it: without what cannot be seen, and digits and letters of one width.

"pass\u00adword" reads as "password", and a card number in full-width digits as a card number. What
is found in such a copy is taken out of the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ESCAPES = re.compile(r'\\"')
_ESCAPED = re.compile(rf'{_UNSEEN.pattern}|\\+(?=")')
_WIDE = re.compile("[\uff01-\uff5e]")
_TO_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


Copy = tuple[str, Sequence[int]]
"""A copy, and for each of its characters the place of that character in the text."""


def legible(text: str) -> list[Copy]:
    """The text as it is seen, and, where it quotes JSON within JSON, without the escapes as well.

    Both, since a backslash before a quotation mark may also belong to a password.
    """
    if _WIDE.search(text):
        text = text.translate(_TO_ASCII)
    seen = _without(_UNSEEN, text)
    return [seen, _without(_ESCAPED, text)] if _ESCAPES.search(text) else [seen]


def _without(unwanted: re.Pattern[str], text: str) -> Copy:
    gone = {place for found in unwanted.finditer(text) for place in range(*found.span())}
    if not gone:
        return text, range(len(text))
    places = [place for place in range(len(text)) if place not in gone]
    return "".join(text[place] for place in places), places
