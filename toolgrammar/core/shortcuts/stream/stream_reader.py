"""Reads a message that streams, as long as everything in it is as its format says.

This is the short way through a stream, as `whole_reader` is through a whole message: text, tokens of
the envelope, and payloads that are sound. Nothing is mended, and what may yet become something
else is held back. Where anything needs judgement the reading gives up; the driver then reads the
message from its beginning, and what was given out already is left out of its events
(`delivered.py`). Both give the same; the laws compare them on every case and for every cut.

The parts: `Cursor` has the place in the stream, `StreamMessage` what was read. `StreamText` reads up
to an opener, `StreamTokens` the envelope behind it, and for each payload one reader of its kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.shortcuts.stream.cursor import Cursor
from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
from toolgrammar.core.shortcuts.stream.stream_tokens import StreamTokens
from toolgrammar.values.calls import ParseResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.events import Event
    from toolgrammar.values.tools import ToolSpec


class StreamReader:
    """One message, while it is sound."""

    def __init__(
        self,
        machine: Machine,
        source: Source,
        rules: ShortcutRules,
        tools: Mapping[str, ToolSpec],
        most_calls: int,
    ) -> None:
        """Stands at the beginning of a message.

        Args:
            machine: the format's.
            source: takes the text.
            rules: what the format's header says.
            tools: the tools that the model had, by name.
            most_calls: how many calls the message may have.
        """
        self.machine = machine
        self._message = StreamMessage(source, rules, tools, machine.tool_names, most_calls)
        self.cursor = Cursor(source, self._message)
        """What takes the chunks."""
        self._tokens = StreamTokens(machine, self.cursor, self._message)

    @property
    def steps(self) -> int:
        """Rounds of work so far."""
        return self.cursor.steps

    @property
    def held(self) -> str:
        """What is kept since something of it is undecided."""
        payload = self._tokens.payload
        return self.cursor.held[self.cursor.position :] + (payload.held if payload else "")

    def so_far(self) -> StreamMessage:
        """Returns what was read of the message."""
        # Chunks that only went on are noted first: they were given out, too.
        self.cursor.settle()
        return self._message

    def finish(self) -> list[Event] | None:
        """Ends the message; returns its last events, or None where the driver has to read it."""
        self.cursor.stand_in(self.cursor.held)
        if not self._tokens.end():
            return None
        message = self.so_far()
        return None if self._is_odd() else message.told()

    def _is_odd(self) -> bool:
        """Whether the text closes reasoning that nothing opened, or shows a call that was not read."""
        message = self._message
        closers = () if message.reasonings else message.rules.closers
        signs, tools = self.machine.signs, message.tools
        for text in message.texts.each(message.source.text()) if message.texts else ():
            if any(closer in text for closer in closers) or signs.are_in(text, tools):
                return True
        return False

    def release(self) -> None:
        """Drops what its parts hold of each other, so that all is freed with the last reference."""
        self._tokens.release()
        self.cursor.release()

    def result(self) -> ParseResult:
        """Returns the message, once it has ended."""
        message = self._message
        source, rules = message.source.text(), message.rules
        text, reasoning = message.texts.of(source).strip(), message.reasonings.of(source).strip()
        return ParseResult(
            tuple(message.calls), text, reasoning, (), rules.id, source, rules.digest
        )
