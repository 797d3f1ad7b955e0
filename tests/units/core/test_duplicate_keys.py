"""An argument that comes twice: the last one counts, and with other values the call is doubted."""

# ruff: noqa: RUF001  (the bars of DSML)

import pytest

from tests.units.core.cuts import read

_QWEN = "<tool_call>\n<function=find>\n{}</function>\n</tool_call>"
_LINE = "<parameter=n>\n{}\n</parameter>\n"
_DSML = '<｜DSML｜parameter name="n" string="{}">{}</｜DSML｜parameter>\n'
_TOOLS: list[dict[str, object]] = [
    {"name": "find", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
]


def _dsml(*values: tuple[str, str]) -> str:
    pairs = "".join(_DSML.format(*each) for each in values)
    name = '<｜DSML｜invoke name="find">\n'
    return f"<｜DSML｜tool_calls>\n{name}{pairs}</｜DSML｜invoke>\n</｜DSML｜tool_calls>"


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        pytest.param("qwen3_xml", _QWEN.format(_LINE.format(1) + _LINE.format(2)), id="raw"),
        pytest.param("deepseek_v4", _dsml(("true", "1"), ("true", "2")), id="a string"),
        pytest.param("deepseek_v4", _dsml(("false", "1"), ("false", "2")), id="JSON"),
        pytest.param("deepseek_v4", _dsml(("false", "true"), ("false", "1")), id="equal in Python"),
        pytest.param("pythonic", "[find(n=1, n=2)]", id="Python"),
        pytest.param("gemma4", "<|tool_call>call:find{n:1,n:2}<tool_call|>", id="bare"),
        pytest.param("reploid0", "TOOL: find\nn: 1\nn: 2\n", id="lines"),
    ],
)
@pytest.mark.parametrize("tools", [None, _TOOLS], ids=["no tools", "tools"])
def test_other_values_are_a_doubt(
    format_id: str, text: str, tools: list[dict[str, object]] | None
) -> None:
    result = read(format_id, text, tools)
    (call,) = result.calls
    assert "duplicate-key" in call.doubts
    assert not call.executable
    assert str(call.arguments["n"]) in ("2", "1")


def test_the_last_value_counts() -> None:
    result = read("qwen3_xml", _QWEN.format(_LINE.format("a") + _LINE.format("b")))
    assert result.calls[0].arguments == {"n": "b"}


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("qwen3_xml", _QWEN.format(_LINE.format(1) * 2)),
        ("pythonic", "[find(n=1, n=1)]"),
        ("gemma4", "<|tool_call>call:find{n:1,n:1}<tool_call|>"),
    ],
)
def test_equal_values_are_none(format_id: str, text: str) -> None:
    result = read(format_id, text)
    assert result.calls[0].executable
    assert [(each.code, each.severity) for each in result.diagnostics] == [
        ("duplicate-key", "warning")
    ]


@pytest.mark.parametrize(
    ("written", "doubts"),
    [
        ('{"q": "A", "q": "B"}', ("duplicate-key",)),
        ('{"q": [{"z": 1, "z": 2}]}', ("duplicate-key",)),
        ('{"q": "A", "q": "A"}', ()),
        ('{"q": "A", "p": "A"}', ()),
    ],
)
@pytest.mark.parametrize("format_id", ["qwen3_xml", "glm45", "roo_xml"])
def test_a_key_that_stands_twice_in_json_of_a_raw_value_is_doubted(
    format_id: str, written: str, doubts: tuple[str, ...]
) -> None:
    tools: list[dict[str, object]] = [
        {"name": "put", "parameters": {"properties": {"o": {"type": "object"}}}}
    ]
    text = {
        "qwen3_xml": "<tool_call>\n<function=put>\n<parameter=o>\n%s\n</parameter>\n</function>\n"
        "</tool_call>",
        "glm45": "<tool_call>put\n<arg_key>o</arg_key>\n<arg_value>%s</arg_value>\n</tool_call>",
        "roo_xml": "<put>\n<o>%s</o>\n</put>",
    }[format_id] % written
    for _ in range(3):  # the whole reader learns how calls look
        [call] = read(format_id, text, tools=tools).calls
        assert call.doubts == doubts


@pytest.mark.parametrize(
    "second", ['"arguments": ', '"arguments":', '"arguments": 5', '"arguments": x']
)
def test_the_first_arguments_of_a_call_stay_whatever_stands_for_the_second(second: str) -> None:
    text = f'<tool_call>{{"name": "find", "arguments": {{"n": 1}}, {second}}}</tool_call>'
    (call,) = read("hermes", text).calls
    assert (call.arguments, call.raw_arguments) == ({"n": 1}, '{"n": 1}')
    assert (call.doubts, call.error) == (("duplicate-key",), None)
