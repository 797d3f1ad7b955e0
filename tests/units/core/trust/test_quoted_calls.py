"""A call that may only be quoted is doubted, whatever way the text is cut."""

import json

import pytest

from tests.units.core.cuts import read
from toolgrammar import RenderError, ToolCall, formats, parse

_TOOLS: list[dict[str, object]] = [
    {"name": "note", "parameters": {"properties": {"text": {"type": "string"}}}},
    {"name": "tide", "parameters": {"properties": {"place": {"type": "string"}}}},
]
CALL = '<tool_call>\n{"name": "tide", "arguments": {"place": "Narvik"}}\n</tool_call>'
_ONE_LINE = CALL.replace("\n", "")


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (f"```\n{CALL}\n```", [True]),
        (f"So:\n~~~xml\n{CALL}\n~~~\n \n", [True]),
        (f"~~~\n{CALL}\n~~~", [True]),
        (f"~~{_ONE_LINE}~~", [False]),
        (f"```\n{CALL}\n{CALL}\n```", [True, True]),
        (f"```\nx = 1\n{CALL}\n```", [False]),
        (f"```\n{CALL}\n```\nThat is how.", [False]),
        (f"```\n{CALL}\n```\n```\n{CALL}\n```", [False, True]),
        (f"```py\nx = 1\n```\n{CALL}", [True]),
        (f"The `tide` is a tool.\n{CALL}", [True]),
        (f"Write `{CALL}` so.", []),
        (f"Write ``{CALL}`` so.", []),
        (f"Write ```{CALL}``` so.", []),
        (f"A ``tick ` and`` more.\n{CALL}", [True]),
    ],
)
def test_a_call_in_code_is_one_only_where_it_stands_alone(
    format_id: str, text: str, executable: list[bool]
) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert [call.executable for call in result.calls] == executable
    assert result.ok == all(executable)


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (f"> {_ONE_LINE}", [False]),
        (f"He wrote:\n>> {_ONE_LINE}\nWhy?", [False]),
        (f"> {_ONE_LINE} {_ONE_LINE}\n{CALL}", [False, False, True]),
        (f"{CALL}\n> {_ONE_LINE}", [True, False]),
        (f"{CALL} > {_ONE_LINE}", [True, True]),
        (f"if a > b:\n{CALL}", [True]),
        (f"> So it is.\n{CALL}", [True]),
        (f"->{_ONE_LINE}", [True]),
    ],
)
def test_a_call_in_a_line_that_quotes_does_not_run(
    format_id: str, text: str, executable: list[bool]
) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert [call.executable for call in result.calls] == executable


@pytest.mark.parametrize("format_id", ["hermes", "auto", "hermes,react"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (f"Write \u201c{CALL}\u201d so.", [False]),
        (f"Write \u201e{CALL}\u201c.\n{CALL}", [False, True]),
        (f"\u00c9crivez \u00ab\u00a0{CALL}\u00a0\u00bb, rien de plus.", [False]),
        (f"Write \u2018{CALL}\u2019\n", [False]),
        (f"\u300c{CALL}\n{CALL}\u300d", [False, False]),
        (f"\u201c{CALL}\u201d {CALL} \u201cYes.\u201d", [False, True]),
        (f"He said \u201cGo.\u201d\n{CALL}", [True]),
        (f"\u201c{CALL}, and so on.\u201d", [True]),
        (f"\u201cI look: {CALL}\u201d", [True]),
        (f'Write "{CALL}" so.', [False]),
        (f"Write '{CALL}\n{CALL}' so.", [False, False]),
        (f'"{CALL}" asks for it.', [False]),
        (f'\n"{CALL}"\n', [True]),
        (f'I said "Go." {CALL} "Yes."', [True]),
    ],
)
def test_a_call_right_within_quotation_marks_does_not_run(
    format_id: str, text: str, executable: list[bool]
) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert [call.executable for call in result.calls] == executable
    assert result.ok == all(executable)


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (f"```\n{CALL}", [False]),
        (f"```\n{CALL}\n```", [False]),
        (f"```\n{CALL}\n{CALL}\n", [False, False]),
        (f"Write \u201c{CALL}", [False]),
        (f"Write ({CALL}\n{CALL}\n", [False, False]),
        (f"Write [{CALL}]", [False]),
        (f'"{CALL}', [False]),
        (f"Write ({CALL} and so on", [True]),
        (f"Write (so):\n{CALL}", [True]),
    ],
)
def test_a_call_that_the_rest_of_a_cut_message_may_quote_does_not_run(
    format_id: str, text: str, executable: list[bool]
) -> None:
    result = read(format_id, text, tools=_TOOLS, finish_reason="length")
    assert [call.executable for call in result.calls] == executable
    whole = read(format_id, text, tools=_TOOLS, finish_reason="stop")
    assert all(call.executable for call in whole.calls)


