"""Agents of pydantic-ai on models that write their calls as text: `make agents`."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed; `make agents` installs it")

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from toolgrammar.agents.pydantic_ai import REFUSED, TextCallModel
from toolgrammar.agents.text_calls import TextCalls

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "a": 7}}\n</tool_call>'
TWO = f"<think>two sums</think>On it.\n{CALL}\n{CALL.replace('2', '5')}"
RAN: list[tuple[int, int]] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    RAN.append((a, b))
    return a + b


class Script:
    """Answers with one text after the other, and keeps what it was asked."""

    def __init__(self, *answers: str, length: int = 6) -> None:
        self.answers = iter(answers)
        self.asked: list[tuple[list[Any], AgentInfo]] = []
        self.length = length

    def whole(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        self.asked.append((messages, info))
        return ModelResponse(parts=[TextPart(next(self.answers))])

    async def pieces(self, messages: list[Any], info: AgentInfo) -> AsyncIterator[Any]:
        self.asked.append((messages, info))
        text = next(self.answers)
        for start in range(0, len(text), self.length):
            yield text[start : start + self.length]

    def agent(self, *, prompt: bool = False, **options: Any) -> Agent[None, Any]:
        inner = FunctionModel(self.whole, stream_function=self.pieces)
        model = TextCallModel(inner, TextCalls("hermes", prompt=prompt))
        return Agent(model, tools=[add], **options)


def _whole(agent: Agent[None, Any], question: Any = "?") -> Any:
    """Runs an agent; `run_sync` would leave a loop of its own open."""
    return asyncio.run(agent.run(question))


async def _streamed(agent: Agent[None, Any], question: str = "?") -> Any:
    """Runs an agent with every response streamed."""
    async with agent.iter(question) as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    async for _ in stream:
                        pass
    return run.result


def _parts(result: Any) -> list[list[Any]]:
    return [
        [(type(part).__name__, getattr(part, "content", None) or part.args) for part in each.parts]
        for each in result.all_messages()
        if isinstance(each, ModelResponse)
    ]


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("length", [0, 1, 3, 1000])
def test_an_agent_runs_to_its_end(length: int, *, prompt: bool) -> None:
    script = Script(TWO, "Done: 3 and 6.", length=length)
    agent = script.agent(prompt=prompt, instructions="Be brief.")
    result = asyncio.run(_streamed(agent)) if length else _whole(agent)
    assert result.output == "Done: 3 and 6."
    assert sorted(RAN) == [(1, 2), (1, 5)]
    assert _parts(result) == [
        [
            (ThinkingPart.__name__, "two sums"),
            (TextPart.__name__, "On it."),
            (ToolCallPart.__name__, '{"a": 1, "b": 2}'),
            (ToolCallPart.__name__, '{"a": 1, "b": 5}'),
        ],
        [(TextPart.__name__, "Done: 3 and 6.")],
    ]
    offered = [tool.name for tool in script.asked[0][1].function_tools]
    assert offered == ([] if prompt else ["add"])
    assert script.asked[1][1].instructions == "Be brief."


def test_the_prompt_holds_the_tools_and_earlier_calls_as_the_model_writes_them() -> None:
    script = Script(CALL, "Three.")
    image = BinaryContent(b"\0", media_type="image/png")
    _whole(script.agent(prompt=True), ["1+2?", image])
    first, second = (messages for messages, _ in script.asked)
    system, user = first[0].parts
    assert "Adds two numbers." in system.content
    assert isinstance(user.content[1], BinaryContent)
    assert second[1].parts[0].content.startswith("<tool_call>")
    [result] = second[2].parts
    assert result.content == "<tool_response>\n3\n</tool_response>"


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("whole", [True, False])
def test_the_model_is_asked_again_where_no_call_may_run(*, whole: bool, prompt: bool) -> None:
    script = Script(BROKEN, CALL, "Three.")
    agent = script.agent(prompt=prompt)
    result = _whole(agent) if whole else asyncio.run(_streamed(agent))
    assert result.output == "Three."
    assert RAN == [(1, 2)]
    told = script.asked[1][0][-1].parts[-1]
    assert isinstance(told, UserPromptPart)
    assert "a key of the arguments stands twice" in str(told.content)


@pytest.mark.parametrize("whole", [True, False])
def test_the_next_request_tells_of_a_refused_call_beside_others(*, whole: bool) -> None:
    script = Script(f"{CALL}\n{CALL.replace('add', 'remove')}", "Three.")
    agent = script.agent()
    result = _whole(agent) if whole else asyncio.run(_streamed(agent))
    assert RAN == [(1, 2)]
    told = script.asked[1][0][-1].parts[-1]
    assert "no tool of this name" in told.content
    assert REFUSED in result.all_messages()[1].metadata


@pytest.mark.parametrize("whole", [True, False])
def test_native_calls_pass_and_those_of_the_text_beside_them_do_not_run(*, whole: bool) -> None:
    native = iter([True, False])

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        if not next(native):
            return ModelResponse(parts=[TextPart("Ten.")])
        call = ToolCallPart("add", {"a": 5, "b": 5}, tool_call_id="n1")
        return ModelResponse(parts=[TextPart(CALL), call])

    async def pieces(messages: list[Any], info: AgentInfo) -> AsyncIterator[Any]:
        if not next(native):
            yield "Ten."
            return
        yield CALL
        yield {1: DeltaToolCall(name="add", json_args='{"a": 5, ', tool_call_id="n1")}
        yield {1: DeltaToolCall(json_args='"b": 5}')}

    model = TextCallModel(FunctionModel(answer, stream_function=pieces), TextCalls("hermes"))
    agent = Agent(model, tools=[add])
    result = _whole(agent) if whole else asyncio.run(_streamed(agent))
    assert RAN == [(5, 5)]
    assert result.output == "Ten."


def test_what_the_server_cut_does_not_run() -> None:
    """In `simple_agent` the end of the text closes a call: only the reason tells of a cut."""

    answers = [
        ModelResponse(parts=[TextPart("🛠️ say it all")], finish_reason="length"),
        ModelResponse(parts=[TextPart("Well.")], finish_reason="stop"),
    ]

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        return answers.pop(0)

    said: list[str] = []

    def say(text: str) -> None:
        """Says a text."""
        said.append(text)

    model = TextCallModel(FunctionModel(answer), TextCalls("simple_agent"))
    assert _whole(Agent(model, tools=[say])).output == "Well."
    assert said == []


FILE = BinaryContent(CALL.encode(), media_type="text/plain")
SEARCHED = [
    NativeToolCallPart("web_search", {"q": "x"}, tool_call_id="s1"),
    NativeToolReturnPart("web_search", {"page": CALL}, tool_call_id="s1"),
]
OTHERS: dict[str, list[Any]] = {
    "text": [ModelRequest([UserPromptPart(["Look:", TextContent(CALL)])])],
    "file": [ModelRequest([UserPromptPart(["Look:", FILE])])],
    "blocks": [ModelRequest([UserPromptPart([TextContent(CALL[:30]), CALL[30:]])])],
    "result": [
        ModelResponse([ToolCallPart("add", {}, tool_call_id="a1")]),
        ModelRequest([ToolReturnPart("add", ["Look:", FILE], tool_call_id="a1")]),
    ],
    "native": [ModelRequest([UserPromptPart("?")]), ModelResponse([*SEARCHED, TextPart("So.")])],
}


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("kind", OTHERS)
def test_a_call_that_somebody_else_wrote_does_not_run(kind: str, *, prompt: bool) -> None:
    agent = Script(CALL, "Never mind.").agent(prompt=prompt)
    result = asyncio.run(agent.run("?", message_history=OTHERS[kind]))
    assert RAN == []
    assert result.output == "Never mind."


@pytest.mark.parametrize("whole", [True, False])
def test_a_call_in_a_result_of_the_same_response_does_not_run(*, whole: bool) -> None:
    parts = iter([[*SEARCHED, TextPart(f"It says: {CALL}")], [TextPart("Never mind.")]])

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=next(parts))

    async def pieces(messages: list[Any], info: AgentInfo) -> AsyncIterator[Any]:
        for place, part in enumerate(next(parts)):
            yield part.content if isinstance(part, TextPart) else {place: part}

    model = TextCallModel(FunctionModel(answer, stream_function=pieces), TextCalls("hermes"))
    agent = Agent(model, tools=[add])
    result = _whole(agent) if whole else asyncio.run(_streamed(agent))
    assert RAN == []
    assert result.output == "Never mind."


def test_output_tools_are_read_too() -> None:
    text = '<tool_call>\n{"name": "final_result", "arguments": {"response": 3}}\n</tool_call>'
    script = Script(text, text)
    assert _whole(script.agent(output_type=int)).output == 3
    assert _whole(script.agent(output_type=int, prompt=True)).output == 3


def test_without_tools_a_response_stays_as_it_is() -> None:
    script = Script(CALL, CALL)
    model = TextCallModel(
        FunctionModel(script.whole, stream_function=script.pieces), TextCalls("hermes")
    )
    assert _whole(Agent(model)).output == CALL
    assert asyncio.run(_streamed(Agent(model))).output == CALL


def test_a_run_streams_its_text_without_markup() -> None:
    async def run() -> list[str]:
        async with Script("One moment: 3.", length=4).agent().run_stream("?") as stream:
            return [piece async for piece in stream.stream_text(delta=True, debounce_by=None)]

    pieces = asyncio.run(run())
    assert "".join(pieces) == "One moment: 3."
    assert len(pieces) > 1


@pytest.mark.parametrize("whole", [True, False])
def test_broken_native_calls_are_repaired(*, whole: bool) -> None:
    broken = iter(["{'a': 5, ", "[5, "])

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        begun = next(broken, "")
        if not begun:
            return ModelResponse(parts=[TextPart("Ten.")])
        return ModelResponse(parts=[ToolCallPart("add", f"{begun}'b': 5,}}", tool_call_id="n1")])

    async def pieces(messages: list[Any], info: AgentInfo) -> AsyncIterator[Any]:
        begun = next(broken, "")
        if not begun:
            yield "Ten."
            return
        yield {0: DeltaToolCall(name="add", json_args=begun, tool_call_id="n1")}
        yield {0: DeltaToolCall(json_args="'b': 5,}")}

    settings = TextCalls("hermes", repair=True)
    model = TextCallModel(FunctionModel(answer, stream_function=pieces), settings)
    # The second answer has arguments that are no object: the model is asked again.
    agent = Agent(model, tools=[add], retries=2)
    result = _whole(agent) if whole else asyncio.run(_streamed(agent))
    assert RAN == [(5, 5)]
    assert result.output == "Ten."
    calls = [
        part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    assert (calls[0].args, calls[0].tool_call_id) == ('{"a": 5, "b": 5}', "n1")
