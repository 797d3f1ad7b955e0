"""The scanner of elements: JSON out, typed by schema and shape, the same for every cutting."""

import json
from typing import Any

import pytest

from tests.units.core.cuts import read
from toolgrammar import ToolSpec
from toolgrammar.core.payloads.json.tokens import TOO_DEEP
from toolgrammar.core.payloads.literals.elements import ElementScanner
from toolgrammar.grammar.terminals import Terminal
from toolgrammar.writing.grammar_walk.payloads import payload

SPEC = ToolSpec(
    "f",
    "",
    {
        "type": "object",
        "properties": {
            "s": {"type": "string"},
            "n": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "number"}},
            "o": {
                "type": "object",
                "properties": {"s": {"type": "string"}, "n": {"type": "integer"}},
                "additionalProperties": {"type": "boolean"},
            },
        },
    },
)


def scan(mark: str, *chunks: str, spec: ToolSpec | None = SPEC) -> tuple[list[str], int, str]:
    """Feed the chunks as the driver does; give the pieces of each, what was read, the failure."""
    scanner = ElementScanner(mark=mark, shape=spec.shape if spec else None, max_depth=4)
    pieces, buffer, position = [], "", 0
    for chunk in chunks:
        out: list[str] = []
        buffer += chunk
        position = scanner.feed(buffer, position, out)
        pieces.append("".join(out))
        scanner.finish(out)
        closed = "".join([*pieces[:-1], *out])
        assert not closed or isinstance(json.loads(closed), dict)
        if scanner.done or scanner.failed:
            break
    return pieces, position, scanner.failure


def check(mark: str, text: str, value: object, spec: ToolSpec | None = SPEC) -> None:
    """Scan what ends with `</f>`, whole and cut in every place."""
    marked = text.replace("<", f"{mark}<") + "\n"
    whole = f"{marked}{mark}</f>"
    pieces, end, failure = scan(mark, whole, spec=spec)
    assert (json.loads("".join(pieces)), end, failure) == (value, len(marked), "")
    for at in range(len(whole) + 1):
        cut, end, _ = scan(mark, whole[:at], whole[at:], spec=spec)
        assert ("".join(cut), end) == ("".join(pieces), len(marked))


@pytest.mark.parametrize("mark", ["", "@[", "]<]x[>["])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("<n>5</n>", {"n": 5}),
        ("<n>five</n>", {"n": "five"}),
        ("<s> 5\n </s><n>\n5\n</n>", {"s": " 5\n ", "n": 5}),
        ("<s></s><n></n><list></list><o>\n</o>", {"s": "", "n": "", "list": [], "o": {}}),
        ("<list><x>1</x><item>2.5</item></list>", {"list": [1, 2.5]}),
        ("<list>[1, 2]</list>", {"list": [1, 2]}),
        ("<o> <s>1</s> <n>1</n> <b>true</b> </o>", {"o": {"s": "1", "n": 1, "b": True}}),
        ("<o><item>true</item></o>", {"o": {"item": True}}),
        ("<new><a>1</a><b><c>2</c></b></new>", {"new": {"a": "1", "b": {"c": "2"}}}),
        ("<new><item>1</item><item>2</item></new>", {"new": ["1", "2"]}),
        ("<new><a>1</a><a>2</a><a>3</a></new>", {"new": {"a": ["1", "2", "3"]}}),
        ("<new>1</new><new>2</new><n>3</n>", {"new": ["1", "2"], "n": 3}),
        ("<s>1</s><n>2</n><s>3</s>", {"s": "1", "n": 2}),
        ("<new>x<a>1</a> y </new>", {"new": {"a": "1", "$text": "x y"}}),
    ],
)
def test_values(mark: str, text: str, value: object) -> None:
    check(mark, text, value)


def test_without_a_schema_a_text_is_a_string() -> None:
    check("@", "<n>5</n><l><item>1</item></l>", {"n": "5", "l": ["1"]}, spec=None)


def test_a_tag_without_its_mark_is_text() -> None:
    text = "@<n2>a </n2> <b> @ @< @<1> @</n2>\n@</f>"
    assert json.loads("".join(scan("@", text)[0])) == {"n2": "a </n2> <b> @ @< @<1> "}


