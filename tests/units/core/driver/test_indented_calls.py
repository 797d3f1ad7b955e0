"""White space before a call that begins its line is a part of its opener, behind a call as well."""

import pytest

from tests.units.core.cuts import read

_TOOLS: list[dict[str, object]] = [
    {"name": "send", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}
]


@pytest.mark.parametrize("format_id", ["pythonic", "llama4_pythonic", "auto"])
@pytest.mark.parametrize("blanks", ["\n", "\n    ", "\n\n\t", "  \n  \n      "])
def test_a_call_in_an_indented_line_behind_a_call_is_read(format_id: str, blanks: str) -> None:
    text = blanks.join(f"send(to={name!r})" for name in ("Ada", "Bo", "Cy"))
    result = read(format_id, f"    {text}\n", tools=_TOOLS)
    assert [call.arguments["to"] for call in result.calls] == ["Ada", "Bo", "Cy"]
    assert result.ok


def test_a_closer_left_over_in_an_indented_line_is_dropped_still() -> None:
    call = '<tool_call>{"name": "send", "arguments": {"to": "Ada"}}</tool_call>'
    result = read("hermes", f"{call}\n    </tool_call>\nDone.", tools=_TOOLS)
    assert [each.code for each in result.diagnostics] == ["stray-close-tag"]
    assert result.text == "Done."


def test_white_space_without_end_behind_a_call_is_text() -> None:
    result = read("pythonic", f"send(to='Ada')\n{' ' * 3000}send(to='Bo')", tools=_TOOLS)
    assert len(result.calls) == 1
