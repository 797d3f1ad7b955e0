"""Broken native streams: whole and in every cut of their arguments they give the same calls."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, get_args

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk
from pydantic import TypeAdapter

from tests.units.interop.native.broken_streams import CASES, TOOLS, Case, blocks, deltas
from toolgrammar import CallStart, Event, ParseResult, Problem, ToolCall
from toolgrammar.interop import anthropic, openai
from toolgrammar.interop.native.pieces import RepairedPieces
from toolgrammar.testing.depth import if_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

ANY_EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
JUNK: tuple[Any, ...] = (None, 5, "x", [], {}, True, '{"a":1}', ["a"], {"a": None})
RARELY = 0.05
SIZES = (1, 2, 3, 5, 8, 1000)
by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
# Of names in pieces this API knows nothing: a block has its name whole.
WHOLE_NAMES = [
    case
    for case in CASES
    if all(piece.name for piece in case.pieces) and not case.name.startswith(("name-", "new-id"))
]


def said(calls: Sequence[ToolCall]) -> list[tuple[str, dict[str, Any], str | None, str]]:
    return [(call.name, call.arguments, call.id, call.status) for call in calls]


def check(case: Case, result: ParseResult) -> None:
    """Holds a message that was read against its case."""
    runs = [(call.name, call.arguments) for call in result.calls if call.executable]
    assert sorted(runs, key=str) == sorted(case.runs, key=str)
    refused = [call for call in result.calls if not call.executable]
    assert [call.name for call in refused] == list(case.refused)
    assert {each.code for each in result.diagnostics} == set(case.codes)
    # What does not run says why, to the model too.
    assert all(call.feedback() for call in refused)
    assert all(each.message for each in result.diagnostics)
    errors = [each for each in result.diagnostics if each.severity == "error"]
    assert len(errors) >= len(refused)
    assert result.text == case.text
    ids = [call.id for call in result.calls if call.id]
    assert len(ids) == len(set(ids))


@by_name
def test_a_completion(case: Case) -> None:
    whole = None
    for size in SIZES:
        stream = openai.from_stream(deltas(case, size), repair=True, format="hermes", tools=TOOLS)
        events = list(stream)
        check(case, stream.result)
        assert stream.finish_reason == (case.finish or ("error" if case.error else None))
        whole = whole or stream.result
        assert said(stream.result.calls) == said(whole.calls)
        assert [e.diagnostic for e in events if isinstance(e, Problem)] == list(whole.diagnostics)


@by_name
def test_a_completion_written_anew(case: Case) -> None:
    for size in SIZES:
        chunks = deltas(case, size)
        stream = openai.repair_stream(chunks, "hermes", TOOLS)
        out = list(stream)
        check(case, stream.result)
        for chunk in out:
            if "error" in chunk:
                assert chunk == {"error": case.error}
            else:
                ChatCompletionChunk.model_validate(chunk)
        # Read as a client reads it, only what may run has arguments.
        again = openai.from_stream(out)
        list(again)
        runs = [(call.name, call.arguments) for call in again.result.calls if call.executable]
        assert sorted(runs, key=str) == sorted(case.runs, key=str)
        if case.error is not None:
            assert out[-1] == {"error": case.error}
        elif case.runs and not case.refused and case.finish != "length":
            assert out[-1]["choices"][0]["finish_reason"] == "tool_calls"
        elif case.refused and case.finish in {"length", None}:
            assert out[-1]["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("case", WHOLE_NAMES, ids=lambda case: case.name)
def test_a_message_of_blocks(case: Case) -> None:
    for size in SIZES:
        chunks = blocks(case, size)
        stream = anthropic.repair_stream(chunks, "hermes", TOOLS)
        out = list(stream)
        check(case, stream.result)
        for event in out:
            if event["type"] != "error":
                ANY_EVENT.validate_python(event)
        again = anthropic.from_stream(out)
        list(again)
        runs = [(call.name, call.arguments) for call in again.result.calls if call.executable]
        assert sorted(runs, key=str) == sorted(case.runs, key=str)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("name-doubled", "Found the name 'weather' doubled, or in pieces (in the call of"),
        ("no-json-at-all", "The arguments are no JSON; a call wants a JSON object (in the call of"),
        ("list", "The arguments are JSON of the type array; a call wants a JSON object (in the"),
        ("broken-and-cut", "The answer was cut in the arguments (in the call of 'weather')"),
        ("cut-before-the-arguments", "The answer was cut before the arguments (in the call of"),
        ("two-objects", "The arguments of 2 calls stand in one (in the call of 'weather')"),
        ("same-object-twice", "The same arguments stand 2 times (in the call of 'weather')"),
        ("empty-object-first", "An empty object stands before the arguments (in the call of"),
        ("error-in-a-call", "Found an error of the server: overloaded"),
    ],
)
def test_what_was_wrong_is_told_in_words(name: str, message: str) -> None:
    (case,) = (case for case in CASES if case.name == name)
    every: list[tuple[Any, Any]] = [(openai, deltas(case, 7))]
    every += [(anthropic, blocks(case, 7))] if case in WHOLE_NAMES else []
    for api, chunks in every:
        stream = api.from_stream(chunks, repair=True, tools=TOOLS)
        list(stream)
        assert stream.result.diagnostics[-1].message.startswith(message)


def mutated(value: Any, draw: random.Random) -> Any:
    """A part of a chunk with other values here and there, and with keys missing."""
    if draw.random() < RARELY:
        return draw.choice(JUNK)
    if isinstance(value, dict):
        kept = {key: part for key, part in value.items() if draw.random() > RARELY / 2}
        return {key: mutated(part, draw) for key, part in kept.items()}
    return [mutated(part, draw) for part in value] if isinstance(value, list) else value


@by_name
def test_chunks_of_any_shape_never_raise(case: Case) -> None:
    draw = random.Random(case.name)
    for _ in range(if_quick(5, 20)):
        for api, chunks in ((openai, deltas(case, 7)), (anthropic, blocks(case, 7))):
            broken = [
                each for each in (mutated(each, draw) for each in chunks) if isinstance(each, dict)
            ]
            assert isinstance(list(api.repair_stream(broken, "hermes", TOOLS)), list)
            events = api.from_stream(broken, repair=True, tools=TOOLS)
            assert all(isinstance(each, get_args(Event)) for each in events)
            # Sound or not, what may run is an object of JSON.
            assert all(json.dumps(each.arguments) for each in events.result.calls)
            list(api.from_stream(broken))


def test_calls_whose_pieces_alternate_keep_the_order_of_the_whole_message() -> None:
    """Also where the first one's name is known at its end alone."""
    first = {"name": "weatherweather", "arguments": '{"city": "Oslo"}'}
    second = {"name": "weather", "arguments": '{"city": "Rome"}'}
    calls: list[dict[str, Any]] = [
        {"id": f"c{at}", "type": "function", "function": each}
        for at, each in enumerate((first, second))
    ]
    whole = openai.repair_message({"role": "assistant", "tool_calls": calls}, None, TOOLS)
    begun: list[dict[str, Any]] = [
        {"index": at, **each, "function": {**each["function"], "arguments": '{"city": '}}
        for at, each in enumerate(calls)
    ]
    ends = [
        {"index": at, "function": {"arguments": f'"{city}"}}'}}
        for at, city in ((1, "Rome"), (0, "Oslo"))
    ]
    third = {"index": 2, "id": "c2", "function": {"name": "now", "arguments": "{}"}}
    for given in ([*begun, *ends], [*begun, ends[0], third, ends[1]]):
        chunks: list[Any] = [{"choices": [{"delta": {"tool_calls": [each]}}]} for each in given]
        chunks.append({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
        stream = openai.repair_stream(chunks, None, TOOLS)
        places = [
            piece["index"]
            for each in stream
            for piece in each["choices"][0]["delta"].get("tool_calls", ())
        ]
        assert places == sorted(places)
        assert [call.id for call in stream.result.calls][:2] == ["c0", "c1"]
        assert stream.result.calls[:2] == whole.result.calls


def test_a_call_that_the_caller_keeps_takes_the_next_place() -> None:
    pieces = RepairedPieces({})
    assert pieces.piece("a", "weather", None, "{") == [CallStart(0, "weather")]
    assert (pieces.take_place(), pieces.take_place()) == (1, 2)
