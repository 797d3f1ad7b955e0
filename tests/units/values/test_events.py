"""Events match by position and travel as plain JSON."""

import copy
import json
import pickle

import pytest

from toolgrammar.values.calls import ToolCall
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
    event_from_dict,
)
from toolgrammar.values.spans import Span

CALL = ToolCall("ls", {"all": True}, span=Span(2, 9), status="repaired", raw_arguments="{…}")
EVENTS: list[Event] = [
    TextDelta("a\n"),
    ReasoningDelta("hm"),
    CallStart(0, "ls"),
    CallStart(1, "ls", "id"),
    ArgumentsDelta(0, '{"all"'),
    InputDelta(0, "pwd"),
    CallEnd(0, CALL),
    Problem(Diagnostic("comma", "warning", "message", Span(1, 1))),
]


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_travels(event: Event) -> None:
    plain = event.to_dict()
    assert plain["schema"] == 1
    assert plain["type"] == type(event).__name__
    read = json.loads(json.dumps(plain))
    for other in (
        type(event).from_dict(read),
        event_from_dict(read),
        pickle.loads(pickle.dumps(event)),
        copy.deepcopy(event),
    ):
        assert other == event
        assert repr(other) == repr(event)
    assert not hasattr(event, "__dict__")


def test_matches_by_position() -> None:
    match EVENTS[3]:
        case CallStart(index, name, id):
            assert (index, name, id) == (1, "ls", "id")
        case _:
            pytest.fail("a CallStart is no CallStart")


def test_wrong_data_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown event type 'Nothing'; known: TextDelta"):
        event_from_dict({"type": "Nothing"})
    with pytest.raises(ValueError, match="expected a TextDelta, got type 'InputDelta'"):
        TextDelta.from_dict({"type": "InputDelta", "text": "a"})
    with pytest.raises(ValueError, match="unknown schema 9"):
        TextDelta.from_dict({"schema": 9, "text": "a"})
