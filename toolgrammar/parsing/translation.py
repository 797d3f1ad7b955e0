"""Writes a message of one format in another, with its text and its order kept.

Example: `<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>` becomes `[f(x=1)]`.
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
    """Returns a message that was written in one format as the other format writes it.

    Text and calls keep their order. Reasoning is kept where the other format can say it in that
    place, ids and dependencies where it has them.

    Args:
        text: what a model wrote.
        from_: the format it was written in: an id, an alias, a format or the path of a `.lark` file.
        to: the format to write it in, given alike.
        tools: the tools that the model had, of any shape; their schemas give values their types,
            and a call that carries one free text the name of its argument.
        prefix: what the chat template had written of the answer before the model began.

    Raises:
        ParseError: the message is not whole or not sound: it carries the result that says why.
        RenderError: the other format can't carry a call or the text.
        UnknownFormat: no format has this id or alias.
        GrammarError: a grammar is broken.
    """
    # Both at once: a wrong name is told before a long message is read.
    source, target = formats.resolve(from_), formats.resolve(to)
    specs = to_specs(tools)
    content, _ = as_text(text)
    parser = Parser(source, tools=specs.values(), prefix=prefix)
    # The events and not the result, which does not say where between the calls a text stands.
    events = [*parser.feed(content), *parser.close()]
    result = parser.result.raise_for_errors()
    message = _stretches(events, result)
    problem: RenderError | None = None
    # Each way writes less than the one before. The first error tells what the message would need.
    for tried in _ways(message, target):
        try:
            return render_message(target, tried, specs if tools is not None else None)
        except RenderError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _stretches(events: Iterable[Event], result: ParseResult) -> list[Stretch]:
    """Returns what the message is made of; calls with only white space between belong together."""
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
    """Returns a call without the id that stands nowhere and that no other call needs."""
    call = result.calls[index]
    needed = {each for other in result.calls for each in other.depends_on}
    own = result.source[call.span.start : call.span.end]
    # An id that was generated, and that nothing refers to, is no part of the message.
    if call.id is None or call.id in needed or call.id in own:
        return call
    return replace(call, id=None)


def _ways(message: Sequence[Stretch], target: Format) -> list[list[Stretch]]:
    """Lists what of a message may be written, from all of it to what has to be."""
    roles = set(target.tables.leaf_roles)
    # A format without free text needs a name for the one text of a call.
    takes_text = bool(roles & {"input", "body"})
    whole = message if takes_text else _each(message, _as_arguments)
    # Ids and dependencies go first: many formats have no place for them.
    bare = _each(whole, lambda call: replace(call, id=None, depends_on=()))
    ways = [list(whole), bare]
    # Where arguments can't be written, a call with one string may be written as free text.
    if takes_text:
        ways.append(_each(bare, _as_text))
    without = [_without(way, "reasoning") for way in ways]
    # Where the format has no place for reasoning, no way keeps it.
    return [*ways, *without] if has_place_for(target, "reasoning") else without


def _each(message: Iterable[Stretch], change: Callable[[ToolCall], ToolCall]) -> list[Stretch]:
    """Returns a message with each of its calls changed."""
    return [replace(each, calls=tuple(change(call) for call in each.calls)) for each in message]


def _as_arguments(call: ToolCall) -> ToolCall:
    """Returns a call of one free text as one with named arguments.

    Raises:
        RenderError: nobody says what the argument is called.
    """
    # An empty text needs no argument to carry it.
    if not call.input:
        return replace(call, input=None)
    # With the schema at hand, the reader has put the text under its argument's name already.
    if call.input not in call.arguments.values():
        raise RenderError(
            f"the call of {call.name!r} carries one text, and the format wants named arguments; "
            "pass tools=… that say what the argument is called"
        )
    return replace(call, input=None)


def _as_text(call: ToolCall) -> ToolCall:
    """Returns a call whose one argument is a string as one of free text."""
    values = list(call.arguments.values())
    # Of two arguments, or of a number, one text would not say what they were.
    if call.input is not None or len(values) != 1 or not isinstance(values[0], str):
        return call
    return replace(call, arguments={}, input=values[0])


def _without(message: Sequence[Stretch], kind: Kind) -> list[Stretch]:
    """Returns a message without the stretches of a kind."""
    kept = said(stretch for stretch in message if stretch.kind != kind)
    if kept and kept[0].text and message[0].kind == kind:
        # The white space was there to set the text off from what is left out.
        kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    return kept
