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
