"""What ends a raw payload is found with the names of the tools as without compiling them."""

import random

import pytest

from toolgrammar import formats
from toolgrammar.core.machine.caches import machine_for
from toolgrammar.core.payloads.raw.named_end import NamedEnd, end_of_raw
from toolgrammar.core.payloads.raw.raw_end import RawEnd
from toolgrammar.grammar.roles import RAW_LIKE
from toolgrammar.testing.depth import if_quick

TOOLS = ("read_log", "read", "tide.at")
SEED = 20_261_123
TEXTS = if_quick(15, 60)
NAMED = sorted(
    each
    for each in formats
    if formats[each].tables.names_tools and formats[each].tables.call_opener
)
PIECES = (
    *("<", ">", "</", "read_log", "read", "rea", "reads", "tide.at", "path", "<path>", "</path>"),
    *("\n", " ", "\n\n", "<read>", "</read>", "<read_log>", "</read_log>", "<div>", "x", '"', "="),
    *("<tide.at>", "<thinking>", "</thinking>", "```", "</tool-use>", "<tool-use>", "<function_calls>"),
)  # fmt: skip


def ends(format_id: str, tools: tuple[str, ...]) -> list[tuple[NamedEnd, RawEnd]]:
    """All ends of raw payloads that two others enclose, each beside one that is compiled."""
    start = machine_for(formats[format_id].tables, tools).start
    nodes, found = [start], []
    for node in nodes:
        for step in node.steps.values():
            if step.node not in nodes:
                nodes.append(step.node)
            end = end_of_raw(step) if step.terminal.name in RAW_LIKE else None
            if isinstance(end, NamedEnd):
                found.append((end, RawEnd(step.node, step.role)))
    return found[:8]


def texts() -> list[str]:
    draw = random.Random(SEED)
    return ["".join(draw.choices(PIECES, k=draw.randrange(1, 9))) for _ in range(TEXTS)]


def places(match: object) -> object:
    return match and (match.regs, match.lastgroup)  # type: ignore[attr-defined]


@pytest.mark.parametrize("tools", [TOOLS, TOOLS[:1]])
@pytest.mark.parametrize("format_id", NAMED)
def test_both_find_the_same(format_id: str, tools: tuple[str, ...]) -> None:
    for named, plain in ends(format_id, tools):
        for text in texts():
            for name in ("search", "beginnings", "search_or_begun"):
                found, wanted = getattr(named, name), getattr(plain, name)
                assert places(found.search(text, 0)) == places(wanted.search(text, 0)), (name, text)
                assert places(found.match(text, 1)) == places(wanted.match(text, 1)), (name, text)
            assert places(named.find(text, 0)) == places(plain.find(text, 0)), text
            assert named.is_plain(text, 0, len(text)) <= plain.is_plain(text, 0, len(text)), text
        assert (named.looks_on, named.repeats) == (plain.looks_on, plain.repeats)
        assert named.words == plain.words


def test_some_formats_have_such_ends() -> None:
    assert any(ends(each, TOOLS) for each in NAMED)


def test_names_that_are_no_words_are_compiled() -> None:
    assert not ends("roo_xml", ("read log", "read"))


def test_a_value_without_names_compiles_none() -> None:
    found = ends("roo_xml", ("read_tide", "write_tide"))
    assert any(end.find("Bude\n</port>\n</read_tide>", 0) for end, _ in found)
    assert any(end.beginnings.search("Bude\n</po") for end, _ in found)
    assert not any(
        "whole" in vars(end.search) or "whole" in vars(end.beginnings) for end, _ in found
    )
