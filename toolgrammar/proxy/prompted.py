"""Rewrites a request for a server without support for tools: they are written into the prompt.

Example: `{"messages": […], "tools": […]}` becomes `{"messages": [{"role": "system", "content": "You
can call tools. …"}, …]}`, with earlier calls and results as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.catalogue.registry import formats
from toolgrammar.interop.prompted import written_messages
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.errors import check_type
from toolgrammar.writing.conversation import with_prompt

if TYPE_CHECKING:
    from toolgrammar.catalogue.registry import FormatLike

_OF_TOOLS: Final = ("tools", "tool_choice", "parallel_tool_calls")
"""The keys that a server without support for tools would refuse, or not understand."""


def rewrite_request(
    request: Mapping[str, Any], *, format: FormatLike, prompt: bool = False
) -> dict[str, Any]:
    """Returns a request in a form that the server supports.

    Without `prompt` it is unchanged: the server tells its model about the tools. With it the tools
    are written into the system message, as the format's prompt, and earlier calls and results
    become text, as `interop.prompted` writes them; the stop strings of the format are added to
    those of the request.

    Args:
        request: the body of a chat completion.
        format: the format in which the model is to write calls.
        prompt: whether the server does not support tools.

    Raises:
        ValueError: a message or a tool has a wrong shape.
        TypeError: a tool or the request has a wrong type.
        UnknownFormat: no format has this id or alias.
    """
    check_type("request", request, Mapping, "hand in the body of the request")
    check_type("prompt", prompt, bool)
    body = dict(request)
    tools, messages = request.get("tools"), request.get("messages")
    if not prompt or not isinstance(messages, list):
        return body
    chosen = formats.resolve(format)
    specs = to_specs(tools if isinstance(tools, list) else None)
    body["messages"] = written_messages(chosen, messages, specs)
    offered = specs and request.get("tool_choice") != "none"
    # Even if no tool is offered: a server without support for tools may refuse the keys.
    for key in _OF_TOOLS:
        body.pop(key, None)
    # Without tools there is nothing to explain: a prompt without tools would only invite calls.
    if offered:
        said = chosen.prompt(specs)
        body["messages"] = with_prompt(body["messages"], said)
        if said.stop:
            body["stop"] = _stops(request.get("stop"), said.stop)
    return body


def _stops(own: Any, more: tuple[str, ...]) -> list[str]:
    # OpenAI's API accepts `stop` as one string or a list of strings.
    given = [own] if isinstance(own, str) else list(own or ())
    return list(dict.fromkeys([*given, *more]))
