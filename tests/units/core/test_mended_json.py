"""Damage to the JSON of a call, in its envelope and in its arguments."""

import json

import pytest

from tests.units.core.cuts import read
from toolgrammar import ParseResult
from toolgrammar.testing import Case, laws
from toolgrammar.tools.specs import to_spec


def mended(format_id: str, text: str) -> ParseResult:
    """Returns what is read in every cutting, and holds the law of the edits."""
    laws.edits(Case(id=format_id, format=format_id, text=text))
    return read(format_id, text)


@pytest.mark.parametrize(
    ("format_id", "text", "code"),
    [
        pytest.param(
            "fenced_json",
            '```json\n{"name": "save", arguments: {"path": "a"}}\n```',
            "bare-key",
            id="a key of a pattern without quotes",
        ),
        pytest.param(
            "fenced_json",
            '```json\n{"name": "save",, "args": {"path": "a"}}\n```',
            "stray-comma",
            id="two commas before a key of a pattern",
        ),
        pytest.param(
            "fenced_json",
            '```json\n{"name": "save" "args": {"path": "a"}}\n```',
            "comma",
            id="no comma before a key of a pattern",
        ),
        pytest.param(
            "langchain_structured_chat",
            'Action:\n```json\n{"action": "save", "action_input" {"path": "a"}}\n```',
            "colon",
            id="no colon, which the grammar writes with its key",
        ),
        pytest.param(
            "langchain_structured_chat",
            'Action:\n```json\n{"action": "save", "action_input" => {"path": "a"}}\n```',
            "colon",
            id="another colon",
        ),
        pytest.param(
            "langchain_structured_chat",
            'Action:\n```json\n{\'action\': "save", "action_input": {"path": "a"}}\n```',
            "quote-style",
            id="other quotes round a key with its colon",
        ),
        pytest.param(
            "apertus",
            '<|tools_prefix|>[{save: {"path": "a"}}]<|tools_suffix|>',
            "bare-key",
            id="a name that is a key",
        ),
        pytest.param(
            "hermes",
            '<tool_call>\n{"name": "save", "arguments": {"path": "a"}, note: 1}\n</tool_call>',
            "bare-key",
            id="a key that is nothing of the format",
        ),
    ],
)
def test_a_damaged_key_of_the_envelope(format_id: str, text: str, code: str) -> None:
    result = mended(format_id, text)
    assert [(call.name, call.arguments, call.status) for call in result.calls] == [
        ("save", {"path": "a"}, "repaired")
    ]
    assert result.calls[0].executable
    # That `note` is no part of the call is said as an info.
    assert [each.code for each in result.diagnostics if each.severity != "info"] == [code]


def test_a_word_with_a_colon_behind_a_call_is_no_member_of_it() -> None:
    call = '{"name": "save", "arguments": {"path": "a"}'
    result = mended("smolagents_json", f"Action:\n{call}\nAction:\n{call}}}")
    assert [call.arguments for call in result.calls] == [{"path": "a"}] * 2


@pytest.mark.parametrize(
    ("written", "code"),
    [
        pytest.param('["a, "b"]', "missing-quote", id="the first item"),
        pytest.param('["a", b"]', "missing-quote", id="the quote before an item"),
        pytest.param('["a", b", "c"]', "missing-quote", id="the quote before an item in between"),
    ],
)
def test_a_missing_quote_in_an_array(written: str, code: str) -> None:
    text = f'<tool_call>\n{{"name": "save", "arguments": {{"l": {written}}}}}\n</tool_call>'
    (call,) = mended("hermes", text).calls
    items = ["a", "b", "c"] if '"c"' in written else ["a", "b"]
    assert (call.arguments, call.status, call.doubts) == ({"l": items}, "repaired", (code,))


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        pytest.param(
            "kimi_k2",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.save:0"
            '<|tool_call_argument_begin|>{"o": {"x": "a"}<|tool_call_end|>'
            "<|tool_calls_section_end|>",
            id="the closer of the call",
        ),
        pytest.param(
            "cherry_tool_use",
            "<tool_use>\n  <name>save</name>\n"
            '  <arguments>{"o": {"x": "a"}</arguments>\n</tool_use>',
            id="the closer of the arguments",
        ),
    ],
)
def test_a_bracket_is_missing_before_the_markup_around_the_arguments(
    format_id: str, text: str
) -> None:
    (call,) = mended(format_id, text).calls
    assert (call.arguments, call.status) == ({"o": {"x": "a"}}, "repaired")


