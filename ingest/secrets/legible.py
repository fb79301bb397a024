"""A text as a reader sees it: without what cannot be seen, and digits and letters of one width.

"pass\u00adword" reads as "password", and a card number in full-width digits as a card number. What
is found in such a copy is taken out of the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_WIDE = re.compile("[\uff01-\uff5e]")
_TO_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def legible(text: str) -> tuple[str, Sequence[int]]:
    """The copy, and for each of its characters the place of that character in the text."""
    if _WIDE.search(text):
        text = text.translate(_TO_ASCII)
    if not _UNSEEN.search(text):
        return text, range(len(text))
    places = [place for place, letter in enumerate(text) if not _UNSEEN.match(letter)]
    return "".join(text[place] for place in places), places
