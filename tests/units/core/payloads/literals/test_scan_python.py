"""The scanner of one Python call's arguments: values, cuts, refusals, in every cutting."""

import ast
import json
import warnings
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgrammar.core.payloads.json.tokens import TOO_DEEP
from toolgrammar.core.payloads.literals.scan_python import PythonScanner


def scan(
    chunks: Sequence[str], parameters: Sequence[str] = (), max_depth: int = 200
) -> tuple[str, int, bool, str]:
    """Give the JSON, the offset at which it ends or fails, whether whole, and why not."""
    scanner = PythonScanner({name: {} for name in parameters}, max_depth=max_depth)
    out: list[str] = []
    consumed, text = 0, ""
    for chunk in chunks:
        # What is not decided is fed again, with more behind it.
        text += chunk
        consumed = scanner.feed(text, consumed, out)
    if not (scanner.done or scanner.failed):
        consumed = len(text)
    whole = scanner.finish(out)
    assert whole is scanner.done
    assert scanner.failed is bool(scanner.failure)
    given_out = list(out)
    assert scanner.finish(out) is whole
    assert out == given_out
    return "".join(out), consumed, whole, scanner.failure


def check(
    text: str,
    expected: dict[str, object],
    *,
    whole: bool,
    parameters: Sequence[str] = (),
) -> None:
    """Check the arguments of `text`, and that no cutting changes anything."""
    result = scan([text], parameters)
    written, consumed, is_whole, _failure = result
    assert repr(json.loads(written)) == repr(expected)
    assert is_whole is whole
    if whole:
        assert text[consumed] == ")"
    assert scan(list(text), parameters) == result
    for place in range(1, len(text)):
        assert scan([text[:place], text[place:]], parameters) == result, text[:place]


