"""Reads a text with a grammar that a test spells out, cut in every way, and wants one result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import toolgrammar
from toolgrammar import ArgumentsDelta, Parser
from toolgrammar.testing.depth import if_quick

if TYPE_CHECKING:
    from pathlib import Path

    from toolgrammar import ParseResult

STRAIGHT, SIZES = if_quick((2, (1, 3)), (4, (1, 2, 3, 7)))
"""How often a text is read straight, and the pieces in which it is streamed."""


def save(folder: Path, header: str, rules: str) -> str:
    """Writes a grammar file; gives its path."""
    path = folder / "probe.lark"
    lines = "".join(f"//@ {line}\n" for line in ("id: probe", *header.splitlines()))
    path.write_text(f"{lines}{rules}", encoding="utf-8", newline="\n")
    return str(path)


def read(
    grammar: str | list[str],
    text: str,
    tools: list[dict[str, object]] | None = None,
    finish_reason: str | None = None,
) -> ParseResult:
    """Reads a text whole, straight and in pieces; every way must give the same."""
    whole = Parser(grammar, tools=tools).run_whole(text, finish_reason)
    for _ in range(STRAIGHT):  # it learns from what it sees
        straight = toolgrammar.parse(text, format=grammar, tools=tools, finish_reason=finish_reason)
        assert straight.to_dict() == whole.to_dict()
    for size in SIZES:
        parser = Parser(grammar, tools=tools)
        deltas: dict[int, str] = {}
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        events = [event for piece in pieces for event in parser.feed(piece)]
        for event in (*events, *parser.close(finish_reason)):
            if isinstance(event, ArgumentsDelta):
                deltas[event.index] = deltas.get(event.index, "") + event.json
        assert parser.result.to_dict() == whole.to_dict()
        joined = [json.loads(deltas[index]) for index in range(len(whole.calls))]
        assert joined == [call.arguments for call in whole.calls]
    return whole
