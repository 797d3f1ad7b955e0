"""Converts calls to requests of the Model Context Protocol, and back.

A call becomes `{"jsonrpc": "2.0", "id": …, "method": "tools/call", "params": {"name":
"get_weather", "arguments": {"city": "Oslo"}}}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.interop.exchange import (
    arguments_of,
    call_with,
    mapping_of,
    plain,
    with_ids,
)
from toolgrammar.interop.handed_in import given_calls, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.values.calls import ToolCall

__all__ = ["from_tool_calls", "to_tool_calls"]

_METHOD = "tools/call"


def to_tool_calls(
    calls: Iterable[ToolCall], *, id_prefix: str | None = None
) -> list[dict[str, Any]]:
    """Returns calls as JSON-RPC requests `tools/call`; the ids of the calls are those of requests.

    The text of a free-text call becomes the argument `input`. A call that is not
    executable is omitted: a request has no place for what is wrong with it.

    Args:
        calls: the calls of one message.
        id_prefix: the text before the index in the generated id of a call; None: the id is
            made from the call's place and text.
    """
    return [
        {
            "jsonrpc": "2.0",
            "id": identity,
            "method": _METHOD,
            "params": {"name": call.name, "arguments": arguments_of(call)},
        }
        for call, identity in with_ids(calls, id_prefix)
        if call.executable
    ]


def from_tool_calls(requests: Iterable[object] | None) -> list[ToolCall]:
    """Returns the calls of requests `tools/call`; requests of other methods are passed.

    It never raises on their arguments: those that are no object make the call unreadable.

    Args:
        requests: dicts, with the JSON-RPC head or without, or the models of the mcp package.

    Raises:
        TypeError: one of them is neither.
        KeyError: one of them has no name.
    """
    found = (plain(request) for request in given_calls(requests))
    return [_call(request) for request in found if request.get("method") == _METHOD]


def _call(request: Mapping[str, Any]) -> ToolCall:
    params = mapping_of(request.get("params"))
    if not isinstance(params.get("name"), str):
        raise KeyError(f"a call has its name under params.name; this one has {keys_of(params)}")
    # A request may leave the arguments out. Its id may be a number, that of a call is a text.
    return call_with(params["name"], params.get("arguments"), request.get("id"))
