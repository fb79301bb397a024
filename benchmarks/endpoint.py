"""The scripted model in a process of its own, so that what it works is not counted as a client's.

`bitempo.testing.ScriptedModel` answers at once. What it was asked is counted as it came in over
the wire: four characters a token, of all messages and of the JSON schema that goes with them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel

from benchmarks.script import Script, Told, reply_to
from bitempo.testing import Call, ScriptedModel
from bitempo.testing.call import estimated_tokens

DIMENSIONS = 1024
"""How long vectors are."""

_ROOT = Path(__file__).resolve().parents[1]
_TAKE = "take\n"


@dataclass(frozen=True)
class Asked:
    """What a system asked for: calls to the model and their tokens, and the same of embeddings.

    `schema_tokens` are those of `prompt_tokens` that are the schema of the reply.
    """

    calls: int = 0
    prompt_tokens: int = 0
    schema_tokens: int = 0
    completion_tokens: int = 0
    embedding_calls: int = 0
    embedded_tokens: int = 0


class Endpoint:
    """The scripted model, answering from a script until it is closed or its `with` block left."""

    def __init__(self, script: Script) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.endpoint"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        episodes = {
            text: [asdict(told) for told in facts] for text, facts in script.episodes.items()
        }
        self.url = self._said(json.dumps(episodes) + "\n").strip()

    def taken(self) -> Asked:
        """What it was asked for since this was called last."""
        return Asked(**json.loads(self._said(_TAKE)))

    def close(self) -> None:
        """End it.

        Raises:
            RuntimeError: the script failed.
        """
        self._process.communicate()
        if self._process.returncode:
            raise RuntimeError("the scripted model failed; what it says is above")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self._process.communicate()

    def _said(self, line: str) -> str:
        """What the process answers to the line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the scripted model ended; what it says is above")
        return answer


class Counting:
    """A script that counts what it replies to."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._replies: list[tuple[Call, str]] = []

    def __call__(self, call: Call) -> str:
        reply = reply_to(call, self._script)
        said = reply.model_dump(mode="json") if isinstance(reply, BaseModel) else reply
        # Written alike for all. Requests come in at once; a list is appended to in one step.
        text = json.dumps(said, ensure_ascii=False)
        self._replies.append((call, text))
        return text

    def taken(self, embedded: Sequence[Call]) -> Asked:
        """What was asked for, these embeddings included; from here it counts anew."""
        replies, self._replies = self._replies, []
        schemas = sum(_schema_tokens(call) for call, _ in replies)
        return Asked(
            calls=len(replies),
            prompt_tokens=sum(call.prompt_tokens for call, _ in replies) + schemas,
            schema_tokens=schemas,
            completion_tokens=sum(estimated_tokens(text) for _, text in replies),
            embedding_calls=len(embedded),
            embedded_tokens=sum(call.prompt_tokens for call in embedded),
        )


def _schema_tokens(call: Call) -> int:
    return estimated_tokens(json.dumps(call.schema)) if call.schema is not None else 0


def main() -> None:
    """Serve until the input ends; `Endpoint` talks to this."""
    read = json.loads(sys.stdin.readline())
    script = Script(
        {
            text: [Told(**{**told, "contradicts": tuple(told["contradicts"])}) for told in facts]
            for text, facts in read.items()
        }
    )
    counting = Counting(script)
    with ScriptedModel(counting, dimensions=DIMENSIONS) as model:
        print(model.url, flush=True)
        for line in sys.stdin:
            if line == _TAKE:
                asked = counting.taken(model.embedding_calls)
                model.forget_calls()
                print(json.dumps(asdict(asked)), flush=True)


if __name__ == "__main__":
    main()
