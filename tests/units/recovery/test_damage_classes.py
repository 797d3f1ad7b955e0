"""Each class of damage: its value, its codes, its status, and whether it may run."""

import json
from typing import Any

import pytest

from tests.units.recovery.reading import check_laws
from toolgrammar import recover_json

R, C, T, U = "repaired", "complete", "truncated", "unreadable"


def schema(**types: Any) -> dict[str, Any]:
    """A closed object of these members, all required."""
    properties = {
        name: {"type": each} if isinstance(each, str) else each for name, each in types.items()
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def check(
    text: str,
    value: object,
    codes: str,
    status: str,
    *,
    executable: bool,
    wanted: dict[str, Any] | None = None,
    end: Any = "open",
) -> None:
    """Recovers a text; the codes are in the order of their first place."""
    result = recover_json(text, wanted, end=end)
    assert json.dumps(result.value) == json.dumps(value), result
    assert list(dict.fromkeys(each.code for each in result.diagnostics)) == codes.split()
    assert result.status == status
    assert result.executable is executable


CLASSES: list[tuple[str, object, str, str, bool]] = [
    # A number that no float holds is infinite, too.
    (
        '{"a": 1e999, "b": [-1e400]}',
        {"a": float("inf"), "b": [float("-inf")]},
        "nonfinite",
        R,
        False,
    ),
    # 11 and 12: commas
    ('{"a": [1, 2,],}', {"a": [1, 2]}, "stray-comma", R, True),
    ('{,"a": 1,, "b": 2}', {"a": 1, "b": 2}, "stray-comma", R, True),
    ("[,1,,2,]", [1, 2], "stray-comma", R, True),
    # 13 to 18: quotes
    ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}, "quote-style", R, True),
    ('{"a": `x "y"`}', {"a": 'x "y"'}, "quote-style", R, True),
    ('{"a": `echo ${X}`}', {"a": "echo ${X}"}, "template", R, False),
    ('{“a”: “b "c"”}', {"a": 'b "c"'}, "quote-style", R, True),
    ('{"a": """x "y"\n"""}', {"a": 'x "y"\n'}, "quote-style", R, True),
    ("{'a': '''it's'''}", {"a": "it's"}, "quote-style", R, True),
    ("['''x''y''', 1, '''it's''']", ["x''y", 1, "it's"], "quote-style", R, True),
    ('{""a"": ""b""}', {"a": "b"}, "doubled-quotes", R, False),
    ('{""a"": ""b"", ""c"": ""d, e""}', {"a": "b", "c": "d, e"}, "doubled-quotes", R, False),
    ('{""a"": [""x"", """"], ""b"": """"}', {"a": ["x", ""], "b": ""}, "doubled-quotes", R, False),
    ('{""a"": {""b"": ""c""}, ""d"": 1}', {"a": {"b": "c"}, "d": 1}, "doubled-quotes", R, False),
    (
        '{"a": 1, ""b"": 2, "c": ""}',
        {"a": 1, '"b': 2, "c": ""},
        "inner-quote doubled-quotes",
        R,
        False,
    ),
    ('{"a"": "b", "c": 1}', {"a": "b", "c": 1}, "doubled-quotes", R, False),
    ('{"a": 1, "c"" : 2}', {"a": 1, "c": 2}, "doubled-quotes", R, False),
    ('{"a""": [1]}', {"a": [1]}, "doubled-quotes", R, False),
    ('{"a" ": "b"}', {"a": "b"}, "doubled-quotes", R, False),
    ('{"a" ": b"}', {"a": ": b"}, "colon", R, True),
    # 19 to 23: bare words
    (
        "{a: 1, max-x: 2, 3: 4}",
        {"a": 1, "max-x": 2, "3": 4},
        "bare-key",
        R,
        True,
    ),
    ('{"city": New York, "n": 2}', {"city": "New York", "n": 2}, "bare-text", R, False),
    (
        '{"a": True, "b": None, "c": FALSE}',
        {"a": True, "b": None, "c": False},
        "literal",
        R,
        True,
    ),
    ('{"a": undefined}', {"a": None}, "undefined", R, False),
    ('{"p": (1, 2)}', {"p": [1, 2]}, "bracket", R, True),
    ('{"p": (1,)}', {"p": [1]}, "bracket stray-comma", R, True),
    ('{"p": ()}', {"p": []}, "bracket", R, True),
    # 24 to 26: comments, commas, colons
    ('{"a": 1, // x\n "b": 2 /* y */} # z', {"a": 1, "b": 2}, "comment", R, True),
    ('{"a": 1 "b": [1 2]}', {"a": 1, "b": [1, 2]}, "comma", R, True),
    ('{"a" 1, "b" = 2, "c" => 3}', {"a": 1, "b": 2, "c": 3}, "colon", R, True),
    ('{"a"\uff1a 1, "b"\uff1a{"c"\uff1a"d"}}', {"a": 1, "b": {"c": "d"}}, "colon", R, True),
    ('{a\uff1a "b"}', {"a": "b"}, "bare-key colon", R, True),
    ('{"a": "b"\uff1a "c"}', {"a": 'b"\uff1a "c'}, "inner-quote", R, False),
    # 27 to 31: brackets
    ('{"l": [{"a": 1], "n": 3}', {"l": [{"a": 1}], "n": 3}, "bracket", R, True),
    ('{"l": [1, "n": 3}', {"l": [1], "n": 3}, "bracket", R, True),
    ('{"a": 1]', {"a": 1}, "bracket", R, True),
    ('{"l": [1)}', {"l": [1]}, "bracket", R, True),
    ('"a": 1, "b": 2}', {"a": 1, "b": 2}, "bracket", R, True),
    ('{"a": 1}}]', {"a": 1}, "extra-closer", R, True),
    ('{"l": [{"a": 1}}, {"a": 2}]}', {"l": [{"a": 1}, {"a": 2}]}, "extra-closer", R, False),
    ('{"l": [1]]}', {"l": [1]}, "extra-closer", R, True),
    ('[{"a": 1, {"a": 2}]', [{"a": 1}, {"a": 2}], "bracket", R, True),
    # A bracket of the wrong kind closes what makes the rest fit.
    ('{"l": [{"a": "x"], false], "n": 3}', {"l": [{"a": "x"}, False], "n": 3}, "bracket", R, True),
    ("[[1), 2]", [[1], 2], "bracket", R, True),
    # A string in a list ends before a word on a line of its own.
    ('["a",\n False\n]', ["a", False], "literal", R, True),
    ('["a",\n map\n]', ["a", "map"], "bare-text", R, False),
    # 32 to 37: escapes
    ('{"a": "x\n\ty"}', {"a": "x\n\ty"}, "control", R, True),
    (
        r'{"a": "it\'s \d C:\Users 50\%"}',
        {"a": r"it's \d C:\Users 50\%"},
        "escape",
        R,
        True,
    ),
    (r'{"a": "C:\users \u12"}', {"a": r"C:\users \u12"}, "escape", R, True),
    (r'{"a": "D:\Data\new"}', {"a": "D:\\Data\new"}, "mixed-escape escape", R, False),
    (r"{\"a\": \"x\\ny\"}", {"a": "x\ny"}, "unescaped-once", R, True),
    (r'{\n "a": 1}', {"a": 1}, "space", R, True),
    (r'{\n "a": 1\n}', {"a": 1}, "space", R, True),
    (r'{"a": [-1.5\n, true\t],\n"b": null \n}', {"a": [-1.5, True], "b": None}, "space", R, True),
    (r'{"a": 12\new, "b": 1\}', {"a": "12\\new", "b": "1\\"}, "bare-text", R, False),
    ('{"a": 1\u200b, "b": [true\x00]}', {"a": 1, "b": [True]}, "space", R, True),
    # 39 to 46
    ('{"a": "b, "c": "d"}', {"a": "b", "c": "d"}, "missing-quote", R, False),
    ('{"a": "b\n"c": "d"}', {"a": "b", "c": "d"}, "missing-quote comma", R, False),
    ('{"a": b", "c": "d"}', {"a": "b", "c": "d"}, "missing-quote", R, False),
    ('{"a: 1, "b": 2}', {"a": 1, "b": 2}, "missing-quote", R, False),
    (f'{{"{300 * "a"}: 1, "b": 2}}', {300 * "a": 1, "b": 2}, "missing-quote", R, False),
    ('{a": 1, "b": 2}', {"a": 1, "b": 2}, "missing-quote", R, False),
    ('{"a: "5", "b": 1}', {"a": "5", "b": 1}, "missing-quote", R, False),
    ('{"b": 1, "a : "true"}', {"b": 1, "a": "true"}, "missing-quote", R, False),
    ('{"a: 5" 5}', {"a: 5": 5}, "colon", R, True),
    ("{'a: 'x', 'b': 1}", {"a": "x", "b": 1}, "quote-style missing-quote", R, False),
    ("{'a\\': 1, 'b\\'c': 2}", {"a': 1, 'b'c": 2}, "quote-style inner-quote", R, False),
    ('{""a"": 1, ""b: ""x""}', {"a": 1, "b": "x"}, "doubled-quotes missing-quote", R, False),
    ('{"a": , "b": 2}', {"b": 2}, "missing-value", R, False),
    ('{"b": 2, "a"}', {"b": 2}, "missing-value", R, False),
    ('{"b": 2, "a":}', {"b": 2}, "missing-value", R, False),
    ('{"a": 1, "a": 2}', {"a": 2}, "duplicate-key", C, False),
    ('{"a": [1], "a": [1]}', {"a": [1]}, "duplicate-key", C, True),
    ('{"a": 1, "a": true}', {"a": True}, "duplicate-key", C, False),
    ('{"a": -Infinity}', {"a": float("-inf")}, "nonfinite", R, False),
    ('{"a": NaN}', {"a": float("nan")}, "nonfinite", R, False),
    (
        "[+5, .5, 5., 0x1F, 0b101, 1_000]",
        [5, 0.5, 5.0, 31, 5, 1000],
        "number",
        R,
        True,
    ),
    (
        "[-0x1f, +0XA, 0B11, 0o17, -0O17, -.5, +5.e3, 5.E-1, -1_000.5]",
        [-31, 10, 3, 15, -15, -0.5, 5000.0, 0.5, -1000.5],
        "number",
        R,
        True,
    ),
    (
        "[inf, -inf, INF, Infinity, +Infinity, -Infinity]",
        [float(each) for each in ("inf", "-inf", "inf", "inf", "inf", "-inf")],
        "nonfinite",
        R,
        False,
    ),
    ("[True, FALSE, None, Null]", [True, False, None, None], "literal", R, True),
    ("[00.5, 1__0, 0x, 0b2]", ["00.5", "1__0", "0x", "0b2"], "bare-text", R, False),
    ('{"a": 007}', {"a": "007"}, "bare-text", R, False),
    ('{"id": 18446744073709551617}', {"id": 18446744073709551617}, "", C, True),
    (r'{"a": "x\ud83dy"}', {"a": "x\ufffdy"}, "lone-surrogate", R, False),
    ('{"a": "x\ud83dy"}', {"a": "x\ufffdy"}, "lone-surrogate", R, False),
    # 47 to 52
    ('```json\n{"a": 1}\n```', {"a": 1}, "around", R, True),
    ('Sure: {"a": 1} Done.', {"a": 1}, "around", R, True),
    ("Sure: {\u2018a\u2019: [\u2018b\u2019]} Done.", {"a": ["b"]}, "around quote-style", R, True),
    # The bracket in the first line of a fence begins the value, however it goes on.
    ('See [1]:\n```json\n{,"a": 1}\n```', {"a": 1}, "around stray-comma", R, True),
    ("```\r\n[.5, undefined]\r\n```", [0.5, None], "around number undefined", R, False),
    ("```json\n\n [tide, wind]\n```\n", ["tide", "wind"], "around bare-text", R, False),
    ('```json\n{\\"a\\": \\"x\\\\ny\\"}\n```', {"a": "x\ny"}, "around unescaped-once", R, True),
    ('```\ntide()\n```\n[wind] [{"a": 1}]', [{"a": 1}], "around", R, True),
    # The line with the other fence ends it.
    ('```json\n{"a": 1\n```', {"a": 1}, "around bracket", R, True),
    ('```json\n{"a": {"b": ["x"\n```\nDone.', {"a": {"b": ["x"]}}, "around bracket", R, True),
    ('```json\n{"a": "x",\n``` \n' + "It is done. " * 30, {"a": "x"}, "around bracket", R, True),
    ('{"a": 1\n```', {"a": 1}, "bracket around", R, True),
    ('```json\n{"a": 1]\n```', {"a": 1}, "around bracket", R, True),
    ('```json\n["x",\n```\nIt is "x".', ["x"], "around bracket", R, False),
    ("```json\n[\n```", [], "around bracket", R, False),
    ('```json\n{"a": 1, "b":\n```', {"a": 1}, "around truncated", T, False),
    ('```json\n{"a": 1, "b"\n```', {"a": 1}, "around truncated", T, False),
    (
        '{"a": "5" wide\n```\nx", "b": 1}',
        {"a": '5" wide\n```\nx', "b": 1},
        "inner-quote control",
        R,
        False,
    ),
    ('{"a": "x ```\n```\n", "b": 1}', {"a": "x ```\n```\n", "b": 1}, "control", R, True),
    (
        '{"a": "size 5"\n```\nx", "b": 1}',
        {"a": 'size 5"\n```\nx', "b": 1},
        "inner-quote control",
        R,
        False,
    ),
    ('{"a": 1} "b": 2}', {"a": 1}, "extra-value", R, False),
    ('{"a": 1}b": 2}', {"a": 1}, "extra-value", R, False),
    ('{"a": 1} "b', {"a": 1}, "extra-value", R, False),
    ('{"a": 1} "b" it is', {"a": 1}, "around", R, True),
    ('{"a": 1}b', {"a": 1}, "around", R, False),
    ('{"a": 1}{"b": 2}', {"a": 1}, "extra-value", R, False),
    ('\ufeff{"a":\u00a01}', {"a": 1}, "space", R, True),
    ('{"a": "x\u200by"}', {"a": "x\u200by"}, "", C, True),
    ("[" * 20_000, None, "too-deep", U, False),
    ("", None, "refused", U, False),
    ("I could not find a tool.", None, "refused", U, False),
    ("]}", None, "refused", U, False),
    ("{ broken }", None, "unreadable", U, False),
    # Strict text is its value, whatever it looks like.
    (r'{"p": "C:\new"}', {"p": "C:\new"}, "", C, True),
    (' {"a": 1}\n', {"a": 1}, "", C, True),
    ("12", 12, "", C, True),
]


