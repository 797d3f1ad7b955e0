"""The JSON scanner: strict text as it is, safe at every cut, the same for every cutting."""

import json
import sys
from types import FrameType
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import TOO_DEEP
from toolgrammar.core.payloads.json.whole import has_surrogate, read_whole

DONE, FAILED, OPEN = "done", "failed", "open"


class Scan(NamedTuple):
    """All that one scan shows."""

    out: str
    consumed: int
    state: str
    failure: str
    finish: str
    plain: bool


def scan(*chunks: str, object_only: bool = False, backticks: bool = False) -> Scan:
    """Feed the chunks to a new scanner."""
    scanner = JsonScanner(object_only=object_only, backticks=backticks)
    out: list[str] = []
    consumed, text = 0, ""
    for chunk in chunks:
        # An escape that is only begun is fed again, with more behind it.
        text += chunk
        consumed = scanner.feed(text, consumed, out)
    is_open = not (scanner.done or scanner.failed)
    plain = scanner.plain and consumed == len(text)
    consumed = len(text) if is_open else consumed
    given_out = "".join(out)
    finish: list[str] = []
    assert scanner.finish(finish) == scanner.done
    assert not (scanner.done and scanner.failed)
    state = DONE if scanner.done else FAILED if scanner.failed else OPEN
    assert bool(scanner.failure) == scanner.failed
    return Scan(
        given_out,
        consumed,
        state,
        scanner.failure,
        "".join(finish),
        plain,
    )


def check(text: str, out: str, state: str, consumed: int | None = None, **options: bool) -> Scan:
    """Scan the text whole and in every cutting into two; what is emitted is `out`."""
    result = scan(text, **options)
    assert (result.out, result.state) == (out, state)
    assert result.consumed == (len(text) if consumed is None else consumed)
    check_cuttings(text, **options)
    return result


def check_cuttings(text: str, **options: bool) -> None:
    """All cuttings into two, and character by character, give the same."""
    whole = scan(text, **options)
    assert scan(*text, **options) == whole
    for cut in range(len(text) + 1):
        assert scan(text[:cut], text[cut:], **options) == whole, cut


def check_cut(text: str, view: str, **options: bool) -> None:
    """A text that ends inside a value has this view."""
    result = scan(text, **options)
    assert result.state == OPEN
    assert result.out + result.finish == view
    check_cuttings(text, **options)


# ---------------------------------------------------------------- strict text

STRICT = [
    "{}",
    "[]",
    '""',
    '{"a": 1}',
    ' \n\t\r{ "a" : [ 1 , 2.5e-3 , -0 , true , false , null , { } , [ ] ] , "b" : "x" } ',
    r'{"a\"b\u00e9": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}',
    r'["\ud83d", "\ud83dx", "\ud83d\n", "\ud83d\ud83d\ude00", "\ude00\ud83d", "\uD83D\u0041"]',
    '{"a": "x\u007f\u2028é😀", "a": 2}',
    "[0, -0, 10, 0.0, 1E+2, 1e-2, 1e5, 123456789012345678901234567890]",
    "[" * 200 + "]" * 200,
    '{"n": ' + "9" * 4300 + "}",
    '{"n": -' + "9" * 4300 + "}",
    '{"n": 0.' + "9" * 5000 + "}",
]


@pytest.mark.parametrize("text", STRICT)
def test_strict_text_passes_as_it_is(text: str) -> None:
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    result = scan(text)
    assert (result.out, result.state, result.consumed) == (text[start:end], DONE, end)
    assert scan(*text) == result
    if len(text) < 500:
        check_cuttings(text)
    # A key that comes twice, and half a surrogate pair, are for the scanner to report.
    odd = repeats_a_key(text) or has_lone_surrogate(text)
    want = None if odd else (json.loads(text), end)
    assert read_whole(text, start) == want


@pytest.mark.parametrize(
    ("text", "out", "consumed"),
    [
        ('{"a": 1}}', '{"a": 1}', 8),
        ('"x" y', '"x"', 3),
        ("[1]</tool_call>", "[1]", 3),
        (" 5 ", "5", 2),
        ("-1.5e3</value>", "-1.5e3", 6),
        ("true\n", "true", 4),
        ("null<", "null", 4),
    ],
)
def test_the_end_of_the_root(text: str, out: str, consumed: int) -> None:
    check(text, out, DONE, consumed)
    start = len(text) - len(text.lstrip())
    assert read_whole(text, start) == (json.loads(out), consumed)