def test_a_comma_between_the_arguments_and_the_end_of_the_call_is_dropped() -> None:
    text = '<|tools_prefix|>[{"save": {"path": "a"},}]<|tools_suffix|>'
    (call,) = mended("apertus", text).calls
    assert (call.arguments, call.status, call.executable) == ({"path": "a"}, "repaired", True)


def test_a_call_that_lacks_an_argument_and_a_bracket_is_a_doubt() -> None:
    # Which bracket is missing nobody knows: `b` may belong to the arguments.
    text = 'TOOL_CALL: save\nARGS: {"a": {"x": "y", "b": "z"}\nTOOL_CALL: save\nARGS: {"a": {}, "b": ""}'
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}
    first, second = read("reploid", text, [{"name": "save", "parameters": schema}]).calls
    assert (first.arguments, first.doubts) == ({"a": {"x": "y", "b": "z"}}, ("bracket",))
    assert second.executable


@pytest.mark.parametrize("key", ["argumens", "argument", "arguemnts", "argoments", "Arguments"])
def test_a_key_one_letter_off_is_that_of_the_arguments(key: str) -> None:
    text = f'<tool_call>\n{{"name": "save", "{key}": {{"path": "a"}}}}\n</tool_call>'
    for _ in range(3):
        (call,) = mended("hermes", text).calls
        assert (call.arguments, call.status, call.executable) == ({"path": "a"}, "repaired", True)


@pytest.mark.parametrize("key", ["argumens", "args"])
@pytest.mark.parametrize("blanks", ["", " ", "\n"])
def test_the_text_of_an_object_under_a_key_like_that_is_the_arguments(
    key: str, blanks: str
) -> None:
    value = json.dumps(blanks + '{"path": "a"}')
    text = f'<tool_call>\n{{"name": "save", "{key}": {value}}}\n</tool_call>'
    (call,) = mended("hermes", text).calls
    assert (call.arguments, call.status) == ({"path": "a"}, "repaired")


@pytest.mark.parametrize("key", ["args", "input"])
def test_what_another_format_calls_the_arguments_is_taken_for_them_with_a_doubt(key: str) -> None:
    text = f'<tool_call>\n{{"name": "save", "{key}": {{"path": "a"}}}}\n</tool_call>'
    (call,) = mended("hermes", text).calls
    assert (call.arguments, call.doubts) == ({"path": "a"}, ("misspelt",))


@pytest.mark.parametrize(
    "members",
    [
        '"name": "save", "meta": {"path": "a"}',
        '"name": "save", "meta": "{\\"path\\": \\"a\\"}"',
        '"argumens": {"a": 1}, "name": "save"',
    ],
)
def test_an_object_that_may_be_the_arguments_is_not_lost_in_silence(members: str) -> None:
    (call,) = mended("hermes", f"<tool_call>\n{{{members}}}\n</tool_call>").calls
    assert (call.arguments, call.doubts, call.executable) == ({}, ("skipped-markup",), False)


@pytest.mark.parametrize(
    ("members", "arguments"),
    [
        ('"name": "save", "meta": {"b": 1}, "arguments": {"a": 1}', {"a": 1}),
        ('"name": "save", "arguments": {"a": 1}, "argument": {"b": 1}', {"a": 1}),
        ('"name": "save", "meta": {}', {}),
    ],
)
def test_other_members_beside_the_arguments_change_nothing(
    members: str, arguments: dict[str, int]
) -> None:
    (call,) = mended("hermes", f"<tool_call>\n{{{members}}}\n</tool_call>").calls
    assert (call.arguments, call.status, call.executable) == (arguments, "complete", True)


def test_a_key_like_that_of_the_arguments_with_no_arguments_is_a_doubt() -> None:
    text = '<tool_call>\n{"name": "save", "argumens": "a"}\n</tool_call>'
    (call,) = mended("hermes", text).calls
    assert (call.arguments, call.executable) == ({}, False)


