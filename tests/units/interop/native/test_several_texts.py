"""A text ends where another block begins: a call does not go on in the text behind that."""

from collections.abc import Iterator
from typing import Any

import pytest

import toolgrammar
from toolgrammar import CallEnd, ParseResult
from toolgrammar.interop import anthropic, langchain, openai

OPEN = '<tool_call>\n{"name": "save", "arguments": {"path": "a'
REST = '.txt"}}\n</tool_call>'
NATIVE = ("look", '{"place": "Oslo"}')


def blocks(*texts: str) -> Iterator[dict[str, Any]]:
    """Yields texts as blocks of Anthropic's API, with a call between each two."""
    for number, text in enumerate(texts):
        if number:
            name, written = NATIVE
            yield {"type": "tool_use", "id": f"t{number}", "name": name, "input": written}
        yield {"type": "text", "text": text}


def events(*texts: str) -> Iterator[dict[str, Any]]:
    """Yields the events in which that message may be streamed."""
    yield {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
    for index, block in enumerate(blocks(*texts)):
        if block["type"] == "text":
            begun: dict[str, Any] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": each} for each in block["text"]]
        else:
            begun = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": block["input"]}]
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    yield {"type": "message_stop"}


def whole_message(*texts: str) -> ParseResult:
    message = {"role": "assistant", "content": list(blocks(*texts)), "stop_reason": "tool_use"}
    return anthropic.repair_message(message, "hermes").result


def streamed(*texts: str) -> ParseResult:
    stream = anthropic.repair_stream(events(*texts), "hermes")
    assert [each["type"] for each in stream][-1] == "message_stop"
    return stream.result


def response(*texts: str) -> ParseResult:
    """Returns what is read of a response of OpenAI with the same items."""
    items: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        if number:
            name, written = NATIVE
            call = {"call_id": f"t{number}", "name": name, "arguments": written}
            items.append({"type": "function_call", **call})
        content = [{"type": "output_text", "text": text}]
        items.append({"type": "message", "role": "assistant", "content": content})
    return openai.repair_response({"output": items}, "hermes").result


@pytest.mark.parametrize("read", [whole_message, streamed, response])
def test_a_call_does_not_go_on_behind_another_block(read: Any) -> None:
    result = read(OPEN, REST)
    found = [(call.name, call.arguments, call.executable) for call in result.calls]
    assert found == [("save", {"path": "a"}, False), ("look", {"place": "Oslo"}, True)]
    assert result.text.startswith('.txt"}}')


@pytest.mark.parametrize("read", [whole_message, streamed, response])
def test_the_texts_of_a_message_stand_on_lines_of_their_own(read: Any) -> None:
    assert read("On it.", " Done.").text == "On it.\nDone."


@pytest.mark.parametrize("read", [streamed, response])
def test_places_are_counted_from_the_first_text_on(read: Any) -> None:
    result = read("Hm. ", OPEN + REST, "So.")
    assert result.source == f"Hm. {OPEN}{REST}So."
    [call] = [call for call in result.calls if call.name == "save"]
    assert result.source[call.span.start : call.span.end] == OPEN + REST


def test_calls_of_several_texts_have_their_places_in_the_message() -> None:
    stream = anthropic.from_stream(events(OPEN + REST, OPEN + REST), repair=True, format="hermes")
    ended = {each.index: each.call.name for each in stream if isinstance(each, CallEnd)}
    assert ended == {0: "save", 1: "look", 2: "save"}
    assert [call.name for call in stream.result.calls] == ["save", "look", "save"]
    # That of the grammar by which the texts were read, for who keeps results.
    assert stream.result.digest == toolgrammar.formats["hermes"].digest


@pytest.mark.parametrize(("place", "calls"), [(2, ["save", "look"]), (1, ["save"])])
def test_numbered_blocks_of_langchain_are_texts_of_their_own(place: int, calls: list[str]) -> None:
    chunks: list[dict[str, Any]] = [{"content": [{"type": "text", "text": OPEN, "index": 0}]}]
    if place > 1:
        piece = {"index": 1, "name": "look", "id": "t1", "args": "{}"}
        chunks.append({"content": [], "tool_call_chunks": [piece]})
    chunks.append({"content": [{"type": "text", "text": REST, "index": place}]})
    chunks.append({"content": "", "response_metadata": {"stop_reason": "tool_use"}})
    stream = langchain.from_stream(chunks, repair=True, format="hermes")
    list(stream)
    assert [call.name for call in stream.result.calls] == calls
    # Blocks of text that follow each other are one text.
    assert stream.result.calls[0].executable is (place == 1)


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("mistral_json", '[TOOL_CALLS][{"name": "save", "arguments": {"path": "a"}}]'),
        (
            "minimax_m1",
            '<tool_calls>\n{"id": "call_7", "name": "save", "arguments": {}}\n</tool_calls>',
        ),
    ],
)
def test_the_same_call_in_two_texts_has_two_ids(format_id: str, text: str) -> None:
    message = {"role": "assistant", "content": list(blocks(text, text)), "stop_reason": "tool_use"}
    whole = anthropic.repair_message(message, format_id)["content"]
    chunks = list(anthropic.repair_stream(events(text, text), format_id))
    begun = [each["content_block"] for each in chunks if each["type"] == "content_block_start"]
    for found in (whole, begun):
        calls = [(each["name"], each["id"]) for each in found if each["type"] == "tool_use"]
        assert [name for name, _ in calls] == ["save", "look", "save"]
        assert len({identity for _, identity in calls}) == len(calls)


def test_nothing_is_left_of_a_text_that_is_a_call() -> None:
    items = [{"type": "message", "content": [{"type": "output_text", "text": OPEN + REST}]}]
    said, call = openai.repair_response({"output": items}, "hermes")["output"]
    assert [part["text"] for part in said["content"]] == [""]
    assert (call["name"], call["arguments"]) == ("save", '{"path": "a.txt"}')


def test_reasoning_of_the_server_and_of_the_text_stand_on_lines_of_their_own() -> None:
    message = {"content": "<think>So.</think>Ok.", "reasoning_content": "Hm. "}
    whole = openai.repair_message(message, "hermes").result
    deltas = [{"reasoning_content": "Hm"}, {"reasoning_content": ". "}]
    deltas += [{"content": each} for each in message["content"]]
    chunks: list[dict[str, Any]] = [{"choices": [{"delta": each}]} for each in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    stream = openai.repair_stream(chunks, "hermes")
    list(stream)
    for result in (whole, stream.result):
        assert (result.reasoning, result.text) == ("Hm.\nSo.", "Ok.")