@pytest.mark.parametrize(
    ("text", "consumed", "view", "failure"),
    [
        ("x", 0, "", "Found `x`; JSON wants a value"),
        ("]", 0, "", "Found `]`; JSON wants a value"),
        ("\ufeff{}", 0, "", "Found `\\ufeff`; JSON wants a value"),
        ("NaN", 0, "", "Found `N`; JSON wants a value"),
        ("-Infinity", 1, "", "Found `I` in a number or literal; JSON wants its rest or its end"),
        ("01", 1, "", "Found `1` in a number or literal; JSON wants its rest or its end"),
        ("1.x", 2, "", "Found `x` in a number or literal; JSON wants its rest or its end"),
        ("5x", 1, "", "Found `x` in a number or literal; JSON wants its rest or its end"),
        ('{"a": 01}', 7, "{}", "Found `1` in a number or literal; JSON wants its rest or its end"),
        ('{"a": 1.}', 8, "{}", "Found `}` in a number or literal; JSON wants its rest or its end"),
        ('{"a": +1}', 6, "{}", "Found `+` after a colon; JSON wants a value"),
        ('{"a": 1"', 7, "{}", 'Found `"` in a number or literal; JSON wants its rest or its end'),
        ("[1, 2e]", 6, "[1]", "Found `]` in a number or literal; JSON wants its rest or its end"),
        ("[tru]", 4, "[]", "Found `]` in a number or literal; JSON wants its rest or its end"),
        ("[True]", 1, "[]", "Found `T` after `[`; JSON wants an item or `]`"),
        ("[truex]", 5, "[]", "Found `x` in a number or literal; JSON wants its rest or its end"),
        ("[1, 2,]", 6, "[1, 2]", "Found `]` after a comma; JSON wants another item"),
        ('{"a": 1,}', 8, '{"a": 1}', "Found `}` after a comma; JSON wants another member"),
        ("{,", 1, "{}", "Found `,` after `{`; JSON wants a key or `}`"),
        ("{a: 1}", 1, "{}", "Found `a` after `{`; JSON wants a key or `}`"),
        ('{"a" 1}', 5, "{}", "Found `1` after a key; JSON wants a colon"),
        ('{"a": }', 6, "{}", "Found `}` after a colon; JSON wants a value"),
        ('{"a": 1 "b"', 8, '{"a": 1}', 'Found `"` after a value; JSON wants a comma or `}`'),
        ('{"a": 1]', 7, '{"a": 1}', "Found `]` after a value; JSON wants a comma or `}`"),
        ("[1}", 2, "[1]", "Found `}` after a value; JSON wants a comma or `]`"),
        ('["x\ny"]', 3, '["x"]', "Found `\\n` in a string; JSON wants it escaped"),
        ('["x\0"]', 3, '["x"]', "Found `\\x00` in a string; JSON wants it escaped"),
        ('{"x\ty": 1}', 3, "{}", "Found `\\t` in a key; JSON wants it escaped"),
        (r'["x\d"]', 4, '["x"]', "Found `d` in an escape; JSON wants one of "),
        (r'["x\u12g4"]', 7, '["x"]', "Found `g` in an escape; JSON wants one of "),
        (r'["\ud83d\x"]', 9, r'["\ud83d"]', "Found `x` in an escape; JSON wants one of "),
        (r'["\ud83d\udeg"]', 12, r'["\ud83d"]', "Found `g` in an escape; JSON wants one of "),
        (r'{"a\x": 1}', 4, "{}", "Found `x` in an escape; JSON wants one of "),
        ('{"a": `x`}', 6, "{}", "Found ``` after a colon; JSON wants a value"),
        ("{'a': 1}", 1, "{}", "Found `'` after `{`; JSON wants a key or `}`"),
        ("[1" + "9" * 4300 + "]", 4302, "[]", "number too long"),
        ("[" * 201, 200, "[" * 200 + "]" * 200, TOO_DEEP),
    ],
)
def test_the_first_offending_character(text: str, consumed: int, view: str, failure: str) -> None:
    result = scan(text)
    assert (result.state, result.consumed) == (FAILED, consumed)
    assert result.out + result.finish == view
    assert result.failure.startswith(failure)
    assert read_whole(text, 0) is None
    if len(text) < 500:
        check_cuttings(text)


def test_nothing_is_consumed_after_the_end_or_a_failure() -> None:
    for first in ("{}", "{x"):
        scanner = JsonScanner()
        out: list[str] = []
        end = scanner.feed(first, 0, out)
        assert scanner.feed(first, end, out) == end
        assert scanner.feed(" {}", 0, out) == 0
        assert "".join(out) == first[:end]


