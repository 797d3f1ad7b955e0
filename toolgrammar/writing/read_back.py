"""Reads what was written in a format, with the types of the values that went in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from toolgrammar.core.build import Builder
from toolgrammar.core.driver import Driver
from toolgrammar.core.kept_machines import machine_for
from toolgrammar.core.source import Source
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import CallEnd, ReasoningDelta, TextDelta
from toolgrammar.values.patterns import late
from toolgrammar.values.schemas import type_of
from toolgrammar.values.tools import ToolSpec
from toolgrammar.writing.stretches import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.core.header import Header
    from toolgrammar.core.tables import Tables

_WORD = late(r"(?:^|(?<=[^\w\s]))[A-Za-z_][\w.-]*", re.MULTILINE)
"""What may be the name of a tool: markup or the beginning of a line stands before it."""
_NAMES_AT_ONCE = 500


class Writable(Protocol):
    """A format, as far as writing needs it."""

    @property
    def tables(self) -> Tables:
        """The compiled grammar."""

    @property
    def header(self) -> Header:
        """What the grammar file says of itself."""


def read_message(
    fmt: Writable,
    text: str,
    calls: Sequence[ToolCall] = (),
    tools: Mapping[str, ToolSpec] | None = None,
) -> list[Stretch]:
    """Gives what a message says.

    Args:
        fmt: the format.
        text: the message.
        calls: the calls that were written; without tools their values say the types.
        tools: the tools that the reader of the message knows, by name.
    """
    builder = _read(fmt, text, calls, tools)
    message: list[Stretch] = []
    for event in builder.events:
        match event:
            case TextDelta(piece):
                message.append(Stretch("text", piece))
            case ReasoningDelta(piece):
                message.append(Stretch("reasoning", piece))
            case CallEnd(index=index):
                message.append(Stretch("calls", calls=(builder.calls[index],)))
            case _:
                pass
    return message


def calls_in(fmt: Writable, text: str, names: Iterable[str]) -> list[ToolCall]:
    """Gives the calls that a format reads in a text; `names`: those of the known tools."""
    return _read(fmt, text, [ToolCall(name) for name in names], None).calls


def shown_calls(fmt: Writable, text: str) -> list[ToolCall]:
    """Gives what a format reads as calls in a text if tools are called as its words are."""
    if not fmt.tables.names_tools:
        return []
    names = sorted(set(_WORD.findall(text)))
    parts = (names[at : at + _NAMES_AT_ONCE] for at in range(0, len(names), _NAMES_AT_ONCE))
    return [call for part in parts for call in calls_in(fmt, text, part)]


def _read(
    fmt: Writable, text: str, calls: Sequence[ToolCall], tools: Mapping[str, ToolSpec] | None
) -> Builder:
    specs = _specs_of(calls, fmt.tables) if tools is None else tools
    source = Source()
    builder = Builder(
        source=source,
        format_id="",
        tools={} if fmt.tables.free_text and tools is None else specs,
        trim=fmt.header.trim,
        wire_roles=fmt.header.roles,
        drop_unknown=tools is not None and fmt.header.unknown_arguments == "drop",
        id_seed="",
        free_text=fmt.tables.free_text,
        listening=True,
        header=fmt.header,
    )
    source.append(text)
    names = {*specs, *(fmt.header.tools if tools is None else ())}
    machine = machine_for(fmt.tables, names)
    builder.signs = machine.signs
    driver = Driver(machine, builder, base=0, max_depth=200)
    driver.feed(text, final=True)
    return builder


def _specs_of(calls: Iterable[ToolCall], tables: Tables) -> dict[str, ToolSpec]:
    """Gives tools whose schemas say what the values of the calls are."""
    specs: dict[str, ToolSpec] = {}
    for call in calls:
        known = specs.get(call.name)
        properties = dict(known.parameters["properties"]) if known and known.parameters else {}
        properties |= {key: _schema_of(value) for key, value in call.arguments.items()}
        schema = {"type": "object", "properties": properties}
        if tables.has_words:
            schema["required"] = list(properties)
        specs[call.name] = ToolSpec(call.name, "", schema)
    return specs


def _schema_of(value: Any) -> Mapping[str, Any]:
    """Gives the JSON Schema of a value, of all its parts where they tell."""
    if isinstance(value, dict):
        parts = {key: _schema_of(part) for key, part in value.items()}
        return {"type": "object", "properties": parts}
    if isinstance(value, list | tuple):
        items = [_schema_of(part) for part in value]
        alike = all(item == items[0] for item in items)
        return {"type": "array", "items": items[0]} if items and alike else {"type": "array"}
    return {"type": ["null"]} if value is None else {"type": type_of(value)}
