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


@pytest.mark.parametrize("bad", ["f(a=1", "f(a=True, b=2", "f(a=[1, 2]", "f(a={'b': 1}", "f(a=[1"])
def test_one_without_its_closer_costs_no_call_in_the_next_line(bad: str) -> None:
    text = f"<function_calls>\nnow()\n{bad}\ng(b=2)\nh(c='x')\n</function_calls>"
    now, first, *others = read("olmo3", text).calls
    assert (now.name, now.status, first.name, first.executable) == ("now", "complete", "f", False)
    assert [(call.name, call.arguments, call.status) for call in others] == [
        ("g", {"b": 2}, "complete"),
        ("h", {"c": "x"}, "complete"),
    ]


def test_no_word_behind_its_string_is_lost() -> None:
    text = "<function_calls>\nf(a='1'\ng(b=2)\n</function_calls>"
    result = read("olmo3", text)
    assert [(call.arguments, call.executable) for call in result.calls] == [({"a": "1"}, False)]
    assert result.text == "g(b=2)\n</function_calls>"


@pytest.mark.parametrize(
    "text",
    [
        'run(code="f("a", b=1\nremove(path=1)")',
        "run(code='x = 'a'\nremove(path=1)')",
        "run(code=1\nremove(path='1)",
        "run(code=1\nremove(path=1) and more",
        "run(code=1\nand remove(path=1)",
    ],
)
def test_what_may_stand_in_its_string_is_no_call(text: str) -> None:
    result = read("olmo3", f"<function_calls>\n{text}\n</function_calls>")
    assert not any(call.executable for call in result.calls)