@pytest.mark.parametrize(("text", "value", "codes", "status", "executable"), CLASSES)
def test_damage(text: str, value: object, codes: str, status: str, executable: bool) -> None:  # noqa: FBT001
    check(text, value, codes, status, executable=executable)


@pytest.mark.parametrize(
    ("text", "value", "codes", "executable"),
    [
        ('{"t": "it is "here" // not a comment"}', 'it is "here" // not a comment', "inner-quote", False),
        ('{"t": "x "b" y", "c": 1}', 'x "b" y', "inner-quote", False),
        ('{"t": "if s == "}": return "]"", "b": 1}', 'if s == "}": return "]"', "inner-quote", False),
        ("{'t': 'it's', 'n': 1}", "it's", "quote-style inner-quote", False),
        ('{"t": "he said "hi""}', 'he said "hi"', "inner-quote", False),
        ("{'t': 'don't say 'so''}", "don't say 'so'", "quote-style inner-quote", False),
        ('{"t": "a "b"" }\n', 'a "b"', "inner-quote", False),
    ],
)  # fmt: skip
def test_inner_quotes_without_a_schema(
    text: str,
    value: str,
    codes: str,
    executable: bool,  # noqa: FBT001
) -> None:
    result = recover_json(text)
    assert result.value["t"] == value
    assert list(dict.fromkeys(each.code for each in result.diagnostics)) == codes.split()
    assert (result.status, result.executable) == (R, executable)


