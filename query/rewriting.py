"""Rewriting: a question is searched as a text that says by itself what is asked.

What a rewriter gives is a model's word, and not trusted: it is cleaned, cut and searched with, and
decides nothing else. It is asked before the store's read begins, since a model takes its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bitempo.engine.errors import BitempoError, InvalidInputError, ModelError
from bitempo.engine.names import clean_text
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.query.receipts import Rewriting
from bitempo.query.results import Recall

LONGEST_REWRITING = 2_000
"""Characters of what a rewriter gives that are searched with."""


def rewriting_of(
    rewriter: QuestionRewriter, question: str, context: Sequence[str], asked_at: str
) -> Rewriting:
    """What the rewriter makes of the question: one line of at most `LONGEST_REWRITING` characters.

    The question itself where it gives no letter or digit, or only other spaces. The arguments are
    those of `QuestionRewriter.rewrite`.

    Raises:
        ModelError: the rewriter failed, or did not give a text.
    """
    try:
        given: object = rewriter.rewrite(question, context, asked_at)
    except BitempoError:
        raise
    except Exception as error:
        raise ModelError(f"the rewriter {rewriter.identity} failed: {error!r}") from error
    if not isinstance(given, str):
        raise ModelError(
            f"the rewriter {rewriter.identity} gave {type(given).__name__} and not a text; "
            "rewrite() must return the text to search with"
        )
    text = _one_line(given[: 2 * LONGEST_REWRITING])[:LONGEST_REWRITING].rstrip()
    same = not any(map(str.isalnum, text)) or text == _one_line(question)
    return Rewriting(question if same else text, rewriter.identity)


def check_context(context: Sequence[str]) -> tuple[str, ...]:
    """The messages before a question, if they are texts.

    Raises:
        InvalidInputError: they are not.
    """
    listed = isinstance(context, Sequence) and not isinstance(context, str)
    if not listed or not all(isinstance(one, str) for one in context):
        raise InvalidInputError(
            'context must be a list of texts, such as ["Ana: I met Rui.", "Bo: Who is he?"]'
        )
    return tuple(context)


def told_of_rewriting(found: Recall, question: str, rewriting: Rewriting | None) -> Recall:
    """The recall of a rewriting's text, with a receipt that says what was asked and who rewrote it.

    Without a rewriting, the recall as it is.
    """
    if rewriting is None:
        return found
    receipt = replace(found.receipt, question=question, rewriting=rewriting)
    return replace(found, receipt=receipt)


def _one_line(text: str) -> str:
    return " ".join(clean_text(text).split())
