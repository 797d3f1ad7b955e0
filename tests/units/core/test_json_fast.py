"""jiter gives what the standard library gives, or nothing."""

from __future__ import annotations

import json
import random

import pytest

import toolgrammar as tg
from toolgrammar.core import json_fast
from toolgrammar.core.json_whole import read_object
from toolgrammar.core.lanes import Landmark

MARK = Landmark("</tool_call>", 1)
PIECES = [
    *('{"a": ', '"b": ', '"', "\\", "\\u00e9", "\\ud83d", "\\ude00", "\\n", "é", "\ud800", "\x00"),
    *("{", "}", "[", "]", ",", ": ", " ", "\n", "\u00a0", "1", "-0", "1e400", "-1.5E-7", "9" * 30),
    *("true", "null", "NaN", "Infinity", "0.1", "1e5", "</tool_call>", '"a": 1', '"x\\"": "y"'),
    "9" * 4400,
]


def compare(text: str) -> bool:
    """Compares the two; tells whether jiter gave something."""
    assert json_fast.jiter_reader() is not None
    found = json_fast.read_up_to(text, 0, MARK)
    if found is None:
        return False
    wanted = read_object(text, 0)
    assert wanted is not None, text
    assert json.dumps(found[0]) == json.dumps(wanted[0]), text
    assert repr(found) == repr(wanted[:2]), text
    return True


def values(draw: random.Random, depth: int) -> object:
    kind = draw.randrange(8 if depth else 6)
    if kind < 3:
        return "".join(draw.choice('ab"\\\n\té—😀{}<>') for _ in range(draw.randrange(12)))
    if kind == 3:
        return draw.choice([0, -0.0, 1.5, 10**20, -7, 1e300, 0.1, 123456789.123456789, 5e-324])
    if kind < 6:
        return draw.choice([True, False, None])
    inner = [values(draw, depth - 1) for _ in range(draw.randrange(4))]
    return inner if kind == 6 else {f"k{place}": each for place, each in enumerate(inner)}


def test_what_jiter_gives_is_what_the_standard_library_gives() -> None:
    draw = random.Random(7)
    sound = damaged = 0
    for _ in range(3000):
        value = {f"k{place}": values(draw, 3) for place in range(draw.randrange(4))}
        written = json.dumps(
            value, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, 1, 2])
        )
        sound += compare(written + draw.choice(["", " ", "\n"]) + "}\n</tool_call>")
        place = draw.randrange(len(written) + 1)
        for piece in draw.sample(PIECES, 3):
            text = written[:place] + piece + written[place + draw.randrange(3) :]
            damaged += compare(text + "}</tool_call>")
    assert sound > 2900
    assert damaged > 500


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "</tool_call>",
        '{"a": 1</tool_call>',
        '{"a": 1, "a": 2}}</tool_call>',
        '{"a": "</tool_call>"}}</tool_call>',
        '{"a": 1}, "id": "x"}</tool_call>',
        '["a"]}</tool_call>',
        "{" + '"a": {' * 300 + "}" * 300 + "}}</tool_call>",
    ],
)
def test_the_rest_is_left_to_the_standard_library(text: str) -> None:
    assert json_fast.jiter_reader() is not None
    assert json_fast.read_up_to(text, 0, MARK) is None


def test_short_messages_are_read_with_jiter_where_they_hold_escapes() -> None:
    length = json_fast.LEAST_ESCAPED
    assert json_fast.is_fast("\\" + "x" * length)
    assert not json_fast.is_fast("x" * (length + 1))
    assert not json_fast.is_fast("\\" * length)
    assert not json_fast.is_fast("\\ï" + "x" * length)
    assert json_fast.is_fast("x" * (json_fast.LEAST + 1))


def test_messages_are_read_alike_without_jiter(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = ['"text"', '"</tool_call>"', "[1, {}]", '"\\u00e9"', "1e400", '"a", "a": 2']
    long = "x" * json_fast.LEAST
    texts = [
        f'<tool_call>\n{{"name": "f", "arguments": {{"b": "{long}", "a": {body}}}}}\n</tool_call>'
        for body in bodies
    ]
    hermes = tg.load_format(tg.formats["hermes"].path)  # one that has read nothing yet
    for text in texts * 3:
        tg.parse(text, hermes)
    read = json_fast.jiter_reader()
    assert read is not None
    asked: list[bytes] = []

    def count(data: bytes, **options: bool) -> object:
        asked.append(data)
        return read(data, **options)

    monkeypatch.setattr(json_fast, "jiter_reader", lambda: count)
    fast = [tg.parse(text, hermes).to_dict() for text in texts]
    assert len(asked) == len(texts) - 1  # before the closer in the string stands no brace
    monkeypatch.setattr(json_fast, "jiter_reader", lambda: None)
    assert [tg.parse(text, hermes).to_dict() for text in texts] == fast
