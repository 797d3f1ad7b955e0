"""Each parser behind two functions: read a text at once, read pieces as they come.

`<tool_call>\n{"name": "tide", "arguments": {"port": "Bude"}}\n</tool_call>` gives the message
`Message([("tide", '{"port": "Bude"}')])`, and the calls `[("tide", {"port": "Bude"})]`.
What is made once a request by a server (request, tools, template) is made before the clock runs;
the parser itself is made within, as a server does, and so do we. Arguments are decoded within the
clock too: peers give JSON text, callers want values.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolgrammar import Parser, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peers.stand_in import Tokenizer

Calls = list[tuple[str, Any]]
"""Name and decoded arguments of each call."""


class Reader(Protocol):
    """One parser of one format."""

    def whole(self, text: str, ids: list[int]) -> Calls:
        """Reads a text at once; `ids` are its tokens."""

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        """Reads pieces as they come; `ids` are the tokens of each."""


class Message(NamedTuple):
    """All that a parser says of a message."""

    calls: list[tuple[str, Any]]
    """Name and arguments of each call; arguments are JSON text or, where a parser gives them, values."""
    text: str = ""
    reasoning: str = ""


class MessageReader:
    """A parser that gives messages; the calls in them, decoded, are what is timed."""

    def message(self, text: str, ids: list[int]) -> Message:
        """Reads a text at once."""
        raise NotImplementedError

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        """Reads pieces as they come."""
        raise NotImplementedError

    def whole(self, text: str, ids: list[int]) -> Calls:
        return [(name, _decoded(each)) for name, each in self.message(text, ids).calls]

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        return [(name, _decoded(each)) for name, each in self.message_of(pieces, ids).calls]


class Ours:
    """toolgrammar: reads name, arguments, text and status; takes every event as it comes."""

    def __init__(self, form: Any, tools: list[object]) -> None:
        self._form, self._tools = form, tools

    def whole(self, text: str, ids: list[int]) -> Calls:
        found = parse(text, format=self._form, tools=self._tools)
        return [(c.name, c.arguments) for c in found.calls if found.text is not None and c.status]

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        parser = Parser(self._form, tools=self._tools)
        for piece in pieces:
            for _ in parser.feed(piece):
                pass
        for _ in parser.close():
            pass
        found = parser.result
        return [(c.name, c.arguments) for c in found.calls if found.text is not None and c.status]


class Merged:
    """Puts deltas of calls together, as a client of the API does: by index."""

    def __init__(self) -> None:
        self._calls: dict[int, tuple[list[str], list[str]]] = {}
        self._text: list[str] = []
        self._reasoning: list[str] = []

    def add_text(self, text: str | None, reasoning: str | None) -> None:
        if text:
            self._text.append(text)
        if reasoning:
            self._reasoning.append(reasoning)

    def add(self, index: int, name: str | None, arguments: str | None) -> None:
        names, parts = self._calls.setdefault(index, ([], []))
        if name:
            names.append(name)
        if arguments:
            parts.append(arguments)

    def add_next(self, name: str, arguments: str) -> None:
        self.add(len(self._calls), name, arguments)

    def message(self) -> Message:
        calls = [
            ("".join(names), "".join(parts)) for _, (names, parts) in sorted(self._calls.items())
        ]
        return Message(calls, "".join(self._text), "".join(self._reasoning))


class Vllm(MessageReader):
    """What vLLM's server calls for one answer: `parse`, `parse_delta`."""

    def __init__(
        self,
        name: str,
        tokenizer: Tokenizer,
        tools: list[dict[str, Any]],
        *,
        reasoning: str | None = None,
        prompt: str = "",
        template: dict[str, Any] | None = None,
    ) -> None:
        """Takes the names of both parsers, the end of the prompt, and what the template was told."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.parser.parser_manager import ParserManager

        self._tokenizer = tokenizer
        self._class = ParserManager.get_parser(
            tool_parser_name=name,
            reasoning_parser_name=reasoning,
            enable_auto_tools=True,
            model_name="m",
        )
        self._template = template or {}
        self._request = ChatCompletionRequest(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            chat_template_kwargs=template,
            **({"tools": _for_openai(tools), "tool_choice": "auto"} if tools else {}),
        )
        self._request.skip_special_tokens = False
        self._prompt = tokenizer.encode(prompt) if prompt else [1]
        self._parser()

    def _parser(self) -> Any:
        return self._class(
            self._tokenizer,
            self._request.tools,
            chat_template_kwargs=self._template,
            model_config=None,
        )

    def message(self, text: str, ids: list[int]) -> Message:
        reasoning, content, calls = self._parser().parse(
            text, self._request, enable_auto_tools=True, model_output_token_ids=ids
        )
        found = [(call.name, call.arguments) for call in calls or ()]
        return Message(found, content or "", reasoning or "")

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        merged, last = Merged(), len(pieces) - 1
        feed = self._parser().parse_delta
        for index, piece in enumerate(pieces):
            delta = feed(
                piece,
                ids[index],
                self._request,
                prompt_token_ids=self._prompt,
                finished=index == last,
            )
            if delta is None:
                continue
            merged.add_text(delta.content, delta.reasoning)
            for call in delta.tool_calls or ():
                if call.function is not None:
                    merged.add(call.index, call.function.name, call.function.arguments)
        return merged.message()


class Sglang(MessageReader):
    """What SGLang's server calls for one answer, with its flush at the end of a stream."""

    def __init__(
        self,
        name: str,
        tokenizer: Tokenizer,
        tools: list[dict[str, Any]],
        *,
        reasoning: str | None = None,
        begun: bool | None = None,
    ) -> None:
        """Takes the names of both parsers, and whether the prompt has begun the reasoning."""
        from sglang.srt.entrypoints.openai.protocol import Tool
        from sglang.srt.function_call.function_call_parser import FunctionCallParser

        self._class, self._name, self._tokenizer = FunctionCallParser, name, tokenizer
        self._tools = [Tool(**tool) for tool in _for_openai(tools)]
        self._reasoning, self._begun = reasoning, begun
        self._parser()

    def _parser(self) -> Any:
        return self._class(self._tools, self._name, tokenizer=self._tokenizer)

    def _reasoning_parser(self, *, stream: bool) -> Any:
        if self._reasoning is None:
            return None
        from sglang.srt.parser.reasoning_parser import ReasoningParser

        return ReasoningParser(
            self._reasoning,
            stream_reasoning=stream,
            force_reasoning=self._begun,
            tokenizer=self._tokenizer,
            tool_call_parser_active=bool(self._tools),
        )

    def message(self, text: str, ids: list[int]) -> Message:
        thought, reader = "", self._reasoning_parser(stream=False)
        if reader is not None:
            thought, text = reader.parse_non_stream(text)
        parser = self._parser()
        if not self._tools or not parser.has_tool_call(text):
            return Message([], text or "", thought or "")
        content, calls = parser.parse_non_stream(text)
        found = [(call.name, call.parameters) for call in calls]
        return Message(found, content or "", thought or "")

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        merged, parser = Merged(), self._parser()
        reader = self._reasoning_parser(stream=True)
        for piece in pieces:
            self._take(merged, parser, self._without_reasoning(merged, reader, piece))
        if hasattr(reader, "parse_stream_end"):
            thought, rest = reader.parse_stream_end()
            merged.add_text(None, thought)
            if rest:
                self._take(merged, parser, rest)
        if self._tools:
            content, calls = parser.parse_stream_end()
            merged.add_text(content, None)
            for call in calls:
                merged.add(call.tool_index, call.name, call.parameters)
            self._flush(parser.detector, merged)
        return merged.message()

    @staticmethod
    def _without_reasoning(merged: Merged, reader: Any, piece: str) -> str:
        if reader is None:
            return piece
        thought, text = reader.parse_stream_chunk(piece)
        merged.add_text(None, thought)
        return text or ""

    def _take(self, merged: Merged, parser: Any, piece: str) -> None:
        if not self._tools:
            merged.add_text(piece, None)
            return
        content, calls = parser.parse_stream_chunk(piece)
        merged.add_text(content, None)
        for call in calls:
            merged.add(call.tool_index, call.name, call.parameters)

    @staticmethod
    def _flush(detector: Any, merged: Merged) -> None:
        """Sends what the server sends at the end of arguments that were not streamed."""
        known = getattr(detector, "prev_tool_call_arr", None)
        sent = getattr(detector, "streamed_args_for_tool", None)
        if not known or not sent or len(known) > len(sent):
            return
        index = len(known) - 1
        whole = known[index].get("arguments", {})
        whole = whole if isinstance(whole, str) else json.dumps(whole, ensure_ascii=False)
        if whole.startswith(sent[index]) and whole[len(sent[index]) :]:
            merged.add(index, None, whole[len(sent[index]) :])


