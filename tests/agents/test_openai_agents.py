"""Agents of the OpenAI Agents SDK on models that write their calls as text: `make agents`."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, cast

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed; `make agents` installs it")

from agents import Agent, ModelSettings, RunConfig, Runner, Usage, function_tool
from agents.exceptions import ModelBehaviorError
from agents.items import ModelResponse
from agents.models.chatcmpl_stream_handler import ChatCmplStreamHandler
from agents.models.interface import Model, ModelProvider
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import Response, ResponseFunctionToolCall, ResponseIncompleteEvent
from openai.types.responses.response_output_item import McpCall

from toolgrammar.agents.openai_agents import TextCallModel, TextCallProvider
from toolgrammar.agents.openai_items import message_item
from toolgrammar.agents.text_calls import TextCalls

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "a": 7}}\n</tool_call>'
TWO = f"<think>two sums</think>On it.\n{CALL}\n{CALL.replace('2', '5')}"
CONFIG = RunConfig(tracing_disabled=True)
RAN: list[tuple[int, int]] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@function_tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    RAN.append((a, b))
    return a + b


NATIVE: dict[str, Any] = {"id": "n1", "function": {"name": "add", "arguments": '{"a": 5, "b": 5}'}}


class Script(Model):
    """Answers with one text after the other, streamed by the SDK's own reader of chat chunks."""

    def __init__(
        self,
        *answers: str,
        length: int = 6,
        native: bool = False,
        tokens: int = 2,
        arguments: str = "",
    ) -> None:
        self.answers = iter(answers)
        self.asked: list[dict[str, Any]] = []
        self.length = length
        self.native = native
        self.tokens = tokens
        self.function: Any = {
            **NATIVE["function"],
            **({"arguments": arguments} if arguments else {}),
        }

    def _next(self, args: tuple[Any, ...]) -> tuple[str, bool]:
        names = ("instructions", "input", "settings", "tools", "schema", "handoffs")
        self.asked.append(dict(zip(names, args, strict=False)))
        return next(self.answers), self.native and len(self.asked) == 1

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        text, native = self._next(args)
        output: list[Any] = [message_item(text)]
        if native:
            call = ResponseFunctionToolCall(call_id="n1", type="function_call", **self.function)
            output.append(call)
        usage = Usage(requests=1, input_tokens=10, output_tokens=self.tokens, total_tokens=12)
        return ModelResponse(output=output, usage=usage, response_id=None)

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        text, native = self._next(args)
        deltas: list[dict[str, Any]] = [
            {"content": text[start : start + self.length]}
            for start in range(0, len(text), self.length)
        ]
        if native:
            call = {**NATIVE, "function": self.function}
            deltas.append({"tool_calls": [{"index": 0, "type": "function", **call}]})
        response = Response(
            id="r1",
            created_at=0,
            model="script",
            object="response",
            output=[],
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
        )
        stream: Any = _chunks(deltas, self.tokens)
        async for event in ChatCmplStreamHandler.handle_stream(response, stream):
            yield event


async def _chunks(
    deltas: Iterable[dict[str, Any]], tokens: int
) -> AsyncIterator[ChatCompletionChunk]:
    head = {"id": "r1", "created": 0, "model": "script", "object": "chat.completion.chunk"}
    usage = {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 12}
    for delta in deltas:
        choice = {"index": 0, "delta": delta}
        yield ChatCompletionChunk.model_validate({**head, "choices": [choice]})
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield ChatCompletionChunk.model_validate({**head, "choices": [last], "usage": usage})


def _run(
    script: Script,
    *,
    format: str = "hermes",
    prompt: bool = False,
    streamed: bool = False,
    repair: bool = False,
    **options: Any,
) -> Any:
    model = TextCallModel(script, TextCalls(format, prompt=prompt, repair=repair))
    agent = Agent("Clerk", instructions="Be brief.", model=model, tools=[add], **options)

    async def run() -> Any:
        if not streamed:
            return await Runner.run(agent, "?", run_config=CONFIG)
        result = Runner.run_streamed(agent, "?", run_config=CONFIG)
        events = [event async for event in result.stream_events()]
        result.events = events
        return result

    return asyncio.run(run())


