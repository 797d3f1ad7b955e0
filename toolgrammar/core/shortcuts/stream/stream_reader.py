"""Reads a sound message while it streams, without the driver.

Example: of the chunks `Hi <tool` and `_call>` it emits `Hi `, holds `<tool` back, and then reads
tokens.

It reads text, the tokens of the envelope, and payloads that are sound. It mends nothing, and holds
back text that may still become something else. If anything needs a judgement it gives up. The
driver then reads the message from its beginning, and events that were emitted already are dropped
from those of the driver (`delivered.py`). Both readings have the same result; the laws compare them
on every case and for every cut.

The parts: `Cursor` is the position in the stream, `StreamMessage` has the parts that were read.
`StreamText` reads up to an opener, `StreamTokens` reads the envelope after it, and each payload has
one reader of its kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.shortcuts.stream.cursor import Cursor
from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
from toolgrammar.core.shortcuts.stream.stream_tokens import StreamTokens
from toolgrammar.core.trust.stray_reasoning_closer import closes_unopened
from toolgrammar.values.calls import ParseResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.events import Event
    from toolgrammar.values.tools import ToolSpec


class StreamReader:
    """The reader of one message, as long as it is sound."""

    def __init__(
        self,
        machine: Machine,
        source: Source,
        rules: ShortcutRules,
        tools: Mapping[str, ToolSpec],
        most_calls: int,
    ) -> None:
        """Makes a reader at the beginning of a message.

        Args:
            machine: the machine of the format.
            source: the source that keeps the text.
            rules: the rules of the format.
            tools: the tools that the model had, by name.
            most_calls: the most calls that the message may have.
        """
        self.machine = machine
        self._message = StreamMessage(source, rules, tools, machine.tool_names, most_calls)
        self.cursor = Cursor(source, self._message)
        """The position in the stream, which accepts the chunks."""
        self._tokens = StreamTokens(machine, self.cursor, self._message)

    @property
    def steps(self) -> int:
        """The number of rounds of work so far."""
        return self.cursor.steps

    @property
    def held(self) -> str:
        """The text that is held back, since it is undecided."""
        payload = self._tokens.payload
        return self.cursor.held[self.cursor.position :] + (payload.held if payload else "")

    @property
    def unread(self) -> int:
        """The number of characters that the next chunk is read with once more."""
        return len(self.held)

    def so_far(self) -> StreamMessage:
        """Returns the parts of the message that were read."""
        # Chunks that were passed on are added first, as they were emitted, too.
        self.cursor.settle()
        return self._message

    def finish(self) -> list[Event] | None:
        """Ends the message; returns its last events, or None if the driver has to read it."""
        self.cursor.stand_in(self.cursor.held)
        if not self._tokens.end():
            return None
        message = self.so_far()
        return None if self._is_odd() else message.told()

    def _is_odd(self) -> bool:
        """Whether the text has a stray closer of reasoning, or signs of an unread call."""
        message = self._message
        # If a call may have ended the reasoning, its closer may follow.
        is_closed = bool(message.reasonings) and not message.left_open
        closers = () if is_closed else message.rules.closers
        signs, tools, source = self.machine.signs, message.tools, message.source
        texts = message.texts.each(source.text()) if message.texts else ()
        if texts and not is_closed and closes_unopened(source.text(), message.calls, texts):
            return True
        for text in texts:
            if any(closer in text for closer in closers) or signs.are_in(text, tools):
                return True
        thoughts = message.thoughts.each(source.text()) if message.thoughts else ()
        return any(signs.are_in(thought, tools) for thought in thoughts)

    def release(self) -> None:
        """Drops the references between its parts, so that they are freed with the reader."""
        self._tokens.release()
        self.cursor.release()

    def result(self) -> ParseResult:
        """Returns the result of the message, which has ended."""
        message = self._message
        source, rules = message.source.text(), message.rules
        text, reasoning = message.texts.of(source).strip(), message.reasonings.of(source).strip()
        return ParseResult(
            tuple(message.calls), text, reasoning, (), rules.id, source, rules.digest
        )
