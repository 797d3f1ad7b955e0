"""Quotes inside strings of Python calls that are not escaped."""

import pytest

from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws

TEXT = {"type": "string"}
TOOLS: list[dict[str, object]] = [
    {"name": "run", "parameters": {"type": "object", "required": ["a"], "properties": {
        "a": TEXT, "b": TEXT, "c": {"type": "array"}}}},
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]  # fmt: skip


@pytest.mark.parametrize("around", [("pythonic", "[", "]"),
                                    ("lfm2", "<|tool_call_start|>[", "]<|tool_call_end|>")])  # fmt: skip
@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("a='sed -n '360,450p' f.py'", {"a": "sed -n '360,450p' f.py"}),
        ("a='find . -name '*.py' | head'", {"a": "find . -name '*.py' | head"}),
        ("a='Martha's Vineyard', b='x'", {"a": "Martha's Vineyard", "b": "x"}),
        ("b='print('hi')', a='x'", {"b": "print('hi')", "a": "x"}),
        ("a='say 'x', ok'", {"a": "say 'x', ok"}),
        ("a='it's, x'", {"a": "it's, x"}),
        ('a="echo "hi" there"', {"a": 'echo "hi" there'}),
        ("'sed '1p' f'", {"a": "sed '1p' f"}),
        (r"a='it\'s 'so''", {"a": "it's 'so'"}),
    ],
)
def test_they_are_a_part_of_the_string(
    around: tuple[str, str, str], written: str, arguments: dict[str, object]
) -> None:
    format, before, behind = around
    text = f"{before}run({written}), now(){behind}"
    laws.edits(Case(id=format, format=format, text=text))
    result = read(format, text, TOOLS)
    first, second = result.calls
    assert (first.arguments, first.status, first.doubts) == (arguments, "repaired", ())
    assert first.executable
    assert (second.name, second.status) == ("now", "complete")
    assert {each.code for each in result.diagnostics} == {"inner-quote"}
    assert result.text == ""


@pytest.mark.parametrize(
    "written", ["a='it's, b='x'", "a='x', c=['it's', 'y']", "a='x', c={'k': 'it's'}"]
)
def test_they_are_doubted_where_another_may_be_missing(written: str) -> None:
    first, second = read("pythonic", f"[run({written}), now()]", TOOLS).calls
    assert "inner-quote" in first.doubts
    assert not first.executable
    assert second.name == "now"


def test_they_are_doubted_without_a_schema() -> None:
    (call,) = read("pythonic", "[run(a='it's')]").calls
    assert (call.arguments, set(call.doubts)) == ({"a": "it's"}, {"inner-quote"})


@pytest.mark.parametrize(
    ("written", "value"),
    [("'x' 'y'", "xy"), ("'x''y'", "xy"), ("'x' f'y'", "xy"), ("''", ""), ("'''it's'''", "it's")],
)
def test_what_python_reads_is_read_so(written: str, value: str) -> None:
    (call,) = read("pythonic", f"[run(a={written})]", TOOLS).calls
    assert (call.arguments, call.status) == ({"a": value}, "complete")


@pytest.mark.parametrize("written", ["'x' + y", "'x' if y else 'z'", "'x'.upper()", "'x'\nnow()"])
def test_an_expression_is_no_string(written: str) -> None:
    first = read("pythonic", f"[run(a={written}), now()]", TOOLS).calls[0]
    assert first.arguments == {"a": "x"}
    assert not first.executable


def test_a_quote_that_waits_is_judged_where_the_text_ends() -> None:
    inner = "<|tool_call_start|>[run(a='x"
    result = read("lfm2", f"<|tool_call_start|>[run(a='y{inner}", TOOLS)
    (call,) = result.calls
    assert (call.arguments, call.status) == ({"a": f"y{inner}"}, "truncated")
    assert {each.code for each in result.diagnostics} == {"inner-quote", "truncated"}