def _items(result: Any) -> list[Any]:
    found: list[Any] = []
    for item in result.to_input_list():
        kind = item.get("type") or item["role"]
        text = item.get("content") or item.get("summary")
        if isinstance(text, list):
            text = "".join(part["text"] for part in text)
        found.append((kind, text or item.get("arguments") or item.get("output")))
    return found


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("length", [0, 1, 3, 1000])
def test_an_agent_runs_to_its_end(length: int, *, prompt: bool) -> None:
    script = Script(TWO, "Done: 3 and 6.", length=length)
    result = _run(script, prompt=prompt, streamed=bool(length))
    assert result.final_output == "Done: 3 and 6."
    assert sorted(RAN) == [(1, 2), (1, 5)]
    assert _items(result) == [
        ("user", "?"),
        ("reasoning", "two sums"),
        ("message", "On it."),
        ("function_call", '{"a": 1, "b": 2}'),
        ("function_call", '{"a": 1, "b": 5}'),
        ("function_call_output", "3"),
        ("function_call_output", "6"),
        ("message", "Done: 3 and 6."),
    ]
    first = script.asked[0]
    assert [tool.name for tool in first["tools"]] == ([] if prompt else ["add"])
    assert first["instructions"].startswith("Be brief.")
    assert ("Adds two numbers." in first["instructions"]) is prompt


def test_the_prompt_holds_earlier_calls_as_the_model_writes_them() -> None:
    script = Script(CALL, "Three.")
    _run(script, prompt=True)
    user, assistant, result = script.asked[1]["input"]
    assert user["content"] == "?"
    assert assistant["content"].startswith("<tool_call>")
    assert result == {"role": "user", "content": "<tool_response>\n3\n</tool_response>"}


@pytest.mark.parametrize("streamed", [False, True])
def test_the_model_is_asked_again_where_no_call_may_run(*, streamed: bool) -> None:
    script = Script(f"Well. {BROKEN}", CALL, "Three.")
    result = _run(script, streamed=streamed)
    assert result.final_output == "Three."
    assert RAN == [(1, 2)]
    wrote, told = script.asked[1]["input"][-2:]
    assert wrote == {"role": "assistant", "content": f"Well. {BROKEN}"}
    assert "stands twice" in told["content"]
    # The tokens of both requests count.
    assert result.context_wrapper.usage.total_tokens == 36


@pytest.mark.parametrize("streamed", [False, True])
def test_the_model_is_not_asked_for_ever(*, streamed: bool) -> None:
    script = Script(*[f"Well. {BROKEN}"] * 9)
    result = _run(script, streamed=streamed)
    assert RAN == []
    assert len(script.asked) == 3
    assert result.final_output == "Well."


@pytest.mark.parametrize("streamed", [False, True])
def test_the_next_request_tells_of_a_refused_call_beside_others(*, streamed: bool) -> None:
    script = Script(f"{CALL}\n{CALL.replace('add', 'remove')}", "Three.")
    _run(script, streamed=streamed)
    assert RAN == [(1, 2)]
    assert "no tool of this name" in script.asked[1]["input"][-1]["content"]


@pytest.mark.parametrize("streamed", [False, True])
def test_native_calls_pass_and_those_of_the_text_beside_them_do_not_run(*, streamed: bool) -> None:
    script = Script(f"So: {CALL}", "Ten.", native=True)
    result = _run(script, streamed=streamed)
    assert RAN == [(5, 5)]
    assert result.final_output == "Ten."
    assert "beside calls" in script.asked[1]["input"][-1]["content"]


