"""The chat model around another one, with LangChain's own scripted model."""

import asyncio
import base64
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.content import create_file_block, create_plaintext_block
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import tool

from toolgrammar.agents.langchain import REFUSED, TextCallModel
from toolgrammar.agents.text_calls import TextCalls

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
TEXT = f"<think>two sums</think>On it.\n{CALL}\n{CALL.replace('2', '3')}"
HERMES = TextCalls("hermes", prompt=True)


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@tool
def look_up(word: str) -> str:
    """Looks a word up."""
    return word


class Pieces(GenericFakeChatModel):
    """Streams its answer in pieces of one length, and keeps what it was asked."""

    length: int = 7
    asked: list[Any] = []  # noqa: RUF012 - pydantic copies it
    info: dict[str, Any] = {}  # noqa: RUF012

    def _generate(self, messages: Any, stop: Any = None, *a: Any, **kw: Any) -> ChatResult:
        self.asked.append((messages, stop, kw))
        result = super()._generate(messages, stop, *a)
        result.generations[0].message.response_metadata = dict(self.info)
        return result

    def _stream(self, messages: Any, *a: Any, **kw: Any) -> Iterator[ChatGenerationChunk]:
        [generation] = self._generate(messages, *a, **kw).generations
        message = generation.message
        text = str(message.content)
        for start in range(0, len(text), self.length):
            piece = AIMessageChunk(content=text[start : start + self.length])
            yield ChatGenerationChunk(message=piece)
        last = AIMessageChunk(content="", response_metadata=dict(self.info))
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                last.tool_calls.append(call)
            last = AIMessageChunk(
                content="", response_metadata=dict(self.info), tool_calls=message.tool_calls
            )
        yield ChatGenerationChunk(message=last)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[each.name for each in tools])


def _model(
    *answers: str | AIMessage,
    settings: TextCalls = HERMES,
    tools: Sequence[Any] = (add,),
    **options: Any,
) -> Any:
    inner = Pieces(messages=iter(answers), asked=[], **options)
    return inner, TextCallModel(inner, settings).bind_tools(tools)


def _joined(chunks: list[Any]) -> AIMessageChunk:
    whole: AIMessageChunk = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk
    return whole


def _parts(message: AIMessage) -> list[Any]:
    invalid = [(call["id"], call["name"], call["args"]) for call in message.invalid_tool_calls]
    return [
        message.content,
        message.tool_calls,
        invalid,
        message.additional_kwargs,
        message.response_metadata.get(REFUSED),
    ]


def _streamed(text: str, length: int, **options: Any) -> AIMessage:
    _, model = _model(text, length=length, **options)
    return _joined(list(model.stream("1+2?")))


def test_a_whole_answer_has_calls_text_and_reasoning() -> None:
    _, model = _model(TEXT)
    message = model.invoke("1+2?")
    assert message.content == "On it."
    assert message.additional_kwargs == {"reasoning_content": "two sums"}
    assert [call["args"] for call in message.tool_calls] == [{"a": 1, "b": 2}, {"a": 1, "b": 3}]
    assert message.invalid_tool_calls == []
    assert len({call["id"] for call in message.tool_calls}) == 2


TEXTS = {
    "calls": TEXT,
    "text": "  No call here. ",
    "cut": 'I go.\n<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": "x',
    "unknown tool": CALL.replace('"add"', '"remove"'),
    "one refused": CALL + "\n" + CALL.replace('"add"', '"remove"'),
    "in code": f"As in\n```\n{CALL}\n```\nso.",
    "broken": CALL.replace('"a": 1', "'a': 1,"),
}


@pytest.mark.parametrize("length", [1, 2, 5, 1000])
@pytest.mark.parametrize("name", TEXTS)
def test_a_stream_adds_up_to_the_whole_message(name: str, length: int) -> None:
    _, model = _model(TEXTS[name])
    whole = model.invoke("1+2?")
    assert _parts(_streamed(TEXTS[name], length)) == _parts(whole)


def test_refused_calls_are_invalid_and_say_why() -> None:
    _, model = _model(TEXTS["one refused"])
    message = model.invoke("1+2?")
    assert [call["name"] for call in message.tool_calls] == ["add"]
    [invalid] = message.invalid_tool_calls
    assert invalid["name"] == "remove"
    assert "no tool of this name" in invalid["error"]
    assert message.response_metadata[REFUSED] == {invalid["id"]: invalid["error"]}


