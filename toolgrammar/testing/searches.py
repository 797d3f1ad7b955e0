"""Lists the expressions that a format looks for at every place of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.core.bounds import has_runaway
from toolgrammar.core.roles import RAW_LIKE
from toolgrammar.parsing.machines import machine_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine import Node


def runaways(format: str | Format) -> list[str]:
    """Returns what a format looks for whose work is not linear in the text; empty where all is.

    Of several that are read at once, as `auto` says, none is listed: each is a format of its own.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
    """
    found: dict[str, None] = {}
    entry = formats.resolve_any(format)
    for node in _nodes(entry) if isinstance(entry, Format) else ():
        if node.accepts_text:
            found.update(dict.fromkeys(node.openers()))
        for step in node.payloads:
            if step.terminal.name in RAW_LIKE:
                found.update(dict.fromkeys(node.end_of_raw(step).parts()))
    return [expression for expression in found if has_runaway(expression)]


def _nodes(format_: Format) -> Iterator[Node]:
    """Gives every node that a text of the format can reach."""
    machine = machine_of(format_, {})
    ahead, seen = [machine.start], set()
    while ahead:
        node = ahead.pop()
        if node.stack in seen:
            continue
        seen.add(node.stack)
        yield node
        ahead += [step.node for step in node.steps.values()]
        if node.accepts_text:
            ahead.append(machine.node(node.after_text[1]))
