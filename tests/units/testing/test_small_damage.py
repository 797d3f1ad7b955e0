"""Content is told from markup, however a value is written."""

import random

import pytest

import toolgrammar
from toolgrammar.testing.small_damage import content_of, markup_of, small_damage
from toolgrammar.values.spans import Span


@pytest.mark.parametrize(
    ("text", "format_id", "content"),
    [
        ('[get(city="Bo\\x41", n=2)]', "pythonic", ["get", "city", "Bo\\x41", "n", "2"]),
        (
            '{"name": "say", "arguments": {"it": "a \\"b\\""}}',
            "llama3_json",
            ["say", "it", 'a \\"b\\"'],
        ),
        (
            '<tool-use>\n<save args="a &amp; b">\n1 &lt; 2\n</save>\n</tool-use>',
            "gptme_xml",
            ["save", "a &amp; b", "1 &lt; 2"],
        ),
    ],
)
def test_content_is_found_as_it_is_written(text: str, format_id: str, content: list[str]) -> None:
    calls = toolgrammar.parse(text, format_id).calls
    marked = content_of(text, calls)
    kept = "".join(each if marked[place] else "\0" for place, each in enumerate(text))
    found = [each for each in kept.split("\0") if each]
    assert found[: len(content)] == content


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        ('print("a")\n' * 20 + "x", 'print(\\"a\\")\\n' * 20 + "y"),
        ("\\" * 40 + "x", "\\" * 60 + "y"),
        ("\n" * 40 + "x", "\\\n" * 60 + "y"),
    ],
    ids=["quotes", "backslashes", "broken lines"],
)
def test_content_that_is_written_otherwise_is_looked_for_once(value: str, wire: str) -> None:
    """Each character was once looked for in two ways that mean the same: 2^40 ways for forty."""
    marked = content_of(
        wire, [toolgrammar.ToolCall("save", {"body": value}, span=Span(0, len(wire)))]
    )
    assert not all(marked)


def test_damage_is_in_the_markup_alone() -> None:
    text = '<tool_call>\n{"name": "save", "arguments": {"path": "a.txt"}}\n</tool_call>'
    places = markup_of(text, toolgrammar.parse(text, "hermes").calls)
    for seed in range(200):
        damaged = small_damage(text, places, random.Random(seed))
        assert abs(len(damaged) - len(text)) <= 3
        assert "save" in damaged
        assert "a.txt" in damaged