SCHEMA: dict[str, object] = {
    "name": "save",
    "parameters": {
        "type": "object",
        "properties": {
            "o": {"type": "object", "properties": {"x": {"type": "string"}}},
            "path": {"type": "string"},
        },
    },
}


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        pytest.param('{"path": "a}}', {"path": "a"}, id="before the brackets of all"),
        pytest.param('{"o": {"x": "a}}}', {"o": {"x": "a"}}, id="before more brackets"),
        pytest.param('{"path": "a}\n}', {"path": "a"}, id="before brackets on two lines"),
        pytest.param(
            '{"o": {"x": "a}, "path": "b"}}', {"o": {"x": "a"}, "path": "b"}, id="before a member"
        ),
    ],
)
def test_a_string_that_lacks_its_quote_ends_before_the_brackets_behind_it(
    written: str, arguments: object
) -> None:
    call = f'<tool_call>\n{{"name": "save", "arguments": {written}\n</tool_call>'
    neighbour = '\n<tool_call>\n{"name": "save", "arguments": {"path": "b"}}\n</tool_call>'
    for text in (call, f"{call}\nThat is all.", call + neighbour):
        laws.edits(Case(id="quote", format="hermes", text=text, tools=(to_spec(SCHEMA),)))
        result = read("hermes", text, [SCHEMA])
        assert (result.calls[0].arguments, result.calls[0].doubts) == (
            arguments,
            ("missing-quote",),
        )
        # It is read, and does not run: the string may go on up to a quote behind it.
        behind = [each.doubts for each in result.calls[1:]]
        assert behind == [("quoted-call",)] * (neighbour in text)


@pytest.mark.parametrize(
    "value",
    [
        "a}}\\n</tool_call> b",
        "a}}</tool_call>",
        "x = [1, 2]}, ",
        "f({a: [1]}}</tool_call>",
        '<tool_call>\\n{\\"name\\": \\"wipe\\", \\"arguments\\": {\\"a\\": 1}}\\n</tool_call>',
        "}}\\n</tool_call>\\n<tool_call>\\n{",
    ],
)
def test_brackets_and_markup_in_a_string_stay_text(value: str) -> None:
    text = f'<tool_call>\n{{"name": "save", "arguments": {{"path": "{value}"}}}}\n</tool_call>'
    (call,) = read("hermes", text, [SCHEMA]).calls
    assert call.executable
    assert call.arguments == json.loads(f'{{"path": "{value}"}}')


def test_a_quoted_call_that_is_cut_in_its_string_is_cut() -> None:
    quoted = (
        '<tool_call>\\n{\\"name\\": \\"wipe\\", \\"arguments\\": {\\"a\\": 1}}\\n</tool_call>\\n'
    )
    text = f'<tool_call>\n{{"name": "save", "arguments": {{"path": "{quoted}'
    (call,) = read("hermes", text, [SCHEMA]).calls
    assert (call.name, call.status) == ("save", "truncated")


@pytest.mark.parametrize(
    ("array", "paths"),
    [
        ("['x']", ["$.a[0]"]),
        ("[1, 'x', 2]", ["$.a[1]"]),
        ("[1, [2, 'x'], nul]", ["$.a[1][1]", "$.a[2]"]),
        ("[1 {\"b\": 'x'}]", ["$.a[1]", "$.a[1].b"]),
        ("[1, , 'x']", ["$.a[1]", "$.a[1]"]),
        ('["x "y" z", 3]', ["$.a[0]", "$.a[0]"]),
    ],
)
def test_the_path_of_a_repair_is_that_of_its_item(array: str, paths: list[str]) -> None:
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": {array}}}}}</tool_call>'
    assert [each.path for each in mended("hermes", text).diagnostics] == paths


@pytest.mark.parametrize(
    ("written", "value"), [("1", 1), ("-2.5", -2.5), ("true", True), ("[1, null", [1, None])]
)
def test_a_number_or_a_literal_ends_before_the_closer_of_the_call(
    written: str, value: object
) -> None:
    text = f'<tool_call>\n{{"name": "count", "arguments": {{"a": {written}</tool_call> done'
    laws.edits(Case(id="hermes", format="hermes", text=text))
    result = read("hermes", text)
    assert [(call.arguments, call.status) for call in result.calls] == [({"a": value}, "repaired")]
    assert result.text == "done"


