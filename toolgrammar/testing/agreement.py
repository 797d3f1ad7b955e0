"""Checks that the events of a stream add up to the parse result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.testing.breaches import broken, same
from toolgrammar.testing.readings import joined
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
)

if TYPE_CHECKING:
    from toolgrammar.testing.cases import Case
    from toolgrammar.testing.readings import Reading
    from toolgrammar.values.calls import ToolCall


def agreement(case: Case, reading: Reading) -> None:
    """Checks that the events of a reading agree with its result: nothing emitted is taken back."""
    result = reading.result
    text: list[str] = []
    reasoning: list[str] = []
    inputs: dict[int, str] = {}
    started: dict[int, str] = {}
    ended: dict[int, ToolCall] = {}
    problems: list[str] = []
    for event in reading.events:
        match event:
            case TextDelta(piece):
                text.append(piece)
            case ReasoningDelta(piece):
                reasoning.append(piece)
            case CallStart(index=index, name=name):
                started[index] = name
            case InputDelta(index, piece):
                inputs[index] = inputs.get(index, "") + piece
            case CallEnd(index, call):
                ended[index] = call
            case Problem(diagnostic):
                problems.append(repr(diagnostic))
            # Their sum is the model's JSON, repaired or not, so a law of its own compares the
            # values.
            case ArgumentsDelta():
                pass
    # Outer white space is emitted as it comes, and stripped from the result.
    same("events", case, "text", result.text, "".join(text).strip())
    same("events", case, "reasoning", result.reasoning, "".join(reasoning).strip())
    # A name that changed after `CallStart` would be a thing taken back.
    names = {index: call.name for index, call in enumerate(result.calls)}
    same("events", case, "names given at CallStart", names, started)
    for index, call in enumerate(result.calls):
        if index not in ended:
            broken("events", case, f"call {index}", "a CallEnd", joined(reading.events))
        # By `repr`: equality of calls omits where and how they were written.
        same("events", case, f"call {index} at CallEnd", repr(call), repr(ended[index]))
        # A call without text emits none; its input may be "" or None.
        if index in inputs:
            same("events", case, f"input of call {index}", call.input, inputs[index])
    # Their order may differ; that each is told once is what counts.
    same(
        "events",
        case,
        "problems",
        sorted(map(repr, result.diagnostics)),
        sorted(problems),
    )
