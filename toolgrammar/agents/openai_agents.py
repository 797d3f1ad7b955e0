"""Provides a model for the OpenAI Agents SDK that wraps another one, whose calls are in its text.

Example: `Agent("Clerk", model=TextCallModel(model, TextCalls(format)), tools=[add])` runs the call
in `<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`: it becomes a `function_call`.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

try:
    from agents.models.interface import Model, ModelProvider
    from openai.types.responses import (
        ResponseCompletedEvent,
        ResponseCreatedEvent,
        ResponseFunctionToolCall,
        ResponseOutputMessage,
    )

    from toolgrammar.agents.openai_events import AnswerEvents
    from toolgrammar.agents.openai_items import (
        Turn,
        added,
        calls_in,
        items_of,
        others_in,
        text_of,
    )
except ImportError as error:
    raise ImportError(
        "this model needs the OpenAI Agents SDK: pip install 'toolgrammar[openai-agents]'",
        name="agents",
    ) from error

from toolgrammar.agents.reading import is_full
from toolgrammar.agents.text_calls import check_settings
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from agents import AgentOutputSchemaBase, Handoff, ModelSettings, Tool
    from agents.items import ModelResponse, TResponseInputItem, TResponseStreamEvent
    from agents.models.interface import ModelTracing
    from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest
    from openai.types.responses.response_prompt_param import ResponsePromptParam

    from toolgrammar.agents.answers import Answer
    from toolgrammar.agents.reading import AnswerReading
    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["TextCallModel", "TextCallProvider"]

_MEND: Final = "TextCallProvider(MultiProvider(), settings).get_model(name)"
_BREAKS: Final = frozenset({"response.incomplete", "response.failed", "response.error", "error"})
"""Events that end a stream before its answer is complete."""
_REMEMBERED: Final = 1000
"""The maximal number of answers whose refused calls are remembered."""


class TextCallModel(Model):
    """Reads the calls in the text of another model's answers.

    Calls that may run become `function_call` items. If none may, the model is asked again and told
    what was wrong; if others ran, the next request reports the refused calls. An answer to a
    request without tools is returned unchanged.
    """

    def __init__(self, model: Model, settings: TextCalls, *, retries: int = 2) -> None:
        """Sets up the model.

        Args:
            model: the model whose answers are read.
            settings: how it writes calls.
            retries: how often in one request the model is asked again if none of its calls may
                run.

        Raises:
            TypeError: the model, the settings or the number have another type.
            ValueError: the number is below 0.
        """
        check_type("model", model, Model, f"a name becomes one by a provider: {_MEND}")
        check_settings(settings, retries)
        self._inner = model
        self._settings = settings
        self._retries = retries
        # By the id of a call that ran: the SDK keeps nothing else of an answer.
        self._told: OrderedDict[str, str] = OrderedDict()

    async def close(self) -> None:
        """Releases the resources of the inner model."""
        await self._inner.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        # The SDK calls this hook of each model; without it the inner model's resources would leak.
        await self._inner._cleanup_on_run_end(owner)

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """Returns the inner model's advice on a request that failed."""
        return self._inner.get_retry_advice(request)

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> ModelResponse:
        """Returns the answer with the calls in its text."""
        turn = Turn(self._settings, system_instructions, self._known(input), tools, handoffs)
        ask = _Request(model_settings, output_schema, tracing)
        ask.options = _options(previous_response_id, conversation_id, prompt)
        usage = None
        repair = self._settings.repair
        for left in range(self._retries, -1, -1):
            response = await self._inner.get_response(*ask.arguments(turn), **ask.options)
            if not turn.offered:
                return response
            text, cut = text_of(response.output)
            # Before the tokens of other requests are added.
            if ask.is_full(response.usage):
                cut = "length"
            # Every request is paid for, so the tokens of all attempts are added up.
            if usage is not None:
                response.usage.add(usage)
            usage = response.usage
            native = calls_in(response.output)
            beside = others_in(response.output)
            answer = self._settings.read(
                text, turn.offered, turn.given, cut, native=native, beside=beside
            )
            if not answer.failed or (native and not repair) or not left:
                break
            turn.ask_again(text, answer.feedback)
        self._remember(answer, response.output)
        # Messages are replaced by their content, with repairs native calls as well; reasoning is
        # kept.
        read = (ResponseOutputMessage, *((ResponseFunctionToolCall,) if repair else ()))
        others = [item for item in response.output if not isinstance(item, read)]
        return replace(response, output=[*others, *items_of(answer)])

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Yields the answer as events: text as it arrives, the calls of the text at its end."""
        turn = Turn(self._settings, system_instructions, self._known(input), tools, handoffs)
        ask = _Request(model_settings, output_schema, tracing)
        ask.options = _options(previous_response_id, conversation_id, prompt)
        if not turn.offered:
            async for event in self._inner.stream_response(*ask.arguments(turn), **ask.options):
                yield event
            return
        events = AnswerEvents(repair=self._settings.repair)
        for left in range(self._retries, -1, -1):
            heard = _Heard(self._settings.begin(turn.offered, turn.given), events)
            async for event in self._inner.stream_response(*ask.arguments(turn), **ask.options):
                for made in heard.take(event):
                    yield made
            # Another kind of end, an error, was passed on unchanged.
            if heard.completed is None:
                return
            completed = heard.completed
            cut = text_of(completed.response.output)[1]
            if ask.is_full(completed.response.usage):
                cut = "length"
            # Text that the parser held back, since it might begin a call, is emitted only here.
            beside = others_in(completed.response.output)
            deltas, answer = heard.reading.close(cut, native=events.native, beside=beside)
            for made in [*events.shown(deltas), *events.texts_end()]:
                yield made
            events.usage = added(events.usage, completed.response.usage)
            if not answer.failed or events.native or not left:
                break
            events.forget_indexes()
            turn.ask_again("".join(heard.texts), answer.feedback)
        for made in events.calls(answer.calls):
            yield made
        self._remember(answer, events.items)
        yield events.completed(completed)

    def _known(self, given: str | list[TResponseInputItem]) -> str | list[TResponseInputItem]:
        """Returns the input, with a message about the refused calls of the last answer."""
        if isinstance(given, str) or not given:
            return given
        last: Any = given[-1]
        # By the last output: in later requests other items follow it.
        told = self._told.get(last.get("call_id") or "") if isinstance(last, dict) else None
        return [*given, {"role": "user", "content": told}] if told else given

    def _remember(self, answer: Answer, items: list[Any]) -> None:
        """Stores the feedback on refused calls, for the next request."""
        if not answer.feedback:
            return
        native = [item.call_id for item in items if isinstance(item, ResponseFunctionToolCall)]
        for identity in {*native, *(call.id for call in answer.calls)}:
            self._told[identity] = answer.feedback
        # The oldest are dropped first: the next request of a conversation comes soon, or never.
        while len(self._told) > _REMEMBERED:
            self._told.popitem(last=False)


@dataclass
class _Request:
    """The parts of a request that stay the same when the model is asked again."""

    settings: ModelSettings
    output_schema: AgentOutputSchemaBase | None
    tracing: ModelTracing
    options: dict[str, Any] = field(default_factory=dict)

    def is_full(self, usage: Any) -> bool:
        """Whether the tokens show that the answer was cut: chat models drop the finish reason."""
        # For several requests there is only the sum, which says nothing about the last one.
        if usage is None or getattr(usage, "requests", 1) > 1:
            return False
        settings = self.settings
        own = {"max_tokens": settings.max_tokens}
        return is_full(usage.output_tokens, own, settings.extra_body, settings.extra_args)

    def arguments(self, turn: Turn) -> tuple[Any, ...]:
        """Returns the arguments of the inner model's methods."""
        return (
            turn.instructions,
            turn.input,
            turn.model_settings(self.settings),
            turn.tools,
            self.output_schema,
            turn.handoffs,
            self.tracing,
        )


