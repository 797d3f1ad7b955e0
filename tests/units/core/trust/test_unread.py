"""A call that becomes text, as it could not be read, is told of."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import Format, RenderError, ToolCall, formats, parse
from toolgrammar.grammar.call_evidence import CERTAIN

CALL = '<tool_call>\n{"name": "tide", "arguments": {"place": "Narvik"}}\n</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        CALL.replace("<tool_call>", "tool_call>"),
        CALL.replace("<tool_call>", "<tool-cal>"),
        CALL.replace('"name"', '"who"'),
        f"{CALL}\nAnd now:\n{CALL.replace('<tool', 'tool')}",
        f"{CALL.replace('<tool', 'tool')}\nAnd now:\n{CALL}",
    ],
)
def test_a_lost_call_is_told_of_once(text: str) -> None:
    result = read("hermes", text)
    [problem] = result.diagnostics
    assert (problem.code, problem.severity, problem.edits) == ("unread-call", "error", ())
    assert f"`{text[problem.span.start : problem.span.end]}`" in problem.message
    assert len(result.calls) == text.count("And now")


@pytest.mark.parametrize(
    "text",
    [
        "Open a call with `<tool_call>`, or with <function=NAME>.",
        'The answer: {"name": "Kari", "age": 41}',
        f"Look: {CALL} That is all.",
        f"<think>\n{CALL.replace('<tool', 'tool')}\n</think>\nNone is needed.",
        CALL.replace("Narvik", "</tool_cal>"),
    ],
)
def test_what_is_no_lost_call_is_not(text: str) -> None:
    assert read("hermes", text).diagnostics == ()


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        (
            "trinity",
            '<think>Now.\n<to`__call>\n{"name": "f", "arguments": {}}\n</tool_call></think>',
        ),
        (
            "apertus",
            '<|inner_prefix|>Now.<|tools_prefix|>[="f": {}}]<|tools_suffix|><|inner_suffix|>',
        ),
        (
            "glm45",
            "<think>Now.\n<tool_cal>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value></think>",
        ),
    ],
)
def test_a_call_is_lost_in_reasoning_that_calls_stand_in_or_end(format_id: str, text: str) -> None:
    result = read(format_id, text)
    assert (result.calls, [each.code for each in result.diagnostics]) == ((), ["unread-call"])
    assert not result.ok


def test_a_call_is_lost_in_an_answer_that_nothing_closes() -> None:
    text = (
        '<|open|>response<|sep|>Now.<|open|>tools<|sep|><|open|>call t}ol="f"<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>"
    )
    assert not read("kimi_k3", text).ok


def test_the_quote_of_a_value_before_its_brackets_quotes_no_closer() -> None:
    text = 'Hi <|tools_prefix|>[/"f": {"a": "London"}}]<|tools_suffix|>'
    assert not read("apertus", text).ok


_TOOLS: list[dict[str, object]] = [
    {"name": "tide", "parameters": {"properties": {"place": {"type": "string"}}}},
    {"name": "list_boats", "parameters": {"properties": {}}},
]


@pytest.mark.parametrize(
    ("format_id", "text", "found"),
    [
        ("react", "Action: tide\nActio Input: {}", "Action: tide"),
        ("llama3_json", '{"name": "tide", "paramters": {}}', '"name": "tide'),
        ("llama3_json", '{"nam": "tide", "parameters": {}}', 'tide", "parameters"'),
        ("harmony", "<|channel|>commentay to=functions.tide <|message|>{}", "functions.tide"),
        ("mistral_v11", '[TOOL_CALLS]tide[AGS]{"place": "Narvik"}', "[TOOL_CALLS]tide"),
        ("pythonic", "Look: [tide(place='Narvik'}]", "tide(place="),
        ("pythonic", "[list_boats(()]", "list_boats"),
        ("functionary_v3_2", ">>list_boats\n{}", "list_boats"),
        ("functionary_v3_2", ">>>list\\_boats\n{}", r"list\_boats"),
        # Sound calls of other formats.
        ("hermes", "<tide>\n<place>Narvik</place>\n</tide>", "tide>\n<place>"),
        ("hermes", 'to=functions.tide <|message|>{"place": "Narvik"}', 'tide <|message|>{"place":'),
        ("mistral_json", "tide\n<arg_key>place</arg_key>", "tide\n<arg_key>place</"),
        (
            "hermes",
            '\uff5csep\uff5c>tide\n```json\n{"place": "Narvik"}',
            'tide\n```json\n{"place":',
        ),
        (
            "mistral_v11",
            'name="tide">\n<\uff5cDSML\uff5cparameter name="place" string="true">',
            'tide">\n<\uff5cDSML\uff5cparameter name="place" ',
        ),
        ("ts_call", "functions.list\\_boats({})", r"list\_boats"),
        ("auto", "Look:\nActio: tide\nArguments: (place: Narvik)", "tide\nArguments: (place:"),
        ("auto", '{"name": "tide", "paramters": {}}', '"name": "tide'),
        ("auto", "Action: tide\nActio Input: {}", "Action: tide"),
    ],
)
def test_the_name_of_a_known_tool_shows_a_call_where_markup_stands_beside_it(
    format_id: str, text: str, found: str
) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert result.calls == ()
    [problem] = result.diagnostics
    assert (problem.code, problem.severity) == ("unread-call", "error")
    assert text[problem.span.start : problem.span.end] == found
    assert read(format_id, text).calls == ()


@pytest.mark.parametrize("format_id", ["react", "pythonic", "ts_call", "mcp_json", "auto"])
@pytest.mark.parametrize(
    "text",
    [
        "I would call tide (it takes a place) for that: shall I?",
        "Use `tide` or `list_boats()` for it.",
        'The tools are ["tide", "list_boats"].',
        "None of (tide) and (boats).",
        "The tide at place: Narvik (in metres) = 3.",
        "functions.tide is what you want (see there).",
        "The text of tides(place=1) and a_tide(place=1).",
        "list_boats",
    ],
)
def test_prose_may_name_tools(format_id: str, text: str) -> None:
    assert read(format_id, text, tools=_TOOLS).diagnostics == ()


def test_what_stands_before_and_behind_a_call_is_judged_by_itself() -> None:
    """Whole and in pieces alike, also where one is read the short way and the other is not."""
    for before, behind in (("[list_boats(()]", " Done." * 30), ("x", "tide(place='Narvik'")):
        result = read("hermes", f"{before}{CALL}{behind}", tools=_TOOLS)
        assert len(result.calls) == 1
        assert [each.code for each in result.diagnostics] == ["unread-call"]


def test_blocks_before_the_last_are_no_lost_calls() -> None:
    tools = [{"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}}]
    text = "bash(command=`ls`):\n```\nls\n```\nor\n```\npwd\n```"
    assert parse(text, format="swe_agent", tools=tools).diagnostics == ()


def test_what_another_report_tells_of_is_not_told_twice() -> None:
    cut = CALL.replace("}}", "} 5")
    codes = [each.code for each in parse(cut, format="hermes").diagnostics]
    assert codes
    assert "unread-call" not in codes


def test_names_of_known_tools_are_signs_where_the_format_names_them() -> None:
    tools = [{"name": "list_tides", "parameters": {"properties": {"path": {"type": "string"}}}}]
    text = "list_tides>\n<path>a.txt</path>\n</list_tides>"
    assert [each.code for each in parse(text, format="roo_xml", tools=tools).diagnostics] == [
        "unread-call"
    ]
    assert parse(text, format="roo_xml").diagnostics == ()


def test_one_report_speaks_of_a_thousand_lost_calls() -> None:
    text = f"{CALL}\nor\n{CALL.replace('<tool', 'tool')}\n" * 1000
    result = parse(text, format="hermes")
    assert len(result.calls) == 1000
    assert [each.code for each in result.diagnostics] == ["unread-call"]


def _unsaid(form: Format) -> list[int] | None:
    """Gives the letters of an opener without which a call is lost in silence.

    None where the format has nothing but its opener and keys to show a call, or writes none.
    """
    try:
        wire = form.render([ToolCall("find_tides", {"place": "Narvik", "days": 3})])
    except RenderError:
        return None
    opener, _, behind = wire.partition("find_tides")
    if not any(weight == CERTAIN and sign in behind for sign, weight in form.tables.signs):
        return None
    tools = [{"name": "find_tides", "parameters": {"properties": {"days": {"type": "integer"}}}}]
    return [
        place
        for place, character in enumerate(opener)
        if character.isalpha()
        for found in [parse(wire[:place] + wire[place + 1 :], format=form, tools=tools)]
        if not found.diagnostics and not found.calls
    ]


@pytest.mark.parametrize("format_id", formats)
def test_a_letter_less_in_the_opener_never_loses_a_call_unsaid(format_id: str) -> None:
    assert not _unsaid(formats[format_id])


@pytest.mark.heavy
def test_most_formats_have_openers_of_letters() -> None:
    assert sum(_unsaid(form) is not None for form in formats.values()) >= 55


_SECTION = "<\uff5ctool▁calls▁begin\uff5c>"
_PART = 'tide<\uff5ctool▁sep\uff5c>{"place": "Narvik"}<\uff5ctool▁call▁end\uff5c>'
_WHOLE = f"<\uff5ctool▁call▁begin\uff5c>{_PART}"
_INVOKE = '<invoke name="tide">\n<parameter name="place">Narvik</parameter>\n</invoke>'


@pytest.mark.parametrize("tools", [None, _TOOLS])
@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        # A warning beside a call tells of its opener, of a whole call in the text it does not.
        ("deepseek_v3_1", f"{_SECTION}{_PART}{_WHOLE}<\uff5ctool▁calls▁end\uff5c>"),
        ("deepseek_v3_1", f"{_SECTION}{_WHOLE}{_PART}<\uff5ctool▁calls▁end\uff5c>"),
        ("minimax_m2", f"<minimax:tool_call>\n{_INVOKE}\n{_INVOKE[1:]}\n</minimax:tool_call>"),
        # Closers that follow each other.
        ("auto", "tide<arg_key>place</arg_key><arg_value>Narvik</arg_value></tool_call>"),
        # Special tokens and words for calls tell in all formats, whoever reads.
        ("auto", "<think>hm\n<tool_call>\n{'nme': 1}"),
        ("auto", f"{_SECTION}<\uff5ctool▁call▁begin\uff5c>tide<\uff5ctool▁sep\uff5c>x"),
        (
            "auto",
            "<\uff5cDSML\uff5cinvoke name='tide'>\n<\uff5cDSML\uff5cparameter name='place'>A</\uff5cDSML\uff5cparameter>",
        ),
        ("auto", "Done.<|close|>think\n"),
        # Reasoning that the end of the text may close.
        ("kimi_k2", "<think>hm<|tool_calls_section_begin|>x"),
        (
            "deepseek_v4_1",
            "<think>hm\n<\uff5cDSML\uff5c calls>\n<\uff5cDSML\uff5c invoke nme='tide'>\n",
        ),
    ],
)
def test_no_lost_call_is_passed_over(
    format_id: str, text: str, tools: list[dict[str, object]] | None
) -> None:
    result = read(format_id, text, tools=tools)
    assert not result.ok


@pytest.mark.parametrize(
    "text",
    [
        "DeepSeek writes `<\uff5ctool▁calls▁begin\uff5c>` and `<\uff5ctool▁sep\uff5c>`.",
        "Open it with <tool_call> and close it with </tool_call>.",
        "Usage: prog [OPTIONS] [ARGS]\nThe rest is text.",
        "<path>a</path>\n<content>x = 1</content>",
        "<think>A <tool_call> is not needed here.",
    ],
)
def test_whoever_speaks_of_formats_has_lost_no_call(text: str) -> None:
    assert read("auto", text).ok


@pytest.mark.parametrize("wanted", ["hermes", ["hermes", "glm45"], "auto"])
@pytest.mark.parametrize(
    ("text", "is_lost"),
    [
        ("<think>\n<tool_call>", True),
        ("<think>I look.\n<tool_calls>\n<tool_call>\n", True),
        ("<think>I use <tool_call>", False),
        ("<think>I use `<tool_call>`", False),
    ],
)
def test_an_opener_that_ends_a_thought_is_a_lost_call(
    wanted: str | list[str], text: str, *, is_lost: bool
) -> None:
    result = read(wanted, text)
    assert (result.calls, result.ok) == ((), not is_lost)


def test_a_fence_right_behind_the_closer_of_reasoning_is_a_lost_call() -> None:
    result = read("gptme_markdown", "<think>Look.</think>```shell\nls\n```")
    assert [(each.code, each.severity) for each in result.diagnostics] == [("unread-call", "error")]
    assert read("gptme_markdown", "<think>Look.</think>```sh\nls\n```").ok


@pytest.mark.parametrize("wanted", [["hermes", "bash_fence"], ["hermes", "yaml_fence"], "auto"])
@pytest.mark.parametrize("language", ["", "xml", "text", "tool_call", "yml"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_fence_around_a_call_is_no_lost_call(
    wanted: str | list[str], language: str, ends: str
) -> None:
    text = f"I look it up.\n\n```{language}\n{CALL}\n```"
    result = parse(text.replace("\n", ends), format=wanted, tools=_TOOLS)
    assert result.ok, result.diagnostics
    assert result.calls[0].executable
    # A lost call in the same block is still told of.
    lost = text.replace(CALL, f"{CALL.replace('<tool', 'tool')}\n{CALL}")
    assert not parse(lost.replace("\n", ends), format=wanted, tools=_TOOLS).ok
