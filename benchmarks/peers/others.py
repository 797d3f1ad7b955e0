"""Readers of tool calls that come in packages of their own, beside the two servers.

`Hi.<tool_call>{"name": "tide", "arguments": {"port": "Bude"}}</tool_call>` gives, in each that reads
the format, `Message([("tide", '{"port": "Bude"}')], "Hi.")`; those that hand out no text leave it out.
Each is given what its own server or library hands it; `BY_FORMAT` says under which name.
"""

from __future__ import annotations

import asyncio
import json
import sys
import types
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peers.readers import Merged, Message, MessageReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peers.stand_in import Tokenizer

Tools = list[dict[str, Any]]

DYNAMO = {
    "deepseek_v3": "deepseek_v3",
    "deepseek_v3_1": "deepseek_v3_1",
    "deepseek_v3_2": "deepseek_v3_2",
    "deepseek_v4": "deepseek_v4",
    "gemma4": "gemma4",
    "glm45": "glm47",
    "glm47": "glm47",
    "harmony": "harmony",
    "hermes": "hermes",
    "jamba": "jamba",
    "kimi_k2": "kimi_k2",
    "llama3_json": "llama3_json",
    "llama4_pythonic": "pythonic",
    "minimax_m2": "minimax_m2",
    "mistral_json": "mistral",
    "mistral_v11": "mistral",
    "nemotron_deci": "nemotron_deci",
    "phi4_mini": "phi4",
    "pythonic": "pythonic",
    "qwen3_xml": "qwen3_coder",
}
LMDEPLOY = {
    "deepseek_v3_2": "deepseek-v32",
    "deepseek_v4": "deepseek-v4",
    "glm47": "glm47",
    "hermes": "qwen3",
    "internlm2": "internlm",
    "kimi_k2": "kimi_k2",
    "llama3_json": "llama3",
    "qwen3_xml": "qwen3coder",
}
MLX_LM = {
    "functiongemma": "function_gemma",
    "gemma4": "gemma4",
    "glm45": "glm47",
    "glm47": "glm47",
    "hermes": "json_tools",
    "kimi_k2": "kimi_k2",
    "kimi_k3": "kimi_k3",
    "lfm2": "pythonic",
    "longcat": "longcat",
    "minicpm5": "minicpm5",
    "minimax_m2": "minimax_m2",
    "mistral_json": "mistral",
    "mistral_v11": "mistral",
    "muse": "muse_spark",
    "qwen3_xml": "qwen3_coder",
}
QWEN_AGENT = {"hermes": "nous"}
BY_FORMAT = {"Dynamo": DYNAMO, "LMDeploy": LMDEPLOY, "mlx-lm": MLX_LM, "Qwen-Agent": QWEN_AGENT}
"""What each calls one of our formats."""


class WholeOnly(MessageReader):
    """A reader of finished messages: it has no way to read pieces."""

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        raise NotImplementedError


class Dynamo(WholeOnly):
    """Dynamo's Rust parsers; the binding for Python reads whole messages."""

    def __init__(self, name: str, tools: Tools) -> None:
        from dynamo._core import parse_tool_call

        self._parse, self._name = parse_tool_call, name
        self._tools = json.dumps(tools) if tools else None
        self._loop = asyncio.new_event_loop()

    def message(self, text: str, ids: list[int]) -> Message:
        found = json.loads(self._loop.run_until_complete(self._read(text)))
        functions = [call["function"] for call in found.get("calls") or ()]
        calls = [(each["name"], each["arguments"]) for each in functions]
        return Message(calls, found.get("normal_text") or "")

    async def _read(self, text: str) -> str:
        # It wants a running loop already when it is called.
        read: str = await self._parse(self._name, text, self._tools)
        return read


