"""What holds for every text, damaged or not, and for every way of cutting it."""

import copy
import json
import pickle
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.units.recovery.reading import Row, check_laws, read, rows, same
from tests.units.recovery.test_damage_classes import CLASSES
from toolgrammar import JsonParser, RecoveredJson, recover_json
from toolgrammar.recovery.json_start import PLAIN, Start
from toolgrammar.testing.depth import at_depth, if_quick

TEXTS = [text for text, *_ in CLASSES if len(text) < 200]
SHARED = rows()


@pytest.mark.parametrize("text", TEXTS)
def test_laws_of_every_class(text: str) -> None:
    check_laws(text, None, range(1, len(text)))


@pytest.mark.parametrize(
    "text", ['{"" : 1}', '{"": "a", "b": `c`}', '{"" :"a", "b": `c`}', '{"" 1}']
)
def test_laws_of_an_empty_key(text: str) -> None:
    check_laws(text, None, range(1, len(text)))


WITHOUT_ROWS = pytest.mark.skipif(not SHARED, reason="this checkout has no rows of other projects")


@WITHOUT_ROWS
def test_the_rows_of_other_projects() -> None:
    wrong = [row for row in SHARED if not same(recover_json(row.text, row.schema).value, row.value)]
    assert len(wrong) <= len(SHARED) * 0.03
    for row in wrong:
        assert recover_json(row.text, row.schema).diagnostics, row.id


@WITHOUT_ROWS
@pytest.mark.parametrize("row", [*SHARED] if SHARED else [None], ids=lambda row: row and row.id)
def test_laws_of_every_row(row: Row) -> None:
    check_laws(row.text, row.schema, range(1, len(row.text), if_quick(3, 1)))


# ---------------------------------------------------------------- drawn damage

STRINGS = st.sampled_from(
    [
        *("", "x", "hello, world", "it's", 'say "hi"', "C:\\dir\\new", "l1\nl2", '{"k": "v"}'),
        *("a: b", "[1, 2]", "é😀", "x // y", "true", "5", "5.0", ", ", "null story"),
    ]
)
SCALARS = STRINGS | st.sampled_from([0, -1, 12, 3.5, 1e10, True, False, None, 12345678901234567890])
KEYS = st.sampled_from(["a", "b", "c", "path", "content", "max-x", "key one"])
VALUES = st.recursive(
    SCALARS,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(KEYS, parts, max_size=3),
    max_leaves=8,
)
FRAGMENTS = st.sampled_from(
    [
        *(
            '"',
            "'",
            "`",
            "“",
            "”",
            *"{}[](),:=;\\/#",
            "=>",
            "\uff1a",
            "\n",
            "\\n",
            "  ",
            "//",
            "/*",
            "*/",
            "```",
        ),
        *("a", "New York", "true", "null", "None", "12", "-", "1.5", "0x1F", "007", '""', '"""'),
        *('"a"', '"a":', '"b": 1', ', "c": "d"', "${x}", "\\u", "\\ud83d", "\ud83d", "\ufeff"),
        *("\u00a0", "NaN", "undefined", "x y", "tru", '\\"', "\t", ""),
    ]
)
SCHEMAS: list[dict[str, Any] | None] = [
    None,
    {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer"},
            "c": {"type": "array", "items": {"type": "string"}},
            "path": {"type": "string"},
            "content": {"type": "object"},
        },
        "required": ["a"],
    },
    {
        "type": "object",
        "properties": {
            "a": {"type": "boolean"},
            "b": {"type": ["string", "null"]},
            "content": {"type": "string"},
            "path": {"type": "string"},
        },
    },
    {"type": "array", "items": {"type": "number"}},
    {"type": "string"},
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """JSON with a few places replaced, perhaps cut."""
    value = draw(st.dictionaries(KEYS, VALUES, max_size=4) | VALUES)
    text = json.dumps(
        value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, None, 1]))
    )
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 2, 5])))
        text = text[:start] + draw(FRAGMENTS) + text[end:]
    if draw(st.integers(0, 6)) == 0:
        text = text[: draw(st.integers(0, len(text)))]
    return text


SOUPS = st.lists(FRAGMENTS, max_size=12).map("".join)


@settings(max_examples=at_depth(few=40, usual=150, every=150), deadline=None)
@given(text=damaged() | SOUPS, schema=st.sampled_from(SCHEMAS), data=st.data())
@example(text='{"a": "x, ", ": 1": 2}', schema=None, data=None)
@example(text="{\n ontent\n: {}\n}", schema=None, data=None)
@example(text='{"b": [["x"], 0,, "c": "d"5', schema=None, data=None)
@example(text='{"a": [[];], "b": {}; }', schema=None, data=None)
@example(text="""['"", "say \\"hi\\""]""", schema=None, data=None)
@example(
    text='{"b": ["\n   "",\n   "",\n   ""\n  ]\n },\n "c": [\n  "",\n  "",\n  ""\n ]\n}',
    schema=None,
    data=None,
)
def test_laws_of_drawn_damage(text: str, schema: dict[str, Any] | None, data: Any) -> None:
    cuts = st.lists(st.integers(0, len(text)), max_size=3)
    check_laws(text, schema, range(1, len(text)) if data is None else data.draw(cuts))