def test_a_schema_makes_inner_quotes_sure() -> None:
    check(
        '{"content": "{"name": "x", "v": "1"}", "path": "a"}',
        {"content": '{"name": "x", "v": "1"}', "path": "a"},
        "inner-quote",
        R,
        executable=True,
        wanted=schema(content="string", path="string"),
    )


@pytest.mark.parametrize(
    ("content", "executable"),
    [('x = {"a": "b"}\\ny', True), ('f({"a": "b"}); g("c")', True), ('d = {"a": "b"}\\n' + 300 * "z", False)],
)  # fmt: skip
def test_the_root_does_not_end_inside_a_string(content: str, executable: bool) -> None:  # noqa: FBT001
    text = f'{{"path": "p", "content": "{content}"}}'
    result = recover_json(text, schema(path="string", content="string"))
    assert result.executable is executable
    if executable:
        assert result.value == {"path": "p", "content": content.replace("\\n", "\n")}
    check_laws(text, schema(path="string", content="string"), range(1, len(text)))


def test_another_value_or_prose_may_follow_a_string_with_quotes() -> None:
    wanted = schema(path="string", content="string")
    text = '{"path": "p", "content": "a "b" c"}'
    for rest, executable in (('{"path": "q", "content": "r"}', False), (' Is "that" it?', True)):
        result = recover_json(text + rest, wanted)
        assert result.value == {"path": "p", "content": 'a "b" c'}
        assert result.executable is executable