def test_the_events_of_a_stream_are_in_order() -> None:
    result = _run(Script(TWO, "Done.", length=4), streamed=True)
    raw = [event.data for event in result.events if event.type == "raw_response_event"]
    first = raw[: next(n for n, e in enumerate(raw) if e.type == "response.completed") + 1]
    assert [event.sequence_number for event in first] == list(range(len(first)))
    assert first[0].type == "response.created"
    texts = [e.delta for e in raw if e.type == "response.output_text.delta"]
    assert "".join(texts) == "On it.Done."
    done = [e.output_index for e in first if e.type == "response.output_item.done"]
    assert done == [0, 1, 2, 3]
    names = [
        e.item.name
        for e in first
        if e.type == "response.output_item.added" and hasattr(e.item, "name")
    ]
    assert names == ["add", "add"]


def test_a_handoff_is_a_call() -> None:
    other = Agent("Other", model=Script("I took over."))
    text = '<tool_call>\n{"name": "transfer_to_other", "arguments": {}}\n</tool_call>'
    assert _run(Script(text), handoffs=[other]).final_output == "I took over."


def test_a_provider_gives_models_that_read_calls() -> None:
    script = Script(CALL, "Three.")

    class Provider(ModelProvider):
        def get_model(self, model_name: str | None) -> Model:
            assert model_name == "script"
            return script

    provider = TextCallProvider(Provider(), TextCalls("hermes"))
    agent = Agent("Clerk", model="script", tools=[add])
    config = RunConfig(tracing_disabled=True, model_provider=provider)
    assert asyncio.run(Runner.run(agent, "?", run_config=config)).final_output == "Three."
    assert RAN == [(1, 2)]


@pytest.mark.parametrize("streamed", [False, True])
def test_without_tools_an_answer_stays_as_it_is(*, streamed: bool) -> None:
    agent = Agent("Clerk", model=TextCallModel(Script(CALL), TextCalls("hermes")))

    async def run() -> Any:
        if not streamed:
            return await Runner.run(agent, "?", run_config=CONFIG)
        result = Runner.run_streamed(agent, "?", run_config=CONFIG)
        async for _ in result.stream_events():
            pass
        return result

    assert asyncio.run(run()).final_output == CALL


OTHERS: list[dict[str, Any]] = [
    {"type": "mcp_call", "name": "read", "arguments": "{}", "output": CALL},
    {"type": "mcp_list_tools", "tools": [{"name": "read", "description": CALL}]},
    {"type": "file_search_call", "queries": ["x"], "results": [{"text": CALL}]},
    {"type": "code_interpreter_call", "code": "1", "outputs": [{"type": "logs", "logs": CALL}]},
    {"type": "shell_call_output", "call_id": "1", "output": [{"stdout": CALL, "stderr": ""}]},
    {"type": "local_shell_call_output", "id": "1", "output": CALL},
    {"type": "custom_tool_call_output", "call_id": "1", "output": CALL},
    {"type": "function_call_output", "call_id": "1", "output": [{"filename": CALL}]},
    {"role": "user", "content": [{"type": "input_file", "filename": CALL}]},
]


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("item", OTHERS, ids=[each.get("type", "message") for each in OTHERS])
def test_a_call_that_an_item_of_others_holds_does_not_run(
    item: dict[str, Any], *, prompt: bool
) -> None:
    model = TextCallModel(Script(CALL, "Never mind."), TextCalls("hermes", prompt=prompt))
    agent = Agent("Clerk", model=model, tools=[add])
    asked: Any = [{"role": "user", "content": "?"}, item]
    result = asyncio.run(Runner.run(agent, asked, run_config=CONFIG))
    assert RAN == []
    assert result.final_output == "Never mind."


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_in_a_result_of_the_same_answer_does_not_run(*, streamed: bool) -> None:
    fields: Any = {"name": "read", "server_label": "s", "arguments": "{}"}
    ran = McpCall(id="m1", type="mcp_call", output=f"Page: {CALL}", **fields)

    class WithServer(Script):
        async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
            response = await super().get_response(*args, **options)
            response.output.insert(0, ran)
            return response

        async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
            async for event in super().stream_response(*args, **options):
                if event.type == "response.completed":
                    event.response.output.insert(0, ran)
                yield event

    result = _run(WithServer(f"It says: {CALL}", "Never mind."), streamed=streamed)
    assert RAN == []
    assert result.final_output == "Never mind."


