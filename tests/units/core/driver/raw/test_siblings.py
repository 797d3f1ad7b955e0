"""A raw value without its closer ends before what cannot be a part of it."""

from typing import Any

import pytest

from tests.units.core.cuts import read


def _tool(name: str, required: list[str], **types: str) -> dict[str, object]:
    properties = {key: {"type": kind} for key, kind in types.items()}
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "parameters": schema}


_TOOLS = [
    _tool("weather", ["city"], city="string", days="integer", unit="string"),
    _tool("now", []),
]
_CLOSER = "</ifm|arg_value>"


def _pair(key: str, value: str) -> str:
    return f"<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_value>{value}"


def _call(arguments: str) -> str:
    return f"<ifm|tool_calls><ifm|tool_call>weather{arguments}</ifm|tool_call></ifm|tool_calls>"


_GLM = "<arg_key>city</arg_key><arg_value>Wien<arg_key>days</arg_key><arg_value>3</arg_value>"


@pytest.mark.parametrize(
    ("format_id", "text", "arguments"),
    [
        pytest.param(
            "k2_horizon", _call(_pair("city", "Wien") + _pair("days", "3") + _CLOSER),
            {"city": "Wien", "days": 3}, id="one",
        ),
        pytest.param(
            "k2_horizon",
            _call(_pair("city", "Wien") + _pair("days", "3") + _pair("unit", "C") + _CLOSER),
            {"city": "Wien", "days": 3, "unit": "C"}, id="two in a row",
        ),
        pytest.param(
            "k2_horizon", _call(_pair("city", "Wien") + _pair("days", "3")),
            {"city": "Wien", "days": 3}, id="the last one too",
        ),
        pytest.param(
            "k2_horizon",
            _call(
                _pair("city", "Wien") + "<ifm|arg_key>days</ifm|arg_key>"
                "<ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>3" + _CLOSER
            ),
            {"city": "Wien", "days": 3}, id="what follows says its type",
        ),
        pytest.param(
            "hy_v4", f"<tool_calls><tool_call>weather{_GLM}</tool_call></tool_calls>",
            {"city": "Wien", "days": 3}, id="the second way to write a tag",
        ),
        pytest.param(
            "glm47", f"<tool_call>weather{_GLM}</tool_call>", {"city": "Wien", "days": 3},
            id="pairs in one line",
        ),
    ],
)  # fmt: skip
def test_openers_that_nothing_closes_begin_arguments(
    format_id: str, text: str, arguments: dict[str, Any]
) -> None:
    result = read(format_id, text, tools=_TOOLS)
    [call] = result.calls
    assert (call.arguments, call.status, call.executable) == (arguments, "repaired", True)
    assert {(each.code, each.severity) for each in result.diagnostics} == {
        ("missing-close-tag", "warning")
    }


@pytest.mark.parametrize(
    ("arguments", "expected", "doubt"),
    [
        pytest.param(
            _pair("city", f"Use {_pair('days', '3')}{_CLOSER} so{_CLOSER}"),
            {"city": f"Use {_pair('days', '3')}{_CLOSER} so"}, "inner-argument", id="it is closed",
        ),
        pytest.param(
            _pair("city", f"A{_pair('days', '3')}{_CLOSER}{_pair('unit', 'C')}{_CLOSER} so{_CLOSER}"),
            {"city": "A", "days": 3, "unit": f"C{_CLOSER} so"}, "stray-close-tag",
            id="a closer is left over in what follows",
        ),
        pytest.param(
            _pair("city", f"A{_pair('height', '3')}{_CLOSER}"),
            {"city": f"A{_pair('height', '3')}"}, "inner-argument", id="the tool does not have it",
        ),
        pytest.param(
            _pair("city", f"\n{_pair('city', 'A')}{_CLOSER}\n{_pair('days', '3')}{_CLOSER}"),
            {"city": f"\n{_pair('city', 'A')}{_CLOSER}", "days": 3}, "inner-argument",
            id="it is begun twice",
        ),
    ],
)  # fmt: skip
def test_openers_that_may_be_quoted_are_doubted(
    arguments: str, expected: dict[str, Any], doubt: str
) -> None:
    [call] = read("k2_horizon", _call(arguments), tools=_TOOLS).calls
    assert call.arguments == expected
    assert doubt in call.doubts
    assert not call.executable