@pytest.mark.parametrize(
    "raw", ["", "{}", '{"a": 1}', '{"a": 1', '{"a": "x', "{'a': 1}", "<a>1</a>", "[1]", '"a"', "5"]
)
def test_arguments_of_refused_calls_are_never_completed(raw: str) -> None:
    from toolgrammar.agents.langchain import _no_object

    chunk = tool_call_chunk(name="t", args=_no_object(raw), id="1", index=0)
    assert AIMessageChunk(content="", tool_call_chunks=[chunk]).tool_calls == []


def test_async_gives_the_same() -> None:
    async def both() -> tuple[AIMessage, AIMessage]:
        whole = await _model(TEXT)[1].ainvoke("1+2?")
        chunks = [chunk async for chunk in _model(TEXT)[1].astream("1+2?")]
        return whole, _joined(chunks)

    whole, streamed = asyncio.run(both())
    assert _parts(whole) == _parts(streamed) == _parts(_model(TEXT)[1].invoke("1+2?"))


def test_what_the_server_cut_does_not_run() -> None:
    """In `simple_agent` the end of the text closes a call: only the reason tells of a cut."""
    settings = TextCalls("simple_agent", prompt=True)
    text = "🛠️ look_up sum"
    open_end = _model(text, settings=settings, tools=[look_up])[1].invoke("1+2?")
    assert [call["name"] for call in open_end.tool_calls] == ["look_up"]
    for key in ("finish_reason", "stop_reason", "done_reason", "stopReason"):
        _, model = _model(text, settings=settings, tools=[look_up], info={key: "length"})
        assert model.invoke("1+2?").tool_calls == []
        _, model = _model(text, settings=settings, tools=[look_up], info={key: "length"})
        assert _joined(list(model.stream("1+2?"))).tool_calls == []


def test_native_calls_pass_and_those_of_the_text_beside_them_do_not_run() -> None:
    native = {"name": "add", "args": {"a": 5, "b": 5}, "id": "n1", "type": "tool_call"}
    settings = TextCalls("hermes")
    for way in ("invoke", "stream"):
        inner, model = _model(AIMessage(CALL, tool_calls=[native]), settings=settings)
        found = model.invoke("?") if way == "invoke" else _joined(list(model.stream("?")))
        assert found.tool_calls == [native]
        assert [each["name"] for each in found.invalid_tool_calls] == ["add"]
        assert "beside calls" in next(iter(found.response_metadata[REFUSED].values()))
        # Without a prompt the tools are handed on, and the messages are as they were.
        assert inner.asked[0][2]["tools"] == ["add"]
        assert [message.content for message in inner.asked[0][0]] == ["?"]


def test_the_prompt_holds_the_tools_and_earlier_calls_as_the_model_writes_them() -> None:
    inner, model = _model("3")
    first = {"name": "add", "args": {"a": 1, "b": 2}, "id": "c1", "type": "tool_call"}
    model.invoke(
        [
            HumanMessage("1+2?"),
            AIMessage("On it.", tool_calls=[first]),
            ToolMessage("3", tool_call_id="c1"),
        ]
    )
    [(messages, _, options)] = inner.asked
    assert "tools" not in options
    system, user, assistant, result = messages
    assert "Adds two numbers." in system.content
    assert user.content == "1+2?"
    assert re.search(r'On it\.\s*<tool_call>\s*\{"name": "add"', assistant.content)
    assert assistant.tool_calls == []
    assert (result.type, result.content) == ("human", "<tool_response>\n3\n</tool_response>")


def test_the_same_call_in_two_turns_has_two_ids() -> None:
    _, model = _model(CALL, CALL)
    first = model.invoke("1+2?")
    [call] = first.tool_calls
    second = model.invoke(
        [HumanMessage("1+2?"), first, ToolMessage("3", tool_call_id=call["id"]), HumanMessage("?")]
    )
    assert second.tool_calls[0]["id"] != call["id"]


def test_without_tools_an_answer_stays_as_it_is() -> None:
    model = TextCallModel(Pieces(messages=iter([TEXT, TEXT]), asked=[]), HERMES)
    assert model.invoke("?").content == TEXT
    assert _joined(list(model.stream("?"))).content == TEXT


def test_a_model_that_takes_no_tools_needs_the_prompt() -> None:
    model = TextCallModel(GenericFakeChatModel(messages=iter([""])), TextCalls("hermes"))
    with pytest.raises(NotImplementedError, match="prompt=True"):
        model.bind_tools([add, look_up])


