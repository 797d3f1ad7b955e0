"""Reads back what was written in a format, with the types of the original values.

`<n>5</n>` is read back as 5 if it was written for the number 5, and as "5" for the string "5".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from toolgrammar.core.driver.modes import new_driver
from toolgrammar.core.machine.caches import machine_for
from toolgrammar.core.message.build import Builder
from toolgrammar.core.message.settings import Settings
from toolgrammar.core.message.source import Source
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import CallEnd, ReasoningDelta, TextDelta
from toolgrammar.values.patterns import late
from toolgrammar.values.schemas import type_of
from toolgrammar.values.tools import ToolSpec
from toolgrammar.writing.stretches import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.tables import Tables

_WORD = late(r"(?:^|(?<=[^\w\s]))[A-Za-z_][\w.-]*", re.MULTILINE)
"""Matches a possible name of a tool, after markup or at the beginning of a line."""
# Each name is an opener in the machine that reads: a bound on how large it gets.
_NAMES_AT_ONCE = 500


class Writable(Protocol):
    """A format, as far as writing needs it."""

    @property
    def tables(self) -> Tables:
        """The compiled grammar."""

    @property
    def header(self) -> Header:
        """The header of the grammar file."""


def read_message(
    fmt: Writable,
    text: str,
    calls: Sequence[ToolCall] = (),
    tools: Mapping[str, ToolSpec] | None = None,
) -> list[Stretch]:
    """Returns the stretches of a message.

    Args:
        fmt: the format.
        text: the message.
        calls: the calls that were written; without tools their values say the types.
        tools: the tools that the reader of the message knows, by name.
    """
    builder = _read(fmt, text, calls, tools)
    message: list[Stretch] = []
    for event in builder.queue.events:
        match event:
            # Only what is said counts: deltas of arguments are in the call of `CallEnd` already.
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
    """Returns the calls that a format reads in a text; `names`: those of the known tools."""
    return _read(fmt, text, [ToolCall(name) for name in names], None).calls


def shown_calls(fmt: Writable, text: str) -> list[ToolCall]:
    """Returns what a format reads as calls in a text if tools are called as its words are."""
    # Only where the markup holds names of tools (`[search(q="x")]`, `<search>`) does the set of
    # tools decide what is a call; elsewhere `read_message` has found every call.
    if not fmt.tables.names_tools:
        return []
    names = sorted(set(_WORD.findall(text)))
    parts = (names[at : at + _NAMES_AT_ONCE] for at in range(0, len(names), _NAMES_AT_ONCE))
    return [call for part in parts for call in calls_in(fmt, text, part)]


def _read(
    fmt: Writable, text: str, calls: Sequence[ToolCall], tools: Mapping[str, ToolSpec] | None
) -> Builder:
    # Without tools, the calls themselves say the types: raw text `5` comes back as a number only
    # where the schema says so.
    specs = _specs_of(calls, fmt.tables) if tools is None else tools
    source, header = Source(), fmt.header
    # Only real tools can tell that an argument is unknown; a made-up one has all that were written.
    if tools is None:
        header = header._replace(unknown_arguments="keep")
    builder = Builder(
        source=source,
        settings=Settings(header, fmt.tables),
        # Without a tool, the text stays the input of the call; a made-up tool would give it a name.
        tools={} if fmt.tables.free_text and tools is None else specs,
        id_seed="",
        listening=True,
    )
    source.append(text)
    # A header may name tools that its model always has; with tools of the caller they don't count.
    names = {*specs, *(fmt.header.tools if tools is None else ())}
    machine = machine_for(fmt.tables, names)
    builder.read_signs(machine.signs)
    # The default of `Limits`: what a parser would not read with its defaults is not written.
    driver = new_driver(machine, builder, max_depth=200)
    driver.feed(text, final=True)
    return builder


def _specs_of(calls: Iterable[ToolCall], tables: Tables) -> dict[str, ToolSpec]:
    """Returns tools whose schemas say what the values of the calls are."""
    specs: dict[str, ToolSpec] = {}
    for call in calls:
        # Two calls of a tool may have different arguments: the schema has those of both.
        known = specs.get(call.name)
        properties = dict(known.parameters["properties"]) if known and known.parameters else {}
        properties |= {key: _schema_of(value) for key, value in call.arguments.items()}
        schema = {"type": "object", "properties": properties}
        # Arguments without names (`move north 3`) are told apart by their order, which is that of
        # `required`.
        if tables.has_words:
            schema["required"] = list(properties)
        specs[call.name] = ToolSpec(call.name, "", schema)
    return specs


def _schema_of(value: Any) -> Mapping[str, Any]:
    """Returns the JSON Schema of a value, of all its parts where they tell."""
    if isinstance(value, dict):
        parts = {key: _schema_of(part) for key, part in value.items()}
        return {"type": "object", "properties": parts}
    if isinstance(value, list | tuple):
        items = [_schema_of(part) for part in value]
        # Only items that are alike have a schema in common.
        alike = all(item == items[0] for item in items)
        return {"type": "array", "items": items[0]} if items and alike else {"type": "array"}
    return {"type": ["null"]} if value is None else {"type": type_of(value)}
