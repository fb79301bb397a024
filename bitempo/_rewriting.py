"""What a memory does with a question before it is searched: its rewriter, or none."""

from __future__ import annotations

from collections.abc import Sequence

from bitempo.engine.errors import InvalidInputError, ModelError
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.engine.time import Instant, format_instant
from bitempo.ingest.rewriters import open_rewriter
from bitempo.ingest.secrets import Redactor
from bitempo.query.receipts import Rewriting
from bitempo.query.rewriting import check_context, rewriting_of


class Rewritings:
    """The rewriter of a memory, or none, for all its tenants."""

    def __init__(self, rewriter: QuestionRewriter | str | None, redactor: Redactor) -> None:
        self.rewriter = open_rewriter(rewriter)
        self._redactor = redactor

    def of_question(
        self, question: str, context: Sequence[str], asked_at: Instant, *, required: bool
    ) -> tuple[Rewriting | None, str | None]:
        """What the rewriter makes of the question, and why it made nothing, if it failed.

        Secrets are taken out of all that it is shown, as they are of what is recorded. A question
        without words is not shown to it.

        Raises:
            InvalidInputError: there is a context, and nobody to read it; or it is not of texts.
            ModelError: it failed, and is `required`.
        """
        before = check_context(context)
        if self.rewriter is None:
            if before:
                raise InvalidInputError(
                    "the context of a question is for a rewriter, and the memory has none; open it "
                    'with one, such as Memory.open(..., rewriter="endpoint:MODEL"), or leave out '
                    "context="
                )
            return None, None
        if not isinstance(question, str) or not question.strip():
            return None, None
        shown = self._shown(question)
        try:
            found = rewriting_of(
                self.rewriter, shown, [self._shown(one) for one in before], format_instant(asked_at)
            )
        except ModelError as error:
            if required:
                raise
            return None, str(error)
        # What was left as it is stays the question itself, and not its redacted copy.
        return (Rewriting(question, found.rewriter) if found.text == shown else found), None

    def _shown(self, text: str) -> str:
        return self._redactor.redact(text).text