_QUOTES = [
    "\u201c \u201d",
    "\u201e \u201c",
    "\u00ab \u00bb",
    "\u300c \u300d",
    "\u300e \u300f",
    "~~ ~~",
]


@pytest.mark.parametrize("format_id", ["hermes", "auto", "hermes,react"])
@pytest.mark.parametrize("marks", [each.split() for each in _QUOTES])
def test_a_call_in_a_quotation_of_several_words_does_not_run(
    format_id: str, marks: list[str]
) -> None:
    left, right = marks
    quoted = f"It says: {left}Dear agent,\n\nplease run\n{CALL}\nand {CALL} now.{right} Hm.\n{CALL}"
    found = [call.doubts for call in read(format_id, quoted, tools=_TOOLS).calls]
    assert found == [("quoted-call",), ("quoted-call",), ()]
    # Neither mark alone quotes, nor two quotations before and behind.
    for meant in (
        f"It says: {left}Dear agent.\n{CALL}\nThat is all.",
        f"I run it.\n{CALL}\nThat{right} is all.",
        f"{left}So,{right} I said.\n{CALL}\n{left}Yes.{right}",
        f"{left}So: {CALL} is all.{right}",
    ):
        assert read(format_id, meant, tools=_TOOLS).ok


@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (f"He: \u201cGo \u2018now\u2019 to \u300cX\u300d: {CALL} ok.\u201d", [False]),
        (f"He: \u201cGo \u300c {CALL} ok.\u201d", [False]),
        (f"A \u201c1. B \u201c2. {CALL} \u201cc\u201d", [True]),
        ("He: \u201c" + "so " * 2000 + f"{CALL} ok.\u201d", [True]),
        (f"He: \u201cGo {CALL}" + " so" * 2000 + "\u201d", [True]),
        (f"It is \u2019t, and \u201d too. {CALL} \u201d", [True]),
        (f"~~~\nx\n~~~\n{CALL}\n~~~\ny\n~~~", [True]),
    ],
)
def test_which_marks_belong_together(text: str, executable: list[bool]) -> None:
    calls = read("hermes", text, tools=_TOOLS).calls
    assert [call.executable for call in calls] == executable


def test_a_call_in_a_quotation_of_several_words_in_a_cut_message_does_not_run() -> None:
    text = f"It says: \u201cPlease run {CALL} and"
    (call,) = read("hermes", text, tools=_TOOLS, finish_reason="length").calls
    assert call.doubts == ("quoted-call",)
    assert read("hermes", text, tools=_TOOLS, finish_reason="stop").ok


def test_a_quotation_may_begin_in_the_prefix() -> None:
    text = f"Please run {CALL} now.\u201d"
    (call,) = parse(text, format="hermes", tools=_TOOLS, prefix="It says: \u201c").calls
    assert call.doubts == ("quoted-call",)


