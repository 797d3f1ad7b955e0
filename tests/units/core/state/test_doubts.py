"""A call in which something may have been meant otherwise is read, told of, and not run."""

import json

import pytest

from tests.units.core.cuts import read
from toolgrammar.testing import Case, laws

_TOOLS: list[dict[str, object]] = [
    {
        "name": "find",
        "parameters": {
            "type": "object",
            "properties": {
                "start": {"type": "string"},
                "stops": {"type": "array", "items": {"type": "string"}},
                "limits": {"type": "object"},
            },
            "required": ["start"],
        },
    }
]
_GLM = (
    "<tool_call>find\n<arg_key>start</arg_key>\n<arg_value>Oslo</arg_value>\n"
    '<arg_key>stops</arg_key>\n<arg_value>["a"]</arg_value>\n</tool_call>'
)
_KIMI = (
    '<|open|>tools<|sep|><|open|>call tool="find" index="1"<|sep|>'
    '<|open|>argument key="start" type="string"<|sep|>Oslo<|close|>argument<|sep|>'
    '<|open|>argument key="stops" type="array"<|sep|>["a"]<|close|>argument<|sep|>'
    '<|open|>argument key="limits" type="object"<|sep|>{"price": 2}<|close|>argument<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|>"
)
_MINIMAX = (
    "]<]minimax[>[<tool_call>\n"
    ']<]minimax[>[<invoke name="find">]<]minimax[>[<start>Oslo]<]minimax[>[</start>'
    "]<]minimax[>[<stops>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[</stops>"
    "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
)


def _hermes(arguments: str) -> str:
    return f'<tool_call>\n{{"name": "find", "arguments": {arguments}}}\n</tool_call>'


@pytest.mark.parametrize(
    ("format_id", "text", "doubt"),
    [
        pytest.param(
            "glm45", _GLM.replace("Oslo</arg_value>", "<arg_valeu>Oslo</arg_valeu>"), "misspelt",
            id="a value ends with what resembles its closer, and is opened in it",
        ),
        pytest.param(
            "kimi_k3", _KIMI.replace('<|open|>argument key="limits', '<|open|c>argument key="limits'),
            "missing-close-tag", id="text that begins with markup, where closers are put in",
        ),
        pytest.param(
            "kimi_k3", _KIMI.replace('<|open|>argument key="limits', '<|opern|>argument key="limits'),
            "missing-close-tag", id="text behind markup that was left out",
        ),
        pytest.param(
            "minimax_m3", _MINIMAX.replace("[<stops>", "[<<stops>"), "missing-close-tag",
            id="half of a closer, and markup where the other half should stand",
        ),
        pytest.param(
            "minimax_m3", _MINIMAX.replace("[<stops>", "[stops>"), "missing-close-tag",
            id="what half of a closer shares with other tags, and text behind it",
        ),
        pytest.param(
            "hermes", _hermes('{"start": "Oslo", "stops": ["a"]], "limits": {"price": 2}}'),
            "skipped-markup", id="a bracket too many, and arguments beside the arguments",
        ),
        pytest.param(
            "hermes", _hermes('{"start": "Oslo"}, "stops": ["a"]}'), "skipped-markup",
            id="the arguments end before their last member",
        ),
        pytest.param(
            "hermes", _hermes('{"start": "Oslo"}, "type": "function", "limits": {"price": 2}'),
            "skipped-markup", id="an argument beside the arguments, and nothing mended",
        ),
    ],
)  # fmt: skip
def test_the_call_is_doubted(format_id: str, text: str, doubt: str) -> None:
    result = read(format_id, text, tools=_TOOLS)
    [call] = result.calls
    assert doubt in call.doubts
    assert not call.executable
    if doubt != "bracket":  # what tells of it is a bracket, or a closer that is left over
        assert (doubt, "error") in [(each.code, each.severity) for each in result.diagnostics]
    assert result.diagnostics


_AS_LINE, _AS_DOCUMENT = "start: Oslo\n", "start <<EOF\nOslo\nEOF\n"


@pytest.mark.parametrize("written", [_AS_LINE, _AS_DOCUMENT, _AS_DOCUMENT.replace("\n", "\r\n")])
@pytest.mark.parametrize(
    ("behind", "is_doubted"),
    [
        ("stops:a\n", True),
        ("stops", True),
        ("- stops: a", True),
        ("  **stops**: a", True),
        ("- title: a", False),
        ("- Stops are few.", False),
        ("stops were found", True),
        ("\nstops were found", False),
        ("stopsa", False),
        ("start:b", True),
        ("title alpha", True),
        ("Then I wait\n", False),
        ("Then I wait\nstops: b", True),
        ("a <EOF\nb", True),
        ("I wait.", False),
        ("", False),
    ],
)
def test_a_line_behind_a_call_may_be_another_argument(
    written: str, behind: str, *, is_doubted: bool
) -> None:
    [call] = read("reploid0", f"TOOL: find\n{written}{behind}", tools=_TOOLS).calls
    assert call.arguments == {"start": "Oslo"}
    assert (call.doubts == ("inner-argument",)) is is_doubted


