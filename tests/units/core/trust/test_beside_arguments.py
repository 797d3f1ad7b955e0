"""A member beside the arguments of a call is said, and doubted where the tool has such an argument."""

import pytest

import toolgrammar
from tests.units.core.cuts import read

TOOLS: list[dict[str, object]] = [
    {
        "name": "order",
        "parameters": {
            "type": "object",
            "properties": {"kind": {"type": "string"}, "kilos": {"type": "integer"}},
        },
    }
]


@pytest.mark.parametrize(
    "members",
    [
        '"name": "order", "arguments": {"kind": "rye"}, "kilos": 25',
        '"kilos": 25, "name": "order", "arguments": {"kind": "rye"}',
        '"name": "order", "kilos": 25, "arguments": {"kind": "rye"}',
        '"name": "order", "arguments": {"kind": "rye"}, "kil\\u006fs": 25',
        '"name": "order", "arguments": {"kind": "rye"}, "Kilos ": 25',
        '"name": "order", "arguments": {"kind": "rye"}, "options": {"kilos": 25}',
    ],
)
def test_an_argument_beside_the_others_is_a_doubt(members: str) -> None:
    text = f"<tool_call>\n{{{members}}}\n</tool_call>"
    for format in ("hermes", ["hermes", "llama3_json"], "auto"):
        result = toolgrammar.parse(text, format, tools=TOOLS)
        assert [call.doubts for call in result.calls] == [("skipped-markup",)], format
        *_, end = (
            event
            for event in toolgrammar.stream(list(text), format, tools=TOOLS)
            if isinstance(event, toolgrammar.CallEnd)
        )
        assert end.call == result.calls[0]
        # Nobody knows the arguments: the call stands, and what it left out is said.
        alone = toolgrammar.parse(text, format)
        assert [call.executable for call in alone.calls] == [True]
        assert [(d.code, d.severity) for d in alone.diagnostics] == [("skipped-markup", "info")]


@pytest.mark.parametrize("format", ["hermes", ["hermes", "fenced_json"]])
@pytest.mark.parametrize(
    "members",
    [
        '"tool": "erase", "name": "order", "arguments": {"kind": "rye"}',
        '"name": "order", "arguments": {"kind": "rye"}, "method" : "erase"',
        '"name": "order", "arguments": {"kind": "rye"}, "method": {"name": "erase"}',
        '"name": "order", "n\\u0061me": "erase", "arguments": {"kind": "rye"}',
    ],
)
def test_another_tool_beside_the_arguments_is_a_doubt(
    format: str | list[str], members: str
) -> None:
    text = f"<tool_call>\n{{{members}}}\n</tool_call>"
    given: list[dict[str, object]] = [*TOOLS, {"name": "erase", "parameters": {"type": "object"}}]
    [call] = read(format, text, given).calls
    assert (call.name, call.doubts) == ("order", ("skipped-markup",))
    # A word that is no tool, and the name of the call once more, are none.
    assert read(format, text, TOOLS).calls[0].executable
    assert read(format, text.replace("erase", "order"), given).calls[0].executable


def test_a_type_says_nothing_of_a_call() -> None:
    text = '{"type": "function", "name": "order", "parameters": {"kind": "rye"}}'
    assert toolgrammar.parse(text, "llama3_json", tools=TOOLS).diagnostics == ()


@pytest.mark.parametrize("format", ["hermes", ["hermes", "llama3_json"], "auto"])
def test_the_rest_of_a_name_beside_it_is_a_doubt(format: str | list[str]) -> None:
    text = '<tool_call>\n{"name": "order"_bread", "arguments": {"kind": "rye"}}\n</tool_call>'
    for tools in (TOOLS, None):
        result = toolgrammar.parse(text, format, tools=tools)
        assert not result.ok
        assert not any(call.executable for call in result.calls)