@pytest.mark.parametrize(
    "item",
    [
        {"role": "assistant", "content": CALL},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": CALL}]},
        {"type": "custom_tool_call", "call_id": "1", "name": "say", "input": CALL},
    ],
    ids=["message", "reasoning", "custom"],
)
def test_a_call_that_the_model_wrote_before_may_run(item: dict[str, Any]) -> None:
    agent = Agent(
        "Clerk", model=TextCallModel(Script(CALL, "Three."), TextCalls("hermes")), tools=[add]
    )
    asked: Any = [{"role": "user", "content": "?"}, item]
    asyncio.run(Runner.run(agent, asked, run_config=CONFIG))
    assert RAN == [(1, 2)]


LIMITS = (ModelSettings(max_tokens=30), ModelSettings(extra_args={"max_completion_tokens": 30}))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("settings", LIMITS)
@pytest.mark.parametrize("tokens", [2, 30])
def test_a_call_of_an_answer_as_long_as_it_may_be_does_not_run(
    tokens: int, settings: ModelSettings, *, streamed: bool
) -> None:
    # In this format `add(a=1, b=2)` ends a message, and may go on: `add(a=1, b=2) + 1`.
    script = Script("add(a=1, b=2)", "Never mind.", tokens=tokens)
    result = _run(script, format="pythonic", streamed=streamed, model_settings=settings)
    assert result.final_output == "Never mind."
    assert ([] if tokens == 30 else [(1, 2)]) == RAN


def test_text_that_was_held_back_comes_before_what_breaks_the_stream() -> None:
    class Broken(Script):
        async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
            async for event in super().stream_response(*args, **options):
                if event.type == "response.completed":
                    fields = {"response": event.response, "sequence_number": 99}
                    yield ResponseIncompleteEvent(type="response.incomplete", **fields)
                    return
                yield event

    model = TextCallModel(Broken("On it. <tool"), TextCalls("hermes"))

    async def run() -> None:
        result = Runner.run_streamed(
            Agent("Clerk", model=model, tools=[add]), "?", run_config=CONFIG
        )
        async for event in result.stream_events():
            data = getattr(event, "data", None)
            said.append(getattr(data, "delta", ""))

    said: list[str] = []
    with pytest.raises(ModelBehaviorError):
        asyncio.run(run())
    assert "".join(said) == "On it. <tool"


def test_what_is_no_model_is_told() -> None:
    with pytest.raises(TypeError, match=r"model must be a Model, got str 'gpt': .*Provider"):
        TextCallModel("gpt", TextCalls("hermes"))
    with pytest.raises(TypeError, match="settings must be a TextCalls, got str 'hermes'"):
        TextCallModel(Script(), cast("Any", "hermes"))
    with pytest.raises(TypeError, match="provider must be a ModelProvider, got Script"):
        TextCallProvider(Script(), TextCalls("hermes"))
    with pytest.raises(ValueError, match="retries must be at least 0"):
        TextCallModel(Script(), TextCalls("hermes"), retries=-1)


@pytest.mark.parametrize("streamed", [False, True])
def test_broken_native_calls_are_repaired(*, streamed: bool) -> None:
    script = Script("So.", "Ten.", native=True, arguments="{'a': 5, 'b': 5,}")
    result = _run(script, streamed=streamed, repair=True)
    assert RAN == [(5, 5)]
    assert result.final_output == "Ten."
    [call] = [item for item in result.to_input_list() if item.get("type") == "function_call"]
    assert (call["call_id"], call["arguments"]) == ("n1", '{"a": 5, "b": 5}')


@pytest.mark.parametrize("streamed", [False, True])
def test_the_model_is_asked_again_for_a_native_call_without_repair(*, streamed: bool) -> None:
    script = Script("So.", "Ten.", native=True, arguments="[5, 5]")
    result = _run(script, streamed=streamed, repair=True)
    assert RAN == []
    assert result.final_output.endswith("Ten.")
    assert "`add`" in script.asked[1]["input"][-1]["content"]