def test_in_a_string_only_its_own_closing_tag_counts() -> None:
    text = "@<s>@<b>x@</b>@</o>@</s>@</f>"
    assert json.loads("".join(scan("@", text)[0])) == {"s": "@<b>x@</b>@</o>"}


def test_a_string_streams_and_all_else_comes_at_its_end() -> None:
    chunks = ("@<s>a", "b@", "</", "x@</s", ">@<o>@<n>1", "@</n>@</o>", "@<n>2@</n>", "@</f>")
    assert scan("@", *chunks)[0] == [
        '{"s": "a',
        "b",
        "",
        "@</x",
        '"',
        "",
        ', "o": {"n": 1}',
        ', "n": 2}',
    ]


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("@<n>1@</f>", 5, "`</f>` inside of `<n>`"),
        ("@<a>@<b>1@</a>@</f>", 9, "`</a>` inside of `<b>`"),
        ("@<a>@<a>@<a>@<a>@<a>1", 16, TOO_DEEP),
    ],
)
def test_what_is_not_nested_fails_at_one_place(text: str, at: int, said: str) -> None:
    _, end, failure = scan("@", text)
    assert end == at
    assert said in failure
    for cut in range(len(text) + 1):
        assert scan("@", text[:cut], text[cut:])[1:] == (at, failure)


@pytest.mark.parametrize(
    ("text", "arguments", "paths"),
    [
        ("<n>two</n>", {"n": "two"}, ["n"]),
        ("<n>007</n>", {"n": "007"}, ["n"]),
        ("<n>7</n><list>none</list>", {"n": 7, "list": "none"}, ["list"]),
        ("<list><item>1</item><item>x</item></list>", {"list": [1, "x"]}, ["list.item"]),
        ("<o><n>x</n><b>maybe</b></o>", {"o": {"n": "x", "b": "maybe"}}, ["o.n", "o.b"]),
        ("<n><item>1</item></n>", {"n": ["1"]}, ["n"]),
        ("<n><a>1</a></n>", {"n": {"a": "1"}}, ["n"]),
        ("<n> 7 </n><o></o><list></list><x>1</x>", {"n": 7, "o": {}, "list": [], "x": "1"}, []),
    ],
)
def test_what_a_schema_does_not_take_is_doubted(
    text: str, arguments: dict[str, Any], paths: list[str]
) -> None:
    mark = "]<]minimax[>["
    marked = text.replace("<", f"{mark}<")
    call = f'{mark}<invoke name="f">{marked}{mark}</invoke>'
    whole = f"{mark}<tool_call>\n{call}\n{mark}</tool_call>"
    tool: dict[str, object] = {"name": "f", "parameters": SPEC.parameters}
    result = read("minimax_m3", whole, tools=[tool])
    [found] = result.calls
    assert (found.arguments, found.status) == (arguments, "complete")
    assert found.executable is not bool(paths)
    misfits = [("schema-mismatch", "error", f"$.{path}") for path in paths]
    assert [(each.code, each.severity, each.path) for each in result.diagnostics] == misfits


def test_half_a_value_is_left_out_and_half_a_string_stays() -> None:
    scanner = ElementScanner(mark="@", shape=SPEC.shape)
    out: list[str] = []
    scanner.feed("@<n>1@</n>@<s>ab@</", 0, out)
    assert not scanner.finish(out)
    assert json.loads("".join(out)) == {"n": 1, "s": "ab"}
    scanner = ElementScanner(mark="@", shape=SPEC.shape)
    out = []
    scanner.feed("@<n>1@</n>@<o>@<n>2@</n>", 0, out)
    scanner.finish(out)
    assert json.loads("".join(out)) == {"n": 1}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"a": "x", "b": [1, {"c": None}]},
         "@<a>x@</a>@<b>@<item>1@</item>@<item>@<c>null@</c>@</item>@</b>"),
        ({}, ""),
        ({"a b": 1}, None),
        ({"a": "x @</a> y"}, None),
        ({"a": {"b": ["@<i>"]}}, None),
    ],
)  # fmt: skip
def test_writing(value: dict[str, Any], written: str | None) -> None:
    assert payload(Terminal("ELEMENTS", "payload", "", "", "", marks=("@",)), value) == written
