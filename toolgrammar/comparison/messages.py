"""Draws the messages for comparing formats, in five shapes, from a seed.

`drawn(7, 2)` are ten messages: two of one plain call, two with code, two with nested values, two
with several calls, two whose values are in other scripts. The same seed draws the same ones.
"""

from __future__ import annotations

import json
import random
import unicodedata
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.recovery.json_parser import recover_json
from toolgrammar.scoring.schema_breaks import breaks
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec

SEVERAL: Final = "several"
SHAPES: Final = ("one call", "code", "nested", SEVERAL, "other scripts")
"""The shapes of messages; a message has the first if no other fits."""
_CODE_LINES: Final = 3
"""The number of line ends from which on a text counts as code, which formats escape or indent."""

_WORDS: Final = [
    "harbour",
    "tide",
    "ferry",
    "ledger",
    "window",
    "copper",
    "meadow",
    "signal",
    "quiet",
    "eleven",
    "barley",
    "station",
    "amber",
    "river",
    "paper",
    "winter",
    "garden",
    "kettle",
    "bridge",
    "market",
    "engine",
    "lantern",
    "orchard",
    "thread",
]
_SCRIPTS: Final = (
    "Где находится ближайшая станция",
    "明日の会議は何時に始まりますか",
    "请把这封信翻译成英文",
    "मौसम आज कैसा रहेगा",
    "أين تقع أقرب محطة",
    "내일 서울 날씨 알려 줘",
    "Πού είναι το λιμάνι",
    "מתי יוצאת הרכבת",
)
_LINES: Final = (
    'print(f"{{{a}}}: {{{b}:.2f}}")',
    'if {a} < {n} and {b} != "":',
    '    {a}["{b}"] = [{n}, {m}]',
    "    return {{'{a}': {b}, '{b}': None}}",
    "# {a}: see <{b}> & co.",
    'text = "one \\"{a}\\" two\\n"',
    "for {a} in range({n}): {b} += {a}",
    "<div class='{a}'>{b}</div>",
    'path = r"C:\\{a}\\{b}"',
    "assert {a} >= {n} or not {b}  # naïve",
)


