"""Reads the text of a message that streams, up to the opener of a call.

Example: of `Sure. <tool_calm` the reader emits `Sure. ` and holds `<tool_cal` back, until the `m`
shows that it is text, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.repairs import strays_of
from toolgrammar.core.payloads.json.tokens import matching
from toolgrammar.core.shortcuts.stream.cursor import NEEDS_DRIVER, WAITS
from toolgrammar.core.trust.quoted_calls import is_doubtful
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.events import TextDelta
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Machine, Node
    from toolgrammar.core.shortcuts.stream.cursor import Cursor
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage

MOST_WAITING = 256
"""The most characters of held text in which each chunk searches an opener or token again."""


class StreamText:
    """The reader of the text before, between and after the calls of a message."""

    def __init__(self, machine: Machine, cursor: Cursor, message: StreamMessage) -> None:
        """Makes a reader at the beginning of the text.

        Args:
            machine: the machine of the format.
            cursor: the position in the stream.
            message: the message that gets the text.
        """
        self._signs = machine.signs
        self._cursor = cursor
        self._message = message
        self._behind = False
        """Whether only white space came since a call or a section ended."""
        self._judged = (0, 0)
        """The offsets of the text that was judged last."""
        self.node: Node = machine.start
        """The node of the text."""
        self._pass_on()

    def begin(self, node: Node) -> None:
        """Begins text at a node."""
        self.node = node

    def note_call_ended(self) -> None:
        """Notes that a call or a section ended, after which a stray closer may follow."""
        self._behind = True

    def read(self, text: str, position: int) -> int:
        """Reads text from an index on; returns the index of an opener, `WAITS` or `NEEDS_DRIVER`."""
        node, cursor, say = self.node, self._cursor, self._message.say
        base, hold = cursor.base, cursor.hold
        # After a call, a closer that is left over may follow, as in `</tool_call></tool_call>`.
        if self._behind or node.skipping:
            if position == len(text):
                return hold(text, position)
            place = blanks.match(text, position).end()
            if node.skipping or (node.closes_group and place - position <= MAX_TOKEN):
                # White space before the next call of a section, or before its end, is markup.
                if place == len(text) or node.entry_beginnings.match(text, place):
                    return hold(text, position)
                if node.entry.match(text, place):
                    return self._end_at(place)
            if node.skipping:
                return NEEDS_DRIVER
            say(text[position:place], base + position)
            strays, position = strays_of(node), place
            # The text after a call may begin with a stray closer, so it waits until that is
            # certain.
            if place == len(text) or strays.beginnings.match(text, place):
                return hold(text, place)
            if strays.pattern.match(text, place):
                return NEEDS_DRIVER
            self._behind = False
        opener = node.entry.search(text, position)
        end = len(text) if opener is None else opener.start()
        if end > position:
            begun = node.begun_entry(text, position, end)
            if begun >= 0:
                say(text[position:begun], base + position)
                waits = hold(text, begun)
                return waits if len(text) - begun <= MOST_WAITING else NEEDS_DRIVER
            say(text[position:end], base + position)
        if opener is not None:
            return self._end_at(end)
        self._pass_on()
        return WAITS

    def _pass_on(self) -> None:
        """Lets chunks in which nothing can open be emitted as they come."""
        plain = matching(self.node.plain.pattern)
        self._cursor.pass_on(self._message.texts, plain, TextDelta)

    def _end_at(self, position: int) -> int:
        """Ends the text before an opener; returns its index, or `NEEDS_DRIVER`."""
        message = self._message
        last = message.texts.last
        # The text before several calls is judged only once.
        if last != self._judged:
            self._judged = last
            if is_doubtful(message.source.slice(*last), self._signs, message.tools):
                return NEEDS_DRIVER
        self._behind = False
        return position

    def end(self, *, in_group: bool, after_call: bool) -> bool:
        """Emits the rest of the text at the end of the message; False if the driver has to.

        Args:
            in_group: whether a section of calls is open.
            after_call: whether the end of the message ended a call, so that no closer is left over.
        """
        node, text, position = self.node, self._cursor.held, self._cursor.position
        rest = text[position:]
        # The rest may be a closer that is left over.
        if self._behind and not after_call and rest.strip():
            return False
        # The end of the text may close a section; an opener in the rest is judged by the driver.
        ends = node.closes_group and node.closes_at_end is not None
        if (in_group and not ends) or node.entry.search(text, position):
            return False
        if node.skipping and rest.strip():
            return False
        self._message.say(rest, self._cursor.base + position)
        return True