def test_a_blank_before_the_comma_goes_with_the_member_that_is_cut() -> None:
    whole = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    cut = whole.split("{}", maxsplit=1)[0] + '{"a":"x" ,"b" :'
    text = cut + whole
    first, second = mended("hermes", text).calls
    assert (first.arguments, first.status) == ({"a": "x"}, "truncated")
    assert second.status == "complete"


@pytest.mark.parametrize("format", ["hermes", "llama3_json"])
@pytest.mark.parametrize("quotes", ['""', '"""', '" "'])
def test_a_key_whose_quote_is_doubled_makes_no_value_up(format: str, quotes: str) -> None:
    text = {"type": "string"}
    tool: dict[str, object] = {
        "name": "f",
        "parameters": {
            "type": "object",
            "required": ["a", "b"],
            "properties": {"a": text, "b": text},
        },
    }
    call = {"hermes": '<tool_call>{"name": "f", "arguments": %s}</tool_call>',
            "llama3_json": '{"name": "f", "parameters": %s}'}[format]  # fmt: skip
    written = call % f'{{"a{quotes}: "x", "b": "y"}}'
    laws.edits(Case(id=format, format=format, text=written))
    result = read(format, written, [tool])
    (found,) = result.calls
    assert (found.arguments, found.status) == ({"a": "x", "b": "y"}, "repaired")
    assert found.doubts == ("doubled-quotes",)
    assert not found.executable


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("jamba", '<tool_calls>[{"name": "f", "arguments": {}}%s{"name": "g", "arguments": {"a": 1}}]</tool_calls>'),
        ("mistral_json", '[TOOL_CALLS] [{"name": "f", "arguments": {}}%s{"name": "g", "arguments": {"a": 1}}]'),
        ("fenced_json", '```json\n[{"name": "f", "arguments": {}}%s{"name": "g", "arguments": {"a": 1}}]\n```'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", [" ", "", "\n"])
def test_a_comma_between_calls_is_put_in(format: str, text: str, gap: str) -> None:
    written = text % gap
    laws.edits(Case(id=format, format=format, text=written))
    result = read(format, written)
    assert [(call.name, call.arguments, call.status) for call in result.calls] == [
        ("f", {}, "complete"), ("g", {"a": 1}, "repaired"),
    ]  # fmt: skip
    assert [each.code for each in result.diagnostics] == ["comma"]
    assert result.text == ""


@pytest.mark.parametrize("behind", ['{"note": 1}', "{}", "{so", "{"])
def test_no_comma_is_put_in_before_what_is_no_call(behind: str) -> None:
    text = f'<tool_calls>[{{"name": "f", "arguments": {{}}}} {behind}]</tool_calls>'
    assert [call.name for call in read("jamba", text).calls] == ["f"]


def test_a_second_object_in_the_tags_of_one_call_is_told_of() -> None:
    text = '<tool_call>{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}</tool_call>'
    result = read("hermes", text)
    assert [call.name for call in result.calls] == ["f"]
    assert "unread-call" in [each.code for each in result.diagnostics]


FIRST = '{"name": "f", "arguments": {"a": %s}%s{"name": "g", "arguments": {}}'


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("minimax_m1", f"<tool_calls>\n{FIRST % ('%s', chr(10))}\n</tool_calls>"),
        ("llama3_json", (FIRST % ("%s", "; ")).replace("arguments", "parameters")),
        ("jamba", f"<tool_calls>[{FIRST % ('%s', ', ')}]</tool_calls>"),
        ("apertus", '<|tools_prefix|>[{"f": {"a": %s}, {"g": {}}]<|tools_suffix|>'),
    ],
)
@pytest.mark.parametrize(
    ("written", "value"), [('"A"', "A"), ("3", 3), ('["x", {"y": "z"}]', None)]
)
def test_a_missing_brace_costs_the_next_call_nothing(
    format: str, text: str, written: str, value: object
) -> None:
    value = ["x", {"y": "z"}] if value is None else value
    whole = text % written
    laws.edits(Case(id=format, format=format, text=whole))
    result = read(format, whole)
    assert [(call.name, call.arguments, call.status) for call in result.calls] == [
        ("f", {"a": value}, "repaired"), ("g", {}, "complete"),
    ]  # fmt: skip
    assert [each.code for each in result.diagnostics] == ["bracket"]
    assert result.text == ""