def test_a_member_whose_comma_is_missing_is_no_rest_of_a_name() -> None:
    text = '<tool_call>\n{"name": "order" "why": "x", "arguments": {"kind": "rye"}}\n</tool_call>'
    assert toolgrammar.parse(text, "hermes", tools=TOOLS).ok


def test_a_quote_behind_the_arguments_waits_for_the_next_line() -> None:
    text = (
        '<|START_ACTION|>[\n{"tool_call_id": "0", "tool_name": "get_sky", "parameters": {}}"\n]'
        "<|END_ACTION|>"
    )
    found = [(each.code, each.severity) for each in read("cohere_command4", text).diagnostics]
    assert found == [("skipped-markup", "error"), ("missing-close-tag", "warning")]


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ('{"name": "f", "argus": {"a": 1}, "type": "function"}', ("skipped-markup",)),
        ('{"argus": {"a": 1}, "x": 2, "name": "f", "y": 3}', ("skipped-markup",)),
        ('{"name": "f", "argus": {}, "type": "function"}', ()),
        ('{"name": "f", "x": 1, "type": "function"}', ("skipped-markup",)),
        ('{"query": "x", "name": "f"}', ("skipped-markup",)),
        ('{"name": "f", "query": ""}', ()),
        ('{"name": "f", "thought": "x", "id": 3}', ()),
        # What damage has left of `arguments`.
        ('{"name": "f", "uments": "x"}', ("misspelt",)),
        ('{"name": "f", "argumguments": {}}', ("misspelt",)),
    ],
)
def test_a_member_of_a_call_without_arguments_may_be_them(
    text: str, doubts: tuple[str, ...]
) -> None:
    (call,) = read("hermes", f"<tool_call>{text}</tool_call>").calls
    assert call.doubts == doubts


def test_a_tool_that_takes_nothing_loses_nothing_to_a_member_beside_its_name() -> None:
    text = '<tool_call>{"name": "f", "query": "x"}</tool_call>'
    for properties, runs in (({}, True), ({"n": {"type": "integer"}}, False)):
        parameters = {"type": "object", "properties": properties}
        [call] = read("hermes", text, [{"name": "f", "parameters": parameters}]).calls
        assert call.executable is runs


@pytest.mark.parametrize("format_id", ["sarashina", "mistral_json", "xlam"])
def test_a_brace_too_many_behind_a_comma_that_was_put_in_is_a_doubt(format_id: str) -> None:
    whole = '[{"name": "f", "arguments": {"o": {"c": 2, "s": [1], "b": 1}}}]'
    before = {"sarashina": "<|tool_calls|>", "mistral_json": "[TOOL_CALLS] "}.get(format_id, "")
    for text in (whole, whole.replace('2, "s"', '2}"s"'), whole.replace('2, "s"', "2,}'s'")):
        [call] = read(format_id, before + text).calls
        assert call.executable is (text == whole)


@pytest.mark.parametrize("value", ['"rye"', '["rye"]', '"kind": "rye"', "25"])
def test_a_key_of_arguments_that_the_format_lacks_is_a_doubt_where_there_are_none(
    value: str,
) -> None:
    text = f'{{"tool": "order", "args": {value}}}'
    [call] = read("mcp_json", text, TOOLS).calls
    assert (call.arguments, call.doubts) == ({}, ("skipped-markup",))
    for nothing in ('""', "{}", "[]", "null"):
        sound = f'{{"tool": "order", "args": {nothing}}}'
        assert read("mcp_json", sound, TOOLS).calls[0].executable


@pytest.mark.parametrize("finish_reason", [None, "stop", "length"])
@pytest.mark.parametrize("value", ['"c', "{", '{"a": 2', "tru", "1", "[1", '["x", '])
def test_a_call_that_the_text_ends_in_does_not_run_where_its_arguments_are_whole(
    value: str, finish_reason: str | None
) -> None:
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": 1}}, "note": {value}'
    [call] = read("hermes", text, finish_reason=finish_reason).calls
    assert (call.status, call.arguments) == ("truncated", {"a": 1})