WHOLE = {
    ")": {},
    " \n )": {},
    "a=1)": {"a": 1},
    "a=1,)": {"a": 1},
    " a = 1 ,\n\tb = 2\r\n)": {"a": 1, "b": 2},
    "a=1)]": {"a": 1},
    "from='a', class=\"b\", None=1)": {"from": "a", "class": "b", "None": 1},
    "größe=1, 名=2, कीमत=3)": {"größe": 1, "名": 2, "कीमत": 3},
    "r='x', f='y', true=1)": {"r": "x", "f": "y", "true": 1},
    "a=1, b=2, a=3)": {"a": 3, "b": 2},
    # numbers
    "a=-1, b=+2, c=- 3, d=-0)": {"a": -1, "b": 2, "c": -3, "d": 0},
    "a=1_000, b=0x1F, c=0o17, d=0b101, e=-0X_ff)": {
        "a": 1000, "b": 31, "c": 15, "d": 5, "e": -255,
    },
    "month=07, zero=00)": {"month": 7, "zero": 0},
    "a=1.5, b=.5, c=5., d=-0.0, e=1_0.2_5)": {"a": 1.5, "b": 0.5, "c": 5.0, "d": -0.0, "e": 10.25},
    "a=1e3, b=1E+3, c=-1.5e-3, d=1_0e1_0)": {"a": 1000.0, "b": 1000.0, "c": -0.0015, "d": 1e11},
    "a=18446744073709551617)": {"a": 18446744073709551617},
    # named values
    "a=True, b=False, c=None)": {"a": True, "b": False, "c": None},
    "a=true, b=false, c=null)": {"a": True, "b": False, "c": None},
    # strings
    "a='', b=\"\", c='''''', d='x''')": {"a": "", "b": "", "c": "", "d": "x"},
    "a='it\\'s', b=\"say \\\"hi\\\"\", c='\"', d=\"'\")": {
        "a": "it's", "b": 'say "hi"', "c": '"', "d": "'",
    },
    r"a='\\ \a\b\f\n\r\t\v')": {"a": "\\ \a\b\f\n\r\t\v"},
    r"a='\0\12\101\1018\377')": {"a": "\0\nAA8\377"},
    r"a='\x41\u00e9\U0001F600\ud83d\ude00')": {"a": "Aé😀😀"},
    "a='x\\\ny\\\r\nz\\\rw')": {"a": "xyzw"},
    r"a='\d+\.\{ \N{DASH} \8')": {"a": "\\d+\\.\\{ \\N{DASH} \\8"},
    r"a='C:\users \x4 \u12 \U00110000', b='\x')": {
        "a": "C:\\users \\x4 \\u12 \\U00110000", "b": "\\x",
    },
    r"a='\ud83d', b='\ud83d' '\ude00x', c='\ude00\ud83d')": {
        "a": "\ud83d", "b": "\ud83d\ude00x", "c": "\ude00\ud83d",
    },
    "a='line\nend\t\0\x1f\x7f')": {"a": "line\nend\t\0\x1f\x7f"},
    "a=r'\\d\\n\\\\', b=R'\\'', c=u'\\n', d=r'''\\'x'y''')": {
        "a": "\\d\\n\\\\", "b": "\\'", "c": "\n", "d": "\\'x'y",
    },
    "a='''it's \"\"\" ''x'' \\''' ''')": {"a": "it's \"\"\" ''x'' ''' "},
    'a="""x"y""z\n""")': {"a": 'x"y""z\n'},
    "a='x' 'y'\n\"z\"'' r'\\d' f'{{}}')": {"a": "xyz\\d{}"},
    "a=f'{{x}}', b=rf'\\d{{1}}', c=fR'\\{{')": {"a": "{x}", "b": "\\d{1}", "c": "\\{"},
    "a='])}(,b=1', b='[{(\"')": {"a": "])}(,b=1", "b": '[{("'},
    "a='\u2028 é 😀 \"')": {"a": '\u2028 é 😀 "'},
    # containers
    "a=[], b={}, c=(), d=[[]], e={'x': {}})": {
        "a": [], "b": {}, "c": [], "d": [[]], "e": {"x": {}},
    },
    "a=[1, 'x' 'y', None,], b=(1,), c=(1, 2,), d={1, 2,}, e={'u'}, f={(1, 2)})": {
        "a": [1, "xy", None], "b": [1], "c": [1, 2], "d": [1, 2], "e": ["u"], "f": [[1, 2]],
    },
    "a=(1), b=('x'\n'y'), c=((1)), d=([]), e=[(1), (2,)], f={'k': ('v')})": {
        "a": 1, "b": "xy", "c": 1, "d": [], "e": [1, [2]], "f": {"k": "v"},
    },
    "a={'x': 1, \"y\" 'z': [2], 'w': {'v': 3,},})": {"a": {"x": 1, "yz": [2], "w": {"v": 3}}},
    "a={1: 'i', -2: 'j', 1.50: 'k', True: 'l', None: 'm', null: 'n', 0x10: 'o'})": {
        "a": {
            "1": "i", "-2": "j", "1.5": "k", "True": "l", "None": "n", "16": "o",
        },
    },
    "a={'': 0, 'k': '', 3: 3})": {"a": {"": 0, "k": "", "3": 3}},
    "a=[ [ 1 , 2 ]\n, { 'k' : ( 3 , ) } ])": {"a": [[1, 2], {"k": [3]}]},
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WHOLE.items())
def test_whole_arguments(text: str, expected: dict[str, object]) -> None:
    check(text, expected, whole=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1)", {"x": 1}),
        ("'a', [2], -3)", {"x": "a", "y": [2], "z": -3}),
        ("True , None)", {"x": True, "y": None}),
        ("r'\\d', b=2)", {"x": "\\d", "b": 2}),
        ("1, x=2)", {"x": 2}),
        ("{'k': 'v'}, (1, 2), .5)", {"x": {"k": "v"}, "y": [1, 2], "z": 0.5}),
        ("1e+3, 2,)", {"x": 1000.0, "y": 2}),
    ],
)
def test_positional_arguments(text: str, expected: dict[str, object]) -> None:
    check(text, expected, whole=True, parameters=("x", "y", "z"))


