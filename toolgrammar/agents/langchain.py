"""Provides a chat model for LangChain that wraps another one, whose calls are in its text.

Example: `TextCallModel(ChatOllama(…), TextCalls(format, prompt=True))` returns the answer
`<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>` as an `AIMessage` with
`tool_calls=[{"name": "add", "args": {"a": 1}, …}]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.agents.reading import NativeCall
from toolgrammar.agents.text_calls import check_settings
from toolgrammar.interop.exchange import text_of
from toolgrammar.interop.langchain import finish_reason_of
from toolgrammar.values.errors import check_type
from toolgrammar.values.events import ReasoningDelta, TextDelta

try:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import (
        AIMessage,
        AIMessageChunk,
        convert_to_messages,
    )
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from langchain_core.utils.json import parse_partial_json
    from pydantic import PrivateAttr

    from toolgrammar.agents.langchain_messages import (
        StreamedResults,
        is_text,
        plain,
        results_in,
        with_text,
    )
except ImportError as error:
    raise ImportError(
        "this model needs LangChain: pip install 'toolgrammar[langchain]'", name="langchain_core"
    ) from error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

    from langchain_core.callbacks import (
        AsyncCallbackManagerForLLMRun,
        CallbackManagerForLLMRun,
    )
    from langchain_core.language_models.base import LanguageModelInput
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool

    from toolgrammar.agents.answers import Answer
    from toolgrammar.agents.reading import Delta
    from toolgrammar.agents.text_calls import TextCalls

__all__ = ["REFUSED", "TextCallModel"]

REFUSED = "refused_tool_calls"
"""The key of `response_metadata` for the refused calls: their ids, and why each of them did not
run."""
_NO_CALLS: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}


class TextCallModel(BaseChatModel):
    """Reads the calls in the text of another chat model's answers.

    Calls that may run become `tool_calls`, the others `invalid_tool_calls`. An answer to a request
    without tools is returned unchanged.
    """

    _inner: BaseChatModel = PrivateAttr()
    _settings: TextCalls = PrivateAttr()

    def __init__(self, model: BaseChatModel, settings: TextCalls, **options: Any) -> None:
        """Sets up the model.

        Args:
            model: the model whose answers are read.
            settings: how it writes calls.
            options: the options of every chat model of LangChain: `name`, `tags`, `cache`, …

        Raises:
            TypeError: the model or the settings have another type.
        """
        check_type("model", model, BaseChatModel, "bind tools to what this makes of the model")
        check_settings(settings)
        super().__init__(**options)
        self._inner = model
        self._settings = settings

    @property
    def _llm_type(self) -> str:
        return "toolgrammar"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        # Caches use these to distinguish answers of other models, or with other settings.
        inner = self._inner
        return {"model": [inner._llm_type, inner._identifying_params], "read": repr(self._settings)}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Returns the model with tools: passed to the inner model, or written into the prompt.

        Args:
            tools: the tools, in any shape that LangChain accepts.
            tool_choice: for the inner model; a prompt has no place for it.
            kwargs: for the inner model.

        Raises:
            NotImplementedError: the inner model accepts no tools, and no prompt is written.
        """
        specs = [convert_to_openai_tool(tool) for tool in tools]
        if self._settings.prompt:
            return self.bind(text_tools=specs)
        try:
            bound = self._inner.bind_tools(tools, tool_choice=tool_choice, **kwargs)
        except NotImplementedError:
            message = "the inner model takes no tools: TextCalls(…, prompt=True) writes them"
            raise NotImplementedError(message) from None
        # The inner model's own bindings, in the shape of its API, are passed on with each request.
        return self.bind(text_tools=specs, **getattr(bound, "kwargs", {}))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        text_tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> ChatResult:
        turn = _Turn(self._settings, messages, text_tools, stop)
        # Without the manager: listeners get the output of this model, not what it reads.
        return turn.result(self._inner._generate(turn.messages, turn.stop, None, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        text_tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> ChatResult:
        turn = _Turn(self._settings, messages, text_tools, stop)
        return turn.result(await self._inner._agenerate(turn.messages, turn.stop, None, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        text_tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        """Yields the chunks of an answer, the calls of its text in the last one."""
        turn = _Turn(self._settings, messages, text_tools, stop)
        if _streams(self._inner):
            for chunk in self._inner._stream(turn.messages, turn.stop, None, **kwargs):
                yield turn.chunk(chunk)
        else:
            whole = self._inner._generate(turn.messages, turn.stop, None, **kwargs)
            yield turn.chunk(_as_chunk(whole))
        yield turn.last()

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        text_tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Yields the chunks of an answer, the calls of its text in the last one."""
        turn = _Turn(self._settings, messages, text_tools, stop)
        if _streams(self._inner):
            async for chunk in self._inner._astream(turn.messages, turn.stop, None, **kwargs):
                yield turn.chunk(chunk)
        else:
            whole = await self._inner._agenerate(turn.messages, turn.stop, None, **kwargs)
            yield turn.chunk(_as_chunk(whole))
        yield turn.last()


def _streams(model: BaseChatModel) -> bool:
    """Whether a model implements streaming; the same test as LangChain's."""
    kind = type(model)
    return not (kind._stream is BaseChatModel._stream and kind._astream is BaseChatModel._astream)


def _as_chunk(whole: ChatResult) -> ChatGenerationChunk:
    generation = whole.generations[0]
    # A chunk has a `type` of its own, and rejects that of a message.
    fields = generation.message.model_dump(exclude={"type"})
    return ChatGenerationChunk(
        message=AIMessageChunk(**fields), generation_info=generation.generation_info
    )


class _Turn:
    """One request, and the state of reading its answer."""

    def __init__(
        self,
        settings: TextCalls,
        messages: list[BaseMessage],
        tools: Sequence[dict[str, Any]],
        stop: list[str] | None,
    ) -> None:
        self._settings = settings
        self._tools = tools
        self._given: list[dict[str, Any]] = []
        self.messages = messages
        """The messages for the inner model."""
        self.stop = stop
        """The stop strings of the inner model."""
        if tools:
            given = plain(messages)
            self._given = [*results_in(messages), *given]
            if settings.prompt:
                self.messages = convert_to_messages(settings.written(given, tools))
                self.stop = [*(stop or ()), *settings.stop] or None
        self._reading = settings.begin(tools, self._given)
        self._native = 0
        self._results = StreamedResults()
        self._finish_reason: str | None = None
        # The last chunk has to have the shape of those before it: LangChain drops a string that it
        # joins to an empty list.
        self._content: str | list[Any] = ""

    def result(self, result: ChatResult) -> ChatResult:
        """Returns an answer with the calls in its text."""
        if not self._tools:
            return result
        generations = [
            generation.model_copy(update={"message": self._read(generation)})
            for generation in result.generations
        ]
        # `text` is a copy of the message's, set when a generation is created: so it is created
        # again.
        made = [
            ChatGeneration(message=each.message, generation_info=each.generation_info)
            for each in generations
        ]
        return ChatResult(generations=made, llm_output=result.llm_output)

    def _read(self, generation: ChatGeneration) -> BaseMessage:
        """Returns the message of a generation with the calls in its text."""
        message = generation.message
        if not isinstance(message, AIMessage):
            return message
        native = [
            NativeCall(call["name"], call["id"], call["args"])
            for call in (*message.tool_calls, *message.invalid_tool_calls)
        ]
        # With repairs the answer has them, too.
        kept = message.model_copy(update=_NO_CALLS) if self._settings.repair else message
        answer = self._settings.read(
            text_of(message.content),
            self._tools,
            self._given,
            _finish_reason(message, generation.generation_info),
            native=native,
            beside=results_in([message]),
        )
        fields = {
            "content": with_text(message.content, answer.text),
            "tool_calls": [*kept.tool_calls, *map(_tool_call, answer.calls)],
            "invalid_tool_calls": [
                *kept.invalid_tool_calls,
                *(
                    {
                        "type": "invalid_tool_call",
                        "id": refused.id,
                        "name": refused.name,
                        "args": _no_object(refused.raw_arguments),
                        "error": refused.message,
                    }
                    for refused in answer.refused
                ),
            ],
            "additional_kwargs": _with_reasoning(message.additional_kwargs, answer.reasoning),
            "response_metadata": {**message.response_metadata, **_refusals(answer)},
        }
        return message.model_copy(update=fields)

    def chunk(self, chunk: ChatGenerationChunk) -> ChatGenerationChunk:
        """Returns the next chunk with the text that may be shown by now."""
        message = chunk.message
        if not self._tools or not isinstance(message, AIMessageChunk):
            return chunk
        repair = self._settings.repair
        for native in message.tool_call_chunks:
            index = native.get("index")
            if repair:
                piece = NativeCall(native["name"], native["id"], native["args"])
                self._reading.add_native(piece, index if isinstance(index, int) else None)
                continue
            self._native = max(self._native, index + 1 if isinstance(index, int) else 1)
        self._results.add(message)
        self._finish_reason = _finish_reason(message, chunk.generation_info) or self._finish_reason
        if isinstance(message.content, list):
            texts = [part for part in message.content if is_text(part)]
            self._content = texts or self._content or []
        shown = _Shown(self._reading.feed(text_of(message.content)))
        fields = {
            "content": with_text(message.content, shown.text),
            "additional_kwargs": _with_reasoning(message.additional_kwargs, shown.reasoning),
            # This model adds the last chunk.
            "chunk_position": None,
            # With repairs they come at the end.
            **({**_NO_CALLS, "tool_call_chunks": []} if repair else {}),
        }
        return ChatGenerationChunk(
            message=message.model_copy(update=fields), generation_info=chunk.generation_info
        )

    def last(self) -> ChatGenerationChunk:
        """Returns the chunk with the calls."""
        if not self._tools:
            return ChatGenerationChunk(message=AIMessageChunk(content="", chunk_position="last"))
        deltas, answer = self._reading.close(
            self._finish_reason, native=self._native > 0, beside=self._results.found()
        )
        shown = _Shown(deltas)
        called = [(call.name, call.json, call.id) for call in answer.calls]
        called += [
            (refused.name, _no_object(refused.raw_arguments), refused.id)
            for refused in answer.refused
        ]
        message = AIMessageChunk(
            content=with_text(self._content, shown.text),
            additional_kwargs=_with_reasoning({}, shown.reasoning),
            response_metadata=_refusals(answer),
            tool_call_chunks=[
                {"type": "tool_call_chunk", "name": name, "args": args, "id": identity, "index": n}
                # After the native calls: LangChain joins chunks of one index into one call.
                for n, (name, args, identity) in enumerate(called, self._native)
            ],
            chunk_position="last",
        )
        return ChatGenerationChunk(message=message)


class _Shown:
    """The text and the reasoning in some deltas."""

    def __init__(self, deltas: Iterable[Delta]) -> None:
        found = list(deltas)
        self.text = "".join(each.text for each in found if isinstance(each, TextDelta))
        self.reasoning = "".join(each.text for each in found if isinstance(each, ReasoningDelta))


def _tool_call(call: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": call.id, "name": call.name, "args": call.arguments}


def _no_object(raw: str) -> str:
    """Returns refused arguments in a form that LangChain does not complete to an object."""
    # LangChain would complete `{"a": 1` to an object; after a wrong bracket it can't.
    for text in (raw, f"{raw}]"):
        try:
            if text.strip() and not isinstance(parse_partial_json(text), dict):
                return text
        # Text that it can't parse at all is not an object either.
        except ValueError:
            return text
    return "{]"


def _refusals(answer: Answer) -> dict[str, Any]:
    refused = {refused.id: refused.message for refused in answer.refused}
    return {REFUSED: refused} if refused else {}


def _with_reasoning(kwargs: dict[str, Any], reasoning: str) -> dict[str, Any]:
    """Returns `additional_kwargs` with reasoning, as LangChain stores that of open models."""
    if not reasoning:
        return kwargs
    return {**kwargs, "reasoning_content": (kwargs.get("reasoning_content") or "") + reasoning}


def _finish_reason(message: AIMessage, info: dict[str, Any] | None) -> str | None:
    return finish_reason_of({**(info or {}), **message.response_metadata})
