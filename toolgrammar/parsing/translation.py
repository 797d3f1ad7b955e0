"""Translates a message from one format to another, keeping its text and its order.

`<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>` becomes `[f(x=1)]`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.parsing.bad_bytes import as_text
from toolgrammar.parsing.parser import Parser
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.errors import RenderError
from toolgrammar.values.events import CallEnd, ReasoningDelta, TextDelta
from toolgrammar.writing.render import has_place_for, render_message
from toolgrammar.writing.stretches import Kind, Stretch, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.registry import FormatLike
    from toolgrammar.values.calls import ParseResult, ToolCall
    from toolgrammar.values.events import Event


def translate(
    text: str | bytes | None,
    from_: FormatLike,
    to: FormatLike,
    *,
    tools: Iterable[object] | None = None,
    prefix: str = "",
) -> str:
    """Translates a message from one format to another.

    Text and calls keep their order. Reasoning is kept if the other format can express it in that
    place, ids and dependencies if it has them.

    Args:
        text: the text of a model.
        from_: the format it was written in: an id, an alias, a format or the path of a `.lark` file.
        to: the format to write it in, named in the same ways.
        tools: the tools that the model had, of any shape; their schemas give values their types,
            and a call that carries one free text the name of its argument.
        prefix: the beginning of the answer that the chat template wrote.

    Raises:
        ParseError: the message has errors; the exception carries the result.
        RenderError: the other format can't express a call or the text.
        UnknownFormat: no format has this id or alias.
        GrammarError: a grammar is broken.
    """
    # Both are resolved first, so that a wrong name is reported before a long message is read.
    source, target = formats.resolve(from_), formats.resolve(to)
    specs = to_specs(tools)
    content, _ = as_text(text)
    parser = Parser(source, tools=specs.values(), prefix=prefix)
    # The events are used, since the result does not have the order of texts and calls.
    events = [*parser.feed(content), *parser.close()]
    result = parser.result.raise_for_errors()
    message = _stretches(events, result)
    problem: RenderError | None = None
    # Each try writes less than the one before. The first error concerns the whole message.
    for tried in _ways(message, target):
        try:
            return render_message(target, tried, specs if tools is not None else None)
        except RenderError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _stretches(events: Iterable[Event], result: ParseResult) -> list[Stretch]:
    """Returns the stretches of the message; calls separated only by white space are one stretch."""
    pieces: list[Stretch] = []
    for event in events:
        match event:
            case TextDelta(piece):
                pieces.append(Stretch("text", piece))
            case ReasoningDelta(piece):
                pieces.append(Stretch("reasoning", piece))
            case CallEnd(index=index):
                pieces.append(Stretch("calls", calls=(_written(result, index),)))
            case _:
                pass
    return said(pieces)


def _written(result: ParseResult, index: int) -> ToolCall:
    """Returns a call, without its id if that is not in the text and no other call refers to it."""
    call = result.calls[index]
    needed = {each for other in result.calls for each in other.depends_on}
    own = result.source[call.span.start : call.span.end]
    # A generated id that no call refers to is not part of the message.
    if call.id is None or call.id in needed or call.id in own:
        return call
    return replace(call, id=None)


def _ways(message: Sequence[Stretch], target: Format) -> list[list[Stretch]]:
    """Lists the variants of a message to try, from the whole one to the least that is allowed."""
    roles = set(target.tables.leaf_roles)
    # In a format without free text, the text of a call has to be a named argument.
    takes_text = bool(roles & {"input", "body"})
    whole = message if takes_text else _each(message, _as_arguments)
    # Ids and dependencies are dropped first: many formats have no place for them.
    bare = _each(whole, lambda call: replace(call, id=None, depends_on=()))
    ways = [list(whole), bare]
    # If arguments can't be written, a call with one string may be written as free text.
    if takes_text:
        ways.append(_each(bare, _as_text))
    without = [_without(way, "reasoning") for way in ways]
    # If the format has no place for reasoning, it is always dropped.
    return [*ways, *without] if has_place_for(target, "reasoning") else without


def _each(message: Iterable[Stretch], change: Callable[[ToolCall], ToolCall]) -> list[Stretch]:
    """Returns a message with each of its calls changed."""
    return [replace(each, calls=tuple(change(call) for call in each.calls)) for each in message]


def _as_arguments(call: ToolCall) -> ToolCall:
    """Returns a free-text call as a call with named arguments.

    Raises:
        RenderError: the name of the argument is not known.
    """
    # An empty text needs no argument to carry it.
    if not call.input:
        return replace(call, input=None)
    # If the schema was given, the reader has already set the text as a named argument.
    if call.input not in call.arguments.values():
        raise RenderError(
            f"the call of {call.name!r} carries one text, and the format wants named arguments; "
            "pass tools=… that say what the argument is called"
        )
    return replace(call, input=None)


def _as_text(call: ToolCall) -> ToolCall:
    """Returns a call whose only argument is a string as a free-text call."""
    values = list(call.arguments.values())
    # A text can't express two arguments, or the type of a number.
    if call.input is not None or len(values) != 1 or not isinstance(values[0], str):
        return call
    return replace(call, arguments={}, input=values[0])


def _without(message: Sequence[Stretch], kind: Kind) -> list[Stretch]:
    """Returns a message without the stretches of one kind."""
    kept = said(stretch for stretch in message if stretch.kind != kind)
    if kept and kept[0].text and message[0].kind == kind:
        # The white space separated the text from the dropped stretch.
        kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    return kept
