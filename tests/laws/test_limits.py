"""What is as long as a limit allows is read; one character more is not, and that is said.

Whole, in pieces and character by character. The numbers stand here once more on purpose: a limit
that changes shows here, and a page or a docstring may name it.
"""

from collections.abc import Callable
from typing import NamedTuple

import pytest

import toolgrammar
from toolgrammar import Parser, ParseResult, ToolSpec

INTEGER = ToolSpec("f", parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
PIECE = 7
BESIDE = "skipped-markup"
"""A member beside the arguments is said, and nothing is wrong with it."""


class Limit(NamedTuple):
    name: str
    most: int
    format: str
    text: Callable[[int], str]
    """A text with so much of what is limited."""
    beyond: str
    """Statuses and codes of the message with one more."""
    within: str = "complete"
    tools: tuple[ToolSpec, ...] = ()


def hermes(arguments: str) -> str:
    return f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'


def qwen(name: str = "f", key: str = "a", value: str = "1", gap: str = "", before: str = "") -> str:
    argument = f"<parameter={key}>\n{value}\n</parameter>"
    return f"<tool_call>{before}<function={name}>\n{argument}{gap}</function>\n</tool_call>"


LIMITS = (
    Limit(
        "depth of objects", 200, "hermes",
        lambda n: hermes('{"a":' * n + "1" + "}" * n),
        "truncated: limit-depth malformed-call",
    ),
    Limit(
        "depth of lists", 199, "hermes",
        lambda n: hermes('{"a":' + "[" * n + "]" * n + "}"),
        "truncated: limit-depth malformed-call",
    ),
    Limit(
        "depth of Python's lists", 199, "pythonic",
        lambda n: "[f(a=" + "[" * n + "]" * n + ")]",
        "unreadable: limit-depth malformed-call",
    ),
    Limit(
        "digits of a JSON number", 4300, "hermes",
        lambda n: hermes('{"a": ' + "1" * n + "}"),
        "unreadable: malformed-arguments malformed-call",
    ),
    Limit(
        "digits of a Python number", 4300, "pythonic",
        lambda n: "[f(a=" + "1" * n + ")]",
        "unreadable: malformed-arguments malformed-call",
    ),
    Limit(
        "digits that a schema makes a number", 4300, "qwen3_xml",
        lambda n: qwen(value="1" * n),
        "complete: schema-mismatch",
        tools=(INTEGER,),
    ),
    Limit(
        "a float that is exactly an integer", 9007199254740991, "hermes",
        lambda n: hermes(f'{{"a": {n}.0}}'),
        "complete: ",
        within="complete: schema-type",
        tools=(INTEGER,),
    ),
    Limit(
        "characters of a name in markup", 1024, "qwen3_xml",
        lambda n: qwen(name="f" * n),
        ": unread-call",
    ),
    Limit(
        "characters of a key in markup", 1024, "qwen3_xml",
        lambda n: qwen(key="k" * n),
        "unreadable: malformed-call missing-close-tag",
    ),
    Limit(
        "characters of a key in an attribute", 1024, "anthropic_invoke",
        lambda n: f'<invoke name="f"><parameter name="{"k" * n}">1</parameter></invoke>',
        "unreadable: malformed-call",
    ),
    Limit(
        "characters of a name in JSON, with its quotes", 1022, "hermes",
        lambda n: hermes("{}").replace('"f"', f'"{"f" * n}"'),
        ": unread-call",
    ),
    Limit(
        "characters of a name on a line", 1024, "react",
        lambda n: f"Action: {'f' * n}\nAction Input: {{}}",
        ": unread-call",
    ),
    Limit(
        "characters from an opener to a call in JSON", 4060, "hermes",
        lambda n: f'<tool_call>{" " * n}{{"name": "f", "arguments": {{}}}}</tool_call>',
        ": unread-call",
    ),
    Limit(
        "characters from an opener to a name on a line", 4074, "react",
        lambda n: "Action: f" + "\n" * n + "Action Input: {}",
        ": unread-call",
    ),
    Limit(
        "tokens from an opener to the name", 13, "hermes",
        lambda n: hermes("{}").replace('"name"', '"k": 1, ' * n + '"name"'),
        ": unread-call",
    ),
    Limit(
        "blanks between the closers of a raw value", 256, "qwen3_xml",
        lambda n: qwen(gap=" " * n),
        "repaired: stray-close-tag missing-close-tag",
    ),
    Limit(
        "blanks behind a quote inside a string", 255, "hermes",
        lambda n: hermes(f'{{"a": "x"{" " * n}y", "b": 1}}'),
        "repaired: comma bare-key colon missing-quote",
        within="repaired: inner-quote",
    ),
    Limit(
        "characters before a call in which a backtick quotes it", 1022, "hermes",
        lambda n: f"Use `{'x' * n} {hermes('{}')}",
        "complete: ",
        within=": unread-call",
    ),
    Limit(
        "blanks in a tag whose section lacks its opener", 64, "minimax_m2",
        lambda n: f'<invoke{" " * n}name="f">\n<parameter name="a">1</parameter>\n</invoke>',
        ": unread-call",
        within="repaired: missing-open-tag missing-close-tag",
        tools=(INTEGER,),
    ),
)  # fmt: skip


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_a_limit_holds_exactly(limit: Limit) -> None:
    for count, wanted in ((limit.most, limit.within), (limit.most + 1, limit.beyond)):
        text = limit.text(count)
        # More than once: the shortcut fuses the tokens that it has seen before.
        for _ in range(4):
            whole = toolgrammar.parse(text, format=limit.format, tools=limit.tools)
            assert told(whole) == wanted.removesuffix(": "), count
        for size in (PIECE, 1):
            assert streamed(text, limit, size) == whole.to_dict(), (count, size)


@pytest.mark.parametrize("member", ["k", "arguments"])
def test_a_value_before_the_name_may_be_of_any_length(member: str) -> None:
    value = f'{{"x": "{"y" * 20_000}"}}'
    rest = "" if member == "arguments" else ', "arguments": {}'
    text = f'<tool_call>{{"{member}": {value}, "name": "f"{rest}}}</tool_call>'
    for _ in range(4):
        assert told(toolgrammar.parse(text, format="hermes")) == "complete"


@pytest.mark.parametrize(("count", "listed"), [(256, 256), (257, 257), (258, 257), (600, 257)])
def test_so_many_diagnostics_of_a_code_are_listed(count: int, listed: int) -> None:
    text = hermes('{"a": 1,}') * count
    found = toolgrammar.parse(text, format="hermes")
    assert len(found.calls) == count
    assert len(found.diagnostics) == listed
    assert ("more" in found.diagnostics[-1].message) == (count > 256)


def told(result: ParseResult) -> str:
    statuses = ", ".join(call.status for call in result.calls)
    codes = " ".join(found.code for found in result.diagnostics if found.code != BESIDE)
    return f"{statuses}: {codes}" if codes else statuses


def streamed(text: str, limit: Limit, size: int) -> dict[str, object]:
    parser = Parser(limit.format, tools=limit.tools)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    found: dict[str, object] = parser.result.to_dict()
    return found
