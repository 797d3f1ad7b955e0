"""What a caller hands in wrongly is told where it was handed in, by what it is and what it should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from toolgrammar import ToolCall, ToolSpec, formats, load_format, parse, stream
from toolgrammar.agents.text_calls import TextCalls, check_settings
from toolgrammar.engine import Engine, to_messages
from toolgrammar.interop import anthropic, langchain, mcp, openai
from toolgrammar.proxy import StreamRewriter, rewrite_request, rewrite_response, rewrite_stream
from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules
from toolgrammar.salvage.policy import SalvagePolicy

HERMES: Final = formats["hermes"]
READ: Final = parse('<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>', "hermes")
REQUEST: Final = {"tools": [{"name": "add"}], "messages": []}
ANSWER: Final = {"choices": [{"message": {"content": "Hi."}}]}
RULES: Final = ModelRules({}, ModelRule("hermes"))
POLICY: Final = SalvagePolicy()

WRONG: Final[tuple[tuple[str, object], ...]] = (
    ("a text", "Hi."),
    ("an object", object()),
    ("a number", 5),
    ("nothing", None),
    ("numbers", [5]),
    ("texts", ["Hi."]),
    ("a dict", {"a": 1}),
    ("nothings", [None]),
    ("dicts", [{}]),
    ("bytes", b"Hi."),
)

Taken = Callable[[Any], Any]


def all_of(stream: Any) -> list[Any]:
    """Takes a stream, which reads what was handed in only now."""
    return list(stream)


FUNCTIONS: Final[dict[str, Taken]] = {
    "judge": POLICY.judge,
    "judge: tools": lambda given: POLICY.judge(READ, tools=given),
    "judge: messages": lambda given: POLICY.judge(READ, messages=given),
    "judge: prefix": lambda given: POLICY.judge(READ, prefix=given),
    "judge_stream: feed": lambda given: POLICY.judge_stream().feed(given),
    "judge_stream: judge": lambda given: POLICY.judge_stream().judge(given),
    "SalvagePolicy: echoes": lambda given: SalvagePolicy(echoes=given),
    "SalvagePolicy: least": lambda given: SalvagePolicy(least_arguments=given),
    "openai.to_message": openai.to_message,
    "openai.to_tool_calls": openai.to_tool_calls,
    "openai.from_tool_calls": openai.from_tool_calls,
    "openai.to_stream": lambda given: all_of(openai.to_stream(given)),
    "openai.from_stream": lambda given: all_of(openai.from_stream(given)),
    "openai.from_stream: tools": lambda given: openai.from_stream([], repair=True, tools=given),
    "openai.repair_message": openai.repair_message,
    "openai.repair_message: tools": lambda given: openai.repair_message({}, tools=given),
    "openai.repair_response": openai.repair_response,
    "openai.repair_stream": lambda given: all_of(openai.repair_stream(given)),
    "anthropic.to_message": anthropic.to_message,
    "anthropic.to_tool_calls": anthropic.to_tool_calls,
    "anthropic.from_tool_calls": anthropic.from_tool_calls,
    "anthropic.to_stream": lambda given: all_of(anthropic.to_stream(given)),
    "anthropic.from_stream": lambda given: all_of(anthropic.from_stream(given)),
    "anthropic.repair_message": anthropic.repair_message,
    "anthropic.repair_message: tools": lambda given: anthropic.repair_message({}, tools=given),
    "anthropic.repair_stream": lambda given: all_of(anthropic.repair_stream(given)),
    "langchain.to_message": langchain.to_message,
    "langchain.to_tool_calls": langchain.to_tool_calls,
    "langchain.to_invalid_tool_calls": langchain.to_invalid_tool_calls,
    "langchain.from_tool_calls": langchain.from_tool_calls,
    "langchain.to_stream": lambda given: all_of(langchain.to_stream(given)),
    "langchain.from_stream": lambda given: all_of(langchain.from_stream(given)),
    "mcp.to_tool_calls": mcp.to_tool_calls,
    "mcp.from_tool_calls": mcp.from_tool_calls,
    "render": HERMES.render,
    "render_results": HERMES.render_results,
    "render_conversation": HERMES.render_conversation,
    "render_conversation: tools": lambda given: HERMES.render_conversation([], tools=given),
    "prompt": HERMES.prompt,
    "rewrite_request": lambda given: rewrite_request(given, format="hermes", prompt=True),
    "rewrite_response": lambda given: rewrite_response(given, REQUEST, format="hermes"),
    "rewrite_response: request": lambda given: rewrite_response(ANSWER, given, format="hermes"),
    "rewrite_response: tools": (
        lambda given: rewrite_response(ANSWER, {"tools": given}, format="hermes")
    ),
    "rewrite_response: format": lambda given: rewrite_response(ANSWER, REQUEST, format=given),
    "rewrite_response: policy": (
        lambda given: rewrite_response(ANSWER, REQUEST, format="hermes", policy=given)
    ),
    "rewrite_stream": lambda given: all_of(rewrite_stream(given, REQUEST, format="hermes")),
    "rewrite_stream: request": lambda given: rewrite_stream([], given, format="hermes"),
    "StreamRewriter": StreamRewriter,
    "ModelRules": ModelRules,
    "ModelRules: default": lambda given: ModelRules({}, given),
    "create_app": lambda given: create_app(given, RULES),
    "create_app: rules": lambda given: create_app("http://127.0.0.1:1", given),
    "create_app: policy": lambda given: create_app("http://127.0.0.1:1", RULES, policy=given),
    "TextCalls": TextCalls,
    "TextCalls: prompt": lambda given: TextCalls("hermes", prompt=given),
    "TextCalls: policy": lambda given: TextCalls("hermes", policy=given),
    "TextCalls: prefix": lambda given: TextCalls("hermes", prefix=given),
    "TextCalls: read": lambda given: TextCalls("hermes").read(given, [], []),
    "TextCalls: read, tools": lambda given: TextCalls("hermes").read("Hi.", given, []),
    "TextCalls: read, messages": lambda given: TextCalls("hermes").read("Hi.", [], given),
    "TextCalls: written": lambda given: TextCalls("hermes", prompt=True).written(given, []),
    "an adapter": check_settings,
    "an adapter: retries": lambda given: check_settings(TextCalls("hermes"), given),
}

OPTIONS: Final[dict[str, Taken]] = {
    "id_prefix: openai": lambda given: openai.to_tool_calls(READ.calls, id_prefix=given),
    "id_prefix: openai.to_message": lambda given: openai.to_message(READ, id_prefix=given),
    "id_prefix: openai.to_stream": lambda given: openai.to_stream([], id_prefix=given),
    "id_prefix: openai.repair_message": lambda given: openai.repair_message({}, id_prefix=given),
    "id_prefix: openai.repair_stream": lambda given: openai.repair_stream([], id_prefix=given),
    "id_prefix: anthropic": lambda given: anthropic.to_tool_calls(READ.calls, id_prefix=given),
    "id_prefix: anthropic.to_stream": lambda given: anthropic.to_stream([], id_prefix=given),
    "id_prefix: anthropic.repair_message": (
        lambda given: anthropic.repair_message({}, id_prefix=given)
    ),
    "id_prefix: anthropic.repair_stream": (
        lambda given: anthropic.repair_stream([], id_prefix=given)
    ),
    "id_prefix: langchain": lambda given: langchain.to_tool_calls(READ.calls, id_prefix=given),
    "id_prefix: langchain.to_stream": lambda given: langchain.to_stream([], id_prefix=given),
    "id_prefix: mcp": lambda given: mcp.to_tool_calls(READ.calls, id_prefix=given),
    "id_prefix: to_messages": lambda given: to_messages([], "openai", id_prefix=given),
    "id_prefix: render_results": lambda given: HERMES.render_results([], id_prefix=given),
    "reasoning_key: to_message": lambda given: openai.to_message(READ, reasoning_key=given),
    "reasoning_key: to_stream": lambda given: openai.to_stream([], reasoning_key=given),
    "reasoning_key: repair_message": lambda given: openai.repair_message({}, reasoning_key=given),
    "reasoning_key: repair_stream": lambda given: openai.repair_stream([], reasoning_key=given),
    "thinking: to_message": lambda given: anthropic.to_message(READ, thinking=given),
    "thinking: to_stream": lambda given: anthropic.to_stream([], thinking=given),
    "words: search": formats.search,
    "island: tree": HERMES.tree,
    "path: load_format": load_format,
    "chunks: stream": lambda given: all_of(stream(given, "hermes")),
    "name: ToolCall": ToolCall,
    "arguments: ToolCall": lambda given: ToolCall("add", given),
    "arguments: with_arguments": READ.calls[0].with_arguments,
    "id: ToolCall": lambda given: ToolCall("add", id=given),
    "status: ToolCall": lambda given: ToolCall("add", status=given),
    "depends_on: ToolCall": lambda given: ToolCall("add", depends_on=given),
    "doubts: ToolCall": lambda given: ToolCall("add", doubts=given),
    "name: ToolSpec": ToolSpec,
    "description: ToolSpec": lambda given: ToolSpec("add", given),
    "parameters: ToolSpec": lambda given: ToolSpec("add", "", given),
    "prompt: rewrite_request": lambda given: rewrite_request({}, format="hermes", prompt=given),
    "report: rewrite_stream": (
        lambda given: rewrite_stream([], REQUEST, format="hermes", report=given)
    ),
    "format: ModelRule": ModelRule,
    "prompt: ModelRule": lambda given: ModelRule("hermes", prompt=given),
    "prefix: ModelRule": lambda given: ModelRule("hermes", prefix=given),
    "body: ModelRule": lambda given: ModelRule("hermes", body=given),
    "repair: ModelRule": lambda given: ModelRule("hermes", repair=given),
    "max_body: create_app": lambda given: create_app("http://127.0.0.1:1", RULES, max_body=given),
    "timeout: create_app": lambda given: create_app("http://127.0.0.1:1", RULES, timeout=given),
    "guardrails: Engine": lambda given: Engine([], input_guardrails=given),
}
"""By the option: a value that is none for it, such as an object, raises an error that names it."""

PYTHONS_OWN: Final = (
    "has no attribute", "is not iterable", "not subscriptable", "indices must be", "no len()",
    "unsupported operand", "unhashable",
)  # fmt: skip
"""What Python says itself where nobody looked: it names neither the argument nor the mend."""


@pytest.mark.parametrize("given", [given for _, given in WRONG], ids=[name for name, _ in WRONG])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_callers_mistake_is_told_in_our_words(function: Taken, given: object) -> None:
    try:
        function(given)
    except (TypeError, ValueError, LookupError) as problem:
        said = str(problem)
    else:
        said = ""
    # A bare `KeyError` says the key alone.
    assert not said or " " in said
    assert not any(words in said for words in PYTHONS_OWN), said


@pytest.mark.parametrize("function", OPTIONS.values(), ids=OPTIONS)
def test_an_option_of_a_wrong_type_is_named(function: Taken, request: Any) -> None:
    option = request.node.callspec.id.partition(":")[0]
    with pytest.raises((TypeError, ValueError), match=rf"^{option} must be "):
        function(object())


def test_a_status_that_there_is_none_of_is_told() -> None:
    wanted = "status must be one of complete, repaired, truncated, unreadable; got str 'zz'"
    with pytest.raises(ValueError, match=wanted):
        ToolCall("add", status="zz")  # type: ignore[arg-type]


def test_the_message_says_what_was_wanted_and_how_to_get_it() -> None:
    with pytest.raises(TypeError) as caught:
        openai.to_message("Hi.")  # type: ignore[arg-type]
    wanted = "result must be a ParseResult, got str 'Hi.': parse(text, format) makes one"
    assert str(caught.value) == wanted


def test_an_answer_that_nobody_waited_for_is_told() -> None:
    async def ask() -> list[object]:
        return []

    answer = ask()
    with pytest.raises(TypeError, match="await it first"):
        openai.from_stream(answer)  # type: ignore[call-overload]
    answer.close()


def test_a_number_of_retries_is_at_least_0() -> None:
    with pytest.raises(ValueError, match="retries must be at least 0, got -1"):
        check_settings(TextCalls("hermes"), -1)
