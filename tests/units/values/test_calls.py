"""Calls and results compare, copy and travel as plain JSON."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from types import SimpleNamespace
from typing import Any

import pytest

from toolgrammar import Detection, RecoveredJson
from toolgrammar.engine import ToolResult
from toolgrammar.values.calls import ParseError, ParseResult, Status, ToolCall
from toolgrammar.values.diagnostics import Diagnostic, Edit, Severity
from toolgrammar.values.events import CallEnd, TextDelta
from toolgrammar.values.spans import Span
from toolgrammar.values.tools import ToolSpec

FULL = ToolCall(
    name="write",
    arguments={"path": "a.txt", "lines": [1, {"deep": [None, True, 2.5]}]},
    id="call_1",
    input="payload",
    raw_arguments='{"path": …}',
    span=Span(3, 40),
    status="repaired",
    depends_on=("call_0",),
    format="made_up",
    error="why",
    doubts=("inner-quote",),
)


def diagnostic(severity: Severity = "error", code: str = "truncated") -> Diagnostic:
    edit = Edit(Span(4, 4), "}")
    return Diagnostic(code, severity, "Found `a`; wanted `b`", Span(4, 5), (edit,), "$.x", "do")


RESULT = ParseResult(
    calls=(FULL, ToolCall("ls")),
    text="hi",
    reasoning="hm",
    diagnostics=(diagnostic(),),
    format="made_up",
    source="the source",
    digest="abc",
)


def same_in_every_field(left: Any, right: Any) -> bool:
    return all(getattr(left, each.name) == getattr(right, each.name) for each in fields(left))


def test_a_name_is_enough() -> None:
    call = ToolCall("ls")
    assert [getattr(call, each.name) for each in fields(call)] == [
        "ls", {}, None, None, "", Span(0, 0), "complete", (), "", None, (),
    ]  # fmt: skip


def test_fields_stand_in_the_order_of_the_documentation() -> None:
    assert [each.name for each in fields(ToolCall)] == [
        "name", "arguments", "id", "input", "raw_arguments", "span", "status", "depends_on",
        "format", "error", "doubts",
    ]  # fmt: skip


def test_arguments_belong_to_one_call() -> None:
    assert ToolCall("ls").arguments is not ToolCall("ls").arguments


@pytest.mark.parametrize(
    "change",
    [
        {"span": Span(1, 2)},
        {"raw_arguments": "x"},
        {"status": "truncated"},
        {"error": None},
        {"doubts": ()},
        {"format": "other"},
    ],
)
def test_how_it_was_written_does_not_count(change: dict[str, Any]) -> None:
    assert replace(FULL, **change) == FULL
    assert hash(replace(FULL, **change)) == hash(FULL)


@pytest.mark.parametrize(
    "change",
    [{"name": "x"}, {"arguments": {}}, {"id": None}, {"input": None}, {"depends_on": ()}],
)
def test_what_is_called_counts(change: dict[str, Any]) -> None:
    assert replace(FULL, **change) != FULL


def test_is_frozen_and_slotted() -> None:
    with pytest.raises(FrozenInstanceError):
        FULL.name = "x"  # type: ignore[misc]
    assert not hasattr(FULL, "__dict__")


@pytest.mark.parametrize(
    ("status", "error", "doubts", "executable"),
    [
        ("complete", None, (), True),
        ("repaired", None, (), True),
        ("truncated", None, (), False),
        ("unreadable", "why", (), False),
        ("complete", None, ("duplicate-key",), False),
        ("complete", "why", (), False),
    ],
)
def test_executable(
    status: Status, error: str | None, doubts: tuple[str, ...], *, executable: bool
) -> None:
    call = ToolCall("a", status=status, error=error, doubts=doubts)
    assert call.executable is executable


def test_with_arguments_is_a_whole_call() -> None:
    edited = FULL.with_arguments({"path": "b"})
    assert edited.arguments == {"path": "b"}
    assert (edited.raw_arguments, edited.input, edited.doubts) == ("", None, ())
    assert (edited.status, edited.error, edited.executable) == ("complete", None, True)
    assert (edited.name, edited.id, edited.depends_on) == ("write", "call_1", ("call_0",))
    assert (edited.span, edited.format) == (FULL.span, FULL.format)


@pytest.mark.parametrize("value", [FULL, ToolCall("ls"), RESULT, diagnostic()])
def test_travels(value: ToolCall | ParseResult | Diagnostic) -> None:
    plain = value.to_dict()
    assert next(iter(plain)) == "schema"
    assert plain["schema"] == 1
    for other in (
        type(value).from_dict(json.loads(json.dumps(plain))),
        pickle.loads(pickle.dumps(value)),
        copy.deepcopy(value),
    ):
        assert other == value
        assert same_in_every_field(other, value)


def test_the_calls_of_a_result_travel_whole() -> None:
    read = ParseResult.from_dict(RESULT.to_dict())
    pairs = zip(read.calls, RESULT.calls, strict=True)
    assert all(same_in_every_field(*pair) for pair in pairs)


def test_plain_data_is_detached() -> None:
    call = ToolCall("a", {"list": [1, [2]], "z": {}, "b": 1})
    plain = call.to_dict()
    assert list(plain["arguments"]) == ["list", "z", "b"]
    plain["arguments"]["list"][1].append(3)
    plain["arguments"]["z"]["new"] = 1
    assert call.arguments == {"list": [1, [2]], "z": {}, "b": 1}


def test_deep_arguments_travel() -> None:
    """A copy that called itself would end with a RecursionError."""
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    plain = ToolCall("a", {"deep": deep}).to_dict()
    inner, depth = plain["arguments"]["deep"], 0
    while inner:
        inner, depth = inner[0], depth + 1
    assert depth == 5000


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown schema 2; this version reads schema 1"):
        ToolCall.from_dict({"schema": 2, "name": "a"})
    with pytest.raises(TypeError, match="got str"):
        ToolCall.from_dict("{}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (ToolCall, "name"),
        (ToolResult, "call"),
        (Diagnostic, "code"),
        (Detection, "format"),
        (RecoveredJson, "value"),
        (TextDelta, "text"),
        (CallEnd, "index"),
    ],
)
def test_a_dict_without_a_key_is_refused(kind: Any, key: str) -> None:
    with pytest.raises(ValueError, match=f"what to_dict gave; this dict has no '{key}'"):
        kind.from_dict({})


@pytest.mark.parametrize(
    ("severities", "ok"),
    [((), True), (("info", "warning"), True), (("info", "error"), False)],
)
def test_ok(severities: tuple[Severity, ...], *, ok: bool) -> None:
    result = ParseResult(diagnostics=tuple(diagnostic(each) for each in severities))
    assert result.ok is ok
    if ok:
        assert result.raise_for_errors() is result


def test_raise_for_errors_carries_the_result() -> None:
    result = ParseResult(diagnostics=(diagnostic("info"), diagnostic(), diagnostic()))
    with pytest.raises(ParseError) as raised:
        result.raise_for_errors()
    assert raised.value.result is result
    assert str(raised.value) == (
        "truncated at character 4: Found `a`; wanted `b` (and 1 more error)"
    )
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.result == result
    assert str(again) == str(raised.value)


def known_function() -> None: ...


def test_unknown_tools_takes_tools_of_any_shape() -> None:
    names = ["b", "wrapped", "bare", "spec", "known_function", "str", "text", "a", "b"]
    result = ParseResult(calls=tuple(ToolCall(name) for name in names))
    tools = [
        {"type": "function", "function": {"name": "wrapped"}},
        {"name": "bare", "parameters": {}},
        ToolSpec("spec"),
        known_function,
        str,
        "text",
        SimpleNamespace(name="unused"),
    ]
    assert result.unknown_tools(tools) == ("b", "a")
    assert result.unknown_tools({"a": 1, "b": 2}) == (
        "wrapped", "bare", "spec", "known_function", "str", "text",
    )  # fmt: skip
    assert ParseResult(calls=(ToolCall("x"),)).unknown_tools(None) == ("x",)


@pytest.mark.parametrize("tools", ["bash", [3], [{"type": "function"}]])
def test_unknown_tools_wants_tools(tools: Any) -> None:
    with pytest.raises(TypeError):
        ParseResult().unknown_tools(tools)
