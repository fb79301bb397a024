"""A reply is found in whatever stands around it, and wherever it was cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.ingest.llm.reading import read_reply
from bitempo.ingest.llm.recovery import Recovered, Shape, recover
from bitempo.ingest.llm.reply import Reply
from bitempo.ingest.llm.schema import shape_of, strict_schema
from tests.llm.replies import claim, reply

SHAPE = shape_of(strict_schema(Reply))
WHOLE = reply(
    claim(text='She said "no", {then} [left].'),
    claim(value=3.5, predicate="SCORE"),
    claim(value=True, predicate="VEGAN", text="Zoë \u2028 \\ 日本"),
    entities=({"name": "Lisbon", "type": "place", "aliases": ["Lisboa"]},),
)


def found(text: str) -> Recovered:
    recovered = recover(text, SHAPE)
    assert recovered is not None
    return recovered


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "```json\n{}\n```",
        "Here it is:\n```\n{}\n```\nAnything else?",
        'Sure! As JSON [1] with {{"a": 1}}: {} — done.',
        '<think>\nMaybe {{"entities": []}}?\n</think>\n{}',
        'I could write {{"entities": [], "assertions": []}}\n</think>\n\n{}',
        '{{"result": {}}}',
        "[{}]",
        "\ufeff{}",
    ],
)
def test_what_stands_around_a_reply_is_left(text: str) -> None:
    written = json.dumps(WHOLE, ensure_ascii=False)
    assert found(text.format(written)) == Recovered(WHOLE, complete=True)


def test_json_inside_of_text_is_read() -> None:
    assert found(json.dumps(json.dumps(WHOLE))) == Recovered(WHOLE, complete=True)
    inside = {"entities": "[]", "assertions": json.dumps(WHOLE["assertions"])}
    assert found(json.dumps(inside)).data["assertions"] == WHOLE["assertions"]


def test_a_lone_item_or_a_bare_list_is_the_list_it_belongs_to() -> None:
    item = claim()
    for text in (item, [item], {"assertions": item}):
        assert found(json.dumps(text)).data == {"assertions": [item]}


def test_the_schema_itself_is_no_reply() -> None:
    schema = json.dumps(strict_schema(Reply))
    assert recover(schema, SHAPE) is None
    properties = json.dumps(strict_schema(Reply)["properties"])
    assert recover(properties, SHAPE) is None
    assert found(f"{schema}\n{json.dumps(WHOLE)}").data == WHOLE


def test_what_no_store_can_hold_is_null() -> None:
    text = (
        '{"entities": [], "assertions": [{"value": NaN}, {"value": -Infinity}, {"value": 1e999}]}'
    )
    assert [item["value"] for item in found(text).data["assertions"]] == [None, None, None]


def test_trailing_commas_comments_and_raw_line_breaks_are_passed_over() -> None:
    text = '{"entities": [], // none\n "assertions": [{"text": "a\nb",},],}'
    assert found(text) == Recovered({"entities": [], "assertions": [{"text": "a\nb"}]}, True)


@pytest.mark.parametrize(
    "text", ["", "no JSON here", "{", "[[[[", '{"answer": 42}', "null", "<think>"]
)
def test_where_there_is_no_reply_none_is_found(text: str) -> None:
    assert recover(text, SHAPE) is None


@given(st.data(), st.booleans(), st.booleans())
def test_a_cut_reply_gives_a_prefix_of_its_items(
    data: st.DataObject, ascii_only: bool, spaced: bool
) -> None:
    text = json.dumps(WHOLE, ensure_ascii=ascii_only, indent=2 if spaced else None)
    cut = data.draw(st.integers(0, len(text) - 1))
    recovered = recover(text[:cut], SHAPE)
    if recovered is None:
        return
    assert not recovered.complete
    for key in ("entities", "assertions"):
        items = recovered.data.get(key, [])
        assert items == WHOLE[key][: len(items)]


def test_every_whole_item_before_the_cut_is_kept() -> None:
    text = json.dumps(WHOLE)
    for number in (1, 2, 3):
        end = text.index(json.dumps(WHOLE["assertions"][number - 1])) + len(
            json.dumps(WHOLE["assertions"][number - 1])
        )
        assert found(text[:end]).data["assertions"] == WHOLE["assertions"][:number]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["entities", "assertions", "text", "evidence", "value", "importance"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON | st.text(alphabet='{}[]",:\\ntf<>/think0-9.eE ', max_size=60))
def test_nothing_raises(given_text: Any) -> None:
    text = given_text if isinstance(given_text, str) else json.dumps(given_text)
    recovered = recover(text, SHAPE)
    if recovered is not None:
        read_reply(recovered.data)


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 20_000, '"[' * 20_000, "{" * 50_000])
def test_deep_nesting_is_no_trouble(text: str) -> None:
    assert recover(text, SHAPE) is None


def test_a_shape_tells_items_by_their_keys() -> None:
    shape = Shape(frozenset({"xs"}), {"xs": frozenset({"a", "b", "c"})})
    assert shape.list_of({"a": 1, "b": 2, "c": 3}) == "xs"
    assert shape.list_of({"a": 1}) is None
