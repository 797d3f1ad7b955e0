"""The readers of the league: which are there, and what each makes of a fixture's format.

`entrants()` gives toolgrammar, the two servers, transformers and the readers of `peers/others.py`;
`opened("vLLM", fixture)` gives what reads a hermes message with vLLM's parser `hermes`, and None for
a format that vLLM has no parser for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from peers import others
from peers.others import BY_FORMAT
from peers.readers import Message, MessageReader, Sglang, Transformers, Vllm
from peers.stand_in import Tokenizer
from peers.wires import WIRES, Wire

from league.fixtures import Fixture, NotJson, Part, Reading
from toolgrammar import Parser, __version__, formats, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar import ParseResult

Made = Callable[[Fixture, Tokenizer], MessageReader | None]
ALL: frozenset[Part] = frozenset(("calls", "text", "reasoning"))
CALLS_AND_TEXT: frozenset[Part] = frozenset(("calls", "text"))
CALLS: frozenset[Part] = frozenset(("calls",))
_NO_WIRE = Wire(None, (), ())

_SAME_NAME = {"gemma4", "glm45", "mimo", "kimi_k2", "kimi_k3", "inkling", "k2_horizon", "qwen3"}
REASONING: dict[str, tuple[str | None, str | None]] = {
    **{name: (name, name) for name in _SAME_NAME if name in WIRES},
    "cohere_command3": ("cohere_command3", None),
    "cohere_command4": ("cohere_command4", "cohere_command4"),
    "deepseek_v3_1": ("deepseek_v3", "deepseek-v3"),
    "deepseek_v3_2": ("deepseek_v3", "deepseek-v3"),
    "deepseek_v4": ("deepseek_v4", "deepseek-v4"),
    "deepseek_v4_1": ("deepseek_v41", "deepseek-v41"),
    "dots": (None, "dots"),
    "ernie45": ("ernie45", None),
    "gigachat35": (None, "gigachat35"),
    "glm47": ("glm47", "glm45"),
    "harmony": (None, "gpt-oss"),
    "hermes": ("qwen3", "qwen3"),
    "hunyuan_a13b": ("hunyuan_a13b", None),
    "hy_v4": ("hy_v4", None),
    "iquest_q1": (None, "iquest_q1"),
    "minimax_m2": ("minimax_m2", "minimax"),
    "minimax_m3": ("minimax_m3", "minimax-m3"),
    "mistral_v11": ("mistral", "mistral"),
    "plamo3": ("plamo3", None),
    "qwen3_xml": ("qwen3", "qwen3"),
    "seed_oss": ("seed_oss", None),
    "step3": ("step3", "step3"),
}
"""Reasoning parsers of vLLM and SGLang by our format, where a suite names none."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One reader of the league."""

    name: str
    package: str
    make: Made
    gives: frozenset[Part] = ALL
    streams: bool = True
    """Whether it reads pieces as they come; no other answer can depend on the cutting."""
    is_timed: bool = True
    """Whether it works in the thread that the clock measures."""
    is_guess: bool = False
    """Whether it asks for no format."""
    keeps_stop: bool = False
    """Whether its server hands it the stop token that is a part of a format's calls."""

    def version(self) -> str | None:
        """Returns the installed version, or None."""
        if self.package == "toolgrammar":
            return __version__  # read from the checkout
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None


class Ours(MessageReader):
    """toolgrammar; calls that are not executable are left out, as a server would."""

    def __init__(self, fixture: Fixture) -> None:
        tools = None if fixture.tools is None else list(fixture.tools)
        form = fixture.format if fixture.format == "auto" else formats[fixture.format]
        self._given: dict[str, Any] = {"format": form, "tools": tools, "prefix": fixture.prefix}
        self._reason = "length" if fixture.truncated else None

    def message(self, text: str, ids: list[int]) -> Message:
        return _message(parse(text, finish_reason=self._reason, **self._given))

    def message_of(self, pieces: Sequence[str], ids: list[list[int]]) -> Message:
        parser = Parser(**self._given)
        for piece in pieces:
            parser.feed(piece)
        parser.close(self._reason)
        return _message(parser.result)


def _message(result: ParseResult) -> Message:
    calls = [(call.name, call.arguments) for call in result.calls if call.executable]
    return Message(calls, result.text, result.reasoning)


def told_tools(fixture: Fixture) -> list[dict[str, Any]]:
    """Returns the tools that the others are told: those of the fixture, or bare names."""
    if fixture.tools is not None:
        return [dict(tool) for tool in fixture.tools]
    return [
        {"name": name, "parameters": {"type": "object", "properties": {}}}
        for name in fixture.names or ("get_weather",)
    ]


