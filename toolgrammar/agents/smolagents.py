"""Provides a model for smolagents that wraps another one, whose calls are in its text.

Example: `ToolCallingAgent([add], TextCallModel(model, TextCalls(format)))` runs the call in
`<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`: `parse_tool_calls` finds it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

try:
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
        Model,
        get_tool_json_schema,
    )
except ImportError as error:
    raise ImportError(
        "this model needs smolagents: pip install 'toolgrammar[smolagents]'", name="smolagents"
    ) from error

from toolgrammar.agents.reading import NativeCall, is_full
from toolgrammar.agents.text_calls import check_settings
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from smolagents import Tool
    from smolagents.models import ChatMessageStreamDelta

    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["TextCallModel"]


class TextCallModel(Model):
    """Reads the calls in the text of another model's messages.

    Calls that may run become the message's `tool_calls`. If none may, the agent reports the reason
    to the model; if others ran, the next request reports the refused calls.
    """

    def __init__(self, model: Model, settings: TextCalls) -> None:
        """Sets up the model.

        Args:
            model: the model whose messages are read.
            settings: how it writes calls. smolagents describes a format of its own in its system
                prompt; with `prompt=True` the prompt contains both.

        Raises:
            TypeError: the model or the settings have another type.
        """
        check_type("model", model, Model, "wrap a model of smolagents, OpenAIModel(…) say")
        check_settings(settings)
        super().__init__(
            flatten_messages_as_text=model.flatten_messages_as_text, model_id=model.model_id
        )
        self._inner = model
        self._settings = settings
        # The last request: `parse_tool_calls` gets only the answer, in the same thread.
        self._asked = threading.local()

    def generate(
        self,
        messages: list[ChatMessage],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[Tool] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """Returns the inner model's message; `parse_tool_calls` finds the calls in it."""
        asked, options = self._request(messages, stop_sequences, tools_to_call_from)
        self._asked.options = kwargs
        return self._inner.generate(asked, response_format=response_format, **options, **kwargs)

    @property
    def generate_stream(self) -> Callable[..., Iterator[ChatMessageStreamDelta]]:
        """Streams the inner model's message; only available if that model can stream."""
        # smolagents asks `hasattr(model, "generate_stream")`. This property raises AttributeError
        # if the inner model has no such method, so the result is the same as for the inner model.
        inner = self._inner.generate_stream

        def generate_stream(
            messages: list[ChatMessage],
            stop_sequences: list[str] | None = None,
            response_format: dict[str, str] | None = None,
            tools_to_call_from: list[Tool] | None = None,
            **kwargs: Any,
        ) -> Iterator[ChatMessageStreamDelta]:
            asked, options = self._request(messages, stop_sequences, tools_to_call_from)
            self._asked.options = kwargs
            yield from inner(asked, response_format=response_format, **options, **kwargs)

        return generate_stream

    def _request(
        self, messages: list[ChatMessage], stop: list[str] | None, tools: list[Tool] | None
    ) -> tuple[list[ChatMessage], dict[str, Any]]:
        """Returns the messages and the arguments for the inner model."""
        told = getattr(self._asked, "told", "")
        asked = [*messages, _message("user", told)] if told else messages
        # Reported once: in later requests the sentence would be about another answer.
        self._asked.told = ""
        specs = [get_tool_json_schema(tool) for tool in tools or ()]
        given = [_plain(message) for message in asked]
        self._asked.tools, self._asked.given = specs, given
        if self._settings.prompt and specs:
            written = self._settings.written(given, specs)
            asked = [
                each.get("message") or _message(each["role"], each["content"]) for each in written
            ]
            # The tools are in the prompt now. The server would add them once more.
            tools, stop = None, [*(stop or ()), *self._settings.stop]
        return asked, {"stop_sequences": stop, "tools_to_call_from": tools}

    def parse_tool_calls(self, message: ChatMessage) -> ChatMessage:
        """Returns a message with the calls in its text.

        Raises:
            ValueError: no call may run; the agent passes the message of the error on to the model.
        """
        # The server read calls itself; its text is left alone.
        if message.tool_calls and not self._settings.repair:
            return self._inner.parse_tool_calls(message)
        text = _text(message.content)
        tools, given = getattr(self._asked, "tools", []), getattr(self._asked, "given", [])
        reason = _finish_reason(message.raw)
        tokens = getattr(message.token_usage, "output_tokens", None)
        # Streams keep no finish reason, only the length of the answer.
        if is_full(tokens, self._inner.kwargs, getattr(self._asked, "options", None)):
            reason = "length"
        native = [
            NativeCall(call.function.name, call.id, call.function.arguments)
            for call in message.tool_calls or ()
        ]
        answer = self._settings.read(text, tools, given, reason, native=native)
        if not answer.calls:
            missing = "No call of a tool was found. To answer, call the tool `final_answer`."
            raise ValueError(answer.feedback or missing)
        self._asked.told = answer.feedback
        message.role = MessageRole.ASSISTANT
        message.tool_calls = [
            ChatMessageToolCall(
                function=ChatMessageToolCallFunction(name=call.name, arguments=call.arguments),
                id=call.id,
                type="function",
            )
            for call in answer.calls
        ]
        return message


def _plain(message: ChatMessage | dict[str, Any]) -> dict[str, Any]:
    """Returns a message in the shape of OpenAI's API.

    The agent keeps the model's own text, and writes calls and results as text, so nothing has to be
    converted.
    """
    if isinstance(message, dict):
        message = ChatMessage.from_dict(message)
    # smolagents writes calls and results as text: a result is a user message already.
    role = {"tool-call": "other", "tool-response": "user"}.get(
        message.role, str(message.role.value)
    )
    text = _text(message.content)
    # The prompt is added to a system message; any other is kept as it is, with its images.
    kept = {} if role == "system" else {"message": message}
    # A message of the assistant would be written by the format; `other` keeps the model's text.
    return {"role": "other" if role == "assistant" else role, "content": text, **kept}


def _message(role: str, text: str) -> ChatMessage:
    return ChatMessage(role=MessageRole(role), content=[{"type": "text", "text": text}])


def _text(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in content or ())


def _finish_reason(raw: Any) -> str | None:
    """Returns the finish reason in a chat API's answer; None if it is not known."""
    choices = getattr(raw, "choices", None) or [None]
    reason = getattr(choices[0], "finish_reason", None)
    return reason if isinstance(reason, str) else None