@pytest.mark.parametrize(
    ("behind", "runs"),
    [
        ("I wa", False),
        ("I wait.\n", False),
        ("I wait.\nst", False),
        ("I wait.\nSo it is", True),
        ("\nI wa", True),
    ],
)
def test_a_line_that_the_server_cut_may_be_another_argument(behind: str, *, runs: bool) -> None:
    text = f"TOOL: find\nstart: Oslo\n{behind}"
    [call] = read("reploid0", text, tools=_TOOLS, finish_reason="length").calls
    assert (call.arguments, call.executable) == ({"start": "Oslo"}, runs)
    [call] = read("reploid0", text, tools=_TOOLS).calls
    assert call.executable


@pytest.mark.parametrize(
    ("behind", "runs"),
    [
        ("]<]minimax[>[</invoke>", True),
        ("]<m", False),
        ("}", False),
        (" I wait.", False),
        ("", False),
    ],
)
def test_elements_without_the_closer_of_their_call_may_lack_some(
    behind: str, *, runs: bool
) -> None:
    mark = "]<]minimax[>["
    text = f'{mark}<tool_call>\n{mark}<invoke name="find">{mark}<start>Oslo{mark}</start>{behind}'
    [call] = read("minimax_m3", text, tools=_TOOLS).calls
    assert (call.arguments, call.executable) == ({"start": "Oslo"}, runs)


def test_an_opener_in_any_case_ends_a_value_without_its_closer() -> None:
    text = (
        "```tool\nTOOL_NAME: find\nBEGIN_ARG: start\nOslo\nEND_AG\n"
        'begin_arg: stops\n["a"]\nEND_ARG\n```'
    )
    [call] = read("continue_tool", text, tools=_TOOLS).calls
    assert (call.arguments, call.status) == ({"start": "Oslo\nEND_AG"}, "truncated")


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        pytest.param("glm45", _GLM.replace("Oslo</arg_value>", "Oslo"), id="no closer at all"),
        pytest.param(
            "glm45", _GLM.replace("Oslo</arg_value>", "a <b>c</b>"), id="another tag in the value"
        ),
        pytest.param(
            "kimi_k3", _KIMI.replace("<|close|>call<|sep|><|close|>tools<|sep|>", " I wait."),
            id="prose where closers are put in",
        ),
        pytest.param(
            "minimax_m3", _MINIMAX.replace("[</invoke>", "["), id="half of a closer, and a line end"
        ),
        pytest.param("hermes", _hermes('{"start": "Oslo", "stops": ["a"]]'), id="a wrong bracket"),
        pytest.param(
            "hermes", _hermes('{"start": "Oslo"}, "type": "function", "note": {"price": 2}'),
            id="members beside the arguments that are none of the tool's",
        ),
    ],
)  # fmt: skip
def test_it_is_not_where_the_meaning_is_plain(format_id: str, text: str) -> None:
    [call] = read(format_id, text, tools=_TOOLS).calls
    assert (call.arguments or {})["start"].startswith(("Oslo", "a <b>c</b>"))
    assert call.executable


@pytest.mark.parametrize("name", ["", "  ", "\\n"])
@pytest.mark.parametrize(
    ("form", "wire"),
    [
        ("hermes", '<tool_call>\n{{"name": "{}", "arguments": {}}}\n</tool_call>'),
        ("llama3_json", '{{"name": "{}", "parameters": {}}}'),
        ("mistral_json", '[TOOL_CALLS][{{"name": "{}", "arguments": {}}}]'),
        ("fenced_json", '```json\n{{"name": "{}", "arguments": {}}}\n```'),
        ("autogpt_json", '{{"thoughts": {{}}, "command": {{"name": "{}", "args": {}}}}}'),
    ],
)
@pytest.mark.parametrize("arguments", [{}, {"a": 1, "b": "c"}])
def test_a_call_with_a_blank_name_is_doubted(
    form: str, wire: str, name: str, arguments: dict[str, object]
) -> None:
    sound = wire.format("now", json.dumps(arguments))
    for _ in range(4):  # the short ways learn from what they see
        assert read(form, sound).ok
    result = read(form, wire.format(name, json.dumps(arguments)))
    found = [(call.arguments, call.doubts, call.executable) for call in result.calls]
    assert found == [(arguments, ("empty-name",), False)]
    assert [each.code for each in result.diagnostics] == ["empty-name"]
    assert not result.ok


def test_a_call_beside_one_with_a_blank_name_is_read() -> None:
    text = '[TOOL_CALLS][{"name": "a", "arguments": {}}, {"name": "", "arguments": {}}]'
    assert [call.executable for call in read("mistral_json", text).calls] == [True, False]


