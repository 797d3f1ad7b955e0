"""Judges for the straight readings what is plain, where that takes more than a lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.doubts import NEAR, ends_with_closer
from toolgrammar.core.json_guide import guide_of_tool
from toolgrammar.core.json_typing import needs_typing
from toolgrammar.core.partial import MOST_BLANKS
from toolgrammar.core.shapes import may_be_json, shaped
from toolgrammar.core.trim import NONE, ONE_NEWLINE, RIGHT, STRIP
from toolgrammar.core.wrappers import any_wrapped
from toolgrammar.tools.coerce import is_text_only, type_text

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.lanes import Lane
    from toolgrammar.core.machine import Node
    from toolgrammar.core.plain_rules import PlainRules
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec


def is_over(node: Node, text: str, position: int) -> bool | None:
    """Whether the open call ends at a node where text may follow it; None where that is unclear."""
    match = node.token.match(text, position)
    group = match.lastgroup if match is not None else None
    if group is not None:
        return "call" in node.steps[group].before
    if node.payloads or (node.end is None and not text[position:].strip()):
        return None
    return True if ends_plainly(text, position) else None


def ends_plainly(text: str, position: int) -> bool:
    """Whether what follows a call without a closer is no line that may be one of its arguments."""
    before, behind = text[position - 1 : position], text[position : position + 1]
    return (before != "\n" or not behind.strip()) and not touches(before, behind)


def touches(before: str, behind: str) -> bool:
    """Whether text goes on right behind a bracket, as in a value that has not ended there."""
    return before in ("}", "]") and (behind.isalnum() or behind in ('"', "'", ":"))


def raw_part(
    text: str, lane: Lane, start: int, trim: str, name: str, key: str
) -> tuple[str, int] | None:
    """Gives a raw payload as its role wants it, and its end; None where it has to be judged.

    Args:
        text: the message.
        lane: what leads to the payload.
        start: where the payload begins.
        trim: what the header takes off it; empty where it says nothing.
        name: the name of the call, as written, which a closer may repeat.
        key: the key of the argument, likewise.
    """
    raw, find_end = lane.raw, lane.find_end
    match = find_end(text, start) if find_end is not None else None
    if raw is None or match is None or not str(match.lastgroup).startswith("closer_"):
        return None
    if raw.repeats and not repeats_rightly(match, name, key):
        return None
    end = match.start()
    if raw.call_closes_alone and ends_with_closer.search(text[max(start, end - NEAR) : end]):
        return None
    if lane.skips_blanks:
        near = max(start, end - MOST_BLANKS)
        end = near + len(text[near:end].rstrip())
    mode = trim or lane.trim
    part = trimmed(text[start:end], mode, before=lane.before or mode != lane.trim)
    return None if part is None else (part, end)


def typed_value(
    spec: ToolSpec | None, key: str, text: str, *, by_shape: bool, typed: bool = True
) -> tuple[JsonValue, bool]:
    """Gives the value that a raw text is by the schema of its key, and whether it fits.

    A key that the tool does not have may be that of another argument: the driver tells.

    Args:
        spec: the tool that is called, where it is known.
        key: the key of the argument.
        text: the argument.
        by_shape: whether JSON is read as what it is where the schema leaves that open.
        typed: whether it is more than a text.
    """
    if spec is not None and spec.properties and key not in spec.properties:
        return text, False
    if not typed:
        return text, True
    if by_shape:
        schema = spec.properties.get(key) if spec is not None else None
        first = text.lstrip()[:1]
        is_text = first and is_text_only(schema) and not may_be_json(first, schema)
        return (text, True) if is_text else shaped(text, schema)
    if spec is None or guide_of_tool(spec).is_text(key):
        return text, True
    return type_text(text, spec.properties.get(key))


def fits(spec: ToolSpec | None, value: JsonValue, key: str | None = None) -> bool:
    """Whether a tool wants no other types than its arguments have, or the one with a key has."""
    if spec is None or spec.parameters is None:
        return True
    if key is not None and spec.properties and key not in spec.properties:
        return False
    wanted: Guide | None = guide_of_tool(spec)
    if wanted is not None and key is not None:
        wanted = wanted.member(key)
    return wanted is None or not needs_typing(value, wanted)


def lacks_required(spec: ToolSpec | None, arguments: Mapping[str, object] | None) -> bool:
    """Whether an argument is missing that the tool requires; a text that ends there may be cut."""
    return spec is not None and not set(spec.required).issubset(arguments or ())


def may_be_arguments(value: JsonValue) -> bool:
    """Whether a member of a call that fills no role may be meant as all its arguments."""
    if isinstance(value, str):
        return value.lstrip().startswith("{")
    return isinstance(value, dict) and bool(value)


def is_judged(rules: PlainRules, calls: list[ToolCall], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether a call has an argument that wraps all others, or one that is left out."""
    return any_wrapped(rules.unwrap, calls) or (rules.drops and leaves_out(calls, specs))


def leaves_out(calls: Iterable[ToolCall], tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a call has an argument that its tool does not have."""
    for call in calls:
        spec = tools.get(call.name)
        if (
            spec is not None
            and spec.properties
            and not call.arguments.keys() <= spec.properties.keys()
        ):
            return True
    return False


def repeats_rightly(match: re.Match[str], name: str, key: str) -> bool:
    """Whether the closer of a raw payload that repeats a name or a key repeats the right one."""
    for group, value in match.groupdict().items():
        expected = name if "_SAME_NAME_" in group else key
        if value is not None and "_SAME_" in group and value != expected:
            return False
    return True


def trimmed(text: str, mode: str, *, before: bool) -> str | None:
    """Takes off what a trim mode takes off a whole payload; None where the trimmer must decide."""
    if mode == NONE:
        return text
    if mode == STRIP:
        return text.strip()
    if mode == RIGHT:
        return text.rstrip()
    if mode != ONE_NEWLINE or "\r" in text:
        return None
    if before and text.startswith("\n"):
        text = text[1:]
        if not text:
            return text
    return text.removesuffix("\n")