def test_a_cut_in_an_argument_that_is_not_certain_leaves_it_in_the_value() -> None:
    text = "<ifm|tool_calls><ifm|tool_call>weather" + _pair("city", "A") + _pair("days", "3")
    [call] = read("k2_horizon", text, tools=_TOOLS).calls
    assert (call.arguments, call.status) == ({"city": "A" + _pair("days", "3")}, "truncated")


def test_an_opener_at_the_beginning_of_a_line_ends_the_value_though_the_text_is_cut() -> None:
    text = "<tool_call>\n<function=weather>\n<parameter=city>\nWien\n<parameter=days>\n3"
    [call] = read("qwen3_coder", text, tools=_TOOLS).calls
    assert (call.arguments, call.status) == ({"city": "Wien"}, "truncated")


_STEP3 = (
    "<|tool_calls_begin|>\n<|tool_call_begin|>function<|tool_sep|>"
    '<steptml:invoke name="weather"><steptml:parameter name="city">A</steptml:invoke>'
    "<|tool_call_end|>\n<|tool_calls_end|>"
).replace("|", "\uff5c")


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        pytest.param("step3", _STEP3, id="the call is closed by two tags"),
        pytest.param(
            "anthropic_legacy",
            "<function_calls>\n<invoke>\n<tool_name>weather</tool_name>\n"
            "<parameters>\n<city>A</parameters>\n</invoke>\n</function_calls>",
            id="the arguments are closed before the call",
        ),
    ],
)
def test_the_closer_of_the_call_ends_a_value_whole(format_id: str, text: str) -> None:
    for behind in ("", "\n" + text.replace(">A<", ">B<")):
        calls = read(format_id, text + behind, tools=_TOOLS).calls
        assert [call.arguments for call in calls] == [{"city": "A"}, {"city": "B"}][: len(calls)]
        assert {call.status for call in calls} == {"repaired"}
        # The second may be quoted in the value of the first, which lacks its closer.
        assert [call.doubts for call in calls] == [(), ("quoted-call",)][: len(calls)]


@pytest.mark.parametrize("format_id", ["roo_xml", "void_xml"])
def test_a_closer_before_in_a_value_that_lacks_one_is_doubted(format_id: str) -> None:
    text = "<weather>\n<city>Wien</city>\n35</days>\n</weather>"
    result = read(format_id, text, tools=_TOOLS)
    [call] = result.calls
    assert (call.arguments, call.status) == ({"city": "Wien</city>\n35</days>"}, "repaired")
    assert call.doubts == ("stray-close-tag",)
    assert ("stray-close-tag", "error") in [(d.code, d.severity) for d in result.diagnostics]


@pytest.mark.parametrize("format_id", ["roo_xml", "roo_multi"])
def test_the_first_of_two_openers_of_a_call_is_text(format_id: str) -> None:
    text = "<weather><weather>\n<city>Wien</city>\n<days>3</days>\n</weather>\n<now></now>"
    result = read(format_id, text, tools=_TOOLS)
    assert result.text == "<weather>"
    assert [(call.name, call.arguments) for call in result.calls] == [
        ("weather", {"city": "Wien", "days": 3}),
        ("now", {}),
    ]
    assert all(call.executable for call in result.calls)
    assert [each.code for each in result.diagnostics] == ["unread-call"]


def test_an_argument_may_be_named_as_its_tool() -> None:
    tools = [_tool("weather", [], weather="string")]
    [call] = read("roo_xml", "<weather><weather>rain</weather>\n</weather>", tools=tools).calls
    assert (call.arguments, call.status) == ({"weather": "rain"}, "complete")


@pytest.mark.parametrize("text", ["", "3", "-", "tru", "nul"])
def test_no_value_is_made_up_for_a_key_whose_value_was_cut(text: str) -> None:
    typed = "<ifm|arg_key>days</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>"
    begun = "<ifm|tool_calls><ifm|tool_call>weather" + _pair("city", "A") + _CLOSER
    [call] = read("k2_horizon", begun + typed + text, tools=_TOOLS).calls
    assert (call.arguments, call.status) == ({"city": "A"}, "truncated")


@pytest.mark.parametrize(
    ("attributes", "doubts"),
    [
        ('language="French times="2"', ("inner-argument",)),
        ('language="French times=2"', ()),
        ('language="a = b" times="2"', ()),
    ],
)
def test_an_attribute_that_lost_its_quote_is_doubted_where_no_tool_is_known(
    attributes: str, doubts: tuple[str, ...]
) -> None:
    [call] = read("sk_plan", f"<function.translate {attributes}/>").calls
    assert call.doubts == doubts