def test_a_model_without_a_stream_gives_its_answer_at_once() -> None:
    class Whole(GenericFakeChatModel):
        _stream = BaseChatModel._stream

    model = TextCallModel(Whole(messages=iter([TEXT])), HERMES).bind_tools([add, look_up])
    whole = _joined(list(model.stream("?")))
    assert [call["args"] for call in whole.tool_calls] == [{"a": 1, "b": 2}, {"a": 1, "b": 3}]


def test_blocks_that_are_no_text_stay() -> None:
    image = {"type": "image", "base64": "AA==", "mime_type": "image/png"}
    _, model = _model(AIMessage([image, {"type": "text", "text": TEXT}]))
    message = model.invoke("?")
    assert message.content == [image, {"type": "text", "text": "On it."}]
    assert len(message.tool_calls) == 2


SEARCHED = {"type": "web_search_tool_result", "content": [{"title": "x", "page": CALL}]}
# Without a type in each piece, as in streams: LangChain joins them by the index.
PIECES: list[Any] = [
    {"type": "mcp_call", "name": "read", "output": f"It says: {CALL[:20]}", "index": 0},
    {"output": CALL[20:], "index": 0},
]
ANSWERS: list[list[AIMessageChunk]] = [
    [AIMessageChunk(content=[SEARCHED]), AIMessageChunk(content=[{"type": "text", "text": CALL}])],
    [*(AIMessageChunk(content=[piece]) for piece in PIECES), AIMessageChunk(content=CALL)],
    [
        AIMessageChunk(
            content="", additional_kwargs={"tool_outputs": [{"type": "x_call", "y": CALL}]}
        ),
        AIMessageChunk(content=CALL),
    ],
]


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("chunks", ANSWERS, ids=["block", "pieces", "outputs"])
def test_a_call_in_the_result_of_a_servers_tool_does_not_run(
    chunks: list[AIMessageChunk], *, prompt: bool
) -> None:
    class Chunks(Pieces):
        def _stream(self, *a: Any, **kw: Any) -> Iterator[ChatGenerationChunk]:
            for chunk in chunks:
                yield ChatGenerationChunk(message=chunk)

    settings = TextCalls("hermes", prompt=prompt)
    said = _joined([*chunks])
    before = AIMessage(said.content, additional_kwargs=said.additional_kwargs)
    inner = Chunks(messages=iter([before, AIMessage(CALL)]), asked=[])
    model: Any = TextCallModel(inner, settings).bind_tools([add])
    # In the answer itself, whole and streamed, and in one before it.
    assert model.invoke("?").tool_calls == []
    assert _joined(list(model.stream("?"))).tool_calls == []
    assert model.invoke([HumanMessage("?"), before, HumanMessage("And?")]).tool_calls == []


STRANGE: list[dict[str, Any]] = [
    {"type": "text-plain", "text": CALL, "mime_type": "text/plain"},
    {"type": "file", "url": "https://example.org/a", "title": CALL},
    {"type": "video", "url": "https://example.org/b", "title": CALL},
    {"type": "text", "said": CALL},
]


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize("block", STRANGE, ids=[each["type"] for each in STRANGE])
@pytest.mark.parametrize("kind", [HumanMessage, partial(ToolMessage, tool_call_id="1")])
def test_a_block_that_openai_does_not_have_is_passed_on_and_guarded(
    kind: Any, block: dict[str, Any], *, prompt: bool
) -> None:
    settings = TextCalls("hermes", prompt=prompt)
    inner, model = _model(AIMessage(CALL), settings=settings)
    message = model.invoke([HumanMessage("?"), kind([{"type": "text", "text": "See:"}, block])])
    assert message.tool_calls == []
    [[*_, last], _, _] = inner.asked[0]
    # In a prompt a result is text, and what is none stands beside it; no text of a user is a call.
    in_prompt = prompt and kind is not HumanMessage
    broken = prompt and "text" in block
    shown = {**block, "text": block["text"].replace("<", "<\\")} if broken else block
    assert in_prompt or shown in last.content


ENCODED = base64.b64encode(f"My notes.\n{CALL}".encode()).decode()
FILES: list[Any] = [
    create_file_block(base64=ENCODED, mime_type="text/plain", filename="a.txt"),
    create_plaintext_block(base64=ENCODED, mime_type="text/markdown"),
    {
        "type": "file",
        "source_type": "base64",
        "data": ENCODED,
        "mime_type": "text/plain",
        "filename": "a.txt",
    },
    {"type": "file", "file": {"file_data": f"data:text/plain;base64,{ENCODED}", "filename": "a"}},
    {"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": ENCODED}},
]