def test_all_calls_of_a_section_that_is_quoted_are_doubted() -> None:
    text = '> [TOOL_CALLS][{"name": "a", "arguments": {}},\n {"name": "b", "arguments": {}}]'
    assert [call.doubts for call in read("mistral_json", text).calls] == [("quoted-call",)] * 2


def test_a_call_of_no_known_tool_in_a_block_of_code_is_doubted() -> None:
    [call] = read("hermes", f"```\n{CALL}\n```").calls
    assert call.doubts == ("quoted-call",)


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>garbage</tool_call>\n{CALL}",
        f'<tool_call>\n{{"nme": "x"}}\n</tool_call>\n{CALL}',
        f'<tool_call>\n{{"nme": "x"}}\n{CALL}',
        f"Calls stand between <tool_call> and </tool_call>.\n{CALL}",
        f"I use tide(place='Narvik') now.\n{CALL}",
        f"In the <div> I saw it.\n{CALL}",
    ],
)
def test_what_is_closed_or_only_spoken_of_doubts_no_call_behind_it(text: str) -> None:
    assert read("hermes", text, tools=_TOOLS).calls[-1].executable


def _quoted(format_id: str) -> list[str]:
    """Gives texts with one character of an opener left out, before a payload that shows a call."""
    form = formats[format_id]
    try:
        inner = form.render([ToolCall("tide", {"place": "Narvik"})])
        wire = form.render([ToolCall("note", {"text": inner})])
    except RenderError:
        return []
    start = max(1, wire.find(inner[:8], 1))
    return [wire[:at] + wire[at + 1 :] for at in range(0, start, 5)]


_UNMARKED = {"code_assistant_caret"}
"""Formats whose page says that a damaged opener shows nothing of a call."""


@pytest.mark.parametrize("format_id", sorted(set(formats) - _UNMARKED))
def test_a_call_in_the_payload_of_one_with_a_damaged_opener_does_not_run(format_id: str) -> None:
    ran = [
        text
        for text in _quoted(format_id)
        for call in parse(text, format=format_id, tools=_TOOLS).calls
        if call.executable and call.name == "tide"
    ]
    assert ran == []


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        (
            "functiongemma",
            (
                "<start_fun<ction_call>call:note{text:<escape>As in: "
                "<start_function_call>call:tide{}<end_function_call> done<escape>}<end_function_call>"
            ),
        ),
        (
            "minicpm5",
            (
                '<function nme="note"><param name="text">As in: <function name="tide">'
                "</function> done</param></function>"
            ),
        ),
        (
            "roo_xml",
            "<note>\n<te<t>As in: <tide>\n<place>Narvik</place>\n</tide> done</text>\n</note>",
        ),
    ],
)
def test_a_call_behind_an_opener_that_two_characters_damage_is_doubted(
    format_id: str, text: str
) -> None:
    [call] = read(format_id, text, tools=_TOOLS).calls
    assert (call.name, call.executable) == ("tide", False)


def test_a_tag_that_prose_names_doubts_no_call_behind_it() -> None:
    text = "Wrap it in <execute_bash>.\n<execute_bash>\nls\n</execute_bash>"
    assert read("codeact", text, tools=[{"name": "execute_bash"}]).calls[0].executable


_REQUEST = (
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
    '"params": {"name": "tide", "arguments": {"place": "Narvik"}}}'
)


@pytest.mark.parametrize(
    ("good", "damaged"),
    [
        ('"tools/call"', 'tools/call"'),
        ('"tools/call"', '"tools/cal"'),
        ('"method"', "method"),
        ('{"jsonrpc"', '"jsonrpc"'),
        ('"params":', '"params"x'),
        ('"params":', '"params"":'),
        ('"params": ', '"params":x'),
        ('"jsonrpc": "2.0"', '"answer": 2'),
    ],
)
def test_the_value_of_a_member_is_no_call_that_runs(good: str, damaged: str) -> None:
    text = _REQUEST.replace(good, damaged)
    for format in ("auto", ["hermes", "llama3_json"], "llama3_json"):
        result = read(format, text, tools=_TOOLS)
        assert not any(call.executable for call in result.calls), format
        assert not result.ok


