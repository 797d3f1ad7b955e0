"""Converts messages of pydantic-ai to and from the shape of OpenAI's API.

Example: `ToolReturnPart("add", 3, "c1")` becomes the message
`{"role": "tool", "tool_call_id": "c1", "name": "add", "content": "3"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    NativeToolReturnPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.tools import ToolDefinition


def tool_of(tool: ToolDefinition) -> dict[str, Any]:
    """Returns a tool in the shape of OpenAI's API."""
    function = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.parameters_json_schema,
    }
    return {"type": "function", "function": function}


def plain(message: ModelMessage) -> list[dict[str, Any]]:
    """Returns a message in the shape of OpenAI's API: one for each part of a request."""
    if isinstance(message, ModelResponse):
        calls = [
            {
                "id": part.tool_call_id,
                "type": "function",
                "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
            }
            for part in message.parts
            if isinstance(part, ToolCallPart)
        ]
        text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
        return [{"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}]
    return [_plain_part(part) for part in message.parts]


def _plain_part(part: Any) -> dict[str, Any]:
    """Returns a part of a request in the shape of OpenAI's API."""
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, ToolReturnPart):
        answered = {"tool_call_id": part.tool_call_id, "name": part.tool_name}
        return {"role": "tool", **answered, "content": part.model_response_str()}
    # A part that asks the model again, about one call or about the whole response.
    if hasattr(part, "model_response"):
        text = part.model_response()
        if getattr(part, "tool_name", None):
            answered = {"tool_call_id": part.tool_call_id, "name": part.tool_name}
            return {"role": "tool", **answered, "content": text}
        return {"role": "user", "content": text}
    # With the part itself, since images and files can't be written as text.
    return {"role": "user", "content": _texts(getattr(part, "content", "")), "part": part}


def results_in(messages: Iterable[ModelMessage]) -> Iterator[dict[str, Any]]:
    """Yields what tools wrote and `plain` has no place for, in the shape of OpenAI's API.

    Such are the results of tools that the provider runs, which are parts of its responses, and
    files in the results of others.
    """
    for message in messages:
        for part in message.parts:
            if isinstance(part, NativeToolReturnPart):
                texts = [part.model_response_str(), *_texts(part.files)]
                yield {"role": "tool", "name": part.tool_name, "content": texts}
            elif isinstance(part, ToolReturnPart) and part.files:
                yield {"role": "tool", "name": part.tool_name, "content": _texts(part.files)}


def _texts(content: Any) -> list[str]:
    """Returns the texts of a part's content, those of files and their addresses too."""
    found = []
    for item in [content] if isinstance(content, str) else content or ():
        if isinstance(item, BinaryContent):
            # Images and sounds are large, and no text.
            is_text = not item.media_type.startswith(("image/", "audio/", "video/"))
            text: Any = item.data.decode(errors="replace") if is_text else None
        elif isinstance(item, str):
            text = item
        else:
            text = getattr(item, "content", None) or getattr(item, "url", None)
        if isinstance(text, str):
            found.append(text)
    return found


def requests_of(written: list[dict[str, Any]], messages: list[ModelMessage]) -> list[ModelMessage]:
    """Returns messages in the shape of OpenAI's API as those of pydantic-ai."""
    made: list[ModelMessage] = []
    parts: list[Any] = []
    for message in written:
        if message["role"] == "assistant":
            if parts:
                made.append(ModelRequest(parts=parts))
            made.append(ModelResponse(parts=[TextPart(message["content"])]))
            parts = []
        elif message["role"] == "system":
            parts.append(SystemPromptPart(message["content"]))
        else:
            parts.append(message.get("part") or UserPromptPart(message["content"]))
    # The agent's instructions belong to the current request, the last one.
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    instructions = requests[-1].instructions if requests else None
    made.append(ModelRequest(parts=parts, instructions=instructions))
    return made