def test_the_root_must_be_an_object_where_asked() -> None:
    check(' {"a": []}', '{"a": []}', DONE, object_only=True)
    for text in ("[1]", '"x"', "1 ", "true ", "x"):
        result = check(text, "", FAILED, 0, object_only=True)
        assert result.failure == f"Found `{text[0]}`; JSON wants an object"
        assert read_whole(text, 0, object_only=True) is None


def test_depth_is_the_callers_choice() -> None:
    scanner = JsonScanner(max_depth=2)
    out: list[str] = []
    assert scanner.feed('{"a": [[', 0, out) == 7
    assert (scanner.failed, scanner.failure) == (True, TOO_DEEP)


# ------------------------------------------- the end of input (design rules 60 to 71)


def test_cut_in_a_string() -> None:
    check_cut(r'{"a": "x\ny', r'{"a": "x\ny"}')
    check_cut('{"a": "x ', '{"a": "x "}')


def test_cut_at_an_opening_quote() -> None:
    check_cut('{"a": "', '{"a": ""}')


@pytest.mark.parametrize("tail", [', "b', ', "b\\', ', "b"', ', "b" ', ', "b":', ', "b": '])
def test_cut_in_a_key_or_after_it(tail: str) -> None:
    check_cut('{"a": 1' + tail, '{"a": 1}')
    check_cut('{"a": "x"' + tail, '{"a": "x"}')
    check_cut('{"a": {}' + tail, '{"a": {}}')


def test_cut_after_a_comma_or_an_opener() -> None:
    check_cut('{"a": 1,', '{"a": 1}')
    check_cut('{"l": [', '{"l": []}')
    check_cut("{", "{}")
    check_cut("{ ", "{}")
    check_cut("[[1],", "[[1]]")


@pytest.mark.parametrize("number", ["12", "1.", "-", "2e", "1.5", "2e+", "0", "-0"])
def test_cut_in_a_number(number: str) -> None:
    check_cut('{"a": 1, "b": ' + number, '{"a": 1}')
    check_cut('{"a": "x", "b": ' + number, '{"a": "x"}')
    check_cut("[" + number, "[]")
    check_cut(number, "")


def test_a_number_with_a_space_after_it() -> None:
    result = scan('{"a": 5 ')
    assert result.out == '{"a": 5'
    check_cut('{"a": 5 ', '{"a": 5}')
    check_cut('{"a": 5,', '{"a": 5}')


def test_cut_in_a_literal() -> None:
    check_cut('{"a": tr', "{}")
    check_cut("[1, n", "[1]")
    check_cut('{"a": true', '{"a": true}')
    check_cut('["x", null', '["x", null]')
    assert scan('{"a": true').out == "{"


@pytest.mark.parametrize(
    "tail", ["\\", r"\u", r"\u00", r"\u00e", r"\ud83d", "\\ud83d\\", r"\ud83d\u", r"\ud83d\ude0"]
)
def test_cut_in_an_escape(tail: str) -> None:
    check_cut('{"a": "x' + tail, '{"a": "x"}')
    check_cut('"x' + tail, '"x"')
    check_cut("[`x" + tail, '["x"]', backticks=True)


def test_only_closers_missing() -> None:
    check_cut('{"a": {"b": "c"}', '{"a": {"b": "c"}}')
    check_cut('{"a": [{"b": "c"', '{"a": [{"b": "c"}]}')


def test_what_is_held_back() -> None:
    assert scan('{"a": "x", "b" : -1').out == '{"a": "x'
    assert scan('{"a": "x" ').out == '{"a": "x'
    assert scan('["x\\u00').out == '["x'