def _options(
    previous_response_id: str | None,
    conversation_id: str | None,
    prompt: ResponsePromptParam | None,
) -> dict[str, Any]:
    """Returns the keyword arguments of the inner model's methods."""
    return {
        "previous_response_id": previous_response_id,
        "conversation_id": conversation_id,
        "prompt": prompt,
    }


@dataclass
class _Heard:
    """One answer of the inner model as it arrives."""

    reading: AnswerReading
    events: AnswerEvents
    texts: list[str] = field(default_factory=list)
    completed: ResponseCompletedEvent | None = None

    def take(self, event: TResponseStreamEvent) -> Iterator[Any]:
        """Yields the events to emit for an event."""
        if isinstance(event, ResponseCompletedEvent):
            self.completed = event
        elif event.type == "response.output_text.delta":
            self.texts.append(event.delta)
            yield from self.events.shown(self.reading.feed(event.delta))
        elif self.reading.repair and event.type == "response.output_item.done":
            for call in calls_in([event.item]):
                self.reading.add_native(call)
            yield from self.events.passed(event)
        elif event.type in _BREAKS:
            # Held text is emitted first, since the SDK raises on this event.
            yield from self.events.shown(self.reading.close("length")[0])
            yield from self.events.texts_end()
            yield from self.events.passed(event)
        # One answer has one beginning, however often the model is asked.
        elif not isinstance(event, ResponseCreatedEvent) or not self.events.count:
            yield from self.events.passed(event)


class TextCallProvider(ModelProvider):
    """Wraps each model of another provider in a `TextCallModel`."""

    def __init__(self, provider: ModelProvider, settings: TextCalls, *, retries: int = 2) -> None:
        """Sets up the provider.

        Args:
            provider: the provider of the inner models.
            settings: how they write calls.
            retries: as in `TextCallModel`.

        Raises:
            TypeError: the provider, the settings or the number have another type.
            ValueError: the number is below 0.
        """
        check_type("provider", provider, ModelProvider)
        check_settings(settings, retries)
        self._inner = provider
        self._settings = settings
        self._retries = retries

    def get_model(self, model_name: str | None) -> Model:
        """Returns the model with a name, wrapped."""
        inner = self._inner.get_model(model_name)
        return TextCallModel(inner, self._settings, retries=self._retries)

    async def aclose(self) -> None:
        """Releases the resources of the inner provider."""
        await self._inner.aclose()
