"""Damage to calls that are written in Python."""

import pytest

import toolgrammar
from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws
from toolgrammar.tools.specs import to_specs


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('[search(q="x"]', {"q": "x"}),
        ('[search(q="x",]', {"q": "x"}),
        ("[search(n=3]", {"n": 3}),
        ('[search(q=["a", "b"], n=3]', {"q": ["a", "b"], "n": 3}),
        ('[save(a=1), search(q="x"]', {"q": "x"}),
    ],
)
def test_the_closer_of_the_list_ends_arguments_without_their_own(
    text: str, arguments: dict[str, object]
) -> None:
    laws.edits(Case(id="pythonic", format="pythonic", text=text))
    result = read("pythonic", text)
    call = result.calls[-1]
    assert (call.name, call.arguments, call.status) == ("search", arguments, "repaired")
    assert [each.code for each in result.diagnostics] == ["missing-close-tag"]
    assert result.text == ""


@pytest.mark.parametrize("format_id", ["pythonic", "lfm2", "llama4_pythonic"])
@pytest.mark.parametrize("text", ['[search(q="x"])]', "[search(q=3] )]", "[save(), search(q=3])]"])
def test_a_closer_before_the_parenthesis_may_end_a_list_of_an_argument(
    format_id: str, text: str
) -> None:
    around = {"lfm2": ("<|tool_call_start|>", "<|tool_call_end|>")}.get(format_id, ("", ""))
    call = read(format_id, text.join(around)).calls[-1]
    assert (call.name, call.doubts) == ("search", ("missing-close-tag",))


def test_the_closer_of_an_object_without_a_name_is_no_doubt() -> None:
    text = '[TOOL_CALLS] [{"name": "f", "arguments": {}}, {"arguments": {"a""name": "g"}\n]'
    laws.trust(Case(id="nameless", format="mistral_json", text=text))


@pytest.mark.parametrize("text", ['[search(q="x" < 3)]', '[search(q="x" + y)]', "[search(q=y]"])
def test_what_is_no_literal_is_not_cut_to_one(text: str) -> None:
    for call in read("pythonic", text).calls:
        assert not call.executable


@pytest.mark.parametrize("arguments", ["path=='x'", "Truex", "None", "path=", "Truex=1"])
def test_what_begins_arguments_may_turn_out_to_begin_none(arguments: str) -> None:
    read("pythonic", f"[search({arguments})]")
    read("pythonic", f"[search({arguments}")


def _tool(name: str, **properties: object) -> dict[str, object]:
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


@pytest.mark.parametrize(
    ("text", "arguments", "doubts"),
    [
        ('f({"a": 1, "b": 2})', {"a": 1, "b": 2}, ()),
        ("f({'b': 2})", {"b": 2}, ()),
        ("f(**{'a': 1}, b=2)", {"a": 1, "b": 2}, ()),
        ('f({"a": 1, "c": 2})', {"a": {"a": 1, "c": 2}}, ("lone-object",)),
        ('f({"a": 1}, 2)', {"a": {"a": 1}, "b": 2}, ("lone-object",)),
        ("f(1, 2)", {"a": 1, "b": 2}, ()),
        ("f(1, a=2)", {"a": 2}, ("duplicate-key",)),
        ("f(a=1, a=2)", {"a": 2}, ("duplicate-key",)),
        ("f(a=1, **{'a': 2})", {"a": 2}, ("duplicate-key",)),
        ("f(a=1, a=1)", {"a": 1}, ()),
        ("f(a={'x': 1, 'x': 2})", {"a": {"x": 2}}, ("duplicate-key",)),
        ("g({'b': 'x'})", {"b": "x"}, ("lone-object",)),
        ("g({'o': {}})", {"o": {}}, ()),
        ("g({'x': 1})", {"o": {"x": 1}}, ()),
    ],
)
def test_arguments_without_names(
    text: str, arguments: dict[str, object], doubts: tuple[str, ...]
) -> None:
    tools = [
        _tool("f", a={"type": "number"}, b={"type": "number"}),
        _tool("g", o={"type": "object"}, b={"type": "string"}),
    ]
    laws.edits(
        Case(
            id="pythonic",
            format="pythonic",
            text=f"[{text}]",
            tools=tuple(to_specs(tools).values()),
        )
    )
    (call,) = read("pythonic", f"[{text}]", tools=tools).calls
    assert (call.arguments, call.doubts) == (arguments, doubts)
    assert call.executable == (not doubts)


@pytest.mark.parametrize("written", ["1/6", "x", "f(1)", "[1, x]", "2 * 3", "1e999", "a.b"])
def test_an_expression_is_not_cut(written: str) -> None:
    result = read("pythonic", f"[f(n=20, p={written}), g(n=1)]")
    first, second = result.calls
    assert (first.status, second.status) == ("unreadable", "complete")
    assert "`p`" in str(first.error)


