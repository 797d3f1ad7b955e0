"""A call in Python that can't be read costs no other call of its list."""

import pytest

from tests.units.core.cuts import read


@pytest.mark.parametrize(
    "bad",
    [
        "f(a=b'z')",
        "f(a=b'z', b=2)",
        "f(a=g(1), b=2)",
        "f(a=x)",
        "f(a=x, b=[1, (y)])",
        "f(a=[1, x], b='(')",
        "f(1)",
    ],
)
@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("pythonic", "[{}, now()]"),
        ("lfm2", "<|tool_call_start|>[{}, now()]<|tool_call_end|>"),
        ("olmo3", "<function_calls>{}\nnow()</function_calls>"),
    ],
)
def test_the_calls_beside_it_are_read(format: str, text: str, bad: str) -> None:
    result = read(format, text.format(bad))
    first, second = result.calls
    assert not first.executable
    assert first.status in ("unreadable", "truncated")
    assert (second.name, second.status) == ("now", "complete")
    assert [each.code for each in result.diagnostics] == ["malformed-arguments", "malformed-call"]
    assert result.text == ""


@pytest.mark.parametrize(
    "bad",
    [
        "f(a=b'z, now()), now()",
        "f(a=f'{x), now()'), now()",
        "f(a='x'.y), now() z'), now()",
        "f(a=x], now()",
        "f(a=x, now()",
    ],
)
def test_what_may_stand_in_a_string_or_in_the_call_does_not_run(bad: str) -> None:
    for call in read("pythonic", f"[{bad}]").calls:
        assert not call.executable


def test_a_call_that_ends_far_away_is_not_looked_for() -> None:
    text = f"[f(a=x, b='{'y' * 600}'), now()]"
    assert [call.name for call in read("pythonic", text).calls] == ["f"]
