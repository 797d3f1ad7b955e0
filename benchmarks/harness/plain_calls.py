"""Reads calls that stand plainly in a text, by the readers of Python's own library and nothing else.

It is a second opinion where the reader of a recorded message's source saw fewer calls than the
message has, or lost a part of one. Only calls of given tools count, at places where calls stand:
at the beginning of a line, behind markup, or behind another call.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgrammar import ToolSpec

_OBJECT = re.compile(r"(?:^|(?<=[>\[,]))[ \t]*(?=\{)", re.MULTILINE)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_BARE_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\b(?:True|False|None)\b')
_CALL = r"(?:^[ \t]*|[\[,;]\s*)[\"'`]?(?P<name>{names})(?=\()"
_ESCAPED = re.compile(r"\\_")
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call as it stands in a text."""

    name: str
    arguments: dict[str, Any] | None
    """None where an argument is an expression, or has no name that could be given to it."""


def plain_calls(text: str, tools: Mapping[str, ToolSpec]) -> list[PlainCall]:
    """Returns the calls of given tools that stand in a text, without repeats."""
    found: list[PlainCall] = []
    for call in (*_objects(text, tools), *_python_calls(text, tools)):
        if call not in found:
            found.append(call)
    return found


def _objects(text: str, tools: Mapping[str, ToolSpec]) -> Iterator[PlainCall]:
    """Yields the calls that are written as an object with `name` and `arguments`."""
    text = _BARE_WORD.sub(lambda match: _WORDS.get(match[0], match[0]), text)
    decoder, at = json.JSONDecoder(), 0
    while match := _OBJECT.search(text, at):
        at = match.end()
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            at += 1
            continue
        arguments = value.get("arguments", value.get("parameters"))
        if value.get("name") in tools and isinstance(arguments, dict):
            yield PlainCall(value["name"], arguments)


def _python_calls(text: str, tools: Mapping[str, ToolSpec]) -> Iterator[PlainCall]:
    """Yields the calls that are written as Python writes them."""
    if not tools:
        return
    text = _ESCAPED.sub("_", text)
    names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)))
    call, at = re.compile(_CALL.format(names=names), re.MULTILINE), 0
    while match := call.search(text, at):
        at = match.end()
        node, end = _expression(text, match.start("name"))
        if node is not None:
            at = end
            yield _read(match["name"], node, tools[match["name"]])


def _expression(text: str, start: int) -> tuple[ast.Call | None, int]:
    """Returns the shortest call from an index on that Python reads, and where it ends."""
    end = start
    while 0 <= (end := text.find(")", end + 1)) < start + _LONGEST:
        try:
            node = ast.parse(text[start : end + 1], mode="eval").body
        except (SyntaxError, ValueError):
            continue
        return (node, end + 1) if isinstance(node, ast.Call) else (None, end)
    return None, start


def _read(name: str, node: ast.Call, tool: ToolSpec) -> PlainCall:
    """Reads the arguments; the first of those without names, if they are an object of all."""
    keys = list(tool.properties)
    try:
        unnamed = [_value(each) for each in node.args]
        named = {each.arg or "": _value(each.value) for each in node.keywords}
    except (TypeError, ValueError):
        return PlainCall(name, None)
    if len(unnamed) == 1 and not named and isinstance(unnamed[0], dict) and unnamed[0]:
        inner = unnamed[0]
        if inner.keys() <= set(keys):
            return PlainCall(name, inner)
    if len(unnamed) > len(keys) or "" in named or named.keys() & set(keys[: len(unnamed)]):
        return PlainCall(name, None)
    return PlainCall(name, {**dict(zip(keys, unnamed, strict=False)), **named})


def _value(node: ast.expr) -> Any:
    """Returns the value of a literal as JSON has it.

    Raises:
        ValueError, TypeError: it is no literal, or nothing that JSON has.
    """
    return json.loads(json.dumps(ast.literal_eval(node)))
