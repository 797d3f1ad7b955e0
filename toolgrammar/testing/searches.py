"""Lists the expressions that a format searches for at every place of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.grammar.compiling.bounds import has_runaway
from toolgrammar.grammar.compiling.places import Places
from toolgrammar.grammar.roles import RAW_LIKE
from toolgrammar.parsing.machines import machine_of
from toolgrammar.patterns.exponential import is_exponential

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Node
    from toolgrammar.grammar.compiling.source_text import Place
    from toolgrammar.values.errors import GrammarError

HINT = r"say where the run begins: put `\b`, or `^` with the flag `m`, in front: `/\b[\w.-]+/`"

_ONE_WAY = "let each text of a loop match in one way alone: `/a+b/` for `/(a+)+b/`"


def runaways(format: str | Format) -> list[str]:
    """Returns what a format looks for whose work is not linear in the text; empty where all is.

    Of several that are read at once, as `auto` says, none is listed: each is a format of its own.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
    """
    found: dict[str, None] = {}
    entry = formats.resolve_any(format)
    # All formats at once have a search made of their own; each was judged alone.
    for node in _nodes(entry) if isinstance(entry, Format) else ():
        # Where text may stand, openers are looked for at each character.
        if node.accepts_text:
            found.update(dict.fromkeys(node.openers()))
        for step in node.payloads:
            # Raw text is gone through for whatever may end it.
            if step.terminal.name in RAW_LIKE:
                found.update(dict.fromkeys(end_of_raw(step).parts()))
    return [expression for expression in found if has_runaway(expression)]


def slow_searches(format_: Format) -> list[GrammarError]:
    """Lists the same as findings in the grammar, each with its place and a hint.

    Args:
        format_: the format.
    """
    message = "this is looked for at each place of a text, and begins with a run of any length"
    places = Places(format_.path)
    found: dict[Place, GrammarError] = {}
    for expression in runaways(format_):
        place = _place_of(expression, format_, places)
        # Several expressions may come from one terminal: one finding is enough.
        found.setdefault(place, place.error("slow-search", message, HINT))
    return list(found.values())


def exponential_patterns(format_: Format) -> list[GrammarError]:
    """Lists the expressions of a grammar that may take exponential time, each with its place.

    Args:
        format_: the format.
    """
    places = Places(format_.path)
    found = []
    for terminal in format_.tables.terminals:
        if terminal.kind == "regex" and is_exponential(terminal.pattern):
            place = places.definition(terminal.name) or places.start()
            message = "a loop in this expression reads some text in two ways: it may never end"
            found.append(place.error("slow-pattern", message, _ONE_WAY))
    return found


def _place_of(expression: str, format_: Format, places: Places) -> Place:
    """Returns where the run stands with which an expression begins: its terminal, or its use."""
    patterns = {terminal.name: terminal.pattern for terminal in format_.tables.terminals}
    for production in format_.tables.productions:
        for symbol in production.symbols:
            pattern = patterns.get(symbol, "")
            # The pattern with something after it, since a run at the very end costs nothing.
            if pattern and pattern in expression and has_runaway(f"(?:{pattern})!"):
                place = places.definition(symbol)
                # A terminal of a shared library is named where this grammar uses it.
                if place is None or place.file != format_.path:
                    place = places.use(symbol, production.origin)
                return place or places.definition(production.origin) or places.start()
    return places.start()


def _nodes(format_: Format) -> Iterator[Node]:
    """Returns every node that a text of the format can reach."""
    machine = machine_of(format_, {})
    # Nodes by their stacks: rules that hold themselves would give nodes without end.
    ahead, seen = [machine.start], set()
    while ahead:
        node = ahead.pop()
        if node.stack in seen:
            continue
        seen.add(node.stack)
        yield node
        ahead += [step.node for step in node.steps.values()]
        if node.accepts_text:
            # Text may end a call as well as a token may: what follows is reached by no step.
            ahead.append(machine.node(node.after_text[1]))
