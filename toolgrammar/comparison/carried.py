"""Writes the same messages in every format, and lists those that a format can't express.

Example: a call of `search` is written as `<tool_call>…</tool_call>`; a format without nested values
refuses a call that has a list as an argument.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgrammar.parsing.whole import parse
from toolgrammar.testing.small_damage import content_of
from toolgrammar.values.errors import RenderError
from toolgrammar.writing.render import ways_to_write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.messages import Message
    from toolgrammar.values.calls import ToolCall

NEARLY_ALL: Final = 0.9
"""The share of the messages that a format must carry to be compared with others."""
_OTHER_READING: Final = "what it writes is read otherwise"


@dataclass(frozen=True)
class Wire:
    """A message as it is written in one format."""

    message: Message
    """The message."""
    text: str
    """The message as the format writes it."""
    calls: tuple[ToolCall, ...]
    """The calls as they are read in the text, with their spans."""

    @cached_property
    def content(self) -> bytearray:
        """For each character of the text, 1 if it is part of a name, a key or a value, else 0."""
        return content_of(self.text, self.calls)

    @cached_property
    def markup(self) -> list[int]:
        """The offsets of the characters of calls that are markup, so not part of the content."""
        inside = {place for call in self.calls for place in range(call.span.start, call.span.end)}
        return [place for place in sorted(inside) if not self.content[place]]


@dataclass
class Carried:
    """A format, and the messages that it can express."""

    form: Format
    """The format."""
    wires: list[Wire] = field(default_factory=list)
    """The messages that it can express, written in it."""
    refused: Counter[str] = field(default_factory=Counter)
    """The number of messages of each shape that it can't express."""
    reason: str = ""
    """The reason for the first of them."""


def carried(form: Format, messages: Iterable[Message]) -> Carried:
    """Returns the messages that a format can write and reads back with the same calls."""
    wires: list[Wire] = []
    refused: Counter[str] = Counter()
    reasons: list[str] = []
    for message in messages:
        wire = _written(form, message)
        if isinstance(wire, Wire):
            wires.append(wire)
        else:
            refused[message.shape] += 1
            reasons.append(wire)
    return Carried(form, wires, refused, reasons[0] if reasons else "")


def compared(found: Sequence[Carried], messages: int) -> tuple[list[Carried], list[Carried]]:
    """Returns the formats that are compared, with the same messages, and those that are not.

    Formats that can express nearly all messages are compared, with the messages that all of them can
    express.
    """
    whole = [each for each in found if len(each.wires) >= NEARLY_ALL * messages and each.wires]
    names = [{wire.message.name for wire in each.wires} for each in whole]
    common = set.intersection(*names) if names else set()
    # If each format lacks different messages, none may be left that all of them have.
    if not common:
        return [], list(found)
    same = [
        replace(each, wires=[wire for wire in each.wires if wire.message.name in common])
        for each in whole
    ]
    ids = {each.form.id for each in whole}
    return same, [each for each in found if each.form.id not in ids]


def deeds(calls: Iterable[ToolCall]) -> list[str]:
    """Returns the name and the arguments of each call as JSON, to compare calls by."""
    return [_deed(call) for call in calls]


def _deed(call: ToolCall) -> str:
    # No arguments and an empty text are the same in formats that write neither.
    value = call.arguments or call.input or None
    return json.dumps([call.name, value], sort_keys=True)


def _written(form: Format, message: Message) -> Wire | str:
    """Returns the message in the format, or the reason why the format can't express it."""
    # A format that has only JSON can't write a free text, so the arguments are tried as well.
    as_json = tuple(replace(call, input=None) if call.arguments else call for call in message.calls)
    wanted = deeds(message.calls)
    for calls in (message.calls, *[as_json] * (as_json != message.calls)):
        for text in ways_to_write(form, calls):
            # Read back with the tools, as a caller reads it.
            read = parse(text, format=form, tools=message.specs)
            if read.ok and deeds(read.calls) == wanted:
                return Wire(message, text, read.calls)
    try:
        form.render(message.calls)
    except RenderError as error:
        return str(error)
    return _OTHER_READING