class Lmdeploy(MessageReader):
    """LMDeploy's response parser, which its server calls for one answer."""

    def __init__(
        self,
        name: str,
        tokenizer: Tokenizer,
        tools: Tools,
        *,
        reasoning: str | None = None,
        thinking: bool | None = None,
    ) -> None:
        _without_inits("lmdeploy", "lmdeploy.serve", "lmdeploy.serve.openai")
        from lmdeploy.serve.openai.protocol import ChatCompletionRequest
        from lmdeploy.serve.parsers.response_parser import BaseResponseParser

        self._class = type("Parser", (BaseResponseParser,), {})
        self._class.set_parsers(reasoning, name, tokenizer)
        functions = [{"type": "function", "function": tool} for tool in tools]
        self._request = ChatCompletionRequest(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            tools=functions or None,
            tool_choice="auto",
            chat_template_kwargs=None if thinking is None else {"enable_thinking": thinking},
        )
        self._class(self._request)

    def message(self, text: str, ids: list[int]) -> Message:
        content, calls, thought = self._class(self._request).parse_complete(text, ids)
        functions = [call.function for call in calls or ()]
        found = [(each.name, each.arguments) for each in functions]
        return Message(found, content or "", thought or "")

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        merged, parser, last = Merged(), self._class(self._request), len(pieces) - 1
        for index, piece in enumerate(pieces):
            for delta, _ in parser.stream_chunk(piece, ids[index], final=index == last):
                merged.add_text(delta.content, delta.reasoning_content)
                for call in delta.tool_calls or ():
                    if call.function is not None:
                        merged.add(call.index, call.function.name, call.function.arguments)
        return merged.message()


class MlxLm(WholeOnly):
    """mlx-lm's parsers of one call, on what stands between their own markers.

    Its server finds the markers in the tokens, and leaves out a call that the parser refuses; so
    does this. It hands out whole calls only.
    """

    def __init__(self, name: str, tools: Tools, *, begun: bool) -> None:
        _without_inits("mlx_lm")
        module = import_module(f"mlx_lm.tool_parsers.{name}")
        self._parse = module.parse_tool_call
        self._opener, self._closer = module.tool_call_start, module.tool_call_end
        self._tools = [{"type": "function", "function": tool} for tool in tools] or None
        self._begun = begun

    def message(self, text: str, ids: list[int]) -> Message:
        calls: list[tuple[str, Any]] = []
        for body in self._bodies(text):
            try:
                found = self._parse(body, self._tools)
            except ValueError:  # what its server catches
                continue
            each_of = found if isinstance(found, list) else [found]
            calls += [(each["name"], each["arguments"]) for each in each_of]
        return Message(calls)

    def _bodies(self, text: str) -> list[str]:
        """Returns what stands between the markers, outside of reasoning that was opened."""
        found: list[str] = []
        at = text.find("</think>") + 1 if self._begun else 0
        while (start := text.find(self._opener, at)) >= 0:
            thought = text.find("<think>", at, start)
            end_of_thought = text.find("</think>", thought) if thought >= 0 else -1
            if end_of_thought > start:
                at = end_of_thought
                continue
            start += len(self._opener)
            end = text.find(self._closer, start) if self._closer else -1
            at = len(text) if end < 0 else end
            found.append(text[start:at])
        return found


class QwenAgent(WholeOnly):
    """Qwen-Agent's reading of the messages of a server without a parser of its own."""

    def __init__(self, name: str, tools: Tools) -> None:
        _without_inits("qwen_agent", "qwen_agent.llm")
        prompts = import_module(f"qwen_agent.llm.fncall_prompts.{name}_fncall_prompt")
        schema = import_module("qwen_agent.llm.schema")
        self._prompt, self._schema = prompts.NousFnCallPrompt(), schema

    def message(self, text: str, ids: list[int]) -> Message:
        content = [self._schema.ContentItem(text=text)]
        told = self._schema.Message(role="assistant", content=content)
        calls: list[tuple[str, Any]] = []
        texts: list[str] = []
        for each in self._prompt.postprocess_fncall_messages([told]):
            if each.function_call is not None:
                calls.append((each.function_call.name, each.function_call.arguments))
            texts += [item.text or "" for item in each.content or ()]
        return Message(calls, "".join(texts))


class AgentToolParser(WholeOnly):
    """agent-tool-parser, which guesses the format and gives calls alone."""

    def __init__(self) -> None:
        from agent_tool_parser import try_parse_tool_calls

        self._parse = try_parse_tool_calls

    def message(self, text: str, ids: list[int]) -> Message:
        return Message([(call.name, call.args) for call in self._parse(text)])


def _without_inits(*names: str) -> None:
    """Makes packages importable without what their `__init__` loads, such as an engine."""
    for name in names:
        if name in sys.modules:
            continue
        parts = name.split(".")
        places = [Path(entry).joinpath(*parts) for entry in sys.path]
        found = [str(place) for place in places if place.is_dir()]
        if not found:
            raise ModuleNotFoundError(f"no package {name}", name=name)
        package = types.ModuleType(name)
        package.__path__ = found
        sys.modules[name] = package
