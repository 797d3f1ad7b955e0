"""The scanner of bare objects: JSON out, safe at every cut, the same for every cutting."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.units.core.cuts import read
from toolgrammar.core.payloads.json.tokens import TOO_DEEP
from toolgrammar.core.payloads.literals.scan_bare import BareScanner
from toolgrammar.core.payloads.scanners import scanner_for
from toolgrammar.grammar.terminals import Terminal
from toolgrammar.writing.grammar_walk.payloads import payload

LONG = ("<q>",)
SHORT = ('"', "'", "`")


def scan(quotes: tuple[str, ...], *chunks: str) -> tuple[str, int, str]:
    """Feed the chunks; give what came out, how much was consumed, and the failure."""
    scanner = BareScanner(quotes=quotes)
    out: list[str] = []
    consumed, text = 0, ""
    for chunk in chunks:
        # What is not decided is fed again, with more behind it.
        text += chunk
        consumed = scanner.feed(text, consumed, out)
        closed = [*out]
        assert scanner.finish(closed) == scanner.done
        if out:
            json.loads("".join(closed))
    return "".join(out), consumed, scanner.failure


def check(quotes: tuple[str, ...], text: str, value: object) -> None:
    """Scan a text whole and cut in every place."""
    out, consumed, failure = scan(quotes, text)
    assert (failure, consumed) == ("", len(text))
    assert json.loads(out) == value
    for at in range(len(text) + 1):
        assert scan(quotes, text[:at], text[at:]) == (out, consumed, "")
    assert scan(quotes, *text)[0] == out


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (" \n{ }", {}),
        ("{a:1}", {"a": 1}),
        ("{ a : 1 , }", {"a": 1}),
        ("{a:,b:}", {"a": "", "b": ""}),
        ("{a:[],b:[1,],c:[[x]]}", {"a": [], "b": [1], "c": [["x"]]}),
        ("{a:true,b:null,c:truely,d:TRUE}", {"a": True, "b": None, "c": "truely", "d": "TRUE"}),
        ('{a:True,b:False,c:None,d:<q>True<q>}',
         {"a": True, "b": False, "c": None, "d": "True"}),
        ("{a:-0.5e+3,b:108.,c:.5,d:-,e:.,f:1.2.3,g:01}",
         {"a": -500.0, "b": 108.0, "c": 0.5, "d": "-", "e": ".", "f": "1.2.3", "g": "01"}),
        ("{a:5 apples ,b:x:y}", {"a": "5 apples", "b": "x:y"}),
        ("{<q>a b<q>:<q>}],:\\\"<q>,c:<q><q>}", {"a b": '}],:\\"', "c": ""}),
        ("{a:<q><<q>,b:<qu>,c:<q>x<qq><q>}", {"a": "<", "b": "<qu>", "c": "x<qq>"}),
    ],
)  # fmt: skip
def test_quotes_of_several_characters(text: str, value: object) -> None:
    check(LONG, text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("""{'a': "it's", b: `"x"\n`}""", {"a": "it's", "b": '"x"\n'}),
        (r"""{a: '\'\"\`\\\/\n\q'}""", {"a": "'\"`\\/\nq"}),
        (r"""{a: "\x41\u0041\u{41}\u{1F600}\ud83d\ude00"}""", {"a": "AAA\U0001f600\U0001f600"}),
        (r"""{a: "\xZZ\u12\u{}"}""", {"a": "xZZu12u{}"}),
        ("{a: 'one\\\ntwo\\\r\nthree'}", {"a": "onetwothree"}),
        (r"""{a: "\0\v\f\b"}""", {"a": "\0\v\f\b"}),
    ],
)
def test_quotes_of_one_character_know_the_escapes_of_javascript(text: str, value: object) -> None:
    check(SHORT, text, value)


@pytest.mark.parametrize(
    ("written", "value", "halves"),
    [
        (r'"\ud83d"', "\ufffd", 1),
        (r"'\ud83d\ude00\ude00\u{d83d}'", "\U0001f600\ufffd\ufffd", 2),
        (r"`\ud83d\u0041`", "\ufffdA", 1),
        ("'a\ud83db'", "a\ufffdb", 1),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_doubted(
    written: str, value: str, halves: int
) -> None:
    result = read("ts_call", f"functions.f({{v: {written}}})")
    (call,) = result.calls
    assert (call.arguments, call.doubts[:1]) == ({"v": value}, ("lone-surrogate",))
    assert (call.status, call.executable, len(result.diagnostics)) == ("repaired", False, halves)


@pytest.mark.parametrize(
    ("text", "consumed", "said"),
    [
        ("[]", 0, "wants an object"),
        ("{a}", 2, "colon"),
        ("{:1}", 1, "a key"),
        ("{a:1,,b:2}", 5, "a key"),
        ("{a:[1,,2]}", 6, "an item"),
        ("{a:[1}", 5, "comma or `]`"),
        ("{a:1]", 4, "comma or `}`"),
        ("{<q>a<q> b:1}", 9, "colon"),
        ("{a:<q>b<q> c}", 11, "comma"),
    ],
)
def test_what_is_none_fails_at_one_place(text: str, consumed: int, said: str) -> None:
    _, end, failure = scan(LONG, text)
    assert end == consumed
    assert said in failure
    for at in range(len(text) + 1):
        assert scan(LONG, text[:at], text[at:])[1:] == (consumed, failure)


def test_a_string_leaves_at_once_but_for_what_may_close_it() -> None:
    scanner, pieces, text, position = BareScanner(quotes=LONG), [], "", 0
    for chunk in ("{a:<", "q>on", "e<", "two<", "q>", ",b:fal", "se", "}"):
        out: list[str] = []
        text += chunk
        position = scanner.feed(text, position, out)
        pieces.append("".join(out))
    assert pieces == ["{", '"a": "on', "e", "<two", '"', "", "", ', "b": false}']


def test_the_depth_is_limited() -> None:
    terminal = Terminal("BARE_OBJECT", "payload", "", "", "", marks=LONG)
    scanner = scanner_for(terminal, None, 3)
    scanner.feed("{a:[[[1]]]}", 0, [])
    assert scanner.failed
    assert scanner.failure == TOO_DEEP


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), VALUES), st.data())
def test_what_is_written_is_read_back(value: dict[str, object], data: st.DataObject) -> None:
    terminal = Terminal("BARE_OBJECT", "payload", "", "", "", marks=SHORT)
    written = payload(terminal, value)
    assert written is not None
    at = data.draw(st.integers(0, len(written)))
    assert json.loads(scan(SHORT, written[:at], written[at:])[0]) == value


def test_a_string_with_the_quote_in_it_can_not_be_written() -> None:
    terminal = Terminal("BARE_OBJECT", "payload", "", "", "", marks=LONG)
    assert payload(terminal, {"a": "x<q>y"}) is None
    assert payload(terminal, {"a": {"b<q>": 1}}) is None
    assert payload(terminal, {"a": "x<"}) == "{a:<q>x<<q>}"


@pytest.mark.parametrize(
    ("written", "doubted"),
    [
        ("n:5%", ["$.n"]),
        ("n:NaN", ["$.n"]),
        ("n:", ["$.n"]),
        ("s:", []),
        ("n5:", ["$.n5"]),
        ("o:{n5:,s:}", ["$.o"]),
        ("e:{n5:}", []),
        ("n:5,s:x", []),
        ('n:<|"|>5%<|"|>', []),  # quotes say that a string is meant
        ("u:x", []),
        ("other:x", []),
        ("l:[1,x,y]", ["$.l"]),
        ("o:{n:x,s:x},n:x", ["$.o", "$.n"]),
        ("o:{o:{n:x}},n:1", []),
    ],
)
def test_a_word_is_doubted_where_the_schema_takes_no_text(written: str, doubted: list[str]) -> None:
    number, text = {"type": "integer"}, {"type": "string"}
    inner: dict[str, object] = {"type": "object", "properties": {"n": number, "s": text}}
    properties = {
        "n": number, "s": text, "u": {"type": ["integer", "string"]}, "o": inner,
        "l": {"type": "array", "items": number}, "e": {"type": "object"},
    }  # fmt: skip
    parameters = {"type": "object", "properties": properties}
    tools: list[dict[str, object]] = [{"name": "f", "parameters": parameters}]
    result = read("gemma4", f"<|tool_call>call:f{{{written}}}<tool_call|>", tools)
    assert [each.path for each in result.diagnostics] == doubted
    (call,) = result.calls
    assert call.executable is not bool(doubted)
    assert set(call.doubts) == ({"schema-mismatch"} if doubted else set())


@pytest.mark.parametrize("format_id", ["gemma4", "ts_call"])
@pytest.mark.parametrize(
    ("key", "is_doubted"),
    [
        ('note"x";kind', True),
        ("note\u201d;kind", True),
        ("no'te", True),
        ("no-te", False),
        ("$a.b", False),
    ],
)
def test_a_quote_in_a_bare_key_is_a_doubt(format_id: str, key: str, *, is_doubted: bool) -> None:
    begins, ends = {
        "gemma4": ("<|tool_call>call:f{", "}<tool_call|>"), "ts_call": ("functions.f({", "})")
    }[format_id]  # fmt: skip
    [call] = read(format_id, f"{begins}{key}:1{ends}").calls
    assert call.arguments == {key: 1}
    assert call.doubts == (("missing-quote",) if is_doubted else ())