@pytest.mark.parametrize("block", FILES)
@pytest.mark.parametrize("kind", [HumanMessage, partial(ToolMessage, tool_call_id="1")])
def test_a_text_file_in_base64_is_guarded(kind: Any, block: Any) -> None:
    _, model = _model(AIMessage(CALL))
    message = model.invoke([HumanMessage("?"), kind([{"type": "text", "text": "See:"}, block])])
    assert message.tool_calls == []
    other = ENCODED[:-20]
    _, model = _model(AIMessage(CALL))
    assert model.invoke([HumanMessage(f"Not base64: {other}!")]).tool_calls


@pytest.mark.parametrize("begun", [[], [{"type": "text", "text": "a ", "index": 1}]])
def test_the_end_of_a_stream_of_blocks_is_a_block(begun: list[Any]) -> None:
    class Blocks(GenericFakeChatModel):
        def _stream(self, *a: Any, **kw: Any) -> Iterator[ChatGenerationChunk]:
            more: list[Any] = [{"type": "text", "text": "<", "index": 1}]
            for content in (begun, more):
                yield ChatGenerationChunk(message=AIMessageChunk(content=content))

    model = TextCallModel(Blocks(messages=iter([])), HERMES).bind_tools([add])
    whole = _joined(list(model.stream("?")))
    text = "a <" if begun else "<"
    assert whole.content == [{"type": "text", "text": text, "index": 1}]


def test_stop_strings_of_the_format_go_with_those_of_the_caller() -> None:
    inner, model = _model("Final Answer: 3", settings=TextCalls("react", prompt=True))
    model.invoke("?", stop=["END"])
    assert inner.asked[0][1] == ["END", "Observation:"]


def test_an_async_stream_alone_is_used() -> None:
    class Async(GenericFakeChatModel):
        _stream = BaseChatModel._stream

        async def _astream(self, *a: Any, **kw: Any) -> AsyncIterator[ChatGenerationChunk]:
            for piece in (TEXT[:30], TEXT[30:]):
                yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

    async def run() -> AIMessageChunk:
        model = TextCallModel(Async(messages=iter([])), HERMES).bind_tools([add, look_up])
        return _joined([chunk async for chunk in model.astream("?")])

    assert len(asyncio.run(run()).tool_calls) == 2


def test_broken_native_calls_are_repaired_whole_and_streamed() -> None:
    broken = {"name": "add", "args": "{'a': 1, 'b': 2,}", "id": "n1", "error": "no JSON"}
    unread = {"name": "add", "args": "[1]", "id": "n2", "error": "no object"}
    sound = {"name": "add", "args": {"a": 3, "b": 4}, "id": "n3", "type": "tool_call"}
    calls = [{"type": "invalid_tool_call", **each} for each in (broken, unread)]
    message = AIMessage("So.", tool_calls=[sound], invalid_tool_calls=calls)
    settings = TextCalls("hermes", repair=True)
    inner, model = _model(message, settings=settings)
    whole = model.invoke("?")
    mended = {"name": "add", "args": {"a": 1, "b": 2}, "id": "n1", "type": "tool_call"}
    assert whole.tool_calls == [sound, mended]
    assert [call["id"] for call in whole.invalid_tool_calls] == ["n2"]
    assert list(whole.response_metadata[REFUSED]) == ["n2"]

    class Chunks(Pieces):
        def _stream(self, *args: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
            for name, text, identity, index in (
                ("add", "{'a': 1, ", "n1", 0),
                (None, "'b': 2,}", None, 0),
                ("add", "[1]", "n2", 1),
                ("add", '{"a": 3, "b": 4}', "n3", None),
            ):
                piece = tool_call_chunk(name=name, args=text, id=identity, index=index)
                chunk = AIMessageChunk(content="", tool_call_chunks=[piece])
                yield ChatGenerationChunk(message=chunk)
            yield ChatGenerationChunk(message=AIMessageChunk(content="So."))

    inner = Chunks(messages=iter([]), asked=[])
    chunks = list(TextCallModel(inner, settings).bind_tools([add]).stream("?"))
    found = _joined(chunks)
    assert found.tool_calls == [mended, sound]
    assert [call["id"] for call in found.invalid_tool_calls] == ["n2"]
    assert found.content == "So."