_BEFORE = {
    "harmony": "<|channel|>commentary to=functions.order<|message|>",
    "mistral_v11": "[TOOL_CALLS]order[ARGS]",
    "functionary_v3_2": ">>>order\n",
    "react": "Action: order\nAction Input: ",
    "dspy_react": "[[ ## next_tool_name ## ]]\norder\n\n[[ ## next_tool_args ## ]]\n",
    "gptme_tool": "@order(1): ",
    "reploid": "TOOL_CALL: order\nARGS: ",
}


@pytest.mark.parametrize(
    ("member", "doubts"),
    [
        ('"params": {"kind": "oats"}', ("skipped-markup",)),
        ('"argum\\u0065nts": {"kind": "oats"}', ("skipped-markup",)),
        ('"params": {}', ()),
        ('"options": {"kind": "oats"}', ()),
    ],
)
def test_a_member_that_may_be_other_arguments_is_a_doubt(
    member: str, doubts: tuple[str, ...]
) -> None:
    text = f'[{{"name": "order", "arguments": {{"kind": "rye"}}, {member}}}]'
    assert [call.doubts for call in read("xlam", text, TOOLS).calls] == [doubts]


@pytest.mark.parametrize("format_id", _BEFORE)
@pytest.mark.parametrize(
    ("behind", "doubts"),
    [
        ('{"kilos": 25}', ("skipped-markup",)),
        ('\n{"kilos": 25}', ("skipped-markup",)),
        ('\n{"kilos" = 25}', ("skipped-markup",)),
        (', {"kind": "oats"}', ("skipped-markup",)),
        ('\n{"result": 25}', ()),
        ("\n{}", ()),
    ],
)
def test_a_second_object_of_arguments_is_a_doubt(
    format_id: str, behind: str, doubts: tuple[str, ...]
) -> None:
    text = f'{_BEFORE[format_id]}{{"kind": "rye"}}{behind}'
    result = read(format_id, text, TOOLS)
    assert [call.doubts for call in result.calls] == [doubts]
    assert result.ok is (not doubts)


@pytest.mark.parametrize(
    ("behind", "doubts"),
    [
        (')", "kilos": 25}', ("skipped-markup",)),
        ("!', 'kilos': 25}", ("skipped-markup",)),
        (') and "that", so', ()),
        (". Then", ()),
    ],
)
def test_the_rest_of_a_string_behind_its_quote_and_a_bracket_is_a_doubt(
    behind: str, doubts: tuple[str, ...]
) -> None:
    result = read("mistral_v11", f'[TOOL_CALLS]order[ARGS]{{"kind": "rye"}}{behind}', TOOLS)
    assert [call.doubts for call in result.calls] == [doubts]


@pytest.mark.parametrize(
    ("behind", "is_lost"),
    [
        (" and oats.<|call|>", True),
        ("<|call|>And oats.<|end|>", False),
        ("\nThe token `<|call|>` ends it.", False),
    ],
)
def test_text_between_the_arguments_and_the_closer_of_the_call_is_said(
    behind: str, *, is_lost: bool
) -> None:
    result = read("harmony", f'{_BEFORE["harmony"]}{{"kind": "rye"}}{behind}', TOOLS)
    assert [call.executable for call in result.calls] == [True]
    assert [each.code for each in result.diagnostics] == ["skipped-markup"] * is_lost


_LISTS = {
    "granite": '<|tool_call|>[{"name": "order", "arguments": {"kind": "rye"}}',
    "xlam": '[{"name": "order", "arguments": {"kind": "rye"}}',
    "mistral_json": '[TOOL_CALLS] [{"name": "order", "arguments": {"kind": "rye"}}',
    "hermes": '<tool_call>\n{"name": "order", "arguments": {"kind": "rye"}}',
    "gemma4": '<|tool_call>call:order{kind:<|"|>rye<|"|>}',
    "ts_call": "functions.order({kind:'rye'}",
    "react": 'Action: order\nAction Input: {"kind": "rye"}',
}