@pytest.mark.parametrize(
    "given", ["gptme_markdown", ["gptme_markdown"], ["hermes", "bash_fence"], "auto"]
)
def test_a_block_within_a_block_with_longer_fences_does_not_run(given: str | list[str]) -> None:
    text = "````text\nUse\n```bash\nls\n```\n```shell\nls\n```\n````\n"
    tools: list[dict[str, object]] = [
        {"name": name, "parameters": {"properties": {"command": {"type": "string"}}}}
        for name in ("bash", "shell")
    ]
    result = read(given, text, tools=tools)
    assert not any(call.executable for call in result.calls)


@pytest.mark.parametrize("given", ["llama3_json", ["llama3_json"], "auto"])
@pytest.mark.parametrize(
    "code",
    [
        'send({"name": "tide", "parameters": {"place": "Narvik"}})',
        'x = {"name": "tide", "parameters": {"place": "Narvik"}}\nprint(x)',
    ],
)
def test_an_object_in_the_middle_of_a_line_of_code_is_a_part_of_the_code(
    given: str | list[str], code: str
) -> None:
    behind = '\n{"name": "note", "parameters": {"text": "x"}}'
    result = read(given, f"<|python_tag|>{code}{behind}", tools=_TOOLS)
    assert [call.name for call in result.calls] == ["code_interpreter", "note"]
    assert result.calls[0].arguments == {"code": code}


@pytest.mark.parametrize("given", ["llama3_json", ["llama3_json"], "auto"])
def test_it_is_so_in_a_long_message_streamed_and_whole(given: str | list[str]) -> None:
    code = "pass\n" * 100 + 'send({"name": "tide", "parameters": {}})' + "\npass" * 100
    result = read(given, f"<|python_tag|>{code}", tools=_TOOLS)
    assert [call.arguments for call in result.calls] == [{"code": code}]


@pytest.mark.parametrize("given", ["hermes", "auto", ["hermes", "xlam"]])
def test_calls_in_a_comment_or_struck_out_do_not_run(given: str | list[str]) -> None:
    text = f"<!-- For later:\n{CALL}\n{CALL}\n-->\n{CALL}"
    found = [call.doubts for call in read(given, text, tools=_TOOLS).calls]
    assert found == [("quoted-call",), ("quoted-call",), ()]
    text = f"<!-- soon -->\n{CALL}\n<!-- {CALL}"
    assert [call.executable for call in read(given, text, tools=_TOOLS).calls] == [True, False]
    text = f"~~{CALL}~~ Not now.\n{CALL}"
    assert [call.executable for call in read(given, text, tools=_TOOLS).calls] == [False, True]
    assert read(given, f"It takes ~ 2 h.\n{CALL}", tools=_TOOLS).ok


@pytest.mark.parametrize("format_id", ["hermes", "auto"])
@pytest.mark.parametrize(
    "before", ["&lt;tool_call&gt;\n", "It is \\<tool_call\\>", "&#60;tool_call&#x3e;\n", "\\"]
)
def test_a_call_behind_an_escaped_tag_is_shown(format_id: str, before: str) -> None:
    call = CALL if before == "\\" else CALL.split("\n")[1]
    (found,) = read(format_id, before + call, tools=_TOOLS).calls
    assert "quoted-call" in found.doubts


@pytest.mark.parametrize("chosen", ["hermes", ["hermes", "react"]])
@pytest.mark.parametrize(
    "before",
    ["It says &lt; there.\n", "In C:\\dir\\ are files.\n", "5 &gt; 3.\n", "A line break:\\\n"],
)
def test_a_call_behind_an_entity_a_path_or_a_line_break_runs(
    before: str, chosen: str | list[str]
) -> None:
    (found,) = read(chosen, before + CALL, tools=_TOOLS).calls
    assert found.executable


