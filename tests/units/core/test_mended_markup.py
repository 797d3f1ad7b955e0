"""Markup of calls that is missing or damaged, in formats and in grammars that a test spells out."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import ToolCall, formats, parse
from toolgrammar.testing import Case, laws
from toolgrammar.tools.specs import to_specs


def tool(name: str, *keys: str) -> dict[str, object]:
    """Returns a tool with texts as its arguments."""
    properties = {key: {"type": "string"} for key in keys}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


def deeds(format_id: str, text: str, *tools: dict[str, object]) -> list[tuple[str, object, str]]:
    """Returns what is read, in every cutting, and holds the law of the edits."""
    known = tuple(to_specs(tools).values()) if tools else None
    laws.edits(Case(id=format_id, format=format_id, text=text, tools=known))
    calls = read(format_id, text, list(tools) or None).calls
    return [(call.name, call.arguments, call.status) for call in calls]


PAIR = "<arg_key>path</arg_key>\n<arg_value>{}</arg_value>\n"


@pytest.mark.parametrize("suffix", ["", ":x"])
def test_a_closer_that_a_pattern_spells_is_put_in_before_the_closer_of_the_section(
    suffix: str,
) -> None:
    text = (
        f"<tool_calls{suffix}>\n<tool_call>save<tool_sep>\n{PAIR.format('a')}</tool_calls{suffix}>"
    )
    assert deeds("hy_v3", text) == [("save", {"path": "a"}, "repaired")]


def test_a_closer_that_a_pattern_spells_is_put_in_before_the_next_call() -> None:
    first = f"<tool_call>save<tool_sep>\n{PAIR.format('a')}"
    text = f"<tool_calls>\n{first}{first}</tool_call>\n</tool_calls>"
    assert [each[1:] for each in deeds("hy_v3", text)] == [
        ({"path": "a"}, "repaired"),
        ({"path": "a"}, "complete"),
    ]


def test_an_opener_that_a_pattern_spells_tells_that_a_closer_is_missing() -> None:
    text = f"<tool_call>save\n{PAIR.format('a')}<tool_call>save\n{PAIR.format('b')}</tool_call>"
    assert deeds("glm45", text) == [
        ("save", {"path": "a"}, "repaired"),
        ("save", {"path": "b"}, "complete"),
    ]


def test_an_opener_in_a_value_stays_text() -> None:
    text = f"<tool_call>save\n{PAIR.format('see <tool_call>other and more')}</tool_call>"
    assert deeds("glm45", text) == [("save", {"path": "see <tool_call>other and more"}, "complete")]


@pytest.mark.parametrize("begun", ["<", "</", "</arg_va", "</arg_value>\n</tool_ca"])
def test_a_closer_that_the_end_of_the_text_cut_is_no_part_of_the_value(begun: str) -> None:
    text = f"<tool_call>save\n<arg_key>path</arg_key>\n<arg_value>a < b{begun}"
    assert deeds("glm45", text) == [("save", {"path": "a < b"}, "truncated")]


def test_half_an_entity_at_the_end_of_the_text_is_no_part_of_the_value() -> None:
    text = '<function name="save"><param name="path">a &lt;b&g'
    assert deeds("minicpm4_xml", text) == [("save", {"path": "a <b"}, "truncated")]


def test_a_call_that_the_server_cut_behind_a_quoted_closer_is_not_whole() -> None:
    quoted = "<tool>wipe</tool><tool_input>/</tool_input>"
    text = f"<tool>save</tool><tool_input>Use {quoted} b</tool_"
    (call,) = read("langchain_xml", text, finish_reason="length").calls
    assert (call.name, call.status, call.executable) == ("save", "truncated", False)


@pytest.mark.parametrize("closer", ["</sav_file>", "</tools>", "```"])
@pytest.mark.parametrize("behind", ["", "\n<read_file>\n<path>b</path>\n</read_file>"])
def test_another_closer_in_place_of_the_one_that_repeats_the_name(closer: str, behind: str) -> None:
    text = f"<write_to_file>\n<path>a</path>\n{closer}{behind}"
    calls = deeds("roo_xml", text, tool("write_to_file", "path"), tool("read_file", "path"))
    assert calls[0][:2] == ("write_to_file", {"path": "a"})
    assert [each[1] for each in calls[1:]] == ([{"path": "b"}] if behind else [])


def test_an_element_in_a_value_with_prose_behind_it_stays_text() -> None:
    value = "<p>a</path>\n</b> and more"
    text = f"<write_to_file>\n<path>{value}</path>\n</write_to_file>"
    assert deeds("roo_xml", text) == [("write_to_file", {"path": value}, "complete")]


def test_an_element_with_the_name_of_a_tool_that_is_no_argument_begins_the_next_call() -> None:
    first = "<save_note>\n<path>a</path>\n"
    text = f"{first}<read_note>\n<path>b</path>\n</read_note>"
    known = tool("save_note", "path"), tool("read_note", "path")
    assert deeds("void_xml", text, *known) == [
        ("save_note", {"path": "a"}, "repaired"),
        ("read_note", {"path": "b"}, "complete"),
    ]


def test_an_argument_with_the_name_of_a_tool_stays_an_argument() -> None:
    text = "<save_note>\n<read_note>a</read_note>\n</save_note>"
    known = tool("save_note", "read_note"), tool("read_note", "path")
    assert deeds("void_xml", text, *known) == [("save_note", {"read_note": "a"}, "complete")]


@pytest.mark.parametrize("opener", ["<paramter=b>", "<parametr=b>", "<parameters=b>"])
def test_an_opener_one_letter_off_behind_a_closer_begins_an_argument(opener: str) -> None:
    first, second = "<parameter=a>\nx\n</parameter>\n", f"{opener}\ny\n</parameter>\n"
    text = f"<function=save>\n{first}{second}</function>"
    assert deeds("qwen3_xml", text) == [("save", {"a": "x", "b": "y"}, "repaired")]


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("x\n<paramter=b>\ny", id="no closer before it"),
        pytest.param("<paramter=b>", id="nothing before it"),
    ],
)
def test_an_opener_one_letter_off_in_a_value_is_a_doubt(value: str) -> None:
    text = f"<function=save>\n<parameter=a>\nz\n{value}\n</parameter>\n</function>"
    laws.edits(Case(id="near", format="qwen3_xml", text=text))
    (call,) = read("qwen3_xml", text).calls
    assert (call.arguments, call.doubts) == ({"a": f"z\n{value}"}, ("inner-argument",))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("see <paramter=b> there", id="in a line"),
        pytest.param("<parmexxxx=b>", id="another word"),
        pytest.param("<parameter=a>\ny\n</parameter>\nz", id="the same opener, quoted whole"),
        pytest.param(
            "<function=f>\n<parameter=a>\nx\n</parameter>\n<paramter=b>\ny\n</parameter>\n</function>",
            id="in a call that is quoted",
        ),
    ],
)
def test_what_resembles_an_opener_in_a_value_stays_text(value: str) -> None:
    text = f"<function=save>\n<parameter=a>\n{value}\n</parameter>\n</function>"
    (call,) = read("qwen3_xml", text).calls
    assert (call.arguments, call.executable) == ({"a": value}, True)


def test_the_opener_of_an_argument_that_is_awaited_ends_a_value_that_nothing_else_ends() -> None:
    value = "x<parameter=b>\ny"
    text = f"<function=save>\n<parameter=a>\n{value}\n</parameter>\n</function>"
    (call,) = read("qwen3_xml", text, [tool("save", "a", "b")]).calls
    assert (call.arguments, call.executable) == ({"a": "x", "b": "y"}, True)
    for tools in (None, [tool("save", "a")]):
        (call,) = read("qwen3_xml", text, tools).calls
        assert (call.arguments, call.doubts) == ({"a": value}, ("inner-argument",))


@pytest.mark.parametrize("tail", ["<b>x</b>", "```\nx\n```", ""])
def test_a_closer_at_the_end_of_a_text_that_closes_what_the_text_opens_is_none(tail: str) -> None:
    (call,) = read("langchain_xml", f"<tool>save_b</tool><tool_input>a {tail}").calls
    assert (call.input, call.executable) == (f"a {tail}", True)


@pytest.mark.parametrize("tail", ["</tool_inpt>", "</call>", "\n```"])
def test_a_closer_at_the_end_of_a_text_that_a_stop_string_ends_is_a_doubt(tail: str) -> None:
    text = f"<tool>save_b</tool><tool_input>a {tail}"
    laws.edits(Case(id="stop", format="langchain_xml", text=text))
    (call,) = read("langchain_xml", text).calls
    assert (call.input, call.executable) == (f"a {tail}", False)


def test_a_closer_that_stands_twice_behind_a_text_is_a_doubt() -> None:
    text = (
        '<boltArtifact>\n<boltAction type="shell">ls</boltAction>\n</boltAction>\n</boltArtifact>'
    )
    laws.edits(Case(id="twice", format="bolt", text=text))
    (call,) = read("bolt", text).calls
    assert call.doubts == ("stray-close-tag",)


def test_a_sign_for_the_bracket_behind_a_key_is_read_as_that() -> None:
    values = "<parameter=command=view</parameter>\n<parameter=path>/a</parameter>\n"
    text = f"<function=edit>\n{values}</function>"
    assert deeds("qwen3_xml", text) == [("edit", {"command": "view", "path": "/a"}, "repaired")]


@pytest.mark.parametrize("closer", ["</atem:invske>", "</stem:invoke>", "```"])
def test_another_closer_before_the_closer_of_a_section(closer: str) -> None:
    head = '<|start|>assistant to=save<|message|><atem:function_calls>\n<atem:invoke name="save">\n'
    value = '<atem:parameter name="path"><b>a</b></atem:parameter>\n'
    text = f"{head}{value}{closer}\n</atem:function_calls><|eom|>"
    assert deeds("muse", text) == [("save", {"path": "<b>a</b>"}, "repaired")]


def test_half_of_a_closer_of_two_tags_is_completed() -> None:
    value = '<|open|>argument key="path" type="string"<|sep|>a<|close|>argument<|sep|>'
    calls = [
        f'<|open|>call tool="save" index="{index}"<|sep|>{value}<|close|>call' for index in (1, 2)
    ]
    text = f"<|open|>tools<|sep|>{calls[0]}{calls[1]}<|sep|><|close|>tools<|sep|>"
    assert [each[1:] for each in deeds("kimi_k3", text)] == [
        ({"path": "a"}, "repaired"),
        ({"path": "a"}, "complete"),
    ]


@pytest.mark.parametrize(
    "opener", ["<param:eter=days>", "<parmaeter=days>", "<parame ter=days>", "parameter=days>"]
)
def test_a_damaged_opener_of_an_argument_never_joins_two_values_unsaid(opener: str) -> None:
    text = (
        "<function=tide>\n<parameter=place>\nOslo\n</parameter>\n"
        f"{opener}\n3\n</parameter>\n</function>"
    )
    [call] = read("qwen3_xml", text).calls
    assert call.arguments == {"place": "Oslo", "days": "3"} or not call.executable


@pytest.mark.parametrize(
    "value",
    [
        "It ends with </parameter> there.",
        "<parameter=x>\n1\n</parameter>\n",
        "<parameter=place>\n1\n</parameter>\nand more",
    ],
)
def test_a_value_may_speak_of_closers(value: str) -> None:
    text = f"<function=tide>\n<parameter=place>\n{value}\n</parameter>\n</function>"
    [call] = read("qwen3_xml", text).calls
    assert (call.arguments, call.executable) == ({"place": value}, True)


def test_a_closer_at_the_end_of_a_line_in_a_value_makes_the_call_a_doubt() -> None:
    value = "It ends\n</parameter>\nthere."
    text = f"<function=tide>\n<parameter=place>\n{value}\n</parameter>\n</function>"
    result = read("qwen3_xml", text)
    assert (result.calls[0].arguments, result.calls[0].doubts) == (
        {"place": value},
        ("stray-close-tag",),
    )
    assert [each.severity for each in result.diagnostics] == ["error"]


@pytest.mark.parametrize(
    ("format_id", "written", "value"),
    [
        ("functiongemma", "escape>Oslo<escape>", "escape>Oslo<escape>"),
        ("functiongemma", "[<esape>Oslo<escape>]", ["<esape>Oslo<escape>"]),
        ("gemma4", '<"|>Oslo<|"|>', '<"|>Oslo<|"|>'),
    ],
)
def test_a_quote_in_a_bare_word_makes_the_call_a_doubt(
    format_id: str, written: str, value: object
) -> None:
    opener, closer = {
        "gemma4": ("<|tool_call>call:", "<tool_call|>"),
        "functiongemma": ("<start_function_call>call:", "<end_function_call>"),
    }[format_id]
    result = read(format_id, f"{opener}tide{{place:{written},days:3}}{closer}")
    [call] = result.calls
    assert call.arguments == {"place": value, "days": 3}
    assert (call.doubts, call.executable) == (("missing-quote",), False)


CALL = '{"name": "tide", "arguments": {"place": "Narvik"}}\n</tool_call>'


@pytest.mark.parametrize(
    "opener",
    ["<tool_cal>", "<toolcall>", "<tool_calls>", "<tool_acll>", "<tool_call|>", "<tol_call>"],
)
@pytest.mark.parametrize("before", ["", "Look: <b>here</b>\n", f"<tool_call>\n{CALL}\n"])
def test_an_opener_one_character_off_begins_a_call(opener: str, before: str) -> None:
    text = f"{before}{opener}\n{CALL}"
    assert deeds("hermes", text)[-1] == ("tide", {"place": "Narvik"}, "repaired")
    result = read("hermes", text)
    [problem] = result.diagnostics
    assert (problem.code, problem.severity) == ("misspelt", "warning")
    assert text[problem.span.start : problem.span.end] == opener
    assert [edit.replacement for edit in problem.edits] == ["<tool_call>"]
    assert parse(text, format="hermes", strict=True).calls == result.calls[:-1]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The <tool_cal> tag, misspelt.", id="prose behind it"),
        pytest.param("<blockquote>\nNo call.\n</blockquote>", id="another tag"),
    ],
)
def test_what_resembles_an_opener_in_text_stays_text(text: str) -> None:
    result = read("hermes", text)
    assert (result.calls, result.text, result.diagnostics) == ((), text, ())


@pytest.mark.parametrize("text", ['<tool_cell>\n{"city": "Oslo"}', "<tool_cal>\n{"])
def test_what_resembles_an_opener_before_what_is_no_call_is_told_of(text: str) -> None:
    result = read("hermes", text)
    assert (result.calls, result.text) == ((), text)
    assert [(each.code, each.severity) for each in result.diagnostics] == [("unread-call", "error")]


@pytest.mark.parametrize(
    ("format_id", "opener", "written"),
    [
        ("mistral_json", "[TOOL_CALLS]", "[TOOL_CALL]"),
        ("kimi_k2", "<|tool_calls_section_begin|>", "<|tool_calls_section_begn|>"),
        (
            "deepseek_v3_1",
            "<\uff5ctool\u2581calls\u2581begin\uff5c>",
            "<\uff5ctool\u2581calls\u2581begn\uff5c>",
        ),
        ("seed_oss", "<seed:tool_call>", "<seed:tool_cal>"),
    ],
)
def test_the_opener_of_a_section_is_mended_likewise(
    format_id: str, opener: str, written: str
) -> None:
    wire = formats[format_id].render([ToolCall("tide", {"place": "Narvik"})])
    assert opener in wire
    assert deeds(format_id, wire.replace(opener, written)) == [
        ("tide", {"place": "Narvik"}, "repaired")
    ]


def test_white_space_inside_of_quoted_markup_is_no_repair() -> None:
    text = (
        '<|open|>tools<|sep|><|open|>call tool="on_air"\nindex="1"<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>"
    )
    assert deeds("kimi_k3", text) == [("on_air", {}, "complete")]


def test_a_quote_is_put_in_behind_a_backslash_that_stays_one() -> None:
    text = '<function_call> {"name": "send\\, "arguments": {"to": "c"}}'
    assert deeds("granite_20b_fc", text) == [("send\\", {"to": "c"}, "repaired")]


@pytest.mark.parametrize(("before", "names"), [("\n", ["get"]), ("\n  ", ["get"]), (" ", [])])
def test_a_name_behind_white_space(before: str, names: list[str]) -> None:
    text = f"<tool_call>{before}get<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>"
    assert [call.name for call in read("glm47", text).calls] == names


@pytest.mark.parametrize(
    "behind", [" km", "\nor four", "\nor four</ifm|arg_value></ifm|tool_call>"]
)
def test_text_behind_a_value_without_its_closer_makes_a_doubt(behind: str) -> None:
    value = "<ifm|arg_key>n</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>3"
    result = read("k2_horizon", f"<ifm|tool_calls><ifm|tool_call>f{value}{behind}")
    [call] = result.calls
    assert (call.arguments, call.doubts, call.executable) == (
        {"n": 3},
        ("missing-close-tag",),
        False,
    )


def test_a_fence_that_opens_in_a_call_may_be_that_of_another() -> None:
    text = "```yaml\naction: note\nparameters:\n  text: a\n  ```yaml\naction: find\nquery: b\n```"
    assert "stray-close-tag" in read("yaml_fence", text).calls[0].doubts
