"""Ids that are made for calls: the same each time, and no other call's."""

from __future__ import annotations

from dataclasses import replace

import toolgrammar
from toolgrammar import Parser, ToolCall
from toolgrammar.parsing.call_ids import UniqueIds, ids_of
from toolgrammar.values.events import CallEnd

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n'
OWN = CALL.replace('{"name"', '{"id": "c1", "name"')


def read(text: str) -> tuple[ToolCall, ...]:
    """Returns the calls of a text."""
    return toolgrammar.parse(text, format="hermes").calls


def unique(text: str, taken: tuple[str, ...] = (), turn: str = "1") -> list[str]:
    """Returns the ids of a text's calls."""
    ids = UniqueIds(taken, turn)
    return [ids.next(call, place) for place, call in enumerate(read(text))]


def test_an_id_of_the_model_stays_while_it_is_new() -> None:
    assert unique(OWN) == ["c1"]
    first, second = unique(OWN * 2)
    assert first == "c1" != second
    [made] = unique(OWN, taken=("c1",))
    assert made.startswith("call_")


def test_a_made_id_is_the_same_each_time_and_new_in_each_turn() -> None:
    assert unique(CALL * 2) == unique(CALL * 2)
    assert len({*unique(CALL * 2), *unique(CALL * 2, turn="2")}) == 4
    # As long as OpenAI's own.
    assert {len(identity) for identity in unique(CALL * 2)} == {29}


def test_whatever_differs_in_a_call_makes_another_id() -> None:
    [call] = read(CALL)
    others = [replace(call, name="x"), replace(call, raw_arguments="x"), read(f" {CALL}")[0]]
    made = [UniqueIds((), "1").next(each, 0) for each in [call, *others]]
    made.append(UniqueIds((), "1").next(call, 1))
    assert len(set(made)) == 5


def test_streamed_ids_are_those_of_the_whole_answer() -> None:
    text = f"Hi.\n{CALL}{OWN}{OWN}"
    for size in (1, 7, len(text)):
        parser, ids = Parser("hermes"), UniqueIds((), "1")
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        events = [*(each for piece in pieces for each in parser.feed(piece)), *parser.close()]
        ended = [event for event in events if isinstance(event, CallEnd)]
        assert [ids.next(event.call, event.index) for event in ended] == unique(text)


def test_an_id_that_the_model_copied_is_made_anew() -> None:
    """It wrote the id that would be made for another call."""
    [made] = unique(CALL)
    [other] = unique(CALL, taken=(made,))
    assert made != other
    assert other == unique(CALL, taken=(made,))[0]


def test_text_that_is_no_unicode_gives_an_id() -> None:
    [call] = read(CALL)
    assert UniqueIds((), "\ud800").next(replace(call, raw_arguments="\ud800"), 0)


def test_ids_of_a_message_give_way_to_those_of_the_model() -> None:
    calls = [ToolCall("a"), ToolCall("b", id="call_0")]
    assert ids_of(calls) == ["call_0_", "call_0"]
    assert ids_of(calls, "x") == ["x0", "call_0"]
    assert ids_of(calls, "x", places=[5, 6]) == ["x5", "call_0"]