# ---------------------------------------------------------------- backticks


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"c": `say "hi"`}', 'say "hi"'),
        ('{"c": `}{`}', "}{"),
        ('{"c": `l1\nl2\tx\r\n`}', "l1\nl2\tx\r\n"),
        ('{"c": `a ${b}`}', "a ${b}"),
        (r'{"c": `\n\t\\\"\/\b\f\r\u00e9\ud83d\ude00`}', '\n\t\\"/\b\f\ré😀'),
        (r'{"c": `a \` b`}', "a ` b"),
        (r'{"c": `\d \' \$ \0`}', r"\d \' \$ \0"),
        ('{"c": `a\\\nb`}', "a\\\nb"),
        (r'{"c": `\u12 \ud83d\u12 \u`}', "\\u12 \ud83d\\u12 \\u"),
        (r'{"c": `\ud83d\ude`}', "\ud83d\\ude"),
        (r'{"c": `\ud83d\``}', "\ud83d`"),
        ('{"c": `\0\x1fé😀`}', "\0\x1fé😀"),
        ('{"c": ``}', ""),
        ('{"c": "x ` y"}', "x ` y"),
    ],
)
def test_backtick_strings(text: str, value: str) -> None:
    result = scan(text, backticks=True)
    assert (result.state, result.consumed) == (DONE, len(text))
    assert json.loads(result.out) == {"c": value}
    check_cuttings(text, backticks=True)
    views = [
        json.loads(cut.out + cut.finish)
        for cut in (scan(text[:end], backticks=True) for end in range(1, len(text)))
    ]
    assert all(is_view(view, {"c": value}) for view in views)


def test_a_long_backtick_string() -> None:
    body = 'line "x" {\n' * 1000 + r"\n\`\d" * 1000
    result = scan(f"[`{body}`]", backticks=True)
    expected = 'line "x" {\n' * 1000 + "\n`\\d" * 1000
    assert json.loads(result.out) == [expected]


def test_backticks_are_no_keys_and_change_no_other_rule() -> None:
    check("{`a`: 1}", "{", FAILED, 1, backticks=True)
    check('["x\ny"]', '["x', FAILED, 3, backticks=True)
    check('`a"b`', '"a\\"b"', DONE, backticks=True)


# ---------------------------------------------------------------- plain


def test_plain_says_where_text_may_pass_by() -> None:
    assert scan('{"a": "x').plain
    assert scan('{"a": "x\\n').plain
    assert scan('{"a": "x\\ud83d', "\\ude00").plain
    for text in ('{"a', '{"a": ', '{"a": "x"', '{"a": "x\\', '{"a": "x\\u00', '["x\n', '"x"'):
        assert not scan(text).plain, text
    assert not scan("[`x", backticks=True).plain


def test_text_that_passes_by_changes_nothing() -> None:
    scanner = JsonScanner()
    out: list[str] = []
    scanner.feed('{"a": "x', 0, out)
    out.append(" é} ")
    scanner.feed('y"}', 0, out)
    assert scanner.done
    assert "".join(out) == '{"a": "x é} y"}'


# ---------------------------------------------------------------- laws

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda children: st.one_of(
        st.lists(children, max_size=4), st.dictionaries(st.text(max_size=4), children, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    """JSON in one of the usual layouts."""
    value = draw(VALUES)
    return json.dumps(
        value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from((None, 0, "\t")))
    )


@st.composite
def spoiled_texts(draw: st.DrawFn) -> str:
    """JSON with one place replaced."""
    text = draw(json_texts())
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(start + 2, len(text))))
    fragment: str = draw(st.sampled_from(FRAGMENTS))
    return text[:start] + fragment + text[end:]


FRAGMENTS = [
    *'{}[]",:\\`/ \n\t01-+.eE5x',
    *('""', '"a"', '"a":', "true", "nul", "false,", "null", "NaN", "-Infinity", "1.5e+3"),
    *("\\u", "\\ud83d", "\\ude00", "\\u00e9", "\\n", "\\d", "\\`", "ude", "é", "😀", "\ud83d"),
]
SOUPS = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)
TEXTS = st.one_of(json_texts(), spoiled_texts(), SOUPS, SOUPS.map('["'.__add__))


def is_view(part: object, whole: object) -> bool:
    """Whether a value is what could have been read of another, read in order."""
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, list) and isinstance(whole, list):
        return (
            len(part) <= len(whole)
            and part[:-1] == whole[: max(len(part) - 1, 0)]
            and all(map(is_view, part[-1:], whole[len(part) - 1 :]))
        )
    if isinstance(part, dict) and isinstance(whole, dict):
        keys = list(part)
        return keys == list(whole)[: len(keys)] and is_view(
            list(part.values()), list(whole.values())[: len(keys)]
        )
    return repr(part) == repr(whole)


@given(json_texts())
def test_law_every_prefix_is_a_view(text: str) -> None:
    value = json.loads(text)
    given_out = ""
    for end in range(len(text) + 1):
        result = scan(text[:end])
        assert result.state != FAILED
        assert text.startswith(result.out)
        assert result.out.startswith(given_out)
        given_out = result.out
        view = result.out + result.finish
        assert view == "" or is_view(json.loads(view), value)
    assert scan(text + " ").out == text


