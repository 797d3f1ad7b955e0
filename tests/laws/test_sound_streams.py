"""The short way through a stream gives what the driver gives, also where it hands over to it."""

import json
import random
from collections import defaultdict

import pytest

import toolgrammar
from tests.laws.damaged import damaged_cases
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.core.patience import Patience
from toolgrammar.parsing.parser import Parser
from toolgrammar.testing import Case
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    Problem,
    ReasoningDelta,
    TextDelta,
)

LONGEST_PIECE = 9


@pytest.fixture(autouse=True)
def _always_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patience, "tries", lambda _: True)


def sound(case: Case) -> None:
    driven = Parser(case.format, tools=case.tools, prefix=case.prefix).run_whole(case.text)
    for pieces in (list(case.text), pieces_of(case.text)):
        parser = Parser(case.format, tools=case.tools, prefix=case.prefix)
        events: list[Event] = []
        for piece in pieces:
            events += parser.feed(piece)
        events += parser.close()
        assert parser.result.to_dict() == driven.to_dict(), pieces
        told(events, parser.result, pieces)


def told(events: list[Event], result: toolgrammar.ParseResult, pieces: list[str]) -> None:
    """Holds that the events tell each call once, in order, with its arguments and all text."""
    written: dict[int, str] = defaultdict(str)
    marks = [event for event in events if isinstance(event, CallStart | CallEnd)]
    for event in events:
        if isinstance(event, ArgumentsDelta):
            written[event.index] += event.json
    assert [(type(event), event.index) for event in marks] == [
        (kind, index) for index in range(len(result.calls)) for kind in (CallStart, CallEnd)
    ], pieces
    for index, call in enumerate(result.calls):
        assert json.dumps(json.loads(written[index])) == json.dumps(call.arguments), pieces
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.strip() == result.text, pieces
    thought = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    assert thought.strip() == result.reasoning, pieces
    problems = [event.diagnostic for event in events if isinstance(event, Problem)]
    assert all(problems.count(found) == 1 for found in problems), pieces
    assert all(found in problems for found in result.diagnostics), pieces


def pieces_of(text: str) -> list[str]:
    chance = random.Random(text)
    pieces = []
    place = 0
    while place < len(text):
        size = chance.randint(1, LONGEST_PIECE)
        pieces.append(text[place : place + size])
        place += size
    return pieces


@each_format
def test_sound_streams(format_id: str) -> None:
    hold(sound, [*cases(format_id), *damaged_cases(format_id)])
