"""Agents of smolagents on models that write their calls as text: `make agents`."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("smolagents", reason="smolagents is not installed; `make agents` installs it")

from smolagents import ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageStreamDelta, MessageRole, Model
from smolagents.monitoring import LogLevel, TokenUsage

from toolgrammar.agents.smolagents import TextCallModel
from toolgrammar.agents.text_calls import TextCalls

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "a": 7}}\n</tool_call>'
END = '<tool_call>\n{"name": "final_answer", "arguments": {"answer": "Three."}}\n</tool_call>'
RAN: list[tuple[int, int]] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    RAN.append((a, b))
    return a + b


class Script(Model):
    """Answers with one text after the other."""

    def __init__(self, *answers: str, raw: Any = None, tokens: int = 2, **options: Any) -> None:
        super().__init__(model_id="script", **options)
        self.usage = TokenUsage(10, tokens)
        self.answers = iter(answers)
        self.asked: list[tuple[list[Any], dict[str, Any]]] = []
        self.raw = raw

    def generate(self, messages: list[Any], **options: Any) -> ChatMessage:
        self.asked.append((messages, options))
        answer = next(self.answers)
        return ChatMessage(MessageRole.ASSISTANT, answer, raw=self.raw, token_usage=self.usage)


class Streamed(Script):
    def generate_stream(
        self, messages: list[Any], **options: Any
    ) -> Iterator[ChatMessageStreamDelta]:
        text = str(self.generate(messages, **options).content)
        for start in range(0, len(text), 5):
            yield ChatMessageStreamDelta(content=text[start : start + 5])
        yield ChatMessageStreamDelta(token_usage=self.usage)


def _run(script: Script, *, prompt: bool = False, **options: Any) -> Any:
    model = TextCallModel(script, TextCalls("hermes", prompt=prompt))
    agent = ToolCallingAgent([add], model, verbosity_level=LogLevel.OFF, **options)
    return agent.run("1+2?")


def _texts(messages: list[Any]) -> list[str]:
    return [
        "".join(part["text"] for part in each.content)
        if isinstance(each.content, list)
        else each.content
        for each in messages
    ]


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("kind", [Script, Streamed])
def test_an_agent_runs_to_its_end(kind: type[Script], *, prompt: bool) -> None:
    script = kind(f"On it.\n{CALL}\n{CALL.replace('2', '5')}", END)
    assert _run(script, prompt=prompt, stream_outputs=kind is Streamed) == "Three."
    assert sorted(RAN) == [(1, 2), (1, 5)]
    messages, options = script.asked[0]
    assert (options["tools_to_call_from"] is None) is prompt
    assert ("write its name and its arguments as one JSON object" in _texts(messages)[0]) is prompt
    # The model sees its own words again, and what the tools said.
    assert any(CALL in text for text in _texts(script.asked[1][0]))


def test_a_model_without_a_stream_has_none() -> None:
    settings = TextCalls("hermes")
    assert not hasattr(TextCallModel(Script(), settings), "generate_stream")
    assert hasattr(TextCallModel(Streamed(), settings), "generate_stream")


@pytest.mark.parametrize("prompt", [False, True])
def test_the_agent_tells_the_model_where_no_call_may_run(*, prompt: bool) -> None:
    script = Script(BROKEN, CALL, END)
    assert _run(script, prompt=prompt) == "Three."
    assert RAN == [(1, 2)]
    assert any("stands twice" in text for text in _texts(script.asked[1][0]))


def test_an_answer_without_a_call_is_asked_for_one() -> None:
    script = Script("It is three.", END)
    assert _run(script) == "Three."
    assert any("final_answer" in text for text in _texts(script.asked[1][0])[1:])


def test_the_next_request_tells_of_a_refused_call_beside_others() -> None:
    script = Script(f"{CALL}\n{CALL.replace('add', 'remove')}", END)
    assert _run(script) == "Three."
    assert RAN == [(1, 2)]
    assert "no tool of this name" in _texts(script.asked[1][0])[-1]


def test_what_the_server_cut_does_not_run() -> None:
    raw = SimpleNamespace(choices=[SimpleNamespace(finish_reason="length")])
    model = TextCallModel(Script("🛠️ add 1", raw=raw), TextCalls("simple_agent"))
    message = model.generate([], tools_to_call_from=[add])
    with pytest.raises(ValueError, match="cut off"):
        model.parse_tool_calls(message)


def test_native_calls_pass() -> None:
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

    function = ChatMessageToolCallFunction(name="add", arguments='{"a": 5, "b": 5}')
    call = ChatMessageToolCall(function=function, id="n1", type="function")
    message = ChatMessage(MessageRole.ASSISTANT, CALL, tool_calls=[call])
    found = TextCallModel(Script(), TextCalls("hermes")).parse_tool_calls(message)
    assert [each.function.arguments for each in found.tool_calls] == [{"a": 5, "b": 5}]


@pytest.mark.parametrize("kind", [Script, Streamed])
@pytest.mark.parametrize("tokens", [2, 30])
def test_a_call_of_an_answer_as_long_as_it_may_be_does_not_run(
    tokens: int, kind: type[Script]
) -> None:
    # In this format `add(a=1, b=2)` ends a message, and may go on: `add(a=1, b=2) + 1`.
    end = "final_answer(answer='Three.')"
    script = kind("add(a=1, b=2)", f"[{end}]", tokens=tokens, max_tokens=30)
    model = TextCallModel(script, TextCalls("pythonic"))
    agent = ToolCallingAgent(
        [add], model, verbosity_level=LogLevel.OFF, stream_outputs=kind is Streamed
    )
    assert agent.run("1+2?") == "Three."
    assert ([] if tokens == 30 else [(1, 2)]) == RAN


def test_what_is_no_model_is_told() -> None:
    with pytest.raises(TypeError, match="model must be a Model, got str"):
        TextCallModel("gpt", TextCalls("hermes"))
    with pytest.raises(TypeError, match=r"settings must be a TextCalls, got str 'hermes'"):
        TextCallModel(Script(), cast("Any", "hermes"))


def test_broken_native_calls_are_repaired() -> None:
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

    def parsed(arguments: Any) -> ChatMessage:
        function = ChatMessageToolCallFunction(name="add", arguments=arguments)
        call = ChatMessageToolCall(function=function, id="n1", type="function")
        message = ChatMessage(MessageRole.ASSISTANT, None, tool_calls=[call])
        settings = TextCalls("hermes", repair=True)
        return TextCallModel(Script(), settings).parse_tool_calls(message)

    for arguments in ("{'a': 5, 'b': 5,}", {"a": 5, "b": 5}):
        message = parsed(arguments)
        assert message.tool_calls
        [call] = message.tool_calls
        assert (call.id, call.function.arguments) == ("n1", {"a": 5, "b": 5})
    with pytest.raises(ValueError, match="`add`"):
        parsed("[5, 5]")
