"""Reads calls whose arguments are raw values, one after the other, without asking what else they are.

This is to calls of elements and tags what `PlainReading._usual_call` is to calls of one object. It
gives up where a lane does anything unusual; the loop of `plain_calls` then reads from the opener.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.core.draft import decoded_token
from toolgrammar.core.json_guide import guide_of_tool
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.straight_rules import raw_part, trimmed, typed_value
from toolgrammar.core.trim import NONE
from toolgrammar.values.making import make_call, make_span

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from toolgrammar.core.lanes import Lane
    from toolgrammar.core.machine import Node
    from toolgrammar.core.plain_calls import PlainReading
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonValue

_NONE_KNOWN: Mapping[str, bool] = {}


def read_valued_calls(
    reading: PlainReading, text: str, node: Node, start: int, calls: list[ToolCall]
) -> tuple[Node, int] | None:
    """Reads the calls of one section, or one call without a section, from its opener on.

    Gives the node and the place behind it; None, with no call added, where something else stands
    there.
    """
    before, in_group = len(calls), False
    while True:
        for lane in node.lanes:
            match = lane.match(text, start)
            if match is not None:
                break
        else:
            break
        if in_group and lane.ends_section:
            return lane.node, match.end()
        if not lane.opens_values or match.end() - start > MAX_TOKEN:
            break
        in_group = in_group or lane.begins_group
        ended = _read_call(reading, text, lane, match, calls)
        if ended is None:
            break
        lane, start = ended
        node = lane.node
        if lane.ends_group or not in_group:
            return node, start
    del calls[before:]
    return None


def key_of(written: str) -> str:
    """Gives the key of an argument that a token writes."""
    return (decoded_token(written) if written[:1] == '"' else written).strip()


def _read_call(  # noqa: C901, PLR0912  (a function for each value costs a tenth)
    reading: PlainReading, text: str, lane: Lane, match: re.Match[str], calls: list[ToolCall]
) -> tuple[Lane, int] | None:
    """Reads one call from what opens it; gives the lane that ends it, and the place behind that."""
    unit, name_group, first, key_group = lane.groups
    start, arguments_start, written_name = match.start(unit), match.start(first), match[name_group]
    name = reading.names.get(written_name) or reading.name_of(written_name)
    rules, trim = reading.rules, reading.rules.trim
    judges = reading.tools or rules.by_shape
    # Keys whose values are strings whatever they say, as far as they are known.
    guide = reading.guides.get(name) if judges and not rules.by_shape else None
    texts = _NONE_KNOWN if guide is None else guide.raw_texts
    arguments: dict[str, Any] = {}
    while True:
        written_key, begin, ender = match[key_group], match.end(), lane.ender
        key = key_of(written_key) if written_key[:1] == '"' else written_key.strip()
        if ender is None or trim:
            mode = trim.get(key) or trim.get("value") or ""
            part = raw_part(text, lane, begin, mode, written_name, written_key)
            if part is None:
                return None
            value, end = part
        else:
            find, closers = ender
            found = find(text, begin)
            if found is None or found.lastgroup not in closers:
                return None
            end = found.start()
            value = text[begin:end]
            if lane.trim != NONE:
                kept = trimmed(value, lane.trim, before=lane.before)
                if kept is None:
                    return None
                value = kept
        if judges and lane.is_typed and not texts.get(key):
            arguments[key], fits = _typed(reading, name, key, value)
            if not fits:
                return None
        else:
            arguments[key] = value
        for following in lane.following:
            next_match = following.match(text, end)
            if next_match is not None:
                break
        else:
            return None
        lane, match, behind = following, next_match, next_match.end()
        if behind - end > MAX_TOKEN or not (lane.goes_on or lane.ends_values):
            return None
        if lane.goes_on:
            key_group = lane.groups[1]
            continue
        if lane.ends_argument:
            end = match.end(lane.ends_argument)
        raw, span = text[arguments_start:end], make_span(start, match.end(lane.groups[0]))
        calls.append(
            make_call(name, arguments, None, None, raw, span, "complete", (), rules.id, None, ())
        )
        return lane, behind


def _typed(reading: PlainReading, name: str, key: str, text: str) -> tuple[JsonValue, bool]:
    """Gives the value that a raw text is by the schema of its key, and whether it fits."""
    spec = reading.tools.get(name)
    if spec is not None:
        reading.guides[name] = guide_of_tool(spec)
    return typed_value(spec, key, text, by_shape=reading.rules.by_shape)
