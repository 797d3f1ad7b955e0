"""Messages are drawn in all shapes, and the same seed draws the same ones."""

from toolgrammar import ToolCall
from toolgrammar.comparison.messages import (
    SHAPES,
    bare_json,
    drawn,
    fitting,
    long_message,
    shape_of,
)
from toolgrammar.tools.specs import to_specs


def test_as_many_of_each_shape_as_asked_for() -> None:
    assert [message.shape for message in drawn(3, 4)] == [
        shape for shape in SHAPES for _ in range(4)
    ]


def test_the_seed_says_which() -> None:
    assert drawn(1, 3) == drawn(1, 3)
    assert drawn(1, 3) != drawn(2, 3)
    # More of them leave those that were there.
    assert drawn(1, 4)[:3] == drawn(1, 3)[:3]


def test_shapes_of_own_messages() -> None:
    assert shape_of([ToolCall("f", {"a": "1\n2\n3\n4"})]) == "code"
    assert shape_of([ToolCall("f", input="1\n2\n3\n4")]) == "code"
    assert shape_of([ToolCall("f", {"a": {"b": 1}})]) == "nested"
    assert shape_of([ToolCall("f", {"a": "Tromsø, naïve"})]) == "one call"
    assert shape_of([ToolCall("f", {"a": "Привет"})]) == "other scripts"
    assert shape_of([ToolCall("f"), ToolCall("g")]) == "several"


def test_the_long_message_is_as_long_as_asked_for() -> None:
    assert 4096 <= len(bare_json(long_message(4096))) < 6000


def test_own_calls_get_the_types_of_their_tools() -> None:
    properties = {"days": {"type": "integer"}, "city": {"type": "string"}}
    specs = to_specs([{"name": "f", "parameters": {"type": "object", "properties": properties}}])
    [typed] = fitting([ToolCall("f", {"days": "2", "city": "Oslo"})], specs) or ()
    assert typed.arguments == {"days": 2, "city": "Oslo"}
    assert fitting([ToolCall("f", {"days": "soon"})], specs) is None
    assert fitting([ToolCall("f", {"city": [5]})], specs) is None
    others = (ToolCall("g", {"days": "2"}), ToolCall("f", input="ls"))
    assert fitting(others, specs) == others
