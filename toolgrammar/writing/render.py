"""Writes messages as a format's wire text and checks each by reading it back.

A value that does not come back is refused. Where a grammar has several ways to write an argument,
the next is tried before that.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from toolgrammar.core import roles
from toolgrammar.core.build import Builder
from toolgrammar.core.driver import Driver
from toolgrammar.core.kept_machines import machine_for
from toolgrammar.core.source import Source
from toolgrammar.values.errors import RenderError
from toolgrammar.values.events import CallEnd, ReasoningDelta, TextDelta
from toolgrammar.values.schemas import type_of
from toolgrammar.values.tools import ToolSpec
from toolgrammar.writing.given import check_calls
from toolgrammar.writing.manner import Manner
from toolgrammar.writing.needs import beside_input
from toolgrammar.writing.payloads import as_json
from toolgrammar.writing.stretches import Kind, Stretch, said
from toolgrammar.writing.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.core.header import Header
    from toolgrammar.core.tables import Tables
    from toolgrammar.values.calls import ToolCall


class Writable(Protocol):
    """A format, as far as writing needs it."""

    @property
    def tables(self) -> Tables:
        """The compiled grammar."""

    @property
    def header(self) -> Header:
        """What the grammar file says of itself."""


def render(fmt: Writable, calls: Iterable[ToolCall], text: str = "") -> str:
    """Gives the wire text of a message: `text`, then the calls.

    Raises:
        RenderError: when the format can't carry a value: what was written does not come back.
    """
    written = tuple(calls)
    check_calls(written)
    message = [Stretch("text", text), Stretch("calls", calls=written)]
    return render_message(fmt, message)


def render_message(fmt: Writable, message: Iterable[Stretch]) -> str:
    """Gives the wire text of a message.

    Raises:
        RenderError: when the format can't carry it: what was written does not come back.
    """
    stretches = [stretch for stretch in message if stretch.text or stretch.calls]
    problem: RenderError | None = None
    for manner in _manners(fmt.tables):
        walk = Walk(fmt.tables, fmt.header, manner)
        try:
            written = _joined(_write(walk, stretch) for stretch in stretches)
            _check(fmt, written, stretches)
        except RenderError as error:
            problem = problem or error
        else:
            return written
    assert problem is not None
    raise problem


def has_place_for(fmt: Writable, kind: Kind) -> bool:
    """Tells whether a format can write text, or reasoning, at all."""
    walk = Walk(fmt.tables, fmt.header, Manner())
    return walk.prose(Stretch(kind, "x")) is not None


def _manners(tables: Tables) -> list[Manner]:
    """Lists the ways to choose among alternatives, the plainest first."""
    of_values = [p for p in tables.productions if p.role == "value"]
    symbols = {roles.bare_name(symbol) for p in of_values for symbol in p.symbols}
    # Where JSON is a way to write a value, raw text is for strings.
    manners = [Manner(raw_carries_all=False)] if symbols & roles.JSON_LIKE else []
    manners.append(Manner())
    if of_values:
        manners += [manner._replace(last_first=True) for manner in manners]
    if "id" in tables.leaf_roles:
        manners.append(manners[0]._replace(makes_ids=True))
    return manners


def _write(walk: Walk, stretch: Stretch) -> str:
    """Gives the text of one stretch, not yet checked."""
    try:
        text = walk.calls(stretch.calls) if stretch.calls else walk.prose(stretch)
    except (TypeError, ValueError) as problem:
        raise RenderError(f"a value of these calls is no JSON: {problem}") from problem
    if text is None:
        names = ", ".join(call.name for call in stretch.calls)[:80]
        what = f"these calls: {names}" if names else stretch.kind
        raise RenderError(f"the format has no way to write {what}{_reason(walk, stretch.calls)}")
    return text


def _reason(walk: Walk, calls: Sequence[ToolCall]) -> str:
    """Says what of calls has no place in a format, where one thing alone is the reason."""
    without: dict[str, Any] = {"id": None, "depends_on": (), "input": None, "arguments": {}}
    for name, nothing in without.items():
        found = [value for call in calls if (value := getattr(call, name)) != nothing]
        if not found:
            continue
        with suppress(TypeError, ValueError):
            if walk.calls([replace(call, **{name: nothing}) for call in calls]) is not None:
                return f"; it has one without their `{name}`, {found[0]!r:.80}"
    return ""


def _joined(pieces: Iterable[str]) -> str:
    """Puts a line end between two pieces that have no white space there."""
    out = ""
    for piece in pieces:
        gap = "\n" if out and not (out[-1].isspace() or piece[:1].isspace()) else ""
        out += gap + piece
    return out


def _check(fmt: Writable, written: str, message: Sequence[Stretch]) -> None:
    """Reads a message back; raises where it does not say what was to be written."""
    calls = [call for stretch in message for call in stretch.calls]
    got = read_message(fmt, written, calls)
    back = [call for stretch in got for call in stretch.calls]
    if len(back) != len(calls):
        raise RenderError(
            f"the format can't carry this: {len(calls)} calls went in, {len(back)} came back "
            f"of {written!r:.200}"
        )
    for call, found in zip(calls, back, strict=True):
        _compare(call, found, fmt.tables)
    if _outline(message) != _outline(got):
        raise RenderError("the format can't carry this text: it would be read otherwise")


def _compare(wanted: ToolCall, got: ToolCall, tables: Tables) -> None:
    same = (
        wanted.name == got.name
        and wanted.id in (None, got.id)
        and got.status == "complete"
        and wanted.depends_on == got.depends_on
    )
    if wanted.input is not None or tables.free_text:
        text = wanted.input
        if text is None:
            text = next(iter(wanted.arguments.values()), "")
            # A blank text is no argument when it is read.
            same = same and (len(wanted.arguments) != 1 or bool(str(text).strip()))
        same = same and text == got.input
        if wanted.input is not None:
            same = same and as_json(beside_input(wanted)) == as_json(beside_input(got))
    else:
        same = same and (got.input is None or tables.has_words)
        same = same and as_json(wanted.arguments) == as_json(got.arguments)
    if not same:
        raise RenderError(
            f"the format can't carry the call of {wanted.name!r}: {_difference(wanted, got)}"
        )


def _difference(wanted: ToolCall, got: ToolCall) -> str:
    """Says how a call would come back: what differs of it."""
    for part in ("name", "id", "depends_on", "input", "arguments"):
        one, other = getattr(wanted, part), getattr(got, part)
        if one is not None and one != other:
            return f"its {part}, {one!r:.200}, would come back as {other!r:.200}"
    return f"it would come back as {got!r:.200}"


def _outline(message: Iterable[Stretch]) -> list[tuple[Kind, str, int]]:
    """Lists texts and numbers of calls in their order, without white space at their edges."""
    return [(each.kind, each.text.strip(), len(each.calls)) for each in said(message)]


def read_message(fmt: Writable, text: str, calls: Sequence[ToolCall] = ()) -> list[Stretch]:
    """Gives what a message says, read with the types of the values that were written.

    Args:
        fmt: the format.
        text: the message.
        calls: the calls that were written.
    """
    specs: dict[str, ToolSpec] = {}
    for call in calls:
        known = specs.get(call.name)
        properties = dict(known.parameters["properties"]) if known and known.parameters else {}
        properties |= {key: _schema_of(value) for key, value in call.arguments.items()}
        schema = {"type": "object", "properties": properties}
        if fmt.tables.has_words:
            schema["required"] = list(properties)
        specs[call.name] = ToolSpec(call.name, "", schema)
    source = Source()
    builder = Builder(
        source=source,
        format_id="",
        tools={} if fmt.tables.free_text else specs,
        trim=fmt.header.trim,
        wire_roles=fmt.header.roles,
        drop_unknown=False,
        id_seed="",
        free_text=fmt.tables.free_text,
        listening=True,
        header=fmt.header,
    )
    source.append(text)
    driver = Driver(machine_for(fmt.tables, specs), builder, base=0, max_depth=200)
    driver.feed(text, final=True)
    message: list[Stretch] = []
    for event in builder.events:
        match event:
            case TextDelta(piece):
                message.append(Stretch("text", piece))
            case ReasoningDelta(piece):
                message.append(Stretch("reasoning", piece))
            case CallEnd(index=index):
                message.append(Stretch("calls", calls=(builder.calls[index],)))
            case _:
                pass
    return message


def _schema_of(value: Any) -> Mapping[str, Any]:
    """Gives the JSON Schema of a value, of all its parts where they tell."""
    if isinstance(value, dict):
        parts = {key: _schema_of(part) for key, part in value.items()}
        return {"type": "object", "properties": parts}
    if isinstance(value, list | tuple):
        items = [_schema_of(part) for part in value]
        alike = all(item == items[0] for item in items)
        return {"type": "array", "items": items[0]} if items and alike else {"type": "array"}
    return {"type": ["null"]} if value is None else {"type": type_of(value)}