@pytest.mark.parametrize(("written", "value"), [('"A"', "A"), ("3", 3), ('["x"]', ["x"])])
def test_a_missing_brace_before_an_opener_costs_the_next_call_nothing(
    written: str, value: object
) -> None:
    text = f'@f(c1): {{"a": {written}\n@g(c2): {{}}'
    laws.edits(Case(id="gptme_tool", format="gptme_tool", text=text))
    result = read("gptme_tool", text)
    assert [(call.name, call.arguments, call.status, call.doubts) for call in result.calls] == [
        ("f", {"a": value}, "repaired", ("bracket",)), ("g", {}, "complete", ()),
    ]  # fmt: skip
    assert [(each.code, each.severity) for each in result.diagnostics] == [
        ("bracket", "warning"),
        ("bracket", "error"),
    ]
    assert result.text == ""


@pytest.mark.parametrize("mark", ["<tool_call>", "</tool_call>"])
def test_markup_in_quotes_inside_a_string_is_data(mark: str) -> None:
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": "echo "{mark}" x"}}}}</tool_call>'
    (call,) = read("hermes", text).calls
    assert (call.arguments, call.doubts) == ({"a": f'echo "{mark}" x'}, ("inner-quote",))


def test_an_object_of_several_keys_has_a_call_for_each() -> None:
    text = '<|tools_prefix|>[{"f": {"a": "A"}, "g": {}, "h": {"b": 1}}, {"g": {}}]<|tools_suffix|>'
    result = read("apertus", text)
    assert [(call.name, call.status) for call in result.calls] == [
        ("f", "complete"), ("g", "complete"), ("h", "complete"), ("g", "complete"),
    ]  # fmt: skip
    assert not result.diagnostics


KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>",
    "<|tool_call_end|><|tool_calls_section_end|>",
)


@pytest.mark.parametrize(
    ("format", "before", "behind"),
    [
        ("kimi_k2", *KIMI),
        ("functionary_v3_1", "<function=f>", "</function>"),
        ("cherry_tool_use", "<tool_use>\n<name>f</name>\n<arguments>", "</arguments>\n</tool_use>"),
    ],
)
def test_a_text_that_ends_in_a_closer_does_not_end_in_the_string_before(
    format: str, before: str, behind: str
) -> None:
    for end in range(len(behind)):
        text = f'{before}{{"a": "ls"}}{behind[:end]}'
        (call,) = read(format, text).calls
        assert call.arguments == {"a": "ls"}, text
        assert call.status in ("repaired", "complete")
        cut = f'{before}{{"a": "ls"{behind[:end]}'
        (call,) = read(format, cut).calls
        assert call.arguments == {"a": "ls"}, cut
        assert call.status == "truncated" or end >= behind.index(">")


def test_a_text_that_ends_in_a_string_with_quotes_ends_in_no_closer() -> None:
    text = f'{KIMI[0]}{{"a": "say "so"}}<'
    (call,) = read("kimi_k2", text).calls
    assert (call.arguments, call.status) == ({"a": 'say "so"}<'}, "truncated")


@pytest.mark.parametrize(
    ("written", "value", "doubts"),
    [
        ('""x"', '"x', ("inner-quote",)),
        ('"x""', 'x"', ("inner-quote",)),
        ('"""', '"', ("inner-quote",)),
        ('""x""', '"x"', ()),
        ('"say "hi""', 'say "hi"', ()),
        ('""hi" he said"', '"hi" he said', ()),
    ],
)
def test_a_quote_without_a_partner_at_the_edge_of_a_string_is_a_doubt(
    written: str, value: str, doubts: tuple[str, ...]
) -> None:
    properties = {"a": {"type": "string"}, "b": {"type": "integer"}}
    tools: list[dict[str, object]] = [
        {"name": "f", "parameters": {"type": "object", "properties": properties}}
    ]
    text = f'<tool_call>\n{{"name": "f", "arguments": {{"a": {written}, "b": 1}}}}\n</tool_call>'
    (call,) = read("hermes", text, tools=tools).calls
    assert (call.arguments, call.doubts) == ({"a": value, "b": 1}, doubts)
    assert call.executable is not bool(doubts)
