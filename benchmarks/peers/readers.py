"""Each parser behind two functions: read a text at once, read pieces as they come.

What is made once a request by a server (request, tools, template) is made before the clock runs;
the parser itself is made within, as a server does, and so do we. Arguments are decoded within the
clock too: peers give JSON text, callers want values.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

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

    def add(self, index: int, name: str | None, arguments: str | None) -> None:
        names, parts = self._calls.setdefault(index, ([], []))
        if name:
            names.append(name)
        if arguments:
            parts.append(arguments)

    def add_next(self, name: str, arguments: str) -> None:
        self.add(len(self._calls), name, arguments)

    def decoded(self) -> Calls:
        return [
            ("".join(names), json.loads("".join(parts)))
            for _, (names, parts) in sorted(self._calls.items())
        ]


class Vllm:
    """What vLLM's server calls for one answer: `parse`, `parse_delta`; no reasoning parser."""

    def __init__(self, name: str, tokenizer: Tokenizer, tools: list[dict[str, Any]]) -> None:
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.parser.parser_manager import ParserManager

        self._tokenizer = tokenizer
        self._class = ParserManager.get_parser(
            tool_parser_name=name,
            reasoning_parser_name=None,
            enable_auto_tools=True,
            model_name="m",
        )
        self._request = ChatCompletionRequest(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            tools=_for_openai(tools),
            tool_choice="auto",
        )
        self._request.skip_special_tokens = False
        self._parser()

    def _parser(self) -> Any:
        return self._class(
            self._tokenizer, self._request.tools, chat_template_kwargs={}, model_config=None
        )

    def whole(self, text: str, ids: list[int]) -> Calls:
        _, _, calls = self._parser().parse(
            text, self._request, enable_auto_tools=True, model_output_token_ids=ids
        )
        return [(call.name, json.loads(call.arguments)) for call in calls or ()]

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        merged, last = Merged(), len(pieces) - 1
        feed = self._parser().parse_delta
        for index, piece in enumerate(pieces):
            delta = feed(
                piece, ids[index], self._request, prompt_token_ids=[1], finished=index == last
            )
            if delta is None:
                continue
            for call in delta.tool_calls or ():
                if call.function is not None:
                    merged.add(call.index, call.function.name, call.function.arguments)
        return merged.decoded()


class Sglang:
    """What SGLang's server calls for one answer, with its flush at the end of a stream."""

    def __init__(self, name: str, tokenizer: Tokenizer, tools: list[dict[str, Any]]) -> None:
        from sglang.srt.entrypoints.openai.protocol import Tool
        from sglang.srt.function_call.function_call_parser import FunctionCallParser

        self._class, self._name, self._tokenizer = FunctionCallParser, name, tokenizer
        self._tools = [Tool(**tool) for tool in _for_openai(tools)]
        self._parser()

    def _parser(self) -> Any:
        return self._class(self._tools, self._name, tokenizer=self._tokenizer)

    def whole(self, text: str, ids: list[int]) -> Calls:
        parser = self._parser()
        if not parser.has_tool_call(text):
            return []
        _, calls = parser.parse_non_stream(text)
        return [(call.name, json.loads(call.parameters)) for call in calls]

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        merged, parser = Merged(), self._parser()
        for piece in pieces:
            _, calls = parser.parse_stream_chunk(piece)
            for call in calls:
                merged.add(call.tool_index, call.name, call.parameters)
        _, calls = parser.parse_stream_end()
        for call in calls:
            merged.add(call.tool_index, call.name, call.parameters)
        self._flush(parser.detector, merged)
        return merged.decoded()

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


class Transformers:
    """The response parser of transformers, with the templates that `transformers serve` has."""

    def __init__(self, model_type: str, tools: list[dict[str, Any]]) -> None:
        from transformers.cli.serving import utils
        from transformers.utils.chat_parsing.response_parser import ResponseParser
        from transformers.utils.chat_parsing.response_templates import load_response_template

        fallbacks = utils._RESPONSE_TEMPLATE_FALLBACKS  # noqa: SLF001 - they have no other name
        spec = next(value for types, value in fallbacks.items() if model_type in types)
        anchor = spec["start_anchor"]
        self._prefix = anchor if isinstance(anchor, str) else anchor[0]
        self._template = load_response_template(spec)
        self._class, self._utils = ResponseParser, utils
        self._tools = _for_openai(tools)

    def _parser(self) -> Any:
        return self._class(self._template, prefix=self._prefix, tools=self._tools)

    def whole(self, text: str, ids: list[int]) -> Calls:
        parser = self._parser()
        parser.feed(text)
        message, _ = parser.finalize()
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        return [(each["name"], _decoded(each["arguments"])) for each in functions]

    def stream(self, pieces: Sequence[str], ids: list[list[int]]) -> Calls:
        merged, parser = Merged(), self._parser()
        for piece in pieces:
            self._take(merged, parser.feed(piece))
        _, events = parser.finalize()
        self._take(merged, events)
        return merged.decoded()

    def _take(self, merged: Merged, events: Any) -> None:
        for item in self._utils.response_events_to_chunks(list(events)):
            if isinstance(item, self._utils.ToolCall):
                merged.add_next(item.name, item.arguments)


def _decoded(arguments: Any) -> Any:
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def _for_openai(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"description": "", **tool}} for tool in tools]