@pytest.mark.parametrize("blanks", ["", " ", "\t"])
@pytest.mark.parametrize("arguments", ["", "BEGIN_ARG: a\nx\nEND_ARG\n"])
def test_a_label_without_the_name_behind_it_is_doubted(blanks: str, arguments: str) -> None:
    result = read("continue_tool", f"```tool\nTOOL_NAME:{blanks}\n{arguments}```")
    found = [(call.name, call.arguments, call.doubts) for call in result.calls]
    assert found == [("", {"a": "x"} if arguments else {}, ("empty-name",))]


def test_a_call_without_a_name_behind_another_is_told_of() -> None:
    text = '[TOOL_CALLS][{"name": "a", "arguments": {}}, {"arguments": {}}]'
    result = read("mistral_json", text)
    assert [call.name for call in result.calls] == ["a"]
    assert [(each.code, each.severity) for each in result.diagnostics] == [
        ("malformed-call", "error")
    ]


@pytest.mark.parametrize(
    ("format_id", "text", "doubt"),
    [
        (
            "hermes",
            '<tool_call>\n{"name": "f", "arguments": {"at": [[54.9,<tool_call>\n',
            "bracket",
        ),
        ("hermes", '<tool_call>\n{"name": "f", "arguments": {"a": 41\n<tool_call>\n', "bracket"),
        ("trinity", '<tool_call>\n{"name": "f", "arguments": {"a": "b"<think>', "bracket"),
        ("gptme_tool", '@f(c1): {"a": "A"\n@g(c2): {}', "bracket"),
        ("gemma4", "<|tool_call>call:f{a:{b:1,<|tool_call>call:g{}<tool_call|>", "bracket"),
        (
            "sk_plan",
            '<plan>\n<function.f a="3" <plan>\n<function.g/>\n</plan>',
            "missing-close-tag",
        ),
        (
            "qwen3_xml",
            "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n<tool_call>\n<function=g>",
            "missing-close-tag",
        ),
    ],
)
def test_a_call_that_another_breaks_off_does_not_run(format_id: str, text: str, doubt: str) -> None:
    laws.edits(Case(id=format_id, format=format_id, text=text))
    result = read(format_id, text)
    assert result.calls[0].name == "f"
    assert result.calls[0].doubts == (doubt,)
    assert not result.ok


def test_a_call_is_broken_off_before_prose_too() -> None:
    first = (
        "<ifm|tool_calls><ifm|tool_call>f<ifm|arg_key>a</ifm|arg_key>"
        "<ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>2</ifm|arg_value>"
    )
    whole = f"{first}</ifm|tool_call></ifm|tool_calls>"
    calls = read("k2_horizon", f"{first}\nSorry, again:\n{whole}").calls
    assert [call.doubts for call in calls] == [("missing-close-tag",), ()]


def test_a_call_with_a_damaged_closer_is_not_broken_off() -> None:
    first = "<read_file><path>ebb.rs</path></read_filfe>"
    second = "<read_file><path>flow.rs</path></read_file>"
    text = f'<multi_tool_use mode="parallel">\n{first}\n{second}\n</multi_tool_use>'
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    given: list[dict[str, object]] = [{"name": "read_file", "parameters": schema}]
    # Without the tool the names are those of the header.
    for tools in (given, None):
        first_call, second_call = read("roo_multi", text, tools).calls
        assert (first_call.status, first_call.executable) == ("repaired", True)
        assert (second_call.arguments, second_call.doubts) == (
            {"path": "flow.rs"},
            ("quoted-call",),
        )


def test_the_last_line_of_a_call_may_be_broken_off() -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    text = "```yaml\naction: look\nquery: tid\n\n```yaml\naction: look\nquery: tide\n```"
    found = read("yaml_fence", text, [{"name": "look", "parameters": schema}])
    assert found.calls[0].doubts == ("missing-close-tag",)


def test_a_call_with_all_arguments_that_there_are_is_not_broken_off() -> None:
    text = (
        "<function=f><parameter=a>1</parameter>\n<function=g><parameter=b>2</parameter></function>"
    )
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools: list[dict[str, object]] = [{"name": each, "parameters": schema} for each in "fg"]
    first = read("openhands_fn", text, tools).calls[0]
    assert (first.arguments, first.status, first.executable) == ({"a": "1"}, "repaired", True)


def test_the_text_below_a_key_without_a_value_may_be_its_value() -> None:
    for below, runs in (
        ("<b>x</b>", False),
        ('{"price": 2}', False),
        ("", True),
        ("\nThen.", True),
    ):
        [call] = read("reploid0", f"TOOL: find\nstart:\n{below}\n", _TOOLS).calls
        assert (call.arguments, call.executable) == ({"start": ""}, runs)


def test_what_opens_a_call_or_an_answer_breaks_a_call_off() -> None:
    text = (
        "<|start|>assistant to=functions.find<|channel|>analysis <|constrain|>xml<|message|>"
        '<rfl:parameter name="start">Oslo</rfl:parameter>\n<|start|>assistant to=find<|message|>'
    )
    [call] = read("beam", text, tools=_TOOLS).calls
    assert call.doubts == ("missing-close-tag",)