def test_inner_quotes_in_a_list_are_sure_but_before_a_delimiter() -> None:
    wanted = schema(l={"type": "array", "items": {"type": "string"}})
    text = '{"l": ["say "hi" now", "b"]}'
    value = {"l": ['say "hi" now', "b"]}
    check(text, value, "inner-quote", R, executable=True, wanted=wanted)
    text = '{"l": ["a "x", b", "c"]}'
    check(text, {"l": ['a "x", b', "c"]}, "inner-quote", R, executable=False, wanted=wanted)


@pytest.mark.parametrize("text", ['{"l": ["a", b", "c"]}', '{"l": ["a, "b", "c"]}'])
def test_an_item_that_lacks_a_quote(text: str) -> None:
    wanted = schema(l={"type": "array", "items": {"type": "string"}})
    check(text, {"l": ["a", "b", "c"]}, "missing-quote", R, executable=False, wanted=wanted)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x", b": "y"}', {"a": "x", "b": "y"}),
        ('{"a": "x",\n b" : [1]}', {"a": "x", "b": [1]}),
        ('{"a": "x", "b: "y"}', {"a": "x", "b": "y"}),
        ('{"a": "x", "b: 30, "c": "z"}', {"a": "x", "b": 30, "c": "z"}),
        ("{'a': 'x', 'b: 'y', c': 'z'}", {"a": "x", "b": "y", "c": "z"}),
        ('{"c": ["a", "b: "c"], "a": "x"}', {"c": ["a", 'b: "c'], "a": "x"}),
        ('{"a": "x", d": "y"}', {"a": 'x", d": "y'}),
    ],
)
def test_a_known_key_that_lacks_a_quote_ends_the_string_before_it(text: str, value: object) -> None:
    wanted = schema(a="string", b={}, c={})
    wanted["required"] = []
    result = recover_json(text, wanted)
    assert (result.value, result.status) == (value, R)
    assert not result.executable
    check_laws(text, wanted, range(1, len(text)))


