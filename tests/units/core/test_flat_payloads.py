"""What is read at regex speed is what the scanner of the payload reads."""

import json
import random
from typing import Any

import pytest

from toolgrammar import ToolCall, formats, parse
from toolgrammar.core.flat_payloads import read_flat
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.json_whole import read_copied, read_object
from toolgrammar.core.scan_elements import read_flat_elements
from toolgrammar.core.scanners import scanner_for
from toolgrammar.core.tables import Terminal
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.values.tools import ToolSpec

_ROUNDS = 4000
_SPEC = ToolSpec(
    "f",
    parameters={
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "object"}},
    },
)
_PYTHON = Terminal("PYTHON_ARGUMENTS", "payload", "", "", "")
_BARE = Terminal("BARE_OBJECT", "payload", "", "", "", marks=("<esc>", '"'))
_ELEMENTS = Terminal("ELEMENTS", "payload", "", "", "", marks=("|",))
_INSIDE = ["x", "é", "\\n", "\\'", '\\"', "\\\\", "\\t", "\\x41", "\\d", "\n", "'", '"', ",", ")"]
_PARTS: dict[str, list[str]] = {
    "python": ["a=", "b=", "'", '"', ", ", ")", "1", "-2.5", "True", "None", "[", *_INSIDE],
    "bare": ["a:", "b:", "<esc>", '"', ",", "}", "<", "esc>", "7", "true", "\ud83d", *_INSIDE],
    "elements": ["|<a>", "|</a>", "|<b>", "|</b>", "|<c>", "|</c>", "5", " ", "|<", "|", "x<y"],
}


def _scanned(terminal: Terminal, text: str) -> tuple[Any, int] | None:
    scanner = scanner_for(terminal, _SPEC, MAX_DEPTH)
    written: list[str] = []
    end = scanner.feed(text, 0, written)
    return None if scanner.failed or not scanner.done else (json.loads("".join(written)), end)


def _drawn(kind: str, seed: str) -> str:
    draw = random.Random(seed)
    inside = "".join(draw.choice(_INSIDE) for _ in range(draw.randrange(6)))
    if kind == "python":
        quote = draw.choice("'\"")
        start = f"a={quote}{inside}{quote}{draw.choice([', b=1)', ')', ', ', ''])}"
    elif kind == "bare":
        quote = draw.choice(["<esc>", '"'])
        start = "{a:" + f"{quote}{inside}{quote}" + draw.choice([",b:1}", "}", ",", ""])
    else:
        start = (
            f"|<a>{inside}|</a>{draw.choice(['|<b>12|</b>', '|<b>|</b>', '|<c> |</c>', ''])}|</f>"
        )
    parts = _PARTS[kind]
    for _ in range(draw.choice([0, 0, 1, 2])):
        place = draw.randrange(len(start) + 1)
        start = start[:place] + draw.choice(parts) + start[place:]
    return start


@pytest.mark.parametrize(
    ("kind", "terminal"), [("python", _PYTHON), ("bare", _BARE), ("elements", _ELEMENTS)]
)
def test_flat_payloads_are_read_as_the_scanner_reads_them(kind: str, terminal: Terminal) -> None:
    read = 0
    for number in range(_ROUNDS):
        text = _drawn(kind, f"{kind} {number}")
        if kind == "elements":
            found: Any = read_flat_elements("|", _SPEC.properties, text, 0)
        else:
            found = read_flat(terminal, text, 0)
        if found is None:
            continue
        read += 1
        wanted = _scanned(terminal, text)
        assert wanted is not None, text
        assert (json.dumps(found[0]), found[1]) == (json.dumps(wanted[0]), wanted[1]), text
    assert read > _ROUNDS / 10


@pytest.mark.parametrize(
    ("written", "value"),
    [(r"'a\nb'", "a\nb"), (r"'it\'s \\n'", "it's \\n"), (r'"\"é\"中\t"', '"é"中\t'), ("''", "")],
)
def test_escapes_of_one_letter_are_read_at_once(written: str, value: str) -> None:
    assert read_flat(_PYTHON, f"a={written})", 0) == ({"a": value}, len(written) + 2)


@pytest.mark.parametrize("written", [r"'\x41'", r"'\d'", "'a\nb'", "'a' 'b'", "'''a'''", r"r'\n'"])
def test_other_strings_are_left_to_the_scanner(written: str) -> None:
    assert read_flat(_PYTHON, f"a={written})", 0) is None


@pytest.mark.parametrize(
    "inside", ["x", "}", "\u4e2d", "<\uff5ctool\u2581call\u2581end\uff5c>", '\\"{']
)
@pytest.mark.parametrize("calls", [1, 2])
def test_long_arguments_beside_wide_markup_are_read_as_the_driver_reads_them(
    inside: str, calls: int
) -> None:
    written = [ToolCall("f", {"a": f"{inside}\n" * 3000, "b": [1, {"c": inside}]})] * calls
    text = formats["deepseek_v3_1"].render(written)
    assert len(text) > 4096
    assert not text.isascii()
    for _ in range(4):  # the first ones are not read straight
        found = parse(text, format="deepseek_v3_1")
        assert found == DrivenParser("deepseek_v3_1").run_whole(text)
        assert [call.arguments for call in found.calls] == [call.arguments for call in written]


@pytest.mark.parametrize(
    "text",
    [
        '\uff5c{"a": "}é"}}\uff5c',
        'x{"a": {"b": 1}} {"c": 2}',
        '{"a": "x',
        '{"a": 1',
        "{}",
        '{"a": 1,}',
    ],
)
def test_a_copy_is_read_as_the_text_is(text: str) -> None:
    start = text.index("{")
    assert read_copied(text, start) == read_object(text, start)
