"""Lists the openers of formats, cached in one file so that their tables need not be loaded.

The opener `<tool_call>` is paired with an expression for its beginnings `<`, `<t`, `<to`, …; with
them stand the ways in which a format quotes text, such as blocks that it reads as text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgrammar import core
from toolgrammar.core.machine.lost_openers import fixed_marks, lost_pairs
from toolgrammar.core.machine.machine import Machine
from toolgrammar.core.message.quoted import Quote
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.core.several.reasoning_ends import ReasoningEnd, reasoning_ends
from toolgrammar.grammar import files
from toolgrammar.patterns.partial import unnamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.catalogue.format import Format

_VERSION = 10
"""To be raised whenever the cached data change their shape or their meaning."""
_CORE = Path(core.__file__).parent
_MODULES = (
    "machine/*.py",
    "payloads/raw/*.py",
    "message/quoted.py",
    "several/reasoning_ends.py",
)
"""The modules that the expressions depend on, besides this one and the compiler."""
_ANY_NAMES = (("a",), ("a", "b"))
"""Two sets of tool names: openers that differ between them contain the names of tools."""
# A program that reads with all formats at once need not load the tables of each.
_WORTH_KEEPING = 8
"""The least number of formats that are cached: the tables of fewer are loaded faster."""


class Opening(NamedTuple):
    """The openers of one format, and what else is needed to choose between formats."""

    names_tools: bool
    """Whether some openers contain the names of tools."""
    pairs: list[tuple[str, str]]
    """The expressions of all other openers, each with the expression of its beginnings."""
    tags: dict[str, str]
    """The closers of reasoning, each with its opener."""
    lost: list[tuple[str, str]]
    """The texts behind openers that may be missing, in the form of `pairs`."""
    takes_input: bool
    """Whether a call may carry free text."""
    ends: list[ReasoningEnd]
    """The openers of reasoning, with what ends it."""
    quotes: list[Quote]
    """The openers of text in which calls of the format are examples, with what ends it."""
    signs: list[tuple[str, int]]
    """Texts that show that a call was written, each with its weight: see `signs_of`."""
    closers: list[str]
    """The closers of calls and sections."""
    results: list[str]
    """The openers of tool results."""
    marks: list[str]
    """The fixed marks in calls."""


def openings(formats: Sequence[Format]) -> list[Opening]:
    """Returns the openings of each format, in the order of `formats`."""
    if len(formats) < _WORTH_KEEPING:
        return [_opening(each) for each in formats]
    name = _file_name(formats)
    kept = _read(files.read_cache(name), len(formats))
    # The file is absent or damaged: the openings are computed again.
    if kept is None:
        kept = [_opening(each) for each in formats]
        files.write_cache(name, json.dumps(kept, ensure_ascii=False))
    return kept


def opener_pairs(machine: Machine) -> list[tuple[str, str]]:
    """Lists the openers of a format, each with the expression of its beginnings.

    Openers of quotations (a fence in which calls are examples) are omitted: they do not open a call.
    """
    start = machine.start
    found = []
    # The step of each opener has the node after it.
    for (group, _), pair in zip(start.tokens, start.opener_pairs(), strict=True):
        step = start.steps[group]
        # A token of text with a payload is a quotation: other formats do not open there.
        if step.role != "text" or not step.node.payloads:
            found.append(pair)
    return found


def _opening(format_: Format) -> Opening:
    tables = format_.tables
    machine = Machine(tables)
    pairs = found = opener_pairs(machine)
    if tables.names_tools:
        # Openers that contain names of tools differ between the machines; the others are kept.
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
        sorted(fixed_marks(machine.start, tables)),
    )


def _file_name(formats: Sequence[Format]) -> str:
    parts = [f"{_VERSION} {files.compiler_stamp()}"]
    # The name depends on the code that finds the openers and on the grammars, so that a change of
    # either leads to a new file.
    found = [Path(__file__)]
    found += sorted(path for pattern in _MODULES for path in _CORE.glob(pattern))
    parts += [files.read_text_if_there(path) for path in found]
    parts += [f"\n{each.id} {each.digest}" for each in formats]
    return f"openings-{files.hex_digest(''.join(parts).encode())[:32]}.json"


def _read(text: str | None, count: int) -> list[Opening] | None:
    """Returns the openings of a cache file; None if it is absent or damaged."""
    try:
        rows = json.loads(text or "[]")
        found = [_of_row(row) for row in rows]
    # An older version wrote other rows, or the file is incomplete.
    except (ValueError, TypeError):
        return None
    # An absent file was read as `[]`, whose count never fits.
    return found if len(found) == count else None


def _of_row(row: list[Any]) -> Opening:
    named, pairs, tags, lost, takes_input, ends, quoted, signs, *texts = row
    closers, results, marks = (list(map(str, each)) for each in texts)
    return Opening(
        bool(named),
        [(str(whole), str(begun)) for whole, begun in pairs],
        dict(tags),
        [(str(whole), str(begun)) for whole, begun in lost],
        bool(takes_input),
        [ReasoningEnd(*map(str, end)) for end in ends],
        [Quote(*map(str, each)) for each in quoted],
        [(str(text), int(weight)) for text, weight in signs],
        closers,
        results,
        marks,
    )


def quotes(machine: Machine) -> list[Quote]:
    """Returns the ways in which a format quotes text."""
    found = []
    start = machine.start
    for group, terminal in start.tokens:
        step = start.steps[group]
        for payload in step.node.payloads:
            # A quote is a block of text with an opener and a closer, and no role of a call in it.
            if step.role == payload.role == "text" and payload.terminal.name == "RAW":
                end = unnamed(end_of_raw(payload).search.pattern)
                found.append(Quote(unnamed(machine.expressions.pattern(terminal)), end))
    return found
