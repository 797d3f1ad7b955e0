"""Arguments that come in pieces of which each repeats all before it, in every cutting."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.units.interop.native.broken_streams import OSLO, TOOLS
from toolgrammar.interop import anthropic, langchain, openai
from toolgrammar.interop.native.repeated import RepeatedPieces
from toolgrammar.testing.depth import if_quick

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgrammar import ParseResult

TEXT: Final = '{"city": "Oslo"}'
CODE: Final = "repeated-pieces"
ENDS: Final = ("tool_calls", "length")
CUTS: Final = if_quick((2,), (2, 3))


def cuttings(text: str) -> Iterator[list[str]]:
    """Yields the pieces of a server that repeats: all that came, at every two places, or three."""
    places = range(1, len(text))
    for count in CUTS:
        for cuts in combinations(places, count):
            yield [text[:at] for at in (*cuts, len(text))]


def completion(pieces: Iterable[str], end: str, **every: Any) -> list[dict[str, Any]]:
    """Returns the chunks of a completion; `every` stands in each piece."""
    first = {"id": "c1", "function": {"name": "weather", "arguments": ""}}
    calls = [first, *({**every, "function": {"arguments": piece}} for piece in pieces)]
    deltas = [{"tool_calls": [{"index": 0, **call}]} for call in calls]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": each}]} for each in deltas]
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]}]


def blocks(pieces: Iterable[str], end: str) -> list[dict[str, Any]]:
    """Returns the same as the events of Anthropic's API."""
    use = {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    reason = {"tool_calls": "tool_use", "length": "max_tokens"}[end]
    return [
        {"type": "message_start", "message": {"id": "m1", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": use},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}},
        {"type": "message_stop"},
    ]


def responses(pieces: Iterable[str], end: str) -> list[dict[str, Any]]:
    """Returns the same as the events of the Responses API."""
    kind, place = "response.function_call_arguments", {"output_index": 0}
    item = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": ""}
    last = {"type": "response.completed", "response": {"output": []}}
    if end == "length":
        details = {"reason": "max_output_tokens"}
        last = {"type": "response.incomplete", "response": {"incomplete_details": details}}
    return [
        {"type": "response.output_item.added", **place, "item": item},
        *({"type": f"{kind}.delta", **place, "delta": piece} for piece in pieces),
        {"type": f"{kind}.done", **place},
        last,
    ]


def read(api: str, pieces: list[str], end: str = "tool_calls") -> tuple[ParseResult, ParseResult]:
    """Returns a stream that was repaired, and what a client reads of it then."""
    if api == "anthropic":
        repaired = anthropic.repair_stream(blocks(pieces, end), None, TOOLS)
        again = anthropic.from_stream(repaired)
    else:
        make = completion if api == "completion" else responses
        repaired = openai.repair_stream(make(pieces, end), None, TOOLS)
        again = openai.from_stream(repaired)
    list(again)
    return repaired.result, again.result


def runs(result: ParseResult) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in result.calls if call.executable]


APIS = ("completion", "anthropic", "responses")
by_api = pytest.mark.parametrize("api", APIS)


@by_api
@pytest.mark.parametrize("text", [TEXT, '{\n  "city":"Oslo"\n}\n'])
def test_arguments_that_each_piece_repeats_are_read_once(api: str, text: str) -> None:
    for pieces in cuttings(text):
        repaired, again = read(api, pieces)
        # A piece that is whole before the last: what follows it is the text once more, or white space.
        if pieces[-2].strip() == text.strip() or pieces[0].strip() in ("", text.strip()):
            assert runs(repaired) in ([], [OSLO])
            continue
        assert runs(repaired) == runs(again) == [OSLO], pieces
        assert [each.code for each in repaired.diagnostics] == [CODE]
        assert repaired.calls[0].status == "repaired"
        assert repaired.calls[0].raw_arguments == text


@by_api
def test_a_cut_call_does_not_run(api: str) -> None:
    for at in range(4, len(TEXT)):
        for pieces in cuttings(TEXT[:at]):
            repaired, again = read(api, pieces, "length")
            assert runs(repaired) == runs(again) == [], pieces
            assert repaired.calls[0].status == "truncated"


@by_api
@pytest.mark.parametrize("last", ["}", ' "days": 2}', '{"city": "Rome"}', '{"ci', "x"])
def test_a_later_piece_that_does_not_repeat_is_a_doubt(api: str, last: str) -> None:
    pieces = ['{"ci', '{"city": "O', TEXT]
    for given in ([*pieces, last], [*pieces[:2], '{"city": "Os', last, last]):
        repaired, again = read(api, given)
        assert runs(repaired) == runs(again) == []
        assert CODE in repaired.calls[0].doubts
        assert repaired.calls[0].feedback()


@by_api
def test_pieces_that_repeat_and_are_no_json_are_a_doubt(api: str) -> None:
    repaired, again = read(api, ["{'ci", "{'city': 'O", "{'city': 'Oslo'}"])
    assert runs(repaired) == runs(again) == []
    assert CODE in repaired.calls[0].doubts


@by_api
@pytest.mark.parametrize(
    "pieces",
    [
        ['{"a": ', '{"a": 1}}'],
        ['{"a": ', '{"a": ', '{"a": 1}}}'],
        ['{"a": ', '{"a": {"a": ', '{"a": {"a": 1}}}}}'],
        ['{"city": "', '{"city": "}', '"}'],
        ['{"ci', 'ty": "{\\"ci', 'ty"}'],
        ["{", '"city": "Oslo"', "}"],
    ],
)
def test_pieces_that_are_json_when_joined_are_read_as_ever(api: str, pieces: list[str]) -> None:
    whole, _ = read(api, ["".join(pieces)])
    repaired, _ = read(api, pieces)
    assert [(c.arguments, c.status, c.doubts) for c in repaired.calls] == [
        (c.arguments, c.status, c.doubts) for c in whole.calls
    ]
    assert CODE not in {each.code for each in repaired.diagnostics}


@by_api
def test_two_pieces_are_not_enough(api: str) -> None:
    for at in range(1, len(TEXT)):
        pieces = [TEXT[:at], TEXT]
        assert runs(read(api, pieces)[0]) == runs(read(api, ["".join(pieces)])[0])


def test_the_whole_once_more_is_no_other_call() -> None:
    pieces = ['{"ci', '{"city": "O', TEXT, TEXT]
    for every in ({}, {"id": "c1"}):
        chunks = completion(pieces, "tool_calls", **every)
        for chunk in chunks[1:-1]:
            chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] = "weather"
        stream = openai.from_stream(chunks, repair=True, tools=TOOLS)
        deltas = "".join(getattr(event, "json", "") for event in stream)
        assert runs(stream.result) == [OSLO]
        assert json.loads(deltas) == OSLO[1]


def test_a_chunk_of_langchain_says_it_too() -> None:
    first = {"index": 0, "name": "weather", "id": "c1", "args": '{"ci'}
    rest = [{"index": 0, "args": text} for text in ('{"city": "O', TEXT)]
    chunks: list[dict[str, Any]] = [{"tool_call_chunks": [each]} for each in (first, *rest)]
    chunks.append({"response_metadata": {"finish_reason": "tool_calls"}})
    stream = langchain.from_stream(chunks, repair=True, tools=TOOLS)
    list(stream)
    assert runs(stream.result) == [OSLO]


def test_what_is_known_goes_on_while_the_rest_comes() -> None:
    pieces = RepeatedPieces()
    given = [pieces.feed(TEXT[:at]) for at in range(1, len(TEXT) + 1)]
    assert given == ["{", "", '"c', *TEXT[3:]]
    assert pieces.close() == ""
    assert pieces.sure
    assert not pieces.doubtful


def test_what_was_held_back_is_not_lost() -> None:
    pieces = RepeatedPieces()
    assert [pieces.feed(each) for each in ('{"a": ', '{"a": 1}}')] == ['{"a": ', ""]
    assert pieces.is_whole
    assert pieces.close() == '{"a": 1}}'


def test_what_goes_on_otherwise_in_the_end_is_read_as_it_came() -> None:
    pieces = RepeatedPieces()
    given = [pieces.feed(each) for each in ('{"a":', '{"a": ', '{"a": 1}', "}}")]
    assert given == ['{"a":', "", "", '{"a": {"a": 1}}}']
    assert pieces.close() == ""
    assert not pieces.sure