CUT = {
    "": {},
    "a": {},
    "a =": {},
    "True": {},
    # strings keep what came
    "a='hal": {"a": "hal"},
    "a='": {"a": ""},
    "a=''": {"a": ""},
    "a='x'": {"a": "x"},
    "a='x' r": {"a": "x"},
    "a='x' 'y": {"a": "xy"},
    "a='x\\": {"a": "x"},
    "a='x\\u00": {"a": "x"},
    "a='x\\ud83d": {"a": "x"},
    "a='x\\ud83d\\ude": {"a": "x"},
    "a='''x''": {"a": "x"},
    "a=f'x{": {"a": "x"},
    # numbers and names that nothing delimits are no values
    "a=1, b=12": {"a": 1},
    "a=1, b=-": {"a": 1},
    "a=1, b=- 1.5e": {"a": 1},
    "a=1, b=tr": {"a": 1},
    "a=1, b=r": {"a": 1},
    "a=1, b=true": {"a": 1, "b": True},
    "a=1, b=12 ": {"a": 1, "b": 12},
    # containers keep whole items
    "a=[": {"a": []},
    "a={": {"a": {}},
    "a=[1, 2": {"a": [1]},
    "a=[1, 2 ": {"a": [1, 2]},
    "a=[1, 'x": {"a": [1, "x"]},
    "a=[1,": {"a": [1]},
    "a=[1]": {"a": [1]},
    "a={'x": {"a": {}},
    "a={'x'": {"a": {}},
    "a={'x':": {"a": {}},
    "a={'x': 'y": {"a": {"x": "y"}},
    "a={'x': 1, 'y'": {"a": {"x": 1}},
    "a={'x': 1, 'y': None": {"a": {"x": 1, "y": None}},
    "a={1, 2, 'x": {"a": [1, 2, "x"]},
    "a=[{'x': [1, {'y': 'z": {"a": [{"x": [1, {"y": "z"}]}]},
    "a=(1": {},
    "a=('x": {},
    "a=[1, (2 ": {"a": [1]},
    "a=(1, (2, 3": {"a": [1, [2]]},
}


@pytest.mark.parametrize(("text", "expected"), CUT.items())
def test_cut_arguments(text: str, expected: dict[str, object]) -> None:
    check(text, expected, whole=False)
    assert scan([text])[1] == len(text)


def test_cut_positional_argument() -> None:
    check("'hal", {"x": "hal"}, whole=False, parameters=["x"])


REFUSED = {
    # text, the offset at which it cannot go on: what stays
    ("a=1, b=x)", 8): {"a": 1},
    ("a=f(1))", 3): {},
    ("a=x.y)", 5): {},
    ("a=1 + 2)", 4): {},
    ("a=1+2)", 3): {},
    ("a=0x1e+2)", 6): {},
    ("a=[1, 2 3])", 8): {"a": [1]},
    ("a=1 b=2)", 4): {},
    ("a=1j)", 4): {},
    ("a=1__0)", 6): {},
    ("a=٣)", 3): {},
    ("a=--1)", 3): {},
    ("a=-'x')", 3): {},
    ("a=1e999)", 7): {},
    ("a=-1e999)", 8): {},
    ("a=nan)", 5): {},
    ("a=b'z')", 3): {},
    ("a=Rb'z')", 4): {},
    ("a=ur'z')", 4): {},
    ("a='x' b'y')", 6): {"a": "x"},
    ("a='x' + y)", 6): {"a": "x"},
    ("a='x' if)", 6): {"a": "x"},
    ("a='x'.y)", 5): {"a": "x"},
    ("a=f'x{y}')", 6): {"a": "x"},
    ("a=f'x}')", 6): {"a": "x"},
    ("a=[1)", 4): {"a": []},
    ("a=[1, 2)", 7): {"a": [1]},
    ("a=[1}", 4): {"a": []},
    ("a={'x': 1]", 9): {"a": {}},
    ("a={'x': 1, 'y'})", 14): {"a": {"x": 1}},
    ("a={'x': 1, [2]: 3})", 11): {"a": {"x": 1}},
    ("a={[1]: 2})", 3): {"a": {}},
    ("a={[1]", 3): {"a": {}},
    ("a={{'b': 1}})", 3): {"a": {}},
    ("a={1, [2]})", 6): {"a": [1]},
    ("a={1, 2: 3})", 7): {"a": [1]},
    ("a={'x': })", 8): {"a": {}},
    ("a={'x': 1: 2})", 9): {"a": {}},
    ("a=[1: 2])", 4): {"a": []},
    ("a=[,])", 3): {"a": []},
    ("a=(,))", 3): {},
    ("a=[1,,])", 5): {"a": [1]},
    ("a=[*x])", 3): {"a": []},
    (",)", 0): {},
    ("a=1,,)", 4): {"a": 1},
    ("a=)", 2): {},
    ("a==1)", 2): {},
    ("a)", 1): {},
    ("a.b=1)", 3): {},
    ("a-b=1)", 1): {},
    ("1a=1)", 0): {},
    ("'a'=1)", 0): {},
    ("1)", 0): {},
    (".5)", 0): {},
    ("True)", 4): {},
    ("a=1, 2)", 5): {"a": 1},
    ("*x)", 1): {},
    ("**x)", 2): {},
    ("**{1})", 5): {},
    ("a:1)", 1): {},
    ("a=1;)", 3): {},
    ("a=\\\n1)", 2): {},
    ("a=\ud800)", 3): {},
}


