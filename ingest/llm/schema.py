"""From a pydantic model to the JSON schema that strict structured output accepts.

Strict means: every object lists all its properties as required and allows no others, references
are resolved in place, and keywords that endpoints refuse (defaults, bounds, titles) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from bitempo.ingest.llm.recovery import Shape

_KEPT = ("type", "description", "enum", "const")


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's schema in its strict form; a model that contains itself has none.

    Raises:
        ValueError: the model contains itself, or leaves open what properties it has.
    """
    schema = model.model_json_schema()
    return _strict(schema, schema.get("$defs", {}), ())


def shape_of(schema: Mapping[str, Any]) -> Shape:
    """What a reply of the (strict) schema looks like, to find it in a text."""
    properties = schema["properties"]
    lists = {
        name: frozenset(property["items"].get("properties", ()))
        for name, property in properties.items()
        if "items" in property
    }
    return Shape(frozenset(properties), lists)


def _strict(
    node: Mapping[str, Any], definitions: Mapping[str, Any], within: tuple[str, ...]
) -> dict[str, Any]:
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in within:
            raise ValueError(f"{name} contains itself, which no strict schema can say")
        referred = _strict(definitions[name], definitions, (*within, name))
        return referred | {key: node[key] for key in ("description",) if key in node}
    if "allOf" in node and len(node["allOf"]) == 1:
        return _strict({**node["allOf"][0], **_without(node, "allOf")}, definitions, within)
    result = {key: node[key] for key in _KEPT if key in node}
    if "anyOf" in node:
        result["anyOf"] = [_strict(option, definitions, within) for option in node["anyOf"]]
    if "items" in node:
        result["items"] = _strict(node["items"], definitions, within)
    if node.get("type") == "object":
        if "properties" not in node:
            raise ValueError("an object without fixed properties has no strict schema")
        properties = node["properties"]
        result["properties"] = {
            name: _strict(property, definitions, within) for name, property in properties.items()
        }
        result["required"] = list(properties)
        result["additionalProperties"] = False
    return result


def _without(node: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != key}