@dataclass(frozen=True)
class Message:
    """The calls of one message, and their tools."""

    name: str
    """The name of the message in reports."""
    calls: tuple[ToolCall, ...]
    """The calls, without ids."""
    tools: list[object] = field(default_factory=list)
    """The tools that are called, if they are known."""

    @cached_property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The tools as `parse` reads them, read once: `parse` itself caches only the last 16 lists."""
        return to_specs(self.tools)

    @property
    def shape(self) -> str:
        """The shape of the message, one of `SHAPES`."""
        return shape_of(self.calls)


def shape_of(calls: Sequence[ToolCall]) -> str:
    """Returns the shape of calls; if several fit, the one that is hardest to write."""
    if len(calls) > 1:
        return SEVERAL
    values = [value for call in calls for value in (*call.arguments.values(), call.input)]
    texts = [text for value in values for text in texts_of(value)]
    if any(text.count("\n") >= _CODE_LINES for text in texts):
        return "code"
    if any(isinstance(value, (dict, list)) for value in values):
        return "nested"
    if any(_is_of_other_script("".join(texts))):
        return "other scripts"
    return "one call"


def _is_of_other_script(text: str) -> Iterator[bool]:
    # `é` and `ø` are Latin letters too.
    return (each.isalpha() and "LATIN" not in unicodedata.name(each, "LATIN") for each in text)


def texts_of(value: JsonValue) -> Iterator[str]:
    """Yields the strings in a value, but no keys."""
    match value:
        case str():
            yield value
        case dict():
            for part in value.values():
                yield from texts_of(part)
        case list():
            for part in value:
                yield from texts_of(part)
        case _:
            return


def fitting(
    calls: Iterable[ToolCall], specs: Mapping[str, ToolSpec]
) -> tuple[ToolCall, ...] | None:
    """Returns calls with the types of their tools' schemas; None if one breaks its schema.

    If a model wrote `{"days": "2"}` for an integer, a caller gets 2, both in JSON and in formats whose
    values get their types from the schema. The latter can't write a text that is no integer there.
    """
    found = []
    for call in calls:
        spec = specs.get(call.name)
        # A free text, or a tool without a schema: there are no types to apply.
        if spec is None or spec.parameters is None or call.input is not None:
            found.append(call)
            continue
        typed = recover_json(json.dumps(dict(call.arguments)), spec.parameters).value
        if not isinstance(typed, dict) or breaks(typed, spec):
            return None
        found.append(replace(call, arguments=typed))
    return tuple(found)


def message_of(name: str, calls: Iterable[ToolCall], specs: Mapping[str, ToolSpec]) -> Message:
    """Returns a message with the tools that it calls."""
    # Without ids, since not every format can write them.
    chosen = tuple(ToolCall(call.name, call.arguments, None, call.input) for call in calls)
    called = [specs[name] for name in dict.fromkeys(call.name for call in chosen) if name in specs]
    # Dicts, as callers pass them. The same list is passed each time, so that it is read once.
    tools: list[object] = [{"name": spec.name, "parameters": spec.parameters} for spec in called]
    return Message(name, chosen, tools)


def bare_json(message: Message) -> str:
    """Returns the calls as JSON, written as models write it, with nothing around it."""
    calls = [
        {"name": call.name, "arguments": call.input or call.arguments} for call in message.calls
    ]
    return json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)


def drawn(seed: int, each: int) -> list[Message]:
    """Returns drawn messages of all shapes.

    Args:
        seed: from which they are drawn.
        each: how many of each shape.
    """
    makers: dict[str, Callable[[random.Random], list[ToolCall]]] = {
        "one call": lambda draw: [_plain(draw)],
        "code": lambda draw: [_code(draw)],
        "nested": lambda draw: [_nested(draw)],
        SEVERAL: lambda draw: [
            draw.choice((_plain, _nested, _code))(draw) for _ in range(draw.randint(2, 3))
        ],
        "other scripts": lambda draw: [_foreign(draw)],
    }
    found = []
    for shape, make in makers.items():
        for number in range(each):
            # A generator for each message, so that a larger number leaves the first ones unchanged.
            draw = random.Random(f"{seed} {shape} {number}")  # noqa: S311 - no secret
            calls = make(draw)
            tools: list[object] = [_tool_of(name, calls) for name in {c.name: 0 for c in calls}]
            found.append(Message(f"{shape} {number + 1}", tuple(calls), tools))
    return found


def long_message(size: int) -> Message:
    """Returns a message with one argument of about `size` characters of code."""
    draw = random.Random(size)  # noqa: S311 - no secret
    body = ""
    while len(body) < size:
        body += _line(draw) + "\n"
    call = ToolCall("write_file", {"path": "src/fare.py", "body": body})
    return Message("long", (call,), [_tool_of(call.name, [call])])


def _words(draw: random.Random, least: int, most: int) -> str:
    return " ".join(draw.choices(_WORDS, k=draw.randint(least, most)))


def _line(draw: random.Random) -> str:
    a, b = draw.sample(_WORDS, 2)
    return draw.choice(_LINES).format(a=a, b=b, n=draw.randint(0, 99), m=draw.randint(0, 9))


def _plain(draw: random.Random) -> ToolCall:
    kinds: list[dict[str, JsonValue]] = [
        {"query": _words(draw, 1, 6), "limit": draw.randint(1, 50)},
        {"city": draw.choice(_WORDS).title(), "days": draw.randint(1, 14), "metric": True},
        {"to": f"{draw.choice(_WORDS)}@example.org", "subject": _words(draw, 2, 5)},
        # A string of digits, which a format without types has to distinguish from a number.
        {"account": f"{draw.randint(10000, 99999)}", "amount": draw.randint(100, 99999) / 100},
    ]
    index = draw.randrange(len(kinds))
    name = ("search_notes", "get_weather", "send_mail", "pay_bill")[index]
    return ToolCall(name, kinds[index])


def _code(draw: random.Random) -> ToolCall:
    body = "\n".join(_line(draw) for _ in range(draw.randint(4, 20)))
    path = f"src/{draw.choice(_WORDS)}.py"
    # With and without a line end at the end: not all formats keep it.
    return ToolCall("write_file", {"path": path, "body": body + draw.choice(("\n", ""))})


def _nested(draw: random.Random) -> ToolCall:
    stops: list[JsonValue] = [draw.choice(_WORDS).title() for _ in range(draw.randint(1, 4))]
    limits: JsonValue = {"price": draw.randint(10, 900) / 2, "changes": draw.randint(0, 4)}
    return ToolCall(
        "find_trips", {"from": draw.choice(_WORDS).title(), "stops": stops, "limits": limits}
    )


def _foreign(draw: random.Random) -> ToolCall:
    return ToolCall(
        "translate_text", {"text": " ".join(draw.sample(_SCRIPTS, draw.randint(1, 2))), "to": "en"}
    )


def _tool_of(name: str, calls: Iterable[ToolCall]) -> dict[str, Any]:
    arguments = next(call.arguments for call in calls if call.name == name)
    return {
        "name": name,
        "description": f"Does what its name says: {name.replace('_', ' ')}.",
        "parameters": {**_schema_of(dict(arguments)), "required": list(arguments)},
    }


def _schema_of(value: JsonValue) -> dict[str, Any]:
    match value:
        case dict():
            inner = {key: _schema_of(part) for key, part in value.items()}
            return {"type": "object", "properties": inner}
        case list():
            return {"type": "array", "items": {"type": "string"}}
        # Before `int`, whose subclass it is.
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case _:
            return {"type": "string"}