class Transformers(MessageReader):
    """The response parser of transformers, with the templates that `transformers serve` has."""

    def __init__(
        self, model_type: str, tools: list[dict[str, Any]], *, prompt: str | None = None
    ) -> None:
        """Takes a model type that has a template, and the end of the prompt, its header included."""
        from transformers.cli.serving import utils
        from transformers.utils.chat_parsing.response_parser import ResponseParser
        from transformers.utils.chat_parsing.response_templates import load_response_template

        fallbacks = utils._RESPONSE_TEMPLATE_FALLBACKS  # noqa: SLF001 - they have no other name
        spec = next(value for types, value in fallbacks.items() if model_type in types)
        anchor = spec["start_anchor"]
        self._prefix = prompt or (anchor if isinstance(anchor, str) else anchor[0])
        self._template = load_response_template(spec)
        self._class, self._utils = ResponseParser, utils
        self._tools = _for_openai(tools)

    def _parser(self) -> Any:
        return self._class(self._template, prefix=self._prefix, tools=self._tools)

    def message(self, text: str, ids: list[int]) -> Message:
        parser = self._parser()
        parser.feed(text)
        message, _ = parser.finalize()
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        thought = message.get("reasoning_content") or message.get("thinking") or ""
        found = [(each["name"], each["arguments"]) for each in functions]
        return Message(found, message.get("content") or "", thought)

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        merged, parser = Merged(), self._parser()
        self._take(merged, parser.initial_events)
        for piece in pieces:
            self._take(merged, parser.feed(piece))
        _, events = parser.finalize()
        self._take(merged, events)
        return merged.message()

    def _take(self, merged: Merged, events: Any) -> None:
        for item in self._utils.response_events_to_chunks(list(events)):
            if isinstance(item, self._utils.ToolCall):
                merged.add_next(item.name, item.arguments)
            elif isinstance(item, self._utils.ReasoningText):
                merged.add_text(None, str(item))
            elif isinstance(item, str):
                merged.add_text(item, None)


def _decoded(arguments: Any) -> Any:
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def _for_openai(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"description": "", **tool}} for tool in tools]