def test_a_known_key_needs_no_colon_behind_a_string() -> None:
    wanted = schema(a="string", b="string")
    text = '{"a": "x", "b" "y"}'
    check(text, {"a": "x", "b": "y"}, "colon", R, executable=True, wanted=wanted)


def test_open_objects_are_judged_without_their_schema() -> None:
    wanted = {**schema(content="string"), "additionalProperties": True}
    check(
        '{"content": "say "hi" now", "b": 1}',
        {"content": 'say "hi" now', "b": 1},
        "inner-quote",
        R,
        executable=False,
        wanted=wanted,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "x\ny', {"a": "x\ny"}),  # 60
        ('{"a": "', {"a": ""}),  # 61
        ('{"a": 1, "b', {"a": 1}),  # 62
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1,', {"a": 1}),  # 63
        ('{"l": [', {"l": []}),
        ('{"a": 1, "b": 12', {"a": 1}),  # 64
        ('{"a": 1, "b": 1.', {"a": 1}),
        ('{"a": 1, "b": -', {"a": 1}),
        ('{"a": 1, "b": 2e', {"a": 1}),
        ('{"a": 5 ', {"a": 5}),  # 65
        ('{"a": tr', {}),  # 66
        ('{"a": Non', {}),
        ('{"a": true', {"a": True}),
        (r'["x' + "\\", ["x"]),  # 67
        (r'["x\u00', ["x"]),
        (r'["x\ud83d', ["x"]),
        (r'["x\ud83d\ude', ["x"]),
        ('{"a": {"b": "c"}', {"a": {"b": "c"}}),  # 68
        ('{"a": "b, ', {"a": "b, "}),
        ('{"a": "line\n', {"a": "line\n"}),
    ],
)
def test_cuts(text: str, value: object) -> None:
    result = recover_json(text)
    assert (result.value, result.status, result.executable) == (value, T, False)
    assert result.diagnostics[-1].code == "truncated"


