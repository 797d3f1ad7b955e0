"""A call that only its spelling keeps from being read is told of, and never runs."""

import html
import json
import re

import pytest

import toolgrammar
from tests.units.core.cuts import read

_TOOLS: list[dict[str, object]] = [
    {"name": "get_ferry", "parameters": {"type": "object", "properties": {"line": {}}}}
]


@pytest.mark.parametrize("given", ["named", "auto"])
@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        (
            "hermes",
            '<tool\u200b_call>\n{"name": "get_ferry", "arguments": {"line": "A"}}\n</tool_call>',
        ),
        (
            "hermes",
            'Soon.\n<tool_call>\n{"na\u2060me": "get_ferry", "arguments": {}}\n</tool_call>',
        ),
        ("react", "Action:\u00ad get_ferry\nAction Input\u200d: A"),
        ("fenced_json", '```js\u200con\n{"name": "get_ferry", "arguments": {"line": "A"}}\n```'),
        ("simple_agent", "\ufeff\U0001f6e0\ufe0f get_ferry A"),
        ("functionary_v3_1", '<fu\u200dnction=get_ferry>{"line": "A"}</function>'),
    ],
)
def test_a_call_behind_it_is_read_or_told_of(given: str, format_id: str, text: str) -> None:
    result = read("auto" if given == "auto" else format_id, text, tools=_TOOLS)
    assert result.calls or not result.ok


def test_it_says_where_it_stands() -> None:
    result = read("auto", "<fu\u200dnction=get_ferry>{}</function>")
    [found] = result.diagnostics
    assert (found.code, found.severity, found.span) == (
        "unread-call",
        "error",
        toolgrammar.Span(3, 4),
    )


@pytest.mark.parametrize("format_id", ["auto", "hermes", "react"])
@pytest.mark.parametrize(
    "text",
    [
        "A family: \U0001f468\u200d\U0001f469\u200d\U0001f467.",
        "Donau\u00addampfer leave at <b>nine</b>\u200b.",
        "Write `<tool_call>`\u200b around it.",
        "\ufeffHello.",
    ],
)
def test_prose_with_such_characters_is_prose(format_id: str, text: str) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert (result.calls, result.ok, result.text) == ((), True, text)


_CALL = '<tool_call>\n{"name": "get_ferry", "arguments": {"line": "A"}}\n</tool_call>'
_SPELT = [
    html.escape(_CALL),
    _CALL.replace("<", "&#60;").replace('"', "&#34;"),
    _CALL.replace("tool_call", "TOOL_CALL"),
    _CALL.replace("tool_call", "Tool_Call"),
    _CALL.replace("tool_call", "TOOL_CALL").replace('"name"', '"NAME"'),
    re.sub(r"([_<>])", r"\\\1", _CALL),
    json.dumps(_CALL),
    re.sub(r"<(/?\w+)>", r"< \1 >", _CALL),
    re.sub(r"<(/?)(\w+)>", r"<\1 \2>", _CALL).replace("<tool", "< tool"),
    _CALL.replace("tool_call>", "tool_call >"),
    _CALL.translate({ord(each): ord(each) + 0xFEE0 for each in "<>{}:,/"}),
]


@pytest.mark.parametrize("text", _SPELT)
def test_a_call_that_is_spelt_otherwise_is_told_of(text: str) -> None:
    told = read("hermes", text)
    assert told.calls == ()
    assert [each.code for each in told.diagnostics] == ["unread-call"]
    # A given tool is named: a call was meant.
    assert not read("hermes", text, tools=_TOOLS).ok


@pytest.mark.parametrize(
    "text",
    [_CALL.replace("tool_call", "tool-call"), re.sub(r"<(/?\w+)>", r"[\1]", _CALL)],
    ids=["hyphens", "square"],
)
def test_an_object_tells_that_a_tag_beside_it_is_misspelt(text: str) -> None:
    [call] = read("hermes", text, tools=_TOOLS).calls
    assert (call.name, call.status) == ("get_ferry", "repaired")


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("gemma4", "\uff1c\uff5ctool_call\uff1ecall:get_ferry{line:1}\uff1ctool_call\uff5c\uff1e"),
        ("gemma4", "<|TOOL_CALL>call:get_ferry{line:1}<TOOL_CALL|>"),
        (
            "qwen3_xml",
            "[tool_call]\n[function=f]\n[parameter=a]\n1\n[/parameter]\n[/function]\n[/tool_call]",
        ),
        ("glm45", "<tool-call>f\n<arg-key>a</arg-key>\n<arg-value>1</arg-value>\n</tool-call>"),
        (
            "anthropic_invoke",
            '< invoke name="f" >\n< parameter name="a" >1< /parameter >\n< /invoke >',
        ),
        ("roo_xml", "<read-file>\n<path>a</path>\n</read-file>"),
        ("k2_horizon", "[ifm|tool_calls][ifm|tool_call]f[/ifm|tool_call][/ifm|tool_calls]"),
        ("solar_open2", "<|TOOL_CALL:START|>get_ferry\n<|TOOL_CALL:END|>"),
    ],
)
def test_so_is_one_with_bars_in_its_tags(format_id: str, text: str) -> None:
    assert [each.code for each in read(format_id, text).diagnostics] == ["unread-call"]


@pytest.mark.parametrize("text", _SPELT)
@pytest.mark.parametrize("format_ids", ["auto", ["hermes", "llama3_json"]])
def test_of_several_formats_another_may_read_its_object(
    format_ids: str | list[str], text: str
) -> None:
    found = read(format_ids, text, tools=_TOOLS)
    assert [call.name for call in found.calls] == ["get_ferry"] or not found.ok


@pytest.mark.parametrize("format_id", ["auto", "hermes", "llama3_json"])
@pytest.mark.parametrize(
    "text",
    [
        "Write &lt;tool_call&gt; and the object, then &lt;/tool_call&gt;.",
        "See <ToolCall name='x'/> and List<Action> in the sources.",
        r"It is snake\_case: tool\_call, \<b\>.",
        '"The tool" is what they call it.',
        "Write \uff1ctool_call\uff1e around the object \uff5b\uff5d.",
        "[Call me](https://a.b/tool), or see [tools] and [function calls](#x).",
        "Where a < call_count and b > 2, use <my-tool></my-tool> or [tool_call].",
        "if x < function_y(1) > 0:\n    return List[Action]",
        "<my-card>\n<path>a</path>\n</my-card> [b]bold[/b] < b >x< /b >",
    ],
)
def test_prose_about_markup_in_other_spellings_is_prose(format_id: str, text: str) -> None:
    result = read(format_id, text, tools=_TOOLS)
    assert (result.calls, result.diagnostics, result.text) == ((), (), text)
