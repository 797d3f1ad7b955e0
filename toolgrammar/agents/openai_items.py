"""Converts items of the Responses API, the OpenAI Agents SDK's form of requests and answers.

Example: the item `{"type": "function_call_output", "call_id": "c1", "output": "3"}` becomes the
message `{"role": "tool", "tool_call_id": "c1", "content": "3"}`; an answer's call becomes a
`function_call`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agents.models.fake_id import FAKE_RESPONSES_ID
from agents.tool import FunctionTool
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_reasoning_item import Summary

from toolgrammar.agents.reading import NativeCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agents import Handoff, ModelSettings, Tool
    from openai.types.responses import ResponseUsage

    from toolgrammar.agents.answers import Answer, AnswerCall
    from toolgrammar.agents.text_calls import TextCalls


class Turn:
    """One request: the input of the inner model, and the data to read its answer."""

    def __init__(
        self,
        settings: TextCalls,
        instructions: str | None,
        given: str | list[Any],
        tools: list[Tool],
        handoffs: list[Handoff],
    ) -> None:
        self._settings = settings
        self.offered = [*_functions(tools), *map(_handoff, handoffs)]
        """The tools, in the shape of OpenAI's API."""
        self.instructions, self.input = instructions, given
        self.tools, self.handoffs = tools, handoffs
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        messages = _messages(instructions, items)
        self.given = [_whole(message) for message in messages]
        """The conversation, in the shape of OpenAI's API."""
        if settings.prompt and self.offered:
            system, *rest = settings.written(messages, self.offered)
            self.instructions = str(system["content"])
            self.input = [message.get("item") or message for message in rest]
            # Tools that the server runs are passed on to it.
            self.tools = [tool for tool in tools if not isinstance(tool, FunctionTool)]
            self.handoffs = []

    def model_settings(self, settings: ModelSettings) -> ModelSettings:
        """Returns the settings with the stop strings of the format's prompt."""
        if not self._settings.stop or not self.offered:
            return settings
        # The caller's own values come last, so they take precedence.
        extra = {"stop": list(self._settings.stop), **(settings.extra_args or {})}
        return replace(settings, extra_args=extra)

    def ask_again(self, text: str, feedback: str) -> None:
        """Adds an answer none of whose calls ran, and a message about the reasons."""
        items = self.input
        before = [{"role": "user", "content": items}] if isinstance(items, str) else items
        # With its own text the model sees what it has to correct.
        asked = [{"role": "assistant", "content": text}, {"role": "user", "content": feedback}]
        self.input = [*before, *asked]


def _functions(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    return [
        _spec(tool.name, tool.description, tool.params_json_schema)
        for tool in tools
        if isinstance(tool, FunctionTool)
    ]


def _handoff(handoff: Handoff) -> dict[str, Any]:
    return _spec(handoff.tool_name, handoff.tool_description, handoff.input_json_schema)


def _spec(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    # A handoff without arguments has an empty schema.
    parameters = schema or {"type": "object", "properties": {}}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _messages(instructions: str | None, items: Iterable[Any]) -> list[dict[str, Any]]:
    """Returns a request as messages of OpenAI's chat API."""
    messages: list[dict[str, Any]] = []
    if instructions:
        messages.append({"role": "system", "content": instructions})
    for item in items:
        kind, role = item.get("type"), item.get("role")
        if kind == "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            call = {"id": item["call_id"], "type": "function", "function": function}
            # Text and calls of one answer are separate items, but one message.
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": ""})
            messages[-1].setdefault("tool_calls", []).append(call)
        elif kind == "function_call_output":
            output = _text(item.get("output"))
            answered = {"tool_call_id": item["call_id"], "content": output}
            messages.append({"role": "tool", **answered, "item": item})
        elif role == "assistant":
            messages.append({"role": "assistant", "content": _text(item.get("content"))})
        elif kind != "reasoning":
            # With the item itself, since images and files can't be written as text.
            text = _text(item.get("content"))
            messages.append({"role": role or "other", "content": text, "item": item})
    return messages


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    """Returns a message with everything that its item says, which is guarded.

    The text alone has neither the name of a file nor the output of a tool that the server ran.
    """
    item = message.get("item")
    if item is None:
        return message
    if message["role"] == "tool":
        # Its id is one of those that no call gets again.
        return {**message, "content": item.get("output"), "item": None}
    return dict(item)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def text_of(items: Iterable[Any]) -> tuple[str, str | None]:
    """Returns the text of an answer's items, and `length` if the server cut it."""
    messages = [item for item in items if isinstance(item, ResponseOutputMessage)]
    text = "".join(
        part.text
        for message in messages
        for part in message.content
        if isinstance(part, ResponseOutputText)
    )
    return text, "length" if any(each.status == "incomplete" for each in messages) else None


def calls_in(items: Iterable[Any]) -> list[NativeCall]:
    """Returns the native calls among an answer's items."""
    return [
        NativeCall(item.name, item.call_id, item.arguments)
        for item in items
        if isinstance(item, ResponseFunctionToolCall)
    ]


def others_in(items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yields an answer's items beside its messages, such as calls of tools that the server ran."""
    for item in items:
        if not isinstance(item, ResponseOutputMessage):
            yield item if isinstance(item, dict) else item.model_dump()


def items_of(answer: Answer) -> list[Any]:
    """Returns the items of an answer: its reasoning, its text and its calls."""
    return [
        *([reasoning_item(answer.reasoning)] if answer.reasoning else []),
        # Without any item the SDK would find no answer.
        *([message_item(answer.text)] if answer.text or not answer.calls else []),
        *map(call_item, answer.calls),
    ]


def reasoning_item(text: str) -> ResponseReasoningItem:
    """Returns reasoning as an item: a summary, as the SDK stores that of open models."""
    summary = [Summary(text=text, type="summary_text")]
    return ResponseReasoningItem(id=FAKE_RESPONSES_ID, summary=summary, type="reasoning")


def message_item(text: str) -> ResponseOutputMessage:
    """Returns a text as a message item."""
    part = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(
        id=FAKE_RESPONSES_ID,
        content=[part],
        role="assistant",
        type="message",
        status="completed",
    )


def call_item(call: AnswerCall) -> ResponseFunctionToolCall:
    """Returns a call as an item."""
    return ResponseFunctionToolCall(
        id=FAKE_RESPONSES_ID,
        call_id=call.id,
        name=call.name,
        arguments=call.json,
        type="function_call",
    )


def added(first: ResponseUsage | None, second: ResponseUsage | None) -> ResponseUsage | None:
    """Returns the sum of the tokens of two requests."""
    if first is None or second is None:
        return first or second
    names = ("input_tokens", "output_tokens", "total_tokens")
    return second.model_copy(
        update={name: getattr(first, name) + getattr(second, name) for name in names}
    )
