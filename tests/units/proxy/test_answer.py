"""One answer as it is read: ids, and text that goes by unread."""

from __future__ import annotations

from typing import Any

import pytest

from tests.units.proxy.completions import CALL, REQUEST
from toolgrammar.proxy.answer import AnswerReader, Piece, reading_of

OWN = CALL.replace('{"name"', '{"id": "c1", "name"')


def reader(messages: list[Any] | None = None, seed: str = "1") -> AnswerReader:
    """Returns what reads one answer."""
    request = REQUEST if messages is None else {**REQUEST, "messages": messages}
    reading = reading_of(request, "hermes")
    assert reading is not None
    return AnswerReader(reading, seed)


def ids(pieces: list[Piece]) -> list[str]:
    """Returns the ids of the calls."""
    return [piece[1]["id"] for piece in pieces if piece[0] == "call"]


def history(identity: object) -> list[Any]:
    """Returns a conversation in which a call has an id."""
    return [*REQUEST["messages"], {"role": "assistant", "tool_calls": [{"id": identity}]}]


def read(text: str, *messages: Any) -> list[str]:
    """Returns the ids of the calls of a whole answer."""
    whole = reader(*messages)
    return ids([*whole.feed(text), *whole.close("stop")])


def test_no_two_calls_of_a_conversation_share_an_id() -> None:
    assert read(OWN) == ["c1"]
    assert read(OWN, history("c1")) != ["c1"]
    first, second = read(OWN + OWN)
    assert first == "c1" != second
    [made] = read(CALL)
    [again] = read(CALL, history(made))
    assert made != again


@pytest.mark.parametrize("broken", [5, None, ["c1"], {"id": 1}])
def test_a_conversation_of_a_wrong_shape_has_no_ids(broken: object) -> None:
    assert read(OWN, history(broken)) == ["c1"]
    messages = [{"role": "assistant", "tool_calls": broken}, "x"]
    assert read(OWN, messages) == ["c1"]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_streamed_answer_has_the_ids_of_the_whole(size: int) -> None:
    text = f"Hi. {CALL}\n{OWN}{OWN}"
    streamed, found = reader(), []
    for at in range(0, len(text), size):
        found += streamed.feed(text[at : at + size])
    assert ids([*found, *streamed.close("stop")]) == read(text)


def test_code_that_is_opened_aside_counts_for_what_follows() -> None:
    opened = reader()
    opened.note_aside("```\n")
    assert ids([*opened.feed(f"{CALL}\n"), *opened.close()]) == []
    closed = reader()
    closed.note_aside("```\nx\n```\n")
    assert len(ids([*closed.feed(f"{CALL}\n"), *closed.close()])) == 1


def test_a_call_is_placed_behind_all_that_stood_aside_before_it() -> None:
    mixed = reader()
    found: list[Piece] = []
    for number in range(3):
        mixed.note_aside(f"```\n{number}\n```\n")
        found += mixed.feed(f"{CALL}\n")
    assert len(ids([*found, *mixed.close()])) == 3


def test_a_call_that_something_aside_interrupts_does_not_run() -> None:
    cut = reader()
    found = cut.feed(CALL[:20])
    cut.note_aside("x")
    found += [*cut.feed(CALL[20:]), *cut.close()]
    assert found == [("content", CALL)]