@given(text=TEXTS, backticks=st.booleans())
@example(text='["\\ud83d\\ud83d\\ude00"]', backticks=False)
@example(text="`\\ud83d\\u\\`", backticks=True)
def test_law_every_cutting_gives_the_same(text: str, *, backticks: bool) -> None:
    check_cuttings(text, backticks=backticks)


@given(text=TEXTS, backticks=st.booleans())
def test_law_what_is_given_out_is_json(text: str, *, backticks: bool) -> None:
    for end in range(len(text) + 1):
        result = scan(text[:end], backticks=backticks)
        view = result.out + result.finish
        if view:
            json.loads(view, parse_constant=pytest.fail)


@given(text=TEXTS, object_only=st.booleans())
@example(text='{"a": [[[1]]], "a": 1}', object_only=True)
@example(text="1.5.", object_only=False)
def test_law_the_fast_path_agrees(text: str, *, object_only: bool) -> None:
    start = len(text) - len(text.lstrip(" \t\n\r"))
    result = scan(text, object_only=object_only)
    fast = read_whole(text, start, object_only=object_only)
    if fast is None:
        # What is whole and strict is read; a key that comes twice is left to the scanner.
        assert result.state != DONE or repeats_a_key(result.out) or has_lone_surrogate(result.out)
    else:
        assert result.state == DONE
        assert repr(fast[0]) == repr(json.loads(result.out))
        assert fast[1] == result.consumed
        assert text[start : fast[1]] == result.out


def has_lone_surrogate(text: str) -> bool:
    written = json.dumps(json.loads(text), ensure_ascii=False)
    return any("\ud800" <= character <= "\udfff" for character in written)


def repeats_a_key(text: str) -> bool:
    repeated = []

    def check(pairs: list[tuple[str, object]]) -> None:
        repeated.append(len(dict(pairs)) != len(pairs))

    json.loads(text, object_pairs_hook=check)
    return any(repeated)


@pytest.mark.parametrize("depth", [199, 200, 201, 100_000])
def test_the_fast_path_agrees_on_depth(depth: int) -> None:
    for opener, closer in (("[", "]"), ('{"a": ', "}")):
        text = opener * (depth - 1) + '["[{", ' + "[]," * 300 + "1]" + closer * (depth - 1)
        text = text.replace("[],", "1,")
        assert (read_whole(text, 0) is not None) == (depth <= 200)
        assert scan(text).state == (DONE if depth <= 200 else FAILED)
    hidden = '{"a": ' + "[" * depth + "]" * depth + ', "a": 1}'
    assert read_whole(hidden, 0) is None  # the value that the second key hides may be too deep
    assert scan(hidden).state == (DONE if depth < 200 else FAILED)
    wide = "[" + "[]," * depth + '"[[\\"{{"]'
    assert read_whole(wide, 0) is not None


@pytest.mark.parametrize("text", ["", "5", "-5.0", "true", "null"])
def test_the_fast_path_leaves_undecided_roots(text: str) -> None:
    assert read_whole(text, 0) is None
    assert scan(text).state == OPEN


# ---------------------------------------------------------------- cost


def count_steps(text: str, size: int, *, backticks: bool = False) -> int:
    """Count the calls, of Python and of C, that reading takes in chunks of `size`."""
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    scanner = JsonScanner(backticks=backticks)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    out: list[str] = []
    before = sys.getprofile()
    sys.setprofile(count)
    rest = ""
    try:
        for chunk in chunks:
            rest += chunk
            rest = rest[scanner.feed(rest, 0, out) :]
    finally:
        sys.setprofile(before)
    return steps


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "unit", ['"a",', "1,", "[],", '"\\n\\u00e9",', '{"a":{}},', " ", "`\\d`,", "tru", "9"]
)
@pytest.mark.parametrize("size", [1, 4, 1_000_000])
def test_steps_grow_with_the_text(unit: str, size: int) -> None:
    small = count_steps("[" + unit * 200, size, backticks=True)
    large = count_steps("[" + unit * 3200, size, backticks=True)
    assert large <= small * 16.1


def test_a_chunk_of_a_string_takes_few_steps() -> None:
    text = '["' + "text" * 1000
    assert count_steps(text, 4) <= 8 * len(text) / 4


@pytest.mark.parametrize("place", [0, 65_535, 65_536, 140_000])
def test_half_a_pair_is_found_anywhere_in_a_long_text(place: int) -> None:
    text = "é" * 140_001
    assert not has_surrogate(text)
    assert has_surrogate(f"{text[:place]}\udc00{text[place:]}")
