"""Knows how the islands of formats open without loading their tables: they are kept in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolgrammar import core
from toolgrammar.core.machine.lost_openers import lost_pairs
from toolgrammar.core.machine.machine import Machine
from toolgrammar.core.message.quoted import Quote
from toolgrammar.core.several.quotes import quotes
from toolgrammar.core.several.reasoning_ends import ReasoningEnd, reasoning_ends
from toolgrammar.grammar import files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.catalogue.format import Format

_VERSION = 9
"""Raised whenever what is kept changes its shape or its meaning."""
_CORE = Path(core.__file__).parent
_MODULES = (
    "machine/*.py",
    "payloads/raw/*.py",
    "message/quoted.py",
    "several/quotes.py",
    "several/reasoning_ends.py",
)
"""What the expressions depend on besides the compiler."""
_ANY_NAMES = (("a",), ("a", "b"))
"""Names that tell which openers have the names of tools in them; some know one tool only."""
# A program that asks for all formats at once need not load the tables of each.
_WORTH_KEEPING = 8
"""So many formats are kept in a file; fewer are loaded faster than looked up."""


class Opening(NamedTuple):
    """How the islands of one format open."""

    names_tools: bool
    """Whether the names of the tools stand in some openers."""
    pairs: list[tuple[str, str]]
    """The expressions of all others, each with that of its beginnings."""
    tags: dict[str, str]
    """What closes reasoning, each with what opens it."""
    lost: list[tuple[str, str]]
    """What stands behind openers that may be missing, written like `pairs`."""
    takes_input: bool
    """Whether a call may carry any text at all."""
    ends: list[ReasoningEnd]
    """How reasoning opens, and what ends it."""
    quotes: list[Quote]
    """What opens text in which the format's calls are examples, and what ends it."""
    signs: list[tuple[str, int]]
    """What shows in text that a call was written there, as `signs_of` finds it."""
    closers: list[str]
    """What ends calls and sections."""
    results: list[str]
    """What begins the results of tools."""


def openings(formats: Sequence[Format]) -> list[Opening]:
    """Returns how the islands of each format open."""
    if len(formats) < _WORTH_KEEPING:
        return [_opening(each) for each in formats]
    name = _file_name(formats)
    kept = _read(files.read_cache(name), len(formats))
    # Absent, or damaged: they are found anew.
    if kept is None:
        kept = [_opening(each) for each in formats]
        files.write_cache(name, json.dumps(kept, ensure_ascii=False))
    return kept


def opener_pairs(machine: Machine) -> list[tuple[str, str]]:
    """Lists the openers of a format's islands, each with the expression of its beginnings.

    What a format quotes (a fence in which its calls are examples) is no island to the others.
    """
    start = machine.start
    found = []
    # The step of each opener says what it leads to.
    for (group, _), pair in zip(start.tokens, start.opener_pairs(), strict=True):
        step = start.steps[group]
        # Text that holds a payload is a quotation: what opens it is no opener for other formats.
        if step.leaf != "text" or not step.node.payloads:
            found.append(pair)
    return found


def _opening(format_: Format) -> Opening:
    tables = format_.tables
    machine = Machine(tables)
    pairs = found = opener_pairs(machine)
    if tables.names_tools:
        # Openers with names of tools in them differ from machine to machine; those that do not are
        # kept.
        others = [opener_pairs(Machine(tables, names)) for names in _ANY_NAMES]
        pairs = [same[0] for same in zip(found, *others, strict=True) if len(set(same)) == 1]
    takes_input = "input" in tables.leaf_roles
    return Opening(
        len(pairs) < len(found),
        pairs,
        tables.reasoning_tags,
        lost_pairs(machine.start),
        takes_input,
        reasoning_ends(machine),
        quotes(machine),
        list(tables.signs),
        list(tables.call_closers),
        list(tables.result_openers),
    )


def _file_name(formats: Sequence[Format]) -> str:
    parts = [f"{_VERSION} {files.compiler_stamp()}"]
    # A change of the code that finds the openers makes what was kept worthless, like one of a
    # grammar.
    found = sorted(path for pattern in _MODULES for path in _CORE.glob(pattern))
    parts += [files.read_text_if_there(path) for path in found]
    parts += [f"\n{each.id} {each.digest}" for each in formats]
    return f"openings-{files.hex_digest(''.join(parts).encode())[:32]}.json"


def _read(text: str | None, count: int) -> list[Opening] | None:
    """Reads what was kept; None where it is absent or damaged."""
    try:
        rows = json.loads(text or "[]")
        found = [
            Opening(
                bool(named),
                [(str(whole), str(begun)) for whole, begun in pairs],
                dict(tags),
                [(str(whole), str(begun)) for whole, begun in lost],
                bool(takes_input),
                [ReasoningEnd(*map(str, end)) for end in ends],
                [Quote(*map(str, each)) for each in quoted],
                [(str(text), int(weight)) for text, weight in signs],
                list(map(str, closers)),
                list(map(str, results)),
            )
            for named, pairs, tags, lost, takes_input, ends, quoted, signs, closers, results in rows
        ]
    # An older version wrote other rows, or the file was cut: it is made anew.
    except (ValueError, TypeError):
        return None
    # Zero rows for no file as well: `[]` has not as many as were asked for.
    return found if len(found) == count else None
