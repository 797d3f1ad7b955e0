"""Finds what a format can do, from its grammar and by writing sample calls in it.

A format may give `Features(payload=("JSON", "text a value"), parallel=True, ids="optional", …)`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from toolgrammar.catalogue.page import read_page_text
from toolgrammar.grammar import roles
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError
from toolgrammar.writing.read_back import Writable, read_message
from toolgrammar.writing.render import has_place_for, render_message
from toolgrammar.writing.stretches import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Ids: TypeAlias = Literal["none", "optional", "always"]
Streaming: TypeAlias = Literal["characters", "values"]

# Words for people, as the table of formats shows them.
_PAYLOADS = {
    **{("arguments", name): payload.shown for name, payload in PAYLOADS.items() if payload.shown},
    ("value", "RAW"): "text a value",
    ("value", "JSON_VALUE"): "JSON a value",
    ("value", "JSON_OBJECT"): "JSON a value",
    ("input", "RAW"): "free text",
    ("body", "RAW"): "free text",
}
# Nested values of several types, which have to read back the same: raw text makes strings of them.
_NESTED = {"list": [1, {"deep": None}], "flag": True}


class Paged(Writable, Protocol):
    """A format that has a page."""

    @property
    def page(self) -> str:
        """The Markdown text of the page, or an empty string."""

    @property
    def page_path(self) -> Path:
        """The path of the page, whether the file exists or not."""

    def __hash__(self) -> int:
        """Returns the hash: what is found out of a format is kept by it."""


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a format."""

    payload: tuple[str, ...]
    """The notations of arguments, the simplest first."""
    parallel: bool
    """Whether a message can hold several calls."""
    ids: Ids
    """Whether calls have ids on the wire."""
    reasoning: bool
    """Whether the format marks reasoning."""
    text_between: bool
    """Whether text can stand between two calls."""
    nested: bool
    """Whether lists and objects can be arguments and keep their types."""
    streaming: Streaming
    """The way arguments are streamed: each character of a string as it comes, or whole values."""


def features_of(fmt: Paged) -> Features:
    """Returns what a format can do."""
    # Without a call that the format can write, no feature of calls can be tried.
    call = next(sound_calls(fmt), None)
    one = Stretch("calls", calls=(call,) if call else ())
    two = Stretch("calls", calls=(*one.calls, *one.calls))
    said = Stretch("text", "Then the other one.\n")
    return Features(
        payload=_payload(fmt),
        parallel=call is not None and _carries(fmt, two),
        ids=_ids(fmt, call),
        reasoning=has_place_for(fmt, "reasoning"),
        text_between=call is not None and _carries(fmt, one, said, one),
        nested=call is not None and _nests(fmt, call),
        streaming=_streaming(fmt),
    )


def sound_calls(fmt: Paged) -> Iterator[ToolCall]:
    """Yields calls that the format can write: those of its page, then made-up ones."""
    made_up = ToolCall("search", {"query": "ferries"})
    for call in (*_calls_of_page(fmt), made_up, replace(made_up, arguments={}, input="ferries")):
        bare = replace(call, id=None, depends_on=())
        # Ids and dependencies are dropped, since formats without them would refuse the call.
        if _carries(fmt, Stretch("calls", calls=(bare,))):
            yield bare


def _calls_of_page(fmt: Paged) -> Iterator[ToolCall]:
    page = read_page_text(fmt.page, str(fmt.page_path))
    for example in page.examples:
        calls = example.expected.get("calls")
        # Calls of damaged examples are the results of repairs, and are not used.
        sound = example.expected.get("tier", "well_formed") == "well_formed"
        if sound and isinstance(calls, list):
            yield from (ToolCall.from_dict(call) for call in calls if isinstance(call, dict))


def _carries(fmt: Paged, *message: Stretch) -> bool:
    try:
        render_message(fmt, message)
    except RenderError:
        return False
    return True


def _nests(fmt: Paged, call: ToolCall) -> bool:
    return _carries(fmt, Stretch("calls", calls=(replace(call, arguments=_NESTED, input=None),)))


def _payload(fmt: Paged) -> tuple[str, ...]:
    found = (
        _PAYLOADS.get((production.role, roles.bare_name(symbol)))
        for production in fmt.tables.productions
        for symbol in production.symbols
    )
    # In the order of the grammar: authors write the simplest form first.
    known = tuple(dict.fromkeys(kind for kind in found if kind))
    # Without a named payload, arguments are words on the line of the call.
    return known or ("words",)


def _ids(fmt: Paged, call: ToolCall | None) -> Ids:
    productions, terminals = fmt.tables.productions, fmt.tables.terminals
    # An id may be an argument on the wire, a rule of its own, or a group of a terminal.
    on_wire = "id" in fmt.header.roles.values() or any(p.role == "id" for p in productions)
    if not on_wire and not any(role == "id" for t in terminals for _, role in t.groups):
        return "none"
    # If a call without an id is written with one, the format always needs an id.
    written = "" if call is None else render_message(fmt, [Stretch("calls", calls=(call,))])
    return "always" if call is not None and _reads_id(fmt, written) else "optional"


def _reads_id(fmt: Paged, written: str) -> bool:
    calls = [call for stretch in read_message(fmt, written) for call in stretch.calls]
    # If the header has a role for the id, reading makes an id: it need not be on the wire.
    return not fmt.header.roles and any(call.id is not None for call in calls)


def _streaming(fmt: Paged) -> Streaming:
    """Returns how arguments are streamed: a role whose end must be known first has whole values."""
    # To strip quotes, the end has to be known before the first character is emitted.
    trim = fmt.header.trim
    leaves = [p for p in fmt.tables.productions if p.role in ("arguments", "value", "input")]
    by_character = any(
        roles.bare_name(symbol) in roles.PAYLOAD_TERMINALS and trim.get(p.role) != "quoted"
        for p in leaves
        for symbol in p.symbols
    )
    return "characters" if by_character else "values"
