"""Bare text takes the type of its schema, or stays text and says so."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrammar.tools.coerce import is_text_only, type_text

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
OBJECT = {"type": "object"}
ARRAY = {"type": "array"}
MAYBE = {"type": ["string", "null"]}
ANY_NUMBER_OR_TEXT = {"anyOf": [{"type": "string"}, INTEGER]}


def check(text: str, schema: Any, value: Any) -> None:
    """Compares as JSON, so that `1`, `1.0` and `True` differ."""
    found, fits = type_text(text, schema)
    assert fits
    assert json.dumps(found) == json.dumps(value)


@pytest.mark.parametrize(
    "schema",
    [
        None, {}, {"description": "d"}, {"type": "string"}, {"enum": ["a", "null"]},
        {"type": "string", "enum": ["a"]}, {"anyOf": [{"type": "string"}, {}]}, {"const": "x"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["", " a\n", "null", "42", "true", "{}", "\ud800"])
def test_a_string_is_exact(schema: Any, text: str) -> None:
    assert is_text_only(schema)
    assert type_text(text, schema) == (text, True)


@pytest.mark.parametrize(
    "schema",
    [INTEGER, MAYBE, ANY_NUMBER_OR_TEXT, {"enum": ["a", 1]}, {"type": "string", "nullable": True},
     {"anyOf": [{}, {"type": "null"}]}, {"properties": {}}],
)  # fmt: skip
def test_what_may_be_something_else_cannot_stream(schema: Any) -> None:
    assert not is_text_only(schema)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        (r"[{\"id\": \"1\"}]", ARRAY, [{"id": "1"}]),
        (r'"{\"a\": \"x\\ny\"}"', OBJECT, {"a": "x\ny"}),
        (r'"{\"a\": 1}"', {"type": ["string", "object"]}, r'"{\"a\": 1}"'),
        ("3", INTEGER, 3),
        ("-0", INTEGER, 0),
        (" 3\n", INTEGER, 3),
        ("5.0", INTEGER, 5.0),
        ("1e2", INTEGER, 100.0),
        ("18446744073709551617", INTEGER, 18446744073709551617),
        ("9" * 4300, INTEGER, int("9" * 4300)),
        ("3", NUMBER, 3),
        ("-2.50", NUMBER, -2.5),
        ("2E-3", NUMBER, 0.002),
        ("true", BOOLEAN, True),
        (" FALSE ", BOOLEAN, False),
        ("null", MAYBE, None),
        (" None ", MAYBE, None),
        ("NULL", MAYBE, "NULL"),
        (" text ", MAYBE, " text "),
        ("null", {"type": "null"}, None),
        ("42", ANY_NUMBER_OR_TEXT, 42),
        ("42 items", ANY_NUMBER_OR_TEXT, "42 items"),
        ("null", ANY_NUMBER_OR_TEXT, "null"),
        ("1", {"enum": [1, "one"]}, 1),
        ("one", {"enum": [1, "one"]}, "one"),
        ("1", {"enum": ["1", 2]}, "1"),
        ("null", {"enum": ["null", None]}, None),
        ("true", {"type": ["boolean", "string"]}, True),
        ("{}", {"anyOf": [{"type": "string"}, OBJECT]}, {}),
        ("7", {"allOf": [NUMBER, {"minimum": 3}]}, 7),
    ],
)
def test_scalars(text: str, schema: Any, value: Any) -> None:
    check(text, schema, value)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ('{"a": [1, 2.0, null]}', OBJECT, {"a": [1, 2.0, None]}),
        ("\n[]\n", ARRAY, []),
        ('["\\ud83d\\ude00", "é"]', ARRAY, ["\U0001f600", "é"]),
        ("{'a': True, 'b': None, 'c': 'it\\'s'}", OBJECT, {"a": True, "b": None, "c": "it's"}),
        ("(1, 2)", ARRAY, [1, 2]),
        ("(1,)", ARRAY, [1]),
        ("()", ARRAY, []),
        ("{1, 2,}", ARRAY, [1, 2]),
        ("{'a': (1, (2,)), 'b': {}}", OBJECT, {"a": [1, [2]], "b": {}}),
        ("{3: 'a',}", OBJECT, {"3": "a"}),
        ("['a'\n'b' # c\n 'd', 'e']", ARRAY, ["abd", "e"]),
        ("[r'\\d', '\\d', '\\x41\\u00e9\\U0001F600\\101\\n']", ARRAY,
         ["\\d", "\\d", "A\u00e9\U0001f600A\n"]),
        ('["""a\n"b" """, \'\'\'\'x\'\'\']', ARRAY, ['a\n"b" ', "'x"]),
        ("[1_000, 0x1F, -0b11, +0o7, 00, 5., .5, 1e3, -1E-2]", ARRAY,
         [1000, 31, -3, 7, 0, 5.0, 0.5, 1000.0, -0.01]),
        ("[1, # one\n 2]", ARRAY, [1, 2]),
        ("((((1,))))", ARRAY, [1]),
        ('{"a": 1, "a": 2}', OBJECT, {"a": 2}),
        ('{"a": "1\n2", "b": ["\t"]}', OBJECT, {"a": "1\n2", "b": ["\t"]}),
    ],
)  # fmt: skip
def test_containers(text: str, schema: Any, value: Any) -> None:
    check(text, schema, value)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        *((text, INTEGER) for text in ("", "x", "2.5", "03", "+3", "1_0", "0x1", "1 2", "٣", "-")),
        *((text, ARRAY) for text in ("['a' 'b']", '["a" "b"]', "['a'\n'b' 'c']", "['a''b']")),
        *((text, INTEGER) for text in ("true", "null", "9" * 4301, "1e400", "NaN")),
        *((text, NUMBER) for text in (".5", "5.", "NaN", "Infinity", "-Infinity", "1e999", "1,5")),
        *((text, BOOLEAN) for text in ("1", "yes", "", "t", "True.")),
        *(
            (text, OBJECT)
            for text in (
                "[]",
                "",
                "text",
                "{",
                '{"a": NaN}',
                '{"a": 1e999}',
                "{1}",
                "{{'a': 1}}",
                "{'a': {1, 2}}",
            )
        ),
        *(
            (text, OBJECT)
            for text in ("{'a'}", "{'a': }", "{'a': 1, 'b'}", "{None: 1}", "{1.5: 1}")
        ),
        *((text, OBJECT) for text in ("{'a' 1}", "{'a': 1 'b': 2}", "{'a': 1,,}", "{'a': f()}")),
        *(
            (text, OBJECT)
            for text in ("{True: 1}", "{'a': 1}}", "{'a': 1} x", "{1, 'a': 2}", "null")
        ),
        *((text, ARRAY) for text in ("{}", "[1", "[,]", "(,)", "(1)", "1, 2", "[b'a']", "[f'a']")),
        *((text, ARRAY) for text in ("['a]", "[1j]", "[01]", "[1__0]", "[1e999]", "[nan]", "[1)")),
        *((text, ARRAY) for text in ("['\\x4']", "['\\N{BULLET}']", "['\\U00110000']", "[1:2]")),
        *((text, ARRAY) for text in ('["\\ud83d"]', "['\\ud83d']", '["\ud83d"]', "[...]", "[a]")),
        *((text, ARRAY) for text in ("['''a]", "[1, # two", "[1 # two", "[[1] 2]", "[- 1]")),
        ("5", {"type": "null"}),
        ("5", {"anyOf": [BOOLEAN, OBJECT]}),
        ("x", {"enum": [1, 2]}),
    ],
)
def test_what_does_not_fit_stays_text(text: str, schema: Any) -> None:
    assert type_text(text, schema) == (text, False)


@pytest.mark.parametrize("opener", ["[", "(", "{'a':", '{"a":', "{", "-", "[[],", "(("])
@pytest.mark.parametrize("schema", [OBJECT, ARRAY])
def test_deep_nesting_stays_text(opener: str, schema: Any) -> None:
    """Neither the JSON reader nor the Python one may run out of stack."""
    text = opener * 100_000
    assert type_text(text, schema) == (text, False)


@pytest.mark.parametrize(("start", "end"), [("", ""), ("'a',", ""), ("", ", # end\n")])
def test_nesting_ends_at_200(start: str, end: str) -> None:
    """The first is JSON, the others are Python."""
    for depth, fits in ((200, True), (201, False)):
        text = f"[{start}{'[' * (depth - 1)}{']' * (depth - 1)}{end}]"
        assert type_text(text, ARRAY)[1] is fits


def test_a_long_flat_value_is_read() -> None:
    rows = [{"n": number} for number in range(1000)]
    check(json.dumps(rows), ARRAY, rows)


def test_a_schema_may_be_true() -> None:
    """JSON Schema allows it; the annotation does not."""
    flag: Any = True
    assert type_text("5", flag) == ("5", True)
    assert is_text_only(flag)


TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
SCHEMAS = st.recursive(
    st.one_of(
        st.none(),
        st.just({}),
        st.builds(lambda name: {"type": name}, TYPES),
        st.builds(lambda names: {"type": names}, st.lists(TYPES)),
        st.builds(lambda values: {"enum": values}, st.lists(st.sampled_from(["a", 1, None, True]))),
    ),
    lambda inner: st.builds(
        lambda keyword, members: {keyword: members},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=5,
)
PIECES = st.lists(
    st.sampled_from([*"[](){},:'\"\\ \n#", "1", "-", ".", "e", "a", "True", "null", "\\x4", '"""']),
    max_size=30,
).map("".join)


@given(st.one_of(st.text(), PIECES, PIECES.map("[{}]".format)), SCHEMAS)
def test_never_raises_and_stays_json(text: str, schema: Any) -> None:
    value, fits = type_text(text, schema)
    json.dumps(value, allow_nan=False)
    if not fits or is_text_only(schema):
        assert value == text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON_VALUES) | st.dictionaries(st.text(max_size=3), JSON_VALUES))
def test_reads_what_python_prints(value: Any) -> None:
    schema = ARRAY if isinstance(value, list) else OBJECT
    for text in (json.dumps(value), repr(value)):
        try:
            text.encode()
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            continue
        check(text, schema, value)
