"""Agents of LangChain on models that write their calls as text: `make agents`."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain", reason="LangChain is not installed; `make agents` installs it")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.tools import tool

from toolgrammar.agents.langchain import TextCallModel
from toolgrammar.agents.langchain_middleware import TextCallMiddleware
from toolgrammar.agents.text_calls import TextCalls

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "a": 7}}\n</tool_call>'
HERMES = TextCalls("hermes", prompt=True)
RAN: list[tuple[int, int]] = []


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    RAN.append((a, b))
    return a + b


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


def _agents(*answers: str) -> list[Any]:
    """The same agent by the model and by the middleware."""
    models = [GenericFakeChatModel(messages=iter(answers)) for _ in range(2)]
    return [
        create_agent(TextCallModel(models[0], HERMES), [add]),
        create_agent(models[1], [add], middleware=[TextCallMiddleware(HERMES)]),
    ]


@pytest.mark.parametrize("number", [0, 1], ids=["model", "middleware"])
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream"])
def test_an_agent_runs_to_its_end(number: int, way: str) -> None:
    agent = _agents(f"On it.\n{CALL}\n{CALL.replace('2', '5')}", "Done: 3 and 6.")[number]
    question = {"messages": [("user", "1+2 and 1+5?")]}

    async def run() -> list[Any]:
        if way == "ainvoke":
            found = await agent.ainvoke(question)
            return list(found["messages"])
        return [
            message
            async for each in agent.astream(question, stream_mode="updates")
            for update in each.values()
            for message in (update or {}).get("messages", [])
        ]

    if way.startswith("a"):
        messages = asyncio.run(run())
    elif way == "invoke":
        messages = agent.invoke(question)["messages"]
    else:
        messages = [
            message
            for each in agent.stream(question, stream_mode="updates")
            for update in each.values()
            for message in (update or {}).get("messages", [])
        ]
    assert sorted(RAN) == [(1, 2), (1, 5)]
    assert messages[-1].content == "Done: 3 and 6."
    assert sorted(each.content for each in messages if isinstance(each, ToolMessage)) == ["3", "6"]


@pytest.mark.parametrize("number", [0, 1], ids=["model", "middleware"])
def test_listeners_get_no_markup(number: int) -> None:
    agent = _agents(f"On it.\n{CALL}", "Three.")[number]
    shown = [
        piece
        for piece, _ in agent.stream({"messages": [("user", "1+2?")]}, stream_mode="messages")
        if isinstance(piece, AIMessageChunk)
    ]
    assert "".join(str(piece.content) for piece in shown) == "On it.Three."
    assert [call["name"] for piece in shown for call in piece.tool_call_chunks] == ["add"]


def test_the_middleware_asks_again_where_no_call_may_run() -> None:
    agent = _agents(BROKEN, CALL, "Three.")[1]
    messages = agent.invoke({"messages": [("user", "1+2?")]})["messages"]
    assert RAN == [(1, 2)]
    told = messages[2]
    assert isinstance(told, ToolMessage)
    assert told.status == "error"
    assert "did not run" in told.content
    assert messages[-1].content == "Three."


def test_the_middleware_tells_of_a_refused_call_beside_others() -> None:
    agent = _agents(f"{CALL}\n{CALL.replace('add', 'remove')}", "Three.")[1]
    messages = agent.invoke({"messages": [("user", "1+2?")]})["messages"]
    assert RAN == [(1, 2)]
    told = {each.name: each.content for each in messages if isinstance(each, ToolMessage)}
    assert told["add"] == "3"
    assert "no tool of this name" in told["remove"]


def test_the_middleware_gives_up() -> None:
    agent = _agents(*[BROKEN] * 9)[1]
    messages = agent.invoke({"messages": [("user", "1+2?")]})["messages"]
    assert RAN == []
    assert sum(isinstance(each, AIMessage) for each in messages) == 3