@settings(deadline=None)
@given(value=VALUES, indent=st.sampled_from([None, 0, 2]), schema=st.sampled_from(SCHEMAS[:1]))
def test_strict_text_is_its_value(value: Any, indent: int | None, schema: None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    for found in (recover_json(text, schema), read(text, schema).result):
        assert same(found.value, value)
        assert (found.status, found.diagnostics, found.executable) == ("complete", (), True)


# ---------------------------------------------------------------- cuts


def is_cut_of(part: Any, whole: Any) -> bool:
    """Whether a value is what a prefix shows of another: only the last string may be shorter."""
    if isinstance(whole, dict) and isinstance(part, dict):
        pairs = list(zip(part.items(), whole.items(), strict=False))
        return len(part) <= len(whole) and all(
            mine[0] == other[0]
            and (same(mine[1], other[1]) if index < len(part) - 1 else is_cut_of(mine[1], other[1]))
            for index, (mine, other) in enumerate(pairs)
        )
    if isinstance(whole, list) and isinstance(part, list):
        return is_cut_of(dict(enumerate(part)), dict(enumerate(whole)))
    if isinstance(whole, str) and isinstance(part, str):
        return whole.startswith(part)
    return same(part, whole)


@settings(deadline=None)
@given(value=st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_every_cut_of_a_valid_object_is_truncated(value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    for cut in range(1, len(text)):
        found = recover_json(text[:cut])
        assert found.status == "truncated"
        assert not found.executable
        assert is_cut_of(found.value, value), cut


# ---------------------------------------------------------------- limits and cost

HOSTILE = {
    "quotes": ('{"a": "', '"'),
    "commas": ("[", ","),
    "braces in an array": ("[", "{"),
    "backslashes": ('{"a": "', "\\"),
    "braces": ("", "{"),
    "bare words with closers": ("{", "a{]]"),
    "mixed quotes in an array": ('["', "'a\""),
    "keys": ("{", '"a'),
    "openers": ("", '{"'),
    "members that open": ("", '{"a": '),
    "quote, comma, quote": ('{"a": "', '", "'),
    "quote and brace": ('{"a": "', '"}'),
    "triple quotes": ('{"a": """', 'x" '),
    "fences": ("", "```"),
    "prose": ("", "words and "),
    "escaped": ('{\\"a\\": \\"', "x\\\\n"),
    "line ends": ('{"a": "', "\nx"),
    "bare text": ('{"a": b', "c "),
    "open brackets in text": ('{"a": x', "("),
    "extra closers": ("[1", "}"),
    "colons": ('{"a"', ":"),
    "keys alone": ("{", "k, "),
    "spaces": ('{"a": 1', " "),
    "halves of pairs": ('{"a": "', "\ud83d"),
    "the same key": ("{", '"a": "x" '),
}


SIZE, TIMES = if_quick((512, 4), (1024, 8))
"""Characters of a text whose steps are counted, and how often as many."""


def counted(read: Callable[[], RecoveredJson]) -> tuple[RecoveredJson, int]:
    """Gives what was read, and the calls, of Python and of C, that it took."""
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        result = read()
    finally:
        sys.setprofile(before)
    return result, steps


def count_steps(text: str, size: int, *, looks: bool = True) -> int:
    """Counts the calls that reading takes in pieces of `size`."""

    def read() -> RecoveredJson:
        parser = JsonParser()
        for start in range(0, len(text), size):
            parser.feed(text[start : start + size])
            if looks:
                _ = parser.value  # deltas wait until somebody looks
        return parser.close()

    return counted(read)[1]


@pytest.mark.interpreted
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [4, 1_000_000])
def test_steps_grow_with_the_text(name: str, size: int) -> None:
    begin, unit = HOSTILE[name]
    small, large = (begin + unit * (size // len(unit)) for size in (SIZE, SIZE * TIMES))
    count_steps(small, size)  # makes the expressions that are made where they are first used
    assert count_steps(large, size) <= count_steps(small, size) * TIMES * 1.15 + 200


@pytest.mark.interpreted
@pytest.mark.parametrize("text", ["{'", "{`", "{]", "[1}", '{"a": 1)'])
def test_runs_are_taken_at_once(text: str) -> None:
    check_laws(text + text[-1] * 20, None, range(1, len(text) + 20))
    text += text[-1] * 8192
    count_steps(text, len(text))  # makes the expressions that are made where they are first used
    assert count_steps(text, len(text), looks=False) < len(text) / 4


@pytest.mark.parametrize("begin", ['{"a": "x', "{'a': 'x"])
def test_white_space_in_a_string_is_looked_through_once(begin: str) -> None:
    """From each line end on, a text of this length would take most of a minute."""
    space = " \n" * if_quick(30_000, 150_000)
    found = recover_json(begin + space)
    assert (found.value, found.status) == ({"a": "x" + space}, "truncated")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_told(name: str) -> None:
    begin, unit = HOSTILE[name]
    found = recover_json(begin + unit * 2000)
    assert found.diagnostics
    assert not found.executable


def test_depth_and_digits_have_limits() -> None:
    for opener in ("[", '{"a": '):
        assert recover_json(opener * 200 + "1").status == "truncated"
        assert recover_json(opener * 201 + "1").diagnostics[0].code == "too-deep"
    assert recover_json('{"n": ' + "9" * 4300 + "}").status == "complete"
    for text in ('{"n": ' + "9" * 4301 + "}", "9" * 4301):
        found = recover_json(text)
        assert (found.value, found.status) == (None, "unreadable")


# ---------------------------------------------------------------- the push form


def test_views_of_a_stream() -> None:
    parser = JsonParser()
    seen = []
    for piece in ('{"a', '": "x', "y", '", "b": [1', "2, tr", "ue", '], "c": ', "{}", "}"):
        parser.feed(piece)
        seen.append(parser.value)
    assert seen == [
        {},
        {"a": "x"},
        {"a": "xy"},
        {"a": "xy", "b": []},
        {"a": "xy", "b": [12]},
        {"a": "xy", "b": [12, True]},
        {"a": "xy", "b": [12, True]},
        {"a": "xy", "b": [12, True], "c": {}},
        {"a": "xy", "b": [12, True], "c": {}},
    ]
    assert parser.close().status == "complete"
    assert parser.value == parser.result.value == seen[-1]


def test_a_view_is_not_changed_later() -> None:
    parser = JsonParser()
    parser.feed('{"a": [1, {"b": "x')
    first = parser.value
    parser.feed('y"}, 2], "c": 3')
    parser.close()
    assert first == {"a": [1, {"b": "x"}]}


@pytest.mark.parametrize("opened", ["/* {} */", "// {}\n", "# {}\r\n", 300 * " " + "/*{}*/"])
def test_a_long_comment_before_the_value_holds_no_value(opened: str) -> None:
    text = opened.format("x" * 300 + " ```[1]``` ") + '{"a": 1}'
    check_laws(text, None, range(1, len(text), 7))
    assert recover_json(text).value == {"a": 1}


def test_what_is_known_before_the_value_is_not_looked_at_again() -> None:
    start = Start(may_be_object=True)
    for piece in (" " * 1000, "/* ", "x" * 1000, "*", "/", "// ", "y" * 1000):
        assert not start.feed(piece)
        assert not start.feed("")
        assert len(start.undecided) <= 1
    assert start.feed("\n[1")
    assert start.kind == PLAIN


def test_misuse_of_a_parser() -> None:
    parser = JsonParser()
    with pytest.raises(RuntimeError, match="no result before close"):
        _ = parser.result
    with pytest.raises(TypeError, match="a delta is a str, got bytes"):
        parser.feed(b"{}")  # type: ignore[arg-type]
    assert parser.value is None
    first = parser.close()
    assert parser.close("closed") is first
    with pytest.raises(RuntimeError, match="feed after close"):
        parser.feed("{}")
    # Closing again says the same of a wrong word.
    for closed in (JsonParser(), parser):
        with pytest.raises(ValueError, match="end is 'open' or 'closed', got 'shut'"):
            closed.close("shut")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["{}", "{'a': 1", "no value"])
def test_options_of_another_word_or_type_raise_for_any_text(text: str) -> None:
    with pytest.raises(ValueError, match="end is 'open' or 'closed', got 'zz'"):
        recover_json(text, end="zz")  # type: ignore[arg-type]
    wrongs: tuple[Any, ...] = ("inner-quote", 5, [1])
    for wrong in wrongs:
        with pytest.raises(TypeError, match=r"in allow must be|allow must be a set of codes"):
            recover_json(text, allow=wrong)


def test_a_result_is_plain_data_and_back() -> None:
    result = recover_json('{"a": "say "hi"", b: 1} x')
    data = json.loads(json.dumps(result.to_dict()))
    assert data["schema"] == 1
    assert type(result).from_dict(data) == result


def test_results_are_values() -> None:
    result = recover_json('{"a": 1,}')
    for copied in (pickle.loads(pickle.dumps(result)), copy.deepcopy(recover_json('{"a": 1,}'))):
        assert copied == result
    assert repr(result).startswith("RecoveredJson(value={'a': 1}, status='repaired', diagnostics=(")
    assert replace(result, rest=3).diagnostics == result.diagnostics
    with pytest.raises(FrozenInstanceError):
        result.rest = 1  # type: ignore[misc]
    with pytest.raises(AttributeError, match="no attribute 'doubts'"):
        _ = result.doubts
