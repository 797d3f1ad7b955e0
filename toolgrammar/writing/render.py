"""Writes messages as a format's wire text and checks each by reading it back.

A value that is not read back equal is refused. If a grammar has several ways to write an argument,
the next is tried before that.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.grammar import roles
from toolgrammar.values.errors import RenderError
from toolgrammar.writing.given import check_calls
from toolgrammar.writing.grammar_walk.manner import Manner
from toolgrammar.writing.grammar_walk.needs import beside_input
from toolgrammar.writing.grammar_walk.payloads import as_json
from toolgrammar.writing.grammar_walk.walk import Walk
from toolgrammar.writing.read_back import read_message, shown_calls
from toolgrammar.writing.stretches import Kind, Stretch, said
from toolgrammar.writing.unwritten_part import reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolgrammar.grammar.tables import Tables
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec
    from toolgrammar.writing.read_back import Writable


def render(
    fmt: Writable,
    calls: Iterable[ToolCall],
    text: str = "",
    tools: Mapping[str, ToolSpec] | None = None,
) -> str:
    """Returns the wire text of a message: `text`, then the calls.

    Raises:
        RenderError: when the format can't carry a value: what was written does not come back.
    """
    written = tuple(calls)
    check_calls(written)
    message = [Stretch("text", text), Stretch("calls", calls=written)]
    return render_message(fmt, message, tools)


def render_message(
    fmt: Writable, message: Iterable[Stretch], tools: Mapping[str, ToolSpec] | None = None
) -> str:
    """Returns the wire text of a message.

    Args:
        fmt: the format.
        message: what is to be written.
        tools: all tools that the reader of the message knows, by name. Without them only the
            tools of the calls are known, and a text that may be a call of any tool is refused.

    Raises:
        RenderError: when the format can't carry it: what was written does not come back.
    """
    stretches = [stretch for stretch in message if stretch.text or stretch.calls]
    try:
        return _written(fmt, stretches, tools)
    except RenderError:
        calls = [call for stretch in stretches for call in stretch.calls]
        if len(stretches) > 1 or len(calls) > 1:
            # A call that can't even be written alone is the cause.
            for call in calls:
                _written(fmt, [Stretch("calls", calls=(call,))], tools)
        raise


def _written(
    fmt: Writable, stretches: Sequence[Stretch], tools: Mapping[str, ToolSpec] | None
) -> str:
    problem: RenderError | None = None
    for written in _in_each_manner(fmt, stretches):
        try:
            if isinstance(written, RenderError):
                raise written
            _check(fmt, written, stretches, tools)
        except RenderError as error:
            # The error of the simplest manner, which came first, is the easiest to understand.
            tried = f"; tried {written!r:.200}" if isinstance(written, str) else ""
            problem = problem or RenderError(f"{error}{tried}")
        else:
            return written
    assert problem is not None
    raise problem


def ways_to_write(fmt: Writable, calls: Sequence[ToolCall]) -> Iterator[str]:
    """Yields the texts that a format may have for calls, the plainest first; none is read back."""
    # What nests deeper than Python's stack allows can't be written either.
    with suppress(RecursionError):
        for written in _in_each_manner(fmt, [Stretch("calls", calls=tuple(calls))]):
            if isinstance(written, str):
                yield written


def _in_each_manner(fmt: Writable, stretches: Sequence[Stretch]) -> Iterator[str | RenderError]:
    """Yields the text of a message in each manner, not yet checked, or why there is none.

    Each manner is another way through the same rules: a value that one cannot carry, another may,
    as JSON `"5"` does what raw text `5` cannot.
    """
    for manner in _manners(fmt):
        walk = Walk(fmt.tables, fmt.header, manner)
        try:
            yield _joined(_write(walk, stretch) for stretch in stretches)
        except RenderError as error:
            yield error


def has_place_for(fmt: Writable, kind: Kind) -> bool:
    """Whether a format can write text, or reasoning, at all."""
    walk = Walk(fmt.tables, fmt.header, Manner())
    return walk.prose(Stretch(kind, "x")) is not None


def _manners(fmt: Writable) -> list[Manner]:
    """Lists the ways to choose among alternatives, the plainest first."""
    tables = fmt.tables
    of_values = [p for p in tables.productions if p.role == "value"]
    symbols = {roles.bare_name(symbol) for p in of_values for symbol in p.symbols}
    # Where JSON is a way to write a value, raw text is for strings.
    manners = [Manner(raw_carries_all=False)] if symbols & roles.JSON_LIKE else []
    manners.append(Manner())
    # Another alternative of a value may carry what the first cannot.
    if of_values:
        manners += [manner._replace(last_first=True) for manner in manners]
    # An optional id is omitted, unless the message is not read back without it.
    if "id" in tables.leaf_roles:
        manners.append(manners[0]._replace(makes_ids=True))
    if "one-newline" in fmt.header.trim.values():
        # A literal of white space beside the text may be the line end that is taken off.
        manners += [manner._replace(pads=False) for manner in manners]
    return manners


def _write(walk: Walk, stretch: Stretch) -> str:
    """Returns the text of one stretch, not yet checked."""
    names = [call.name for call in stretch.calls]
    what = f"the call of {names[0]!r:.80}" if len(names) == 1 else f"calls: {', '.join(names):.80}"
    try:
        text = walk.calls(stretch.calls) if stretch.calls else walk.prose(stretch)
    except (TypeError, ValueError) as problem:
        raise RenderError(f"a value of {what} is no JSON: {problem}") from problem
    if text is None:
        what = what if names else stretch.kind
        raise RenderError(f"the format has no way to write {what}{reason(walk, stretch.calls)}")
    return text


def _joined(pieces: Iterable[str]) -> str:
    """Inserts a line end between two pieces that have no white space there."""
    out = ""
    for piece in pieces:
        # `Hi.` and `<tool_call>` get a line end between them, as models write it.
        gap = "\n" if out and not (out[-1].isspace() or piece[:1].isspace()) else ""
        out += gap + piece
    return out


def _check(
    fmt: Writable,
    written: str,
    message: Sequence[Stretch],
    tools: Mapping[str, ToolSpec] | None,
) -> None:
    """Reads a message back; raises if it differs from what was to be written."""
    calls = [call for stretch in message for call in stretch.calls]
    # The parser decides: the text has to be read back as the same message.
    got = read_message(fmt, written, calls, tools)
    back = [call for stretch in got for call in stretch.calls]
    if len(back) != len(calls):
        what = f"the call of {calls[0].name!r:.80}" if len(calls) == 1 else "this"
        raise RenderError(
            f"the format can't carry {what}: {len(calls)} calls went in, {len(back)} came back"
        )
    for call, found in zip(calls, back, strict=True):
        # Which argument takes a text, its tool would say.
        unplaced = tools is None and found.doubts == ("unplaced-input",)
        _compare(call, replace(found, doubts=()) if unplaced else found, fmt.tables)
        # With tools, their schemas type the values that are read, perhaps otherwise than the
        # caller.
        if tools is not None and any(
            as_json(found.arguments.get(key)) != as_json(value)
            for key, value in call.arguments.items()
        ):
            raise RenderError(_refusal(call, found))
    if _outline(message) != _outline(got):
        read = ", ".join(f"{kind} {text!r:.60}" for kind, text, _ in _outline(got))
        raise RenderError(f"the format can't carry this text: it would be read as {read or 'none'}")
    if tools is None:
        _check_openers(fmt, message)


def _check_openers(fmt: Writable, message: Iterable[Stretch]) -> None:
    """Raises if a text would be a call, were there a tool of that name."""
    for stretch in message:
        for call in shown_calls(fmt, stretch.text) if stretch.kind == "text" else ():
            raise RenderError(
                f"the format can't carry this text: a reader with a tool {call.name!r:.80} would "
                "read a call there; pass tools=… with all the tools that the reader has"
            )


def _compare(wanted: ToolCall, got: ToolCall, tables: Tables) -> None:
    # A call without an id may get one in reading, as from `functions.search:0`.
    same = (
        wanted.name == got.name
        and wanted.id in (None, got.id)
        and got.executable
        and wanted.depends_on == got.depends_on
    )
    if wanted.input is not None or tables.free_text:
        text = wanted.input
        if text is None:
            text = next(iter(wanted.arguments.values()), "")
            # A blank text is not an argument when it is read.
            same = same and (len(wanted.arguments) != 1 or bool(str(text).strip()))
        same = same and text == got.input
        if wanted.input is not None:
            same = same and as_json(beside_input(wanted)) == as_json(beside_input(got))
    else:
        # A text where arguments were meant is another call, but for words on the line of a call.
        same = same and (got.input is None or tables.has_words)
        same = same and as_json(wanted.arguments) == as_json(got.arguments)
    if not same:
        raise RenderError(_refusal(wanted, got))


def _refusal(wanted: ToolCall, got: ToolCall) -> str:
    """Returns a description of the difference between a call and how it is read back."""
    what = f"the format can't carry the call of {wanted.name!r:.80}"
    for part in ("name", "id", "depends_on", "input", "arguments"):
        one, other = getattr(wanted, part), getattr(got, part)
        if one is not None and one != other:
            return f"{what}: its {part}, {one!r:.200}, would come back as {other!r:.200}"
    return f"{what}: it would come back as {got!r:.200}"


def _outline(message: Iterable[Stretch]) -> list[tuple[Kind, str, int]]:
    """Lists texts and numbers of calls in their order, without white space at their edges."""
    return [(each.kind, each.text.strip(), len(each.calls)) for each in said(message)]
