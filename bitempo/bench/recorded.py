"""An extractor that says what a strong model was recorded to have found, and asks no model."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from bitempo.engine.errors import InvalidRecordError
from bitempo.ingest.extraction import Extractor
from bitempo.ingest.llm import LLMExtractor
from bitempo.testing import ScriptedModel, replay_extractions
from bitempo.testing.recordings import read_recordings

NAME = "recorded"
"""What the model is called, so that no report takes it for one that was asked."""


@contextmanager
def recorded_extractor(
    folder: str | Path, conversations: str | Path, names: Collection[str]
) -> Iterator[Extractor]:
    """An `LLMExtractor` whose model replies what the files of the folder hold.

    What it finds goes through prompt, client, checks and resolution like any model's reply.

    Args:
        folder: of recorded extractions (`*.jsonl`), as `replay_extractions` reads them.
        conversations: the file of the conversations that were recorded.
        names: the conversations to replay.

    Raises:
        InvalidRecordError: the folder lacks one of the conversations, or a recording cannot be
            read.
        InvalidInputError: the openai package is not installed.
    """
    missing = sorted(set(names) - recorded_names(folder))
    if missing:
        raise InvalidRecordError(
            f"holds no recorded extractions (*.jsonl) of {', '.join(missing[:5])}; give a folder "
            "that does, or take fewer conversations",
            place=str(folder),
        )
    replay = replay_extractions(_files(folder), conversations, only=names)
    with ScriptedModel(replay) as model:
        yield LLMExtractor(NAME, base_url=model.url, api_key=NAME, max_retries=0)


def recorded_names(folder: str | Path) -> set[str]:
    """The conversations of which the files of the folder hold an extraction.

    Raises:
        InvalidRecordError: a file cannot be read.
    """
    return {name for name, _ in read_recordings(_files(folder))}


def _files(folder: str | Path) -> list[Path]:
    return sorted(Path(folder).glob("*.jsonl"))
