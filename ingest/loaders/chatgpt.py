"""The conversations.json of a ChatGPT export.

Each conversation is a tree of messages, since answers can be regenerated and questions edited.
What was really said is the path from `current_node` up to the root; the other branches are left
out. So are messages that nobody said or saw: of the system and of tools, hidden ones, calls of
tools, and content other than text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.time import Instant
from bitempo.ingest.loaders.loader import FallbackStart, Item, Loader, LoadOptions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.sessions import Malformed, SessionBuilder, clean_name, moment


def recognises(source: Source) -> bool:
    """Whether the JSON is a conversation with a `mapping`, or a list of them."""
    if not source.is_json:
        return False
    document = source.document
    records = document if isinstance(document, list) else [document]
    return any(isinstance(one, Mapping) and "mapping" in one for one in records)


def load(source: Source, options: LoadOptions) -> Iterator[Item]:
    """One session per conversation, named by its id; its turns have the ids of the messages.

    Raises:
        InvalidRecordError: the document is neither an object nor a list.
    """
    document = source.document
    records = [document] if isinstance(document, Mapping) else document
    if not isinstance(records, list):
        raise InvalidRecordError("must be a list of conversations", place=source.name)
    fallback = FallbackStart(options.started_at)
    seen: set[str] = set()
    for number, record in enumerate(records, start=1):
        place = f"{source.name}, conversation {number}"
        try:
            builder = _builder(record, f"{source.stem}/{number}", place, options)
            if builder.id in seen:
                raise InvalidRecordError(f"the id {builder.id!r} is used twice", place=place)
            nodes = _path(record, place)
        except InvalidRecordError as error:
            yield Malformed.of(error)
            continue
        seen.add(builder.id)
        for key, message in nodes:
            try:
                _add(builder, message, key, f"{place}, message {key}")
            except InvalidRecordError as error:
                yield Malformed.of(error)
        try:
            yield fallback.build(builder)
        except InvalidRecordError as error:
            yield Malformed.of(error)


CHATGPT = Loader(
    name="chatgpt",
    description="ChatGPT export: conversations.json, the branch that was current",
    recognises=recognises,
    load=load,
)

_SPOKEN = frozenset({"text", "multimodal_text"})


def _builder(record: object, default_id: str, place: str, options: LoadOptions) -> SessionBuilder:
    if not isinstance(record, Mapping):
        raise InvalidRecordError("a conversation must be an object", place=place)
    own_id = record.get("conversation_id")
    if own_id is None:
        own_id = record.get("id")
    title = record.get("title")
    return SessionBuilder(
        default_id if own_id is None else own_id,
        started_at=_time(record.get("create_time"), place),
        actor=options.actor or "user",
        metadata={"title": title} if isinstance(title, str) and title else None,
        place=place,
    )


def _path(record: Mapping[str, Any], place: str) -> list[tuple[str, object]]:
    """Node ids and messages from the root to the current node."""
    mapping = record.get("mapping")
    if not isinstance(mapping, Mapping):
        raise InvalidRecordError("mapping must be an object", place=place)
    key = record.get("current_node")
    path: list[tuple[str, object]] = []
    visited: set[str] = set()
    while key is not None:
        node = mapping.get(key) if isinstance(key, str) else None
        if not isinstance(node, Mapping):
            what = "current_node" if not path else f"the parent of {path[-1][0]}"
            raise InvalidRecordError(f"{what} names no node of the mapping", place=place)
        if key in visited:
            raise InvalidRecordError(f"the node {key} is its own ancestor", place=place)
        visited.add(key)
        path.append((key, node.get("message")))
        key = node.get("parent")
    if mapping and not path:
        raise InvalidRecordError("there is no current_node", place=place)
    return path[::-1]


def _add(builder: SessionBuilder, message: object, key: str, place: str) -> None:
    if message is None:
        return
    if not isinstance(message, Mapping):
        raise InvalidRecordError("a message must be an object", place=place)
    author, content = message.get("author"), message.get("content")
    if not isinstance(author, Mapping) or not isinstance(content, Mapping):
        raise InvalidRecordError("a message needs an author and content", place=place)
    role = clean_name(author.get("role"), "the role of an author", place)
    unspoken = _why_unspoken(message, role, content)
    if unspoken:
        builder.skip(place, unspoken)
        return
    builder.add(
        _text(content, place),
        builder.actor if role == "user" else role,
        place=place,
        occurred_at=_time(message.get("create_time"), place),
        id=key if message.get("id") is None else message["id"],
        metadata={"role": role},
    )


def _why_unspoken(message: Mapping[str, Any], role: str, content: Mapping[str, Any]) -> str:
    """Why a message is no turn; empty when it is one."""
    metadata = message.get("metadata")
    kind = content.get("content_type", "text")
    recipient = message.get("recipient")
    if role in ("system", "tool"):
        return f"a message of the role {role} is not a turn"
    if isinstance(metadata, Mapping) and metadata.get("is_visually_hidden_from_conversation"):
        return "the message is hidden"
    if recipient not in (None, "all"):
        return f"the message is to {recipient}, not to the conversation"
    if not isinstance(kind, str) or kind not in _SPOKEN:
        return f"content of the type {kind} is not a turn"
    return ""


def _text(content: Mapping[str, Any], place: str) -> str:
    parts = content.get("parts", [])
    if not isinstance(parts, list):
        raise InvalidRecordError("parts must be a list", place=place)
    # Images and files are objects without text; what was said aloud is an object with it.
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _time(value: object, place: str) -> Instant | None:
    if value is None:
        return None
    try:
        return moment(value)
    except InvalidInputError as error:
        raise InvalidRecordError(f"create_time: {error}", place=place) from error
