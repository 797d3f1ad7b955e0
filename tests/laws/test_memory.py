"""A long message that streams in small pieces is kept about three times: see `PARTS`."""

import sys
import tracemalloc

import pytest

import toolgrammar
from toolgrammar.testing.depth import at_depth

SIZE = 200_000
PARTS = 4
"""The source, the arguments as written and the value; a join on the way; the rest is small."""
TOOL = {
    "name": "write_file",
    "parameters": {"type": "object", "properties": {"path": {}, "content": {"type": "string"}}},
}
LINE = "def area(side): return side * side  # a line of code\n"


@pytest.mark.parametrize(
    "format_id",
    ["hermes", "qwen3_xml", "kimi_k2", "harmony", "glm45", "react"][: at_depth(2, 6, 6)],
)
@pytest.mark.parametrize("where", ["argument", "text"])
def test_memory(format_id: str, where: str) -> None:
    long = LINE * (SIZE // len(LINE))
    content = long if where == "argument" else "x = 1"
    call = toolgrammar.ToolCall("write_file", {"path": "area.py", "content": content})
    text = toolgrammar.formats[format_id].render([call])
    text = text if where == "argument" else long + "\n" + text
    # One that has read nothing yet: how others went decides which way a stream is read.
    chosen = toolgrammar.load_format(toolgrammar.formats[format_id].path)
    streamed(text[:2000] + text[-2000:], chosen)  # makes what is made once
    tracemalloc.start()
    try:
        result = streamed(text, chosen)
        assert [each.arguments for each in result.calls] == [call.arguments]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= PARTS * sys.getsizeof(text)


def streamed(text: str, chosen: toolgrammar.Format) -> toolgrammar.ParseResult:
    parser = toolgrammar.Parser(chosen, tools=[TOOL])
    for start in range(0, len(text), 4):
        parser.feed(text[start : start + 4])
    parser.close()
    return parser.result


@pytest.mark.parametrize("unit", ["1,, ", "'a', ", "\\q"])
def test_repairs_of_a_stream_take_no_more_than_its_text(unit: str) -> None:
    """What is not listed is counted, and no edit of it is kept."""
    before = '<tool_call>\n{"name": "f", "arguments": {"x": ["'
    before = before if unit == "\\q" else before[:-1]
    text = before + unit * (SIZE // 8 // len(unit))
    streamed(text[:300], toolgrammar.formats["hermes"])
    parser = toolgrammar.Parser("hermes")
    tracemalloc.start()
    try:
        for start in range(0, len(text), 64):
            parser.feed(text[start : start + 64])
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held <= 25 * len(text)
    parser.close()
    whole = toolgrammar.parse(text, format="hermes")
    assert parser.result.diagnostics == whole.diagnostics