def test_a_cut_root_string_where_an_object_is_wanted() -> None:
    result = recover_json(r'"{\"path\": \"a.tx', schema(path="string"))
    assert (result.value, result.status) == ({"path": "a.tx"}, T)


@pytest.mark.parametrize(
    ("text", "value", "status"),
    [
        ('{"n": 12', {"n": 12}, R),
        ('{"n": true', {"n": True}, R),
        ('{"n": 12,', {"n": 12}, R),
        ('{"l": [1, 2', {"l": [1, 2]}, R),
        ('{"a": "x}', {"a": "x}"}, T),
        ('{"a": 1, "b', {"a": 1}, T),
        ('{"a": 1, "b":', {"a": 1}, T),
        (r'{"a": "x\u00', {"a": "x"}, T),
        ('{"a": 1 /* x', {"a": 1}, T),
    ],
)
def test_a_closed_end(text: str, value: object, status: str) -> None:
    result = recover_json(text, end="closed")
    assert (result.value, result.status) == (value, status)
    assert result.executable is (status == R)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('"5"', "integer", 5),
        ('"-17"', "integer", -17),
        ('"2.5"', "number", 2.5),
        ('"true"', "boolean", True),
        ('"False"', "boolean", False),
        ('"TRUE"', "boolean", True),
        ("12345", "string", "12345"),
        ("1.50", "string", "1.50"),
        (r'"{\"a\": 1}"', "object", {"a": 1}),
        ('"[1, 2]"', "array", [1, 2]),
        ("5.0", "integer", 5),
    ],
)
def test_types_from_the_schema(text: str, kind: str, value: object) -> None:
    for body in (f'{{"v": {text}}}', f'{{"v": {text} , "w": "x"}}'):
        names = {"v": kind} if "w" not in body else {"v": kind, "w": "string"}
        result = recover_json(body, schema(**names))
        assert json.dumps(result.value["v"]) == json.dumps(value)
        assert [each.code for each in result.diagnostics] == ["schema-type"]
        assert [each.severity for each in result.diagnostics] == ["info"]
        assert not any(each.edits for each in result.diagnostics)
        assert (result.status, result.executable) == (R, True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('"5 items"', "integer"),
        ('"five"', "integer"),
        ('""', "integer"),
        ('" 5"', "integer"),
        ('"05"', "integer"),
        ('"2.5"', "integer"),
        ('"1"', "boolean"),
        ('"yes"', "boolean"),
        ('"null"', "null"),
        ("\"{'a': 1}\"", "object"),
        ('"[1]"', "object"),
        ("5.5", "integer"),
        ("true", "string"),
        ("1", "boolean"),
    ],
)
def test_what_is_no_sure_type_stays(text: str, kind: str) -> None:
    result = recover_json(f'{{"v": {text}}}', schema(v=kind))
    assert json.dumps(result.value) == json.dumps({"v": json.loads(text)})
    assert (result.status, result.diagnostics, result.executable) == (C, (), False)