@pytest.mark.parametrize(
    ("text", "offset", "expected"), [(*key, value) for key, value in REFUSED.items()]
)
def test_refused_arguments(text: str, offset: int, expected: dict[str, object]) -> None:
    check(text, expected, whole=False)
    _written, consumed, _whole, failure = scan([text])
    assert failure
    assert len(failure) <= 100
    assert consumed == offset


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a={'x': 1, 'y'})", "Found `}` in the argument `a`; wanted `:` after a key"),
        ("a={'x': })", "Found `}` in the argument `a`; wanted a value"),
        ("a={'x': 1, [2]: 3})", "Found `[` in the argument `a`; wanted a key, or an item of a set"),
        ("a=[1})", "Found `}` in the argument `a`; wanted `,` or `]`"),
        ("a=1 b=2)", "Found `b` in the argument `a`; wanted `,` or `)` after an argument"),
        ("a=--1)", "Found `-` in the argument `a`; wanted a number after the sign"),
        ("a=b'z')", "Found `'` in the argument `a`; wanted a literal; `b` opens no text"),
        ("a='x' if)", "Found `)` in the argument `a`; wanted a quote: a string stands before"),
        ("a)", "Found `)`; wanted `=` after the name `a`"),
        ("*x)", "Found `x`; wanted `**` before an object"),
    ],
)
def test_says_what_was_wanted_instead(text: str, wanted: str) -> None:
    assert scan([text])[3] == wanted


@pytest.mark.parametrize("text", ["a=1, True)", "a=1, 'x')", "1, 2, 3)", "'x'=1)", "a:1)"])
def test_refused_positional_arguments(text: str) -> None:
    """A value after a keyword, one too many, and what only begins like an argument."""
    assert scan([text], ["x", "y"])[3]
    assert scan(list(text), ["x", "y"]) == scan([text], ["x", "y"])


def test_string_arrives_as_it_is_written() -> None:
    scanner = PythonScanner()
    out: list[str] = []
    scanner.feed("path='a', text='first\\nsec", 0, out)
    assert "".join(out) == '{"path": "a", "text": "first\\nsec'
    assert scanner.feed("ond')", 0, out) == 4
    assert scanner.done
    assert "".join(out) == '{"path": "a", "text": "first\\nsecond"}'


def test_other_values_arrive_when_delimited() -> None:
    scanner = PythonScanner()
    out: list[str] = []
    scanner.feed("a=[1, {'x': 'y'}]", 0, out)
    assert out == []
    scanner.feed(" ,", 0, out)
    assert out == ['{"a": [1, {"x": "y"}]']


def test_nothing_is_read_after_the_end() -> None:
    scanner = PythonScanner()
    out: list[str] = []
    assert scanner.feed("f(a=1) b", 2, out) == 5
    assert scanner.feed(") b", 0, out) == 0
    assert out == ['{"a": 1', "}"]


def test_duplicates_are_both_written() -> None:
    assert scan(["a=1, a='x')"])[0] == '{"a": 1, "a": "x"}'


