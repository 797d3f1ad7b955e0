"""What is made the fast way is what the constructors make."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from toolgrammar import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Diagnostic,
    Edit,
    ParseResult,
    Span,
    ToolCall,
)
from toolgrammar.values import making

CALL: tuple[Any, ...] = (
    "bash",
    {"command": "ls"},
    "1",
    None,
    "{}",
    Span(1, 2),
    "complete",
    (),
    "f",
    None,
    (),
)
RESULT = ((), "text", "reasoning", (), "f", "source", "digest")

PAIRS = [
    (making.make_span, Span, (3, 5)),
    (making.make_call, ToolCall, CALL),
    (making.make_result, ParseResult, RESULT),
    (making.make_edit, Edit, (Span(1, 2), "x")),
    (making.make_diagnostic, Diagnostic, ("c", "error", "m", Span(1, 2), (), "$", "")),
    (making.make_arguments_delta, ArgumentsDelta, (0, "{")),
    (making.make_call_start, CallStart, (0, "search", None)),
    (making.make_call_end, CallEnd, (0, making.make_call(*CALL))),
]


@pytest.mark.parametrize(("make", "kind", "fields"), PAIRS)
def test_the_same_as_constructed(make: type, kind: type, fields: tuple[object, ...]) -> None:
    made, constructed = make(*fields), kind(*fields)
    assert type(made) is kind
    assert made == constructed
    assert repr(made) == repr(constructed)
    assert len(fields) == len(dataclasses.fields(kind))
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == constructed


@pytest.mark.parametrize(("make", "kind", "fields"), PAIRS)
def test_frozen(make: type, kind: type, fields: tuple[object, ...]) -> None:
    name = dataclasses.fields(kind)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(make(*fields), name, None)
