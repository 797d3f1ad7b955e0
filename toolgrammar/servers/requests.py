"""Converts the tools and the conversation of a request, which are objects of the server.

Example: an object whose `model_dump()` is `{"type": "function", "function": {"name": "search", …}}`
becomes `ToolSpec("search", …)`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolgrammar.tools.specs import to_specs
from toolgrammar.values.tools import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger("toolgrammar.servers")


def specs_of(tools: Iterable[object] | None) -> tuple[ToolSpec, ...]:
    """Returns the specs of tools; of a tool whose schema can't be read, only the name is kept."""
    specs: list[ToolSpec] = []
    for tool in tools or ():
        data = _plain(tool)
        try:
            specs += to_specs([data]).values()
        except (TypeError, ValueError) as problem:
            # The request of a client must not fail: it proceeds without the types of this tool.
            log.warning("a tool of the request can't be read: %s", problem)
            body = data.get("function", data) if isinstance(data, Mapping) else {}
            name = body.get("name") if isinstance(body, Mapping) else None
            if isinstance(name, str) and name:
                specs.append(ToolSpec(name, "", None))
    return tuple(specs)


def messages_of(request: object) -> list[Mapping[str, Any]]:
    """Returns the conversation of a request for Chat Completions or Responses."""
    given = getattr(request, "messages", None)
    # The Responses API names it `input`, which may also be a single text.
    if given is None:
        given = getattr(request, "input", None)
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    messages: list[Mapping[str, Any]] = []
    for message in given or ():
        data = _plain(message)
        # Content of another type may be an iterator that the server has consumed.
        if isinstance(data, Mapping) and isinstance(data.get("content", ""), str | list):
            messages.append(data)
    return messages


def _plain(value: object) -> Any:
    """Returns a pydantic object as a dict; any other value unchanged."""
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) else value
