"""Tells what a format can do, from its grammar and by writing sample calls in it."""

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
# Types within types, all of which have to come back: raw text would make strings of them.
_NESTED = {"list": [1, {"deep": None}], "flag": True}


class Paged(Writable, Protocol):
    """A format with its page."""

    @property
    def page(self) -> str:
        """The Markdown text of the page, or an empty string."""

    @property
    def page_path(self) -> Path:
        """Where the page stands, or would stand."""


@dataclass(frozen=True, slots=True)
class Features:
    """What a format can do."""

    payload: tuple[str, ...]
    """How arguments are written, the plainest way first."""
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
    """What of an argument is given out as it comes: each character of a string, or whole values."""


def features_of(fmt: Paged) -> Features:
    """Returns what a format can do."""
    # Without a call that the format carries, nothing about calls can be tried.
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
    """Yields calls that a format carries: those of its page, then made-up ones."""
    made_up = ToolCall("search", {"query": "ferries"})
    for call in (*_calls_of_page(fmt), made_up, replace(made_up, arguments={}, input="ferries")):
        bare = replace(call, id=None, depends_on=())
        # Ids and order are no matter here, and would rule out formats that have none.
        if _carries(fmt, Stretch("calls", calls=(bare,))):
            yield bare


def _calls_of_page(fmt: Paged) -> Iterator[ToolCall]:
    page = read_page_text(fmt.page, str(fmt.page_path))
    for example in page.examples:
        calls = example.expected.get("calls")
        # A damaged example holds a call as well, but one that its repair made.
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
    # In the order of the grammar, in which an author puts the plainest form first.
    known = tuple(dict.fromkeys(kind for kind in found if kind))
    # Without a payload that has a name, arguments stand as words on the line of the call.
    return known or ("words",)


def _ids(fmt: Paged, call: ToolCall | None) -> Ids:
    productions, terminals = fmt.tables.productions, fmt.tables.terminals
    # An id may be an argument on the wire, a rule of its own, or a part of another terminal.
    on_wire = "id" in fmt.header.roles.values() or any(p.role == "id" for p in productions)
    if not on_wire and not any(role == "id" for t in terminals for _, role in t.groups):
        return "none"
    # Where the plainest writing of a call has an id, the format can't do without.
    written = "" if call is None else render_message(fmt, [Stretch("calls", calls=(call,))])
    return "always" if call is not None and _reads_id(fmt, written) else "optional"


def _reads_id(fmt: Paged, written: str) -> bool:
    calls = [call for stretch in read_message(fmt, written) for call in stretch.calls]
    # Where the header names the id, a call without one is given one: what is read tells nothing.
    return not fmt.header.roles and any(call.id is not None for call in calls)


def _streaming(fmt: Paged) -> Streaming:
    """Returns how arguments stream; a role that needs its end first does not."""
    # Where quotes are taken off, the end has to be known before the first character is given out.
    trim = fmt.header.trim
    leaves = [p for p in fmt.tables.productions if p.role in ("arguments", "value", "input")]
    by_character = any(
        roles.bare_name(symbol) in roles.PAYLOAD_TERMINALS and trim.get(p.role) != "quoted"
        for p in leaves
        for symbol in p.symbols
    )
    return "characters" if by_character else "values"