@pytest.mark.parametrize(
    "wanted",
    [{"type": ["string", "object"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, {}],
)
def test_what_the_schema_admits_stays(wanted: dict[str, Any]) -> None:
    for text in ('"5"', '"{}"', '"true"'):
        result = recover_json(f'{{"v": {text}}}', schema(v=wanted))
        assert result.value == {"v": json.loads(text)}
        assert (result.status, result.executable) == (C, True)


def test_bare_words_with_a_schema() -> None:
    text = schema(a="string")
    check('{"a": New York}', {"a": "New York"}, "bare-text", R, executable=True, wanted=text)
    check('{"a": 007}', {"a": "007"}, "number", R, executable=True, wanted=text)
    check('{"a": 007}', {"a": 7}, "number", R, executable=True, wanted=schema(a="integer"))
    # A mode of a file may be octal, so no schema shows its value.
    check(
        '{"a": 0755}', {"a": "0755"}, "bare-text", R, executable=False, wanted=schema(a="integer")
    )
    # In no notation a number begins so.
    check('{"a": 00.5}', {"a": "00.5"}, "bare-text", R, executable=True, wanted=text)


def test_a_root_string_that_holds_the_object() -> None:
    check(r'"{\"a\": 1}"', {"a": 1}, "decoded", R, executable=True, wanted=schema(a="integer"))
    check(r'"{\"a\": 1}"', '{"a": 1}', "", C, executable=True)


def test_where_the_rest_begins() -> None:
    assert recover_json('{"a": 1}{"b": 2}').rest == 8
    assert recover_json('{"a": 1} {"b": 2}').rest == 9
    assert recover_json('{"a": 1}\n').rest is None


def test_allowed_doubts() -> None:
    text = '{"a": "say "hi" now"}'
    assert not recover_json(text).executable
    assert recover_json(text, allow={"inner-quote"}).executable
    assert recover_json(text, allow=["inner_quote"]).executable
    assert not recover_json(text[:-3], allow={"inner-quote"}).executable
    with pytest.raises(ValueError, match="allow holds 'stray-comma', which is no doubt"):
        recover_json(text, allow={"stray-comma"})


def test_a_schema_may_be_a_bool_but_nothing_else() -> None:
    for wanted in (True, False):
        for text in ('{"a": 1}', "{'a': 1}", "[1,]", '"x"', "{} {}"):
            result = recover_json(text, wanted)
            assert result.value == recover_json(text).value
            assert result.executable is (wanted and recover_json(text).executable)
    wrongs: tuple[Any, ...] = ("object", 5, [{}])
    for wrong in wrongs:
        with pytest.raises(TypeError, match="schema"):
            recover_json("{}", wrong)
    for odd in ({"anyOf": 5}, {"oneOf": None}, {"properties": {"a": {"allOf": "x"}}}):
        assert recover_json("{'a': ['b' 1]}", odd).status == R


def test_executable_judges_the_schema() -> None:
    wanted = schema(a="string", b="integer")
    assert recover_json('{"a": "x", "b": 1}', wanted).executable
    assert not recover_json('{"a": "x"}', wanted).executable
    assert not recover_json('{"a": "x", "b": null}', wanted).executable
    assert recover_json('{"a": "x", "b": 1,}', wanted).executable


@pytest.mark.parametrize(
    ("behind", "executable"), [(" 3]}", False), ("3", False), ("\n```", True), ("```", True)]
)
def test_what_stands_in_line_behind_a_mended_bracket_may_be_a_part_of_the_value(
    behind: str, *, executable: bool
) -> None:
    result = recover_json('{"a": [1, 2}' + behind)
    assert (result.value, result.executable) == ({"a": [1, 2]}, executable)
    assert [each.code for each in result.diagnostics] == ["bracket", "around"]


@pytest.mark.parametrize(
    "text", ['{"a": [1, "n": 3}', '[{"a": 1, {"a": 2}]', '{"p": (1, 2), "n": 3}']
)
def test_prose_in_line_behind_sound_brackets_is_no_part_of_the_value(text: str) -> None:
    result = recover_json(f"Sure: {text} Done.")
    assert (result.value, result.executable) == (recover_json(text).value, True)


def test_a_comma_behind_a_mended_bracket_leads_to_more_of_the_value() -> None:
    assert recover_json('{"a": [1, 2]},').executable
    assert not recover_json('{"a": [1, 2},').executable


@pytest.mark.parametrize(
    ("behind", "code"),
    [("/", "around"), ("/* open", "around"), ("// " + "long " * 60, "around"), ("#", "comment")],
    ids=["a slash", "open", "long", "a hash"],
)
def test_what_is_no_comment_behind_a_value_is_prose(behind: str, code: str) -> None:
    result = recover_json('{"a": 1}' + behind)
    assert (result.value, result.executable) == ({"a": 1}, True)
    assert [each.code for each in result.diagnostics] == [code]
