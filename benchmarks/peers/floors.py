"""The least that can be done: find the envelope, decode what is in it; nothing else is looked at.

A floor reads sound messages that hold one call and nothing else. With another decoder than
`json.loads` it is what users of a repairer of JSON write; streamed, such a user decodes again what
has come so far, at every delta.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from peers.readers import Calls

    Decode = Callable[[str], Any]
    Cut = Callable[[str], tuple[str | None, str, str]]
    """Gives the name, or None where it stands in the payload; the payload; the key of arguments."""


def _between(opener: str, closer: str, key: str = "arguments") -> Cut:
    def cut(text: str) -> tuple[str | None, str, str]:
        start = text.find(opener) + len(opener)
        end = text.find(closer, start) if closer else -1
        return None, text[start:] if end < 0 else text[start:end], key

    return cut


def _matched(pattern: str) -> Cut:
    compiled = re.compile(pattern, re.DOTALL)

    def cut(text: str) -> tuple[str | None, str, str]:
        found = compiled.search(text)
        return (found[1], found[2], "") if found else (None, "", "")

    return cut


JSON_FLOORS: dict[str, Cut] = {
    "hermes": _between("<tool_call>", "</tool_call>"),
    "jamba": _between("<tool_calls>", "</tool_calls>"),
    "mistral_json": _between("[TOOL_CALLS]", ""),
    "llama3_json": _between("", "", "parameters"),
    "mistral_v11": _matched(r"\[TOOL_CALLS\]([^\[{]+)\[ARGS\](.*)"),
    "kimi_k2": _matched(
        r"<\|tool_call_begin\|>functions\.([\w-]+):\d+<\|tool_call_argument_begin\|>"
        r"(.*?)(?:<\|tool_call_end\|>|$)"
    ),
    "deepseek_v3_1": _matched(
        "<\uff5ctool\u2581call\u2581begin\uff5c>([^<]+)<\uff5ctool\u2581sep\uff5c>"
        "(.*?)(?:<\uff5ctool\u2581call\u2581end\uff5c>|$)"
    ),
}
"""Formats whose payload is JSON."""
DECODED = ("hermes", "kimi_k2")
"""Those of them in which other decoders are measured too; they see the same payload in all."""

_XML = {
    "qwen3_xml": (
        r"<function=([^>]+)>(.*?)</function>",
        r"<parameter=([^>]+)>\n(.*?)\n</parameter>",
    ),
    "glm45": (
        r"<tool_call>(\w+)\s*(.*?)</tool_call>",
        r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>",
    ),
    "minimax_m2": (
        r'<invoke name="([^"]+)">(.*?)</invoke>',
        r'<parameter name="([^"]+)">(.*?)</parameter>',
    ),
}
XML_FLOORS = {
    name: tuple(re.compile(part, re.DOTALL) for part in parts) for name, parts in _XML.items()
}


class JsonFloor:
    """Finds the payload and decodes it."""

    def __init__(self, cut: Cut, decode: Decode, *, partial: bool) -> None:
        self._cut, self._decode, self._partial = cut, decode, partial

    def whole(self, text: str, ids: list[int]) -> Calls:
        name, payload, key = self._cut(text)
        value = self._decode(payload)
        if isinstance(value, list):
            value = value[0]
        return [(value["name"], value[key])] if name is None else [(name, value)]

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        if self._partial:
            for end in range(1, len(pieces)):
                payload = self._cut("".join(pieces[:end]))[1]
                with suppress(ValueError):
                    self._decode(payload)
        return self.whole("".join(pieces), [])


class XmlFloor:
    """Finds the call and all parameters in it, as text."""

    def __init__(self, call: re.Pattern[str], parameter: re.Pattern[str]) -> None:
        self._call, self._parameter = call, parameter

    def whole(self, text: str, ids: list[int]) -> Calls:
        found = self._call.search(text)
        return [(found[1], dict(self._parameter.findall(found[2])))] if found else []

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        return self.whole("".join(pieces), [])


def floors(format_id: str) -> dict[str, Any]:
    """Returns the floor of a format, and decoders of JSON in its place, by name."""
    found: dict[str, Any] = {}
    if format_id in JSON_FLOORS:
        cut = JSON_FLOORS[format_id]
        found["floor"] = JsonFloor(cut, json.loads, partial=False)
        if format_id in DECODED:
            for name, decode in decoders().items():
                found[name] = JsonFloor(cut, decode, partial=True)
    if format_id in XML_FLOORS:
        found["floor"] = XmlFloor(*XML_FLOORS[format_id])
    return found


def decoders() -> dict[str, Decode]:
    """Returns the decoders of unfinished JSON that are installed."""
    found: dict[str, Decode] = {}
    for name, module, make in (
        ("json_repair", "json_repair", lambda package: package.loads),
        ("jiter", "jiter", _jiter),
        ("partial-json-parser", "partial_json_parser", lambda package: package.loads),
    ):
        try:
            found[name] = make(import_module(module))
        except ImportError:
            continue
    return found


def _jiter(package: Any) -> Decode:
    def decode(text: str) -> Any:
        return package.from_json(text.encode(), partial_mode="trailing-strings")

    return decode
