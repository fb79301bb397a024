"""Tiny models of our own in the ONNX format, for tests that must not fetch any.

The words of a text stand in a table of unit vectors, so what a model says can be worked out by
hand. The files are written as protobuf bytes; the numbers of the fields are those of onnx.proto.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[Q]", "[D]")
WORDS = (
    *"where is the harbour ana bo plays violin every evening quiet full of boats a".split(),
    *("?", "."),
)
VOCABULARY = (*SPECIAL, *WORDS)
WIDTH = len(VOCABULARY)
SHARE = 0.25
"""How much of the sum over its text goes into the vector of a token."""

_INT64, _FLOAT = 7, 1


def write_token_model(folder: Path, *, scale: float = 1.0) -> Path:
    """A model of tokens: each is its own unit vector and a share of the sum over the text."""
    nodes = [
        *_masked_states(),
        _node("ReduceSum", ["masked", "axis_1"], ["sum"], keepdims=1),
        _node("Mul", ["sum", "share"], ["shared"]),
        _node("Add", ["states", "shared"], ["last_hidden_state"]),
    ]
    constants = [_tensor("share", np.array([SHARE], np.float32))]
    return _written(folder, nodes, constants, ("last_hidden_state", ("n", "l", WIDTH)), scale)


def write_cross_encoder(folder: Path, *, columns: int = 1) -> Path:
    """A cross-encoder: its logit is how many words the two texts share, counted by pairs.

    With two columns the logit is their difference.
    """
    nodes = [
        *_masked_states(),
        _node("Cast", ["token_type_ids"], ["types"], to=_FLOAT),
        _node("Unsqueeze", ["types", "axis_2"], ["second"]),
        _node("Mul", ["masked", "second"], ["of_second"]),
        _node("Sub", ["masked", "of_second"], ["of_first"]),
        _node("ReduceSum", ["of_first", "axis_1"], ["first_sum"], keepdims=0),
        _node("ReduceSum", ["of_second", "axis_1"], ["second_sum"], keepdims=0),
        _node("Mul", ["first_sum", "second_sum"], ["shared"]),
        _node("ReduceSum", ["shared", "axis_1"], ["one"], keepdims=1),
    ]
    if columns == 1:
        nodes.append(_node("Identity", ["one"], ["logits"]))
    else:
        halves = [_node("Mul", ["one", "half"], ["up"]), _node("Neg", ["up"], ["down"])]
        parts = ["down", *["up"] * (columns - 1)]
        nodes += [*halves, _node("Concat", parts, ["logits"], axis=1)]
    constants = [_tensor("half", np.array([0.5], np.float32))]
    return _written(folder, nodes, constants, ("logits", ("n", columns)))


def _masked_states() -> list[bytes]:
    return [
        _node("Gather", ["table", "input_ids"], ["states"]),
        _node("Cast", ["attention_mask"], ["mask"], to=_FLOAT),
        _node("Unsqueeze", ["mask", "axis_2"], ["column"]),
        _node("Mul", ["states", "column"], ["masked"]),
    ]


def _written(
    folder: Path,
    nodes: Sequence[bytes],
    constants: Sequence[bytes],
    output: tuple[str, Sequence[str | int]],
    scale: float = 1.0,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    table = np.eye(WIDTH, dtype=np.float32) * scale
    # What pads or parts texts means nothing; it must not count where a mask is forgotten either.
    table[1:4] = 0
    table[0] = 100
    held = [
        _tensor("table", table),
        _tensor("axis_1", np.array([1], np.int64)),
        _tensor("axis_2", np.array([2], np.int64)),
        *constants,
    ]
    inputs = [_value(name, _INT64, ("n", "l")) for name in ("input_ids", "attention_mask")]
    inputs.append(_value("token_type_ids", _INT64, ("n", "l")))
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            *(_field(5, one) for one in held),
            *(_field(11, one) for one in inputs),
            _field(12, _value(output[0], _FLOAT, output[1])),
        ]
    )
    model = _number(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _number(2, 13))
    (folder / "model.onnx").write_bytes(model)
    _tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer() -> Tokenizer:
    vocabulary = {word: id for id, word in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **settings: int) -> bytes:
    attributes = (
        _field(1, name.encode()) + _number(3, value) + _number(20, 2)
        for name, value in settings.items()
    )
    return b"".join(
        [
            *(_field(1, name.encode()) for name in inputs),
            *(_field(2, name.encode()) for name in outputs),
            _field(4, kind.encode()),
            *(_field(5, attribute) for attribute in attributes),
        ]
    )


def _tensor(name: str, array: NDArray[np.float32] | NDArray[np.int64]) -> bytes:
    kind = _FLOAT if array.dtype == np.float32 else _INT64
    dimensions = b"".join(_number(1, size) for size in array.shape)
    return dimensions + _number(2, kind) + _field(8, name.encode()) + _field(9, array.tobytes())


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = (
        _number(1, size) if isinstance(size, int) else _field(2, size.encode()) for size in shape
    )
    dimensions = b"".join(_field(1, size) for size in sizes)
    tensor = _number(1, kind) + _field(2, dimensions)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
