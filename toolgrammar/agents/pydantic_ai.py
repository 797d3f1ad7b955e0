"""Provides a model for pydantic-ai that wraps another one, whose calls are in its text.

Example: `Agent(TextCallModel("ollama:qwen3", TextCalls(format)), tools=[add])` runs the call in
`<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`: it becomes a `ToolCallPart`.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolgrammar.agents.reading import NativeCall
from toolgrammar.agents.text_calls import check_settings
from toolgrammar.values.errors import check_type
from toolgrammar.values.events import ReasoningDelta, TextDelta

try:
    from pydantic_ai import ModelRetry
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ThinkingPart,
        ThinkingPartDelta,
        ToolCallPart,
        ToolCallPartDelta,
        UserPromptPart,
    )
    from pydantic_ai.models import Model, StreamedResponse
    from pydantic_ai.models.wrapper import WrapperModel

    from toolgrammar.agents.pydantic_messages import plain, requests_of, results_in, tool_of
except ImportError as error:
    raise ImportError(
        "this model needs pydantic-ai: pip install 'toolgrammar[pydantic-ai]'", name="pydantic_ai"
    ) from error

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
    from datetime import datetime

    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage, ModelResponseStreamEvent
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.usage import RequestUsage

    from toolgrammar.agents.answers import Answer
    from toolgrammar.agents.reading import AnswerReading, Delta
    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["REFUSED", "TextCallModel"]

REFUSED = "refused_tool_calls"
"""The key of a response's `metadata` for the message to the model about refused calls."""
NO_JSON = "{]"
"""Arguments that no reader accepts as an object, complete or incomplete."""


class TextCallModel(WrapperModel):
    """Reads the calls in the text of another model's responses.

    Calls that may run become `ToolCallPart`s. If none may, the agent asks the model again: by
    `ModelRetry`, in a stream by a call whose arguments are not JSON. If others ran, the next
    request reports the refused calls. A response to a request without tools is returned unchanged.
    """

    def __init__(self, wrapped: Model | str, settings: TextCalls) -> None:
        """Sets up the model.

        Args:
            wrapped: the model whose responses are read, or its name.
            settings: how it writes calls.

        Raises:
            TypeError: the model or the settings have another type.
        """
        check_type("wrapped", wrapped, (Model, str))
        check_settings(settings)
        super().__init__(wrapped)
        self._text_calls = settings

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Returns the response with the calls in its text.

        Raises:
            ModelRetry: there are calls, and none may run.
        """
        turn = _Turn(self._text_calls, messages, model_settings, model_request_parameters)
        response = await self.wrapped.request(turn.messages, turn.settings, turn.parameters)
        return turn.response(response) if turn.tools else response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Yields the response as a stream: text as it arrives, the calls of the text at its end."""
        turn = _Turn(self._text_calls, messages, model_settings, model_request_parameters)
        async with self.wrapped.request_stream(
            turn.messages, turn.settings, turn.parameters, run_context
        ) as stream:
            if not turn.tools:
                yield stream
                return
            yield _TextCallStream(
                model_request_parameters=model_request_parameters,
                inner=stream,
                reading=self._text_calls.begin(turn.tools, turn.given),
            )


