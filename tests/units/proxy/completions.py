"""Completions as servers send them, and what clients make of their chunks."""

from __future__ import annotations

import json
from typing import Any

import toolgrammar
from toolgrammar import RenderError, ToolCall

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tells the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
REQUEST: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "How is the weather in Oslo?"}],
    "tools": [TOOL],
}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
EXPECTED = [("get_weather", {"city": "Oslo"})]


def rendered() -> dict[str, str]:
    """Returns a message with a call, by the ids of the formats that can write it."""
    found = {}
    for format_ in toolgrammar.formats.values():
        try:
            found[format_.id] = format_.render(
                [ToolCall("get_weather", {"city": "Oslo", "days": 2})], "On it.", tools=[TOOL]
            )
        except RenderError:
            try:
                found[format_.id] = format_.render(
                    [ToolCall("get_weather", {"city": "Oslo", "days": 2})], tools=[TOOL]
                )
            except RenderError:
                continue
    return found


RENDERED = rendered()


def completion(text: str, reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    """Returns a whole chat completion."""
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 5, "model": "m"}
    return {**head, "choices": [choice], "usage": usage, **more}


def chunk(delta: dict[str, Any], reason: str | None = None, index: int = 0) -> dict[str, Any]:
    """Returns one chunk of a streamed chat completion."""
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "m"}
    return {**head, "choices": [choice]}


def chunks(text: str, size: int, reason: str | None = "stop") -> list[dict[str, Any]]:
    """Returns a text as the chunks of a completion."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    begin = chunk({"role": "assistant", "content": ""})
    return [begin, *(chunk({"content": piece}) for piece in pieces), chunk({}, reason)]


def events(found: list[dict[str, Any]]) -> bytes:
    """Returns chunks as the body of a server."""
    body = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in found)
    return body + b"data: [DONE]\n\n"


def parsed(body: bytes) -> list[Any]:
    """Returns the chunks of a body; its last event as a string."""
    found = []
    for event in body.split(b"\n\n"):
        if event.startswith(b"data: "):
            data = event.removeprefix(b"data: ")
            found.append("[DONE]" if data == b"[DONE]" else json.loads(data))
    return found


def joined(found: list[dict[str, Any]], index: int = 0) -> dict[str, Any]:
    """Returns the message that a client makes of chunks, as one of a whole completion."""
    texts = {"content": "", "reasoning_content": ""}
    calls: dict[int, dict[str, Any]] = {}
    reason = None
    for each in found:
        for choice in each.get("choices") or ():
            if choice["index"] != index:
                continue
            reason = choice["finish_reason"] or reason
            delta = choice["delta"]
            for key in texts:
                texts[key] += delta.get(key) or ""
            for piece in delta.get("tool_calls") or ():
                call = calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += piece.get("id") or ""
                call["name"] += piece["function"].get("name") or ""
                call["arguments"] += piece["function"].get("arguments") or ""
    return {
        "content": texts["content"].strip(),
        "reasoning": texts["reasoning_content"].strip(),
        "calls": [(calls[at]["name"], json.loads(calls[at]["arguments"])) for at in sorted(calls)],
        "reason": reason,
    }


def read(response: dict[str, Any], index: int = 0) -> dict[str, Any]:
    """Returns the same of a whole completion."""
    choice = response["choices"][index]
    message = choice["message"]
    return {
        "content": (message["content"] or "").strip(),
        "reasoning": (message.get("reasoning_content") or "").strip(),
        "calls": [
            (call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        ],
        "reason": choice["finish_reason"],
    }
