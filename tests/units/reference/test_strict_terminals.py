"""`reference/strict_terminals.py`: plain Lark takes white space exactly where the strict reading does."""

import re
from collections.abc import Iterator

import pytest
from lark.exceptions import UnexpectedInput

from tests.units.reference.test_reference import ISLANDS
from toolgrammar import ToolCallTransformer, formats, parse
from toolgrammar.testing.depth import if_quick

BLANKS = ("", " ", "\n\n", "\t", "\u00a0")
BORDER = re.compile(r"(?<=[>\"{}:,|\])])(?=\S)")
MOST = if_quick(20, 80)


def variants(island: str) -> Iterator[str]:
    """The island with other white space where it has some, and with some where it has none."""
    for match in re.finditer(r"\s+", island):
        for blank in BLANKS:
            yield island[: match.start()] + blank + island[match.end() :]
    for match in BORDER.finditer(island):
        for blank in (" ", "\n", "\u00a0"):
            yield island[: match.start()] + blank + island[match.start() :]


def by_the_driver(format_id: str, island: str) -> list[object]:
    """What strict reading takes the whole island for; nothing where something is left over.

    A call that it takes may be doubted all the same: the grammar allows keys that mean nothing.
    """
    result = parse(island, format=format_id, strict=True)
    doubts = {code for call in result.calls for code in call.doubts}
    errors = {each.code for each in result.diagnostics if each.severity == "error"}
    whole = errors <= doubts and not result.text
    return [(call.name, call.arguments) for call in result.calls if whole]


def by_lark(format_id: str, island: str) -> list[object]:
    """What plain Lark takes the island for."""
    try:
        tree = formats[format_id].tree(island)
    except UnexpectedInput:
        return []
    return [(call.name, call.arguments) for call in ToolCallTransformer().transform(tree)]


@pytest.mark.parametrize("format_id", ISLANDS)
def test_white_space_counts_alike(format_id: str) -> None:
    texts = list(dict.fromkeys(variants(ISLANDS[format_id][0])))
    texts = texts[:: 1 + len(texts) // MOST]
    found = {text: (by_the_driver(format_id, text), by_lark(format_id, text)) for text in texts}
    assert any(driver for driver, _ in found.values())
    assert {text: pair for text, pair in found.items() if pair[0] != pair[1]} == {}


@pytest.mark.parametrize(
    "island",
    [
        '<tool_call>\n{"name": "a", "arguments": {"b":\u00a01}}\n</tool_call>',
        '<tool_call>\n{"name": "a", "arguments": {"b": [1,\x0b2]}}\n</tool_call>',
    ],
)
def test_in_json_only_json_has_white_space(island: str) -> None:
    assert by_lark("hermes", island) == by_the_driver("hermes", island) == []
    sound = island.replace("\u00a0", " ").replace("\x0b", " ")
    assert by_lark("hermes", sound) == by_the_driver("hermes", sound) != []
