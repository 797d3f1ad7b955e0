"""A bare word ends before the markup around its object, where the object's bracket is missing."""

import pytest
from lark.exceptions import UnexpectedInput

import toolgrammar
from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws

OPEN = '<|tool_call>call:f{a:<|"|>A<|"|>'
NEXT = "<|tool_call>call:g{}<tool_call|>"


def check(
    format: str, text: str, arguments: dict[str, object], codes: list[str], rest: str = ""
) -> None:
    """The first call has these arguments, was repaired, and cost the next call nothing."""
    laws.edits(Case(id=format, format=format, text=text))
    result = read(format, text)
    first, *others = result.calls
    assert (first.arguments, first.status) == (arguments, "repaired")
    assert first.executable
    expected = [("g", "complete")] if "call:g" in text or "functions.g" in text else []
    assert [(call.name, call.status) for call in others] == expected
    assert [each.code for each in result.diagnostics] == codes
    assert result.text == rest


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        (",n:3", {"a": "A", "n": 3}),
        (",n:3\n", {"a": "A", "n": 3}),
        (",n:three <3", {"a": "A", "n": "three <3"}),
        (",n:[1,2", {"a": "A", "n": [1, 2]}),
        (",n:{b:[true", {"a": "A", "n": {"b": [True]}}),
        (",n:{b:1}", {"a": "A", "n": {"b": 1}}),
        (",", {"a": "A"}),
        ("", {"a": "A"}),
    ],
)
@pytest.mark.parametrize("behind", [NEXT, "", " Then use {x} ok"])
def test_its_closer_ends_an_object(written: str, arguments: dict[str, object], behind: str) -> None:
    rest = behind.strip() if behind.startswith(" ") else ""
    check("gemma4", f"{OPEN}{written}<tool_call|>{behind}", arguments, ["bracket"], rest)


def test_the_next_call_ends_an_object_and_its_call() -> None:
    text = f"{OPEN},n:3{NEXT}"
    laws.edits(Case(id="gemma4", format="gemma4", text=text))
    result = read("gemma4", text)
    # The model may have broken off in the object, to begin anew.
    assert [(call.name, call.arguments, call.status, call.doubts) for call in result.calls] == [
        ("f", {"a": "A", "n": 3}, "repaired", ("bracket",)),
        ("g", {}, "complete", ("quoted-call",)),
    ]
    codes = [each.code for each in result.diagnostics]
    assert codes == ["bracket", "bracket", "missing-close-tag", "quoted-call"]
    assert result.text == ""


@pytest.mark.parametrize("written", [",n", ",n:", ",n:[1,", ",n:3,<tool_call|><|tool_call>call:x"])
def test_no_value_and_no_key_is_made_up(written: str) -> None:
    result = read("gemma4", f"{OPEN}{written}<tool_call|>{NEXT}")
    assert [call.name for call in result.calls][-1] == "g"
    assert all(call.arguments in ({"a": "A"}, {"a": "A", "n": [1]}, {"a": "A", "n": 3}, {})
               for call in result.calls)  # fmt: skip


@pytest.mark.parametrize("behind", [NEXT, "", " Then use {x} ok", " So ok"])
def test_a_key_ends_at_the_markup_whatever_follows_it(behind: str) -> None:
    result = read("gemma4", f"{OPEN},n<tool_call|>{behind}")
    first = result.calls[0]
    assert not first.executable
    assert (first.arguments, first.raw_arguments) == ({"a": "A"}, '{a:<|"|>A<|"|>,n')
    # What follows the key is not a part of it, nor lost.
    assert [call.name for call in result.calls[1:]] == ["g"] * (behind == NEXT)
    assert "".join(result.text.split()).endswith(behind.replace(NEXT, "").replace(" ", ""))


@pytest.mark.parametrize(
    ("text", "arguments", "rest"),
    [
        ("functions.f({a: 'A', n: 3)\nfunctions.g({})", {"a": "A", "n": 3}, ""),
        ("functions.f({a: 'A', n: 3);\nfunctions.g({});", {"a": "A", "n": 3}, ";\n;"),
        ("functions.f({a: 'A')\nfunctions.g({})", {"a": "A"}, ""),
        ("functions.f({a: 'A', n: [1, 2)\nfunctions.g({})", {"a": "A", "n": [1, 2]}, ""),
        ("functions.f({a: 'A b')\nfunctions.g({})", {"a": "A b"}, ""),
        ("functions.f({a: 'A', n: 3)\nSo {x}", {"a": "A", "n": 3}, "So {x}"),
        ("functions.f({a: 'A', n: 3)", {"a": "A", "n": 3}, ""),
        ("functions.f({a: 'A', n: 3) ;", {"a": "A", "n": 3}, ";"),
    ],
)
def test_a_short_closer_counts_where_nothing_else_can_be_meant(
    text: str, arguments: dict[str, object], rest: str
) -> None:
    check("ts_call", text, arguments, ["bracket"], rest)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("hi :)", "hi :)"),
        ("f(x) now", "f(x) now"),
        ("3) first", "3) first"),
        ("functions.", "functions."),
    ],
)
def test_it_belongs_to_a_word_elsewhere(word: str, value: str) -> None:
    call = read("ts_call", f"functions.f({{a: {word}, n: 3}})").calls[0]
    assert (call.arguments, call.status) == ({"a": value, "n": 3}, "complete")


def test_strict_reading_does_not_take_markup_for_a_word() -> None:
    text = f"{OPEN},n:3<tool_call|>{NEXT}"
    strict = toolgrammar.parse(text, format="gemma4", strict=True)
    assert [call.name for call in strict.calls] == ["g"]
    with pytest.raises(UnexpectedInput):
        toolgrammar.formats["gemma4"].tree(text)
