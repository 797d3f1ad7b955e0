"""What is mended at once comes out as if it were read one token after the other."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.units.recovery.test_recovery_laws import FRAGMENTS, KEYS, VALUES
from toolgrammar import JsonParser, recover_json
from toolgrammar.core.payloads.mended import stretches
from toolgrammar.core.payloads.mended.recover import RecoveringScanner


def check(text: str, pieces: int = 0) -> None:
    """Reads with and without what is mended at once, whole or in pieces."""
    shown = []
    for least in (1 << 40, 49):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stretches, "LEAST", least)
            if pieces:
                parser = JsonParser()
                for start in range(0, len(text), pieces):
                    parser.feed(text[start : start + pieces])
                found = parser.close()
            else:
                found = recover_json(text)
        shown.append(json.dumps(found.to_dict()))
    assert shown[0] == shown[1]


DAMAGES: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "single quotes": lambda text: re.sub(r'"([^"\\\']*)"', r"'\1'", text),
    "smart quotes": lambda text: re.sub(r'"([^"\\]*)"', "\u201c\\1\u201d", text),
    "keys": lambda text: re.sub(r'"(\w+)":', r"\1:", text),
    "literals": lambda text: re.sub(r"\b(true|false)\b", lambda match: match[0].title(), text),
    "texts": lambda text: re.sub(r': "(\w[\w ]*)"', r": \1", text),
    "comments": lambda text: text.replace(", ", ", // why\n "),
    "more comments": lambda text: text.replace("}", " /* so */ }"),
    "no commas": lambda text: text.replace(", ", " "),
    "commas": lambda text: re.sub(r"([}\]])", r",\1", text),
}
ROW = {"id": 1, "name": "item one", "done": True, "parts": [1, 2.5, "xy"], "more": {"a": 7}}


@pytest.mark.parametrize("name", [name for name in DAMAGES if name not in {"none", "texts"}])
def test_each_damage_is_mended_at_once(name: str) -> None:
    text = DAMAGES[name](json.dumps([ROW] * 40))
    scanner = RecoveringScanner()
    scanner.feed(text, 0, [])
    assert sum(each.end - each.start for each in scanner.stretches) > len(text) // 2
    check(text)
    check(text, 700)


def test_text_without_quotes_is_mended_at_once_and_in_doubt() -> None:
    text = DAMAGES["texts"](json.dumps({f"k{index}": "some words" for index in range(90)}))
    scanner = RecoveringScanner()
    scanner.feed(text, 0, [])
    assert scanner.stretches
    found = recover_json(text)
    assert not found.executable
    assert recover_json(text, allow={"bare-text"}).executable
    check(text)


def test_what_is_mended_at_once_keeps_the_limits() -> None:
    deep = "[" * 250 + "]" * 250
    check("[" + "{'a': 1}, " * 30 + deep + ", {'a': 1}" * 30 + "]")
    twice = "{'a': 1, 'b': 2, 'a': 3}"
    check("[" + f"{twice}, " * 30 + twice + "]")
    check("{" + "'a': 1, 'b': 2, " * 30 + "'c': 3}")


@pytest.mark.parametrize(
    "text",
    [
        # A key in an array, behind what would be the last sound item.
        '[{"a": "one"}, {"key one": "two"}, {"a": 2.5, "c": "three"}, a: True{"a": "ends,"}]',
        # What shows the end of a string stands behind the item that is looked at.
        "['x', True, \"end\",x: \"end\", 'word', 'some more words', \"and some at the end\"]",
        # Line ends and spaces in turn before the quote of what reads as a key.
        '{"a": "x\\d' + "y" * 80 + ' \n \n"key": 1}',
        # An escaped quote at the end of what is no key.
        '{"a": "one", "b": "two", "c\\": "\u201cthree\u201d", "d": "some words to fill it up"}',
        # A brace behind other openers where a key should stand.
        '[["' + "x" * 50 + '", {[{"k": 1}]]',
        # A comma before a quote in an array, with and without a quote in the string before.
        '["x\\d' + "y" * 70 + ', "b", "c"]',
        '["x\\d z" y' + "y" * 70 + ', "b", "c"]',
        '{"a": "' + '"}' * 60,
        '{"a": "' + '", "' * 60,
        '["' + "'a\"" * 60,
        '[{"a": "' + 'x" y\n\\d \\u12 ' * 20,
    ],
)
def test_what_comes_close_to_damage_of_another_kind(text: str) -> None:
    check(text)
    check(text, 100)


BODIES = st.lists(
    st.sampled_from(
        [*"\",:}]{[\n\t'", *("x", " ", "\\d", "\\n", "\\u12", "\\", '", "', '"}', "word ")]
    ),
    min_size=20,
)


@settings(deadline=None)
@given(
    begin=st.sampled_from(['{"a": "', '["', '{"z": {"a": "', '[{"a": "', '{"z": ["']),
    body=BODIES.map("".join),
    end=st.sampled_from(["", '"}', '"]}', '", "b": 1}', "x" * 70]),
    pieces=st.sampled_from([0, 0, 100]),
)
def test_parts_of_strings_change_nothing(begin: str, body: str, end: str, pieces: int) -> None:
    check(begin + body + end, pieces)


@settings(deadline=None)
@given(
    rows=st.lists(VALUES, min_size=2, max_size=12) | st.dictionaries(KEYS, VALUES, min_size=3),
    damages=st.lists(st.sampled_from(list(DAMAGES)), max_size=3),
    fragments=st.lists(st.tuples(st.integers(0, 1000), FRAGMENTS), max_size=2),
    indent=st.sampled_from([None, None, 1]),
    pieces=st.sampled_from([0, 0, 100]),
)
@example(rows=["a", True, "b"] * 9, damages=["no commas"], fragments=[], indent=None, pieces=0)
@example(
    rows=[{"a": "x"}] * 9,
    damages=[],
    fragments=[(90, "/*" + "c" * 300 + "*/")],
    indent=None,
    pieces=0,
)
def test_stretches_change_nothing(
    rows: Any, damages: list[str], fragments: list[tuple[int, str]], indent: int | None, pieces: int
) -> None:
    text = json.dumps(rows, ensure_ascii=False, indent=indent)
    for name in damages:
        text = DAMAGES[name](text)
    for place, fragment in fragments:
        text = text[: place % len(text)] + fragment + text[place % len(text) :]
    check(text, pieces)