@pytest.mark.parametrize(("depth", "whole"), [(3, True), (4, False)])
def test_depth(depth: int, *, whole: bool) -> None:
    """The arguments themselves are the first level."""
    text = "a=" + "[" * depth + "]" * depth + ")"
    assert scan([text], max_depth=4)[2] is whole


def test_deep_nesting_is_refused_without_recursion() -> None:
    for opener in ("[", "(", "{1,(", "{'a':", "{1:("):
        written, _consumed, whole, failure = scan(["a=" + opener * 20_000])
        assert not whole
        assert failure == TOO_DEEP
        json.loads(written)


def test_long_numbers_are_refused() -> None:
    """Longer integers than CPython reads, in every cutting at the same place."""
    assert scan([f"a={'9' * 4300})"])[2]
    for text in (f"a={'9' * 4301})", f"a={'1' * 9000})", f"a=0x{'f' * 4000})"):
        result = scan([text])
        assert result[3]
        assert scan(list(text)) == result


NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text("'\"\\\n{}()[],= anrux07é😀"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def write(arguments: dict[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items()) + ")"


@given(st.dictionaries(NAMES, VALUES, max_size=4))
@example({"a": "'\"", "b": "\\'", "c": "\x00\ud800"})
def test_what_repr_writes_is_read_back(arguments: dict[str, object]) -> None:
    text = write(arguments)
    result = scan([text])
    assert result[2]
    assert repr(json.loads(result[0])) == repr(arguments)
    assert result[1] == len(text) - 1
    assert scan(list(text)) == result
    step = max(1, len(text) // 60)
    for place in range(1, len(text), step):
        assert scan([text[:place], text[place:]]) == result


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=3), st.data())
def test_every_prefix_closes_to_a_prefix_of_the_arguments(
    arguments: dict[str, object], data: st.DataObject
) -> None:
    """Names come in order, and a value that differs is a shorter one of the same type."""
    text = write(arguments)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    written, consumed, whole, failure = scan([cut])
    assert (consumed, whole, failure) == (len(cut), False, "")
    read = json.loads(written)
    assert list(read) == list(arguments)[: len(read)]
    for name, value in read.items():
        assert type(value) is type(arguments[name])
        if isinstance(value, str):
            assert str(arguments[name]).startswith(value)


BODIES = st.lists(
    st.sampled_from(
        [*"'\"\\xuU0189aAdDfnrt{} é😀", "\\x4", "\\u00e9", "\\ud83d", "\\ude00", "\\12"]
    ),
    max_size=20,
).map("".join)


@given(st.sampled_from(["", "r", "u", "R"]), st.sampled_from(["'", '"', "'''", '"""']), BODIES)
def test_strings_mean_what_python_means(prefix: str, quote: str, body: str) -> None:
    literal = prefix + quote + body + quote
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of unknown escapes
        try:
            value: object = ast.literal_eval(literal)
        except SyntaxError:
            return
    if isinstance(value, str):
        joined = value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        assert json.loads(scan([f"a={literal})"])[0]) == {"a": joined}


PIECES = st.sampled_from(
    [*"'\"\\()[]{},:=+-.019eExrRuUfbNn \n\r", "'''", "a=", "True", "null", "\\u12", "\\ud83d", "é"]
)


@given(st.lists(PIECES, max_size=30).map("".join), st.data())
@example("a='''\\", None)
def test_no_text_raises_and_no_cutting_matters(text: str, data: st.DataObject | None) -> None:
    text = "a=" + text
    result = scan([text], ["x", "y"])
    json.loads(result[0])
    assert scan(list(text), ["x", "y"]) == result
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4))) if data else [3]
    bounds = [0, *places, len(text)]
    chunks = [text[start:end] for start, end in pairwise(bounds)]
    assert scan(chunks, ["x", "y"]) == result


@pytest.mark.parametrize("text", ["a=1]", "a='x']", "a=[1], ]", "a={'b': (1, 2)}\n]"])
def test_the_closer_of_the_list_ends_arguments(text: str) -> None:
    written, consumed, is_whole, failure = scan([text])
    assert (text[consumed], is_whole, failure) == ("]", True, "")
    assert json.loads(written).keys() == {"a"}
