"""Messages in several formats, as the tests of the APIs' shapes read them."""

from dataclasses import dataclass
from typing import Any

import toolgrammar
from toolgrammar import Event, ParseResult

TOOLS = [
    {
        "name": "weather",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
    {"name": "now", "input_schema": {"type": "object", "properties": {}}},
]


@dataclass(frozen=True)
class Message:
    """A text that a model wrote, and what a test knows about it."""

    format: str
    text: str
    names: tuple[str, ...]
    arguments: tuple[dict[str, Any], ...]


MESSAGES = {
    "two-calls": Message(
        "hermes",
        "<think>Two things.</think>I look.\n<tool_call>\n"
        '{"name": "weather", "arguments": {"city": "Zürich \\"old\\"", "days": 2}}\n</tool_call>\n'
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
        ("weather", "now"),
        ({"city": 'Zürich "old"', "days": 2}, {}),
    ),
    "ids-of-their-own": Message(
        "kimi_k2",
        "Both.<|tool_calls_section_begin|>"
        "<|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>"
        '{"city": "Oslo"}<|tool_call_end|>'
        "<|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
        "<|tool_calls_section_end|>",
        ("weather", "now"),
        ({"city": "Oslo"}, {}),
    ),
    "xml-values": Message(
        "qwen3_xml",
        "<tool_call>\n<function=weather>\n<parameter=city>\nBern\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
        ("weather",),
        ({"city": "Bern", "days": 3},),
    ),
    "free-text": Message(
        "simple_agent", 'I run it.\n\n🛠️ bash echo "hi"\n', ("bash",), ({"input": 'echo "hi"'},)
    ),
    "text-only": Message("hermes", "Nothing to do.", (), ()),
    "nothing": Message("hermes", "", (), ()),
}


def read(message: Message, size: int) -> tuple[list[Event], ParseResult]:
    """Reads a message in chunks and gives the events and the result."""
    parser = toolgrammar.Parser(format=message.format, tools=TOOLS)
    events: list[Event] = []
    for start in range(0, len(message.text), size):
        events += parser.feed(message.text[start : start + size])
    events += parser.close()
    return events, parser.result


def joined(events: list[Event]) -> tuple[str, str, dict[int, str]]:
    """Joins the deltas of text, of reasoning, and of each call's arguments."""
    text = "".join(e.text for e in events if isinstance(e, toolgrammar.TextDelta))
    reasoning = "".join(e.text for e in events if isinstance(e, toolgrammar.ReasoningDelta))
    arguments: dict[int, str] = {}
    for event in events:
        if isinstance(event, toolgrammar.ArgumentsDelta):
            arguments[event.index] = arguments.get(event.index, "") + event.json
    return text, reasoning, arguments


def calls_of(events: list[Event]) -> list[toolgrammar.ToolCall]:
    """Gives the calls that ended, in the order of their indexes."""
    ends = [event for event in events if isinstance(event, toolgrammar.CallEnd)]
    return [event.call for event in sorted(ends, key=lambda event: event.index)]