class _Turn:
    """One request, and the state of reading its response."""

    def __init__(
        self,
        text_calls: TextCalls,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        self._text_calls = text_calls
        # Output tools too: with them the model gives its final answer.
        offered = [*parameters.function_tools, *parameters.output_tools]
        self.tools = [tool_of(tool) for tool in offered]
        self.messages = _with_feedback(messages)
        self.settings = settings
        self.parameters = parameters
        self.given: list[dict[str, Any]] = []
        # A text that looks like a call is not one if nothing can be called.
        if not self.tools:
            return
        given = [each for message in self.messages for each in plain(message)]
        self.given = [*results_in(self.messages), *given]
        if text_calls.prompt:
            self.messages = requests_of(text_calls.written(given, self.tools), messages)
            # The tools are in the prompt, so the inner model answers with text.
            self.parameters = replace(
                parameters,
                function_tools=[],
                output_tools=[],
                output_mode="text",
                allow_text_output=True,
            )
            if text_calls.stop:
                stop = [*((settings or {}).get("stop_sequences") or ()), *text_calls.stop]
                self.settings = {**(settings or {}), "stop_sequences": stop}

    def response(self, response: ModelResponse) -> ModelResponse:
        """Returns a whole response with the calls in its text.

        Raises:
            ModelRetry: there are calls, and none may run.
        """
        texts = [part.content for part in response.parts if isinstance(part, TextPart)]
        # The server reads calls itself; the policy decides about those in the text beside
        # them.
        native = [
            NativeCall(part.tool_name, part.tool_call_id, part.args)
            for part in response.parts
            if isinstance(part, ToolCallPart)
        ]
        answer = self._text_calls.read(
            "".join(texts),
            self.tools,
            self.given,
            response.finish_reason,
            native=native,
            beside=results_in([response]),
        )
        repair = self._text_calls.repair
        if answer.failed and (repair or not native):
            raise ModelRetry(answer.feedback)
        metadata = _metadata(answer, response.metadata)
        # What was read is made anew; everything else is kept.
        read = (TextPart, ToolCallPart) if repair else (TextPart,)
        parts = [part for part in response.parts if not isinstance(part, read)]
        # The text keeps the place of the first text part: after the provider's own thinking.
        first = next((n for n, part in enumerate(response.parts) if isinstance(part, TextPart)), 0)
        parts[first:first] = [
            *([ThinkingPart(answer.reasoning)] if answer.reasoning else []),
            *([TextPart(answer.text)] if answer.text else []),
        ]
        parts += [ToolCallPart(call.name, call.json, tool_call_id=call.id) for call in answer.calls]
        return replace(response, parts=parts, metadata=metadata)


@dataclass
class _TextCallStream(StreamedResponse):
    """A response that is read as it arrives."""

    inner: StreamedResponse
    reading: AnswerReading

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Yields the events of the response; called by pydantic-ai."""
        native = False
        async for event in self.inner:
            if isinstance(event, PartStartEvent):
                is_call = isinstance(event.part, ToolCallPart)
                native = native or (is_call and not self.reading.repair)
                for made in self._started(event):
                    yield made
            elif isinstance(event, PartDeltaEvent):
                for made in self._grown(event):
                    yield made
        self._take_over()
        deltas, answer = self.reading.close(
            self.inner.finish_reason, native=native, beside=results_in([self.inner.get()])
        )
        for made in self._shown(deltas):
            yield made
        self.metadata = _metadata(answer, self.inner.metadata)
        called = [(call.name, call.json, call.id) for call in answer.calls]
        if not called and not native:
            # A stream can't raise `ModelRetry`; a call whose arguments are not JSON makes the agent
            # retry.
            called = [(refused.name, NO_JSON, refused.id) for refused in answer.refused]
        for name, arguments, identity in called:
            yield self._parts_manager.handle_tool_call_part(
                vendor_part_id=None, tool_name=name, args=arguments, tool_call_id=identity
            )

    def _take_over(self) -> None:
        """Copies the inner stream's final data."""
        inner = self.inner
        self.finish_reason, self.state = inner.finish_reason, inner.state
        self.provider_response_id = inner.provider_response_id
        self.provider_details = inner.provider_details
        self.canonical_system = inner.canonical_system

    def _started(self, event: PartStartEvent) -> Iterator[ModelResponseStreamEvent]:
        if isinstance(event.part, TextPart):
            yield from self._shown(self.reading.feed(event.part.content))
        elif isinstance(event.part, ToolCallPart) and self.reading.repair:
            part = event.part
            call = NativeCall(part.tool_name, part.tool_call_id, part.args)
            self.reading.add_native(call, event.index)
        else:
            yield self._parts_manager.handle_part(
                vendor_part_id=("inner", event.index), part=event.part
            )

    def _grown(self, event: PartDeltaEvent) -> Iterator[ModelResponseStreamEvent]:
        """Yields the events for more of a part of the inner response."""
        delta, key = event.delta, ("inner", event.index)
        if isinstance(delta, TextPartDelta):
            yield from self._shown(self.reading.feed(delta.content_delta))
        elif isinstance(delta, ThinkingPartDelta):
            yield from self._parts_manager.handle_thinking_delta(
                vendor_part_id=key,
                content=delta.content_delta,
                signature=delta.signature_delta,
                provider_name=delta.provider_name,
            )
        elif isinstance(delta, ToolCallPartDelta) and self.reading.repair:
            call = NativeCall(delta.tool_name_delta, delta.tool_call_id, delta.args_delta)
            self.reading.add_native(call, event.index)
        elif isinstance(delta, ToolCallPartDelta):
            yield from self._parts_manager.handle_tool_call_delta_events(
                vendor_part_id=key,
                tool_name=delta.tool_name_delta,
                args=delta.args_delta,
                tool_call_id=delta.tool_call_id,
            )

    def _shown(self, deltas: Iterable[Delta]) -> Iterator[ModelResponseStreamEvent]:
        """Yields the events for text and reasoning that may be shown."""
        for delta in deltas:
            if isinstance(delta, TextDelta):
                yield from self._parts_manager.handle_text_delta(
                    vendor_part_id="text", content=delta.text
                )
            elif isinstance(delta, ReasoningDelta):
                yield from self._parts_manager.handle_thinking_delta(
                    vendor_part_id="reasoning", content=delta.text
                )

    async def close_stream(self) -> None:
        await self.inner.close_stream()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        errors: tuple[type[BaseException], ...] = self.inner.get_stream_cancel_errors()
        return errors

    @property
    def usage(self) -> RequestUsage:
        return self.inner.usage

    @property
    def model_name(self) -> str:
        return str(self.inner.model_name)

    @property
    def provider_name(self) -> str | None:
        return self.inner.provider_name

    @property
    def provider_url(self) -> str | None:
        return self.inner.provider_url

    @property
    def timestamp(self) -> datetime:
        return self.inner.timestamp


def _metadata(answer: Answer, metadata: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns a response's metadata, with the message for the next request."""
    return {**(metadata or {}), REFUSED: answer.feedback} if answer.feedback else metadata


def _with_feedback(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Returns the messages, with a message about the refused calls of the last response."""
    # Reported once: in later requests other messages follow the response.
    if len(messages) < 2 or not isinstance(messages[-1], ModelRequest):
        return messages
    before = messages[-2]
    told = (before.metadata or {}).get(REFUSED) if isinstance(before, ModelResponse) else None
    if not told:
        return messages
    last = messages[-1]
    return [*messages[:-1], replace(last, parts=[*last.parts, UserPromptPart(told)])]