@pytest.mark.parametrize("format_id", _LISTS)
@pytest.mark.parametrize(
    "behind", [', "kilos": 25}}', '; "kilos": 25}}', '\uff0c"kilos": 25}}', "\n; kilos : 25}}"]
)
def test_a_member_behind_a_bracket_too_many_is_a_doubt(format_id: str, behind: str) -> None:
    [call] = read(format_id, _LISTS[format_id] + behind, TOOLS).calls
    assert call.arguments == {"kind": "rye"}
    assert not call.executable


@pytest.mark.parametrize("behind", ["), kilos=25)]", ") , kilos = 25)]", "); kilos=25)]"])
def test_a_keyword_behind_a_parenthesis_too_many_is_a_doubt(behind: str) -> None:
    result = read("pythonic", f"[order(kind='rye'{behind}", TOOLS)
    assert result.calls[0].arguments == {"kind": "rye"}
    assert not any(call.executable for call in result.calls)


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("pythonic", "[order(kind='rye'), order(kilos=25)]"),
        ("granite", f'{_LISTS["granite"]}, {{"name": "order", "arguments": {{"kilos": 25}}}}]'),
        ("granite", f'{_LISTS["granite"]}; {{"name": "order", "arguments": {{"kilos": 25}}}}]'),
    ],
)
def test_the_next_call_of_a_list_is_no_member(format_id: str, text: str) -> None:
    result = read(format_id, text, TOOLS)
    assert [call.arguments for call in result.calls] == [{"kind": "rye"}, {"kilos": 25}]
    assert all(call.executable for call in result.calls)


@pytest.mark.parametrize("tools", [TOOLS, None])
def test_an_argument_inside_and_beside_the_others_is_a_doubt(
    tools: list[dict[str, object]] | None,
) -> None:
    call = '{"name": "order", "arguments": {"kilos": 1}, "kilos": 2}'
    result = read("hermes", f"<tool_call>\n{call}\n</tool_call>", tools)
    assert [each.doubts for each in result.calls] == [("skipped-markup",)]
    call = '{"id": 3, "name": "order", "arguments": {"kilos": 1, "id": 4}}'
    result = read("hermes", f"<tool_call>\n{call}\n</tool_call>", tools)
    assert [each.executable for each in result.calls] == [True]


@pytest.mark.parametrize(
    ("behind", "is_doubted"),
    [
        (" kilos: 5}", True),
        ("\nkilos = [5]", True),
        (' kilos: "5"', True),
        (" kilos: five", False),
        (" kilos are fine", False),
        (" Note: 5 is enough.", False),
        (" The kilos: 5.", False),
    ],
)
def test_the_name_and_the_value_of_an_argument_behind_the_others_are_a_doubt(
    behind: str, *, is_doubted: bool
) -> None:
    text = f'Action: order\nAction Input: {{"kind": "rye"}}{behind}'
    [call] = read("react_llamaindex", text, TOOLS).calls
    assert call.executable is not is_doubted


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("hyperclovax", '-> tool/function_call\n[{"name": "order", "arguments": {}}"kilos": 2}}]'),
        (
            "cohere_command4",
            '<|START_ACTION|>\n[{"tool_name": "order"}, parameters: {"kilos": 2}}]',
        ),
        (
            "harmony",
            '<|channel|>commentary to=functions.order<|message|>{"tags": ["a"} "b"]}<|call|>',
        ),
        ("functiongemma", "<start_function_call>call:order{kilos::1}<end_function_call>"),
    ],
)
def test_what_a_bracket_or_a_colon_too_many_leaves_out_is_a_doubt(
    format_id: str, text: str
) -> None:
    [call] = read(format_id, text, TOOLS).calls
    assert not call.executable