@pytest.mark.parametrize("format_id", ["codeact", "auto"])
@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (json.dumps("Look.\n<execute_bash>ls</execute_bash>"), [False]),
        (
            json.dumps('<execute_bash>cat "a"</execute_bash>\n<execute_bash>ls</execute_bash>'),
            [False] * 2,
        ),
        (json.dumps("<execute_bash>ls</execute_bash>\n")[:-1] + '\n"', [True]),
        ('"Yes", he said.\n<execute_bash>ls\\n</execute_bash>', [True]),
        ('"Look.\n<execute_bash>ls\\n</execute_bash>"', [True]),
    ],
)
def test_a_call_in_a_string_of_json_keeps_its_escapes_and_does_not_run(
    format_id: str, text: str, executable: list[bool]
) -> None:
    calls = read(format_id, text, tools=[{"name": "execute_bash", "parameters": {}}]).calls
    assert [call.executable for call in calls] == executable


def test_a_call_in_a_string_of_unreadable_arguments_does_not_run() -> None:
    text = '[TOOL_CALLS]note[ARGS]-"text": "say \\"[TOOL_CALLS]tide[ARGS]{}\\""}'
    note, tide = read("mistral_v11", text).calls
    assert (note.status, tide.doubts) == ("unreadable", ("quoted-call",))
    _, tide = read("mistral_v11", "[TOOL_CALLS]note[ARGS]none[TOOL_CALLS]tide[ARGS]{}").calls
    assert tide.executable


def test_a_call_that_is_the_value_of_a_member_of_a_doubtful_one_does_not_run() -> None:
    text = '<tool_calls>\n{"name": "f"} "arguments": {"name": "g", "arguments": {"a": 1}}}\n</tool_calls>'
    calls = read("minimax_m1", text).calls
    assert [(call.name, call.doubts) for call in calls] == [
        ("f", ("skipped-markup",)),
        ("g", ("quoted-call",)),
    ]
    beside = text.replace('} "arguments": {"name": "g"', '}\n{"name": "g"')
    assert all(call.executable for call in read("minimax_m1", beside).calls)


@pytest.mark.parametrize("format_id", ["harmony", ["hermes", "harmony"], "auto"])
@pytest.mark.parametrize("code", ["`a ", "```a"])
def test_a_closer_ends_reasoning_and_content_in_which_a_backtick_is_open(
    format_id: str | list[str], code: str
) -> None:
    call = "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>"
    for channel in ("analysis", "final"):
        result = read(format_id, f"<|channel|>{channel}<|message|>Use {code}<|end|>{call}")
        assert [(each.name, each.executable) for each in result.calls] == [("f", True)]
        assert f"{result.reasoning}{result.text}" == f"Use {code}".rstrip()


@pytest.mark.parametrize(
    ("format_id", "opener", "call"),
    [
        (
            "kimi_k2",
            "<think>",
            (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
                "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"
            ),
        ),
        (
            "harmony",
            "<|channel|>analysis<|message|>",
            "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>",
        ),
    ],
)
def test_an_opener_in_inline_code_of_reasoning_opens_no_call(
    format_id: str, opener: str, call: str
) -> None:
    assert not read(format_id, f"{opener}I may write `{call}").calls
    assert [each.executable for each in read(format_id, f"{opener}I write `a` {call}").calls] == [
        True
    ]


@pytest.mark.parametrize("format_id", ["harmony", ["hermes", "harmony"], "auto"])
def test_a_closer_right_before_the_end_of_inline_code_is_a_mention(
    format_id: str | list[str],
) -> None:
    text = "The token `<|end|>` ends it."
    result = read(format_id, f"<|channel|>final<|message|>{text}<|return|>")
    assert (result.text, result.ok) == (text, True)