def test_backslashes_of_markdown_are_left_out() -> None:
    tools = [_tool("get_it", a_b={"type": "string"})]
    result = read("pythonic", "[get\\_it(a\\_b='x\\_y')]", tools=tools)
    [call] = result.calls
    assert (call.name, call.arguments, call.status) == ("get_it", {"a_b": "x_y"}, "repaired")
    assert [each.code for each in result.diagnostics] == ["backslash"] * 3
    # Where no name has one, a backslash in a string is its own.
    [call] = read("pythonic", "[get_it(a_b='x\\_y')]", tools=tools).calls
    assert call.arguments == {"a_b": "x\\_y"}


def test_what_was_mended_in_a_string_is_told_of_in_the_order_of_the_text() -> None:
    tools = [_tool("get_it", a={"type": "string"})]
    text = "[get\\_it(a='Night [get\\_it(a='Night Train')]"
    codes = [each.code for each in read("pythonic", text, tools=tools).diagnostics]
    assert codes == ["backslash", "backslash", "inner-quote"]


@pytest.mark.parametrize(
    ("written", "value", "places"),
    [
        (r'"\ud83d"', "\ufffd", [(6, 12)]),
        (r'"\ud83d\ude00 \ud83d\u00e9"', "\U0001f600 \ufffd\u00e9", [(19, 25)]),
        (r"'\ude00\ud83d'", "\ufffd\ufffd", [(6, 12), (12, 18)]),
        (r"'\U0000d83d'", "\ufffd", [(6, 16)]),
        ("'a\ud83db'", "a\ufffdb", [(7, 8)]),
        ("r'\\d\ud83d\\ude00'", "\\d\ufffd\\ude00", [(9, 10)]),
        (r'["\ud83d"]', ["\ufffd"], [(7, 13)]),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_doubted(
    written: str, value: object, places: list[tuple[int, int]]
) -> None:
    result = read("pythonic", f"[f(v={written})]")
    (call,) = result.calls
    assert (call.arguments, call.status) == ({"v": value}, "repaired")
    assert (call.doubts, call.executable) == (("lone-surrogate",), False)
    assert [(each.span.start, each.span.end) for each in result.diagnostics] == places
    (strict,) = toolgrammar.parse(f"[f(v={written})]", format="pythonic", strict=True).calls
    assert strict.executable  # as in JSON: strict reading replaces nothing


@pytest.mark.parametrize(
    ("written", "value", "doubts"),
    [
        (r"\N{BULLET}", "\u2022", ()),
        (r"\N{latin small letter a}\N{HYPHEN-MINUS}", "a-", ()),
        (r"\N{FOO}", r"\N{FOO}", ("escape",)),
        (r"\N{KEYCAP NUMBER SIGN}", r"\N{KEYCAP NUMBER SIGN}", ("escape",)),
        (r"C:\New \N{} \\N{BULLET}", r"C:\New \N{} \N{BULLET}", ()),
    ],
)
def test_a_character_may_be_written_by_its_name(
    written: str, value: str, doubts: tuple[str, ...]
) -> None:
    (call,) = read("pythonic", f"[f(v='{written}')]").calls
    assert (call.arguments, call.doubts) == ({"v": value}, doubts)
    assert call.executable is not bool(doubts)


@pytest.mark.parametrize(
    ("written", "kind", "value", "doubts"),
    [
        ("02134", None, "02134", ("number",)),
        ("02134", "string", "02134", ()),
        ("02134", "integer", "02134", ("number",)),
        ("08134", "integer", 8134, ()),
        ("-02134", "integer", -2134, ("number",)),
        ("0777", "boolean", "0777", ("number",)),
        ("07", None, 7, ()),
        ("07", "string", "07", ()),
        ("0_7", None, 7, ()),
        ("0", "string", 0, ()),
        ("0x07", "string", 7, ()),
        ("-007", None, -7, ("number",)),
        ("-007", "number", -7, ()),
        ("[007]", "array", ["007"], ("number",)),
        ("{007: 1}", "object", {"007": 1}, ("number",)),
    ],
)
def test_digits_that_begin_with_0_may_be_a_code(
    written: str, kind: str | None, value: object, doubts: tuple[str, ...]
) -> None:
    schema = {} if kind is None else {"type": kind}
    parameters = {"type": "object", "properties": {"v": schema}}
    tools: list[dict[str, object]] = [{"name": "f", "parameters": parameters}]
    text = f"[f(v={written})]"
    laws.edits(
        Case(id="pythonic", format="pythonic", text=text, tools=tuple(to_specs(tools).values()))
    )
    (call,) = read("pythonic", text, tools).calls
    assert (call.arguments, call.doubts) == ({"v": value}, doubts)
    assert call.executable is not bool(doubts)