def reasoning_of(fixture: Fixture, server: str) -> str | None:
    """Returns the reasoning parser of vLLM or SGLang for a fixture."""
    if fixture.reasoning is not None:
        return fixture.reasoning.get(server)
    pair = REASONING.get(fixture.format, (None, None))
    return pair[0] if server == "vLLM" else pair[1]


def has_begun(fixture: Fixture) -> bool | None:
    """Whether the prompt ends within reasoning; None where it says nothing of it."""
    prefix = fixture.prefix.rstrip()
    if not prefix:
        return None
    return prefix.endswith(("<think>", "<seed:think>", "[THINK]", "think<|sep|>"))


def _ours(fixture: Fixture, _tokenizer: Tokenizer) -> MessageReader:
    return Ours(fixture)


def _vllm(fixture: Fixture, tokenizer: Tokenizer) -> MessageReader | None:
    name = WIRES.get(fixture.format, _NO_WIRE).vllm
    thinking = fixture.thinking
    template = None if thinking is None else {"enable_thinking": thinking, "thinking": thinking}
    return name and Vllm(
        name,
        tokenizer,
        told_tools(fixture),
        reasoning=reasoning_of(fixture, "vLLM"),
        prompt=fixture.prompt or fixture.prefix,
        template=template,
    )


def _sglang(fixture: Fixture, tokenizer: Tokenizer) -> MessageReader | None:
    names = WIRES.get(fixture.format, _NO_WIRE).sglang
    if not names:
        return None
    # Of two, SGLang's own detection takes the second for Qwen; `hermes` is the same reader.
    return Sglang(
        names[-1],
        tokenizer,
        told_tools(fixture),
        reasoning=reasoning_of(fixture, "SGLang"),
        begun=has_begun(fixture),
    )


def _transformers(fixture: Fixture, _tokenizer: Tokenizer) -> MessageReader | None:
    name = WIRES.get(fixture.format, _NO_WIRE).transformers
    return name and Transformers(name, told_tools(fixture), prompt=fixture.prompt or None)


def _dynamo(fixture: Fixture, _tokenizer: Tokenizer) -> MessageReader | None:
    name = BY_FORMAT["Dynamo"].get(fixture.format)
    return name and others.Dynamo(name, told_tools(fixture))


def _lmdeploy(fixture: Fixture, tokenizer: Tokenizer) -> MessageReader | None:
    name = BY_FORMAT["LMDeploy"].get(fixture.format)
    if name is None:
        return None
    reasons = "<think>" in tokenizer.get_vocab() and reasoning_of(fixture, "vLLM") is not None
    begun = has_begun(fixture)
    return others.Lmdeploy(
        name,
        tokenizer,
        told_tools(fixture),
        reasoning="default" if reasons else None,
        thinking=begun if fixture.thinking is None else fixture.thinking,
    )


def _mlx_lm(fixture: Fixture, _tokenizer: Tokenizer) -> MessageReader | None:
    name = BY_FORMAT["mlx-lm"].get(fixture.format)
    begun = bool(has_begun(fixture))
    return name and others.MlxLm(name, told_tools(fixture), begun=begun)


def _qwen_agent(fixture: Fixture, _tokenizer: Tokenizer) -> MessageReader | None:
    name = BY_FORMAT["Qwen-Agent"].get(fixture.format)
    return name and others.QwenAgent(name, told_tools(fixture))


def _agent_tool_parser(_fixture: Fixture, _tokenizer: Tokenizer) -> MessageReader:
    return others.AgentToolParser()


def _not_installed(_fixture: Fixture, _tokenizer: Tokenizer) -> None:
    return None


ENTRANTS = (
    Entrant("toolgrammar", "toolgrammar", _ours),
    Entrant("vLLM", "vllm", _vllm),
    Entrant("SGLang", "sglang", _sglang, keeps_stop=True),
    Entrant("transformers", "transformers", _transformers),
    Entrant("LMDeploy", "lmdeploy", _lmdeploy),
    Entrant(
        "Dynamo",
        "ai-dynamo-runtime",
        _dynamo,
        CALLS_AND_TEXT,
        streams=False,
        is_timed=False,
        keeps_stop=True,
    ),
    Entrant("mlx-lm", "mlx-lm", _mlx_lm, CALLS, streams=False),
    Entrant("Qwen-Agent", "qwen-agent", _qwen_agent, CALLS_AND_TEXT, streams=False),
    Entrant(
        "agent-tool-parser",
        "agent-tool-parser",
        _agent_tool_parser,
        CALLS,
        streams=False,
        is_guess=True,
    ),
    Entrant("TensorRT-LLM", "tensorrt-llm", _not_installed),
)


def reading(message: Message) -> Reading:
    """Returns a message with its arguments decoded."""
    calls = tuple((name, _decoded(arguments)) for name, arguments in message.calls)
    return Reading(calls, message.text or "", message.reasoning or "")


def _decoded(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return NotJson(arguments)
