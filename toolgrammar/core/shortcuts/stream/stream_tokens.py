"""Reads the envelope of calls in a stream, token by token.

Example: of `<tool_call>{"name": "f", "arguments": {"q": 1}}` it reads all but `{"q": 1}`, a payload
that has a reader of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.reading_tokens import MOST_TOKENS
from toolgrammar.core.evidence.member_behind import LAST, goes_on_in_list, may_go_on
from toolgrammar.core.machine.machine import SHORT
from toolgrammar.core.machine.relaxed_quotes import is_loose
from toolgrammar.core.shortcuts.stream.cursor import NEEDS_DRIVER
from toolgrammar.core.shortcuts.stream.payloads import call_payload
from toolgrammar.core.shortcuts.stream.stream_raw import StreamRaw
from toolgrammar.core.shortcuts.stream.stream_text import MOST_WAITING, StreamText
from toolgrammar.core.shortcuts.stream.token_traits import read_token, tokens_of, traits_of
from toolgrammar.core.shortcuts.whole.shortcut_rules import ends_plainly, is_over, lacks_required
from toolgrammar.grammar.roles import GROUP_ROLES, RAW_LIKE
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.core.shortcuts.stream.cursor import Cursor, PayloadReader
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
    from toolgrammar.core.shortcuts.stream.token_traits import Found, TokenTraits
    from toolgrammar.values.events import Event

_DISTINCTIVE = 3
"""The least number of characters of a token that is evidence by itself."""
_WINDOW = MAX_TOKEN + 64
"""The number of characters from which on no token waits for more text."""


class StreamTokens:
    """The reader of the tokens of calls, from an opener to the next text."""

    def __init__(self, machine: Machine, cursor: Cursor, message: StreamMessage) -> None:
        """Makes a reader at the beginning of the text.

        Args:
            machine: the machine of the format.
            cursor: the position in the stream.
            message: the message that gets the calls.
        """
        self._machine = machine
        self._cursor = cursor
        self._message = message
        self._node: Node = machine.start
        self._previous: Step | None = None
        """The token or payload that was read last."""
        self._last_end = 0
        """The offset where it ended."""
        self._count = 0
        """The number of tokens since the last text."""
        self._call_start = -1
        """The offset of the part that may become a call, or -1."""
        self._token_start = -1
        """The offset of the last token after the name, where the arguments may begin, or -1."""
        self._in_group = False
        self.payload: PayloadReader | None = None
        """The reader of the open payload; None outside of payloads."""
        self._text = StreamText(machine, cursor, message)
        cursor.read_with(self._read_text)

    def release(self) -> None:
        """Drops the reader of a payload, which refers to this object."""
        self.payload = None

    # Text

    def _begin_text(self, node: Node) -> None:
        """Switches to reading text at a node."""
        self._text.begin(node)
        self._cursor.read_with(self._read_text)

    def _read_text(self, text: str, position: int) -> int:
        """Reads text up to the next opener."""
        opener = self._text.read(text, position)
        if opener >= 0:
            self._node = self._text.node
            self._call_start = -1
            self._count = 0
            self._cursor.read_with(self._read)
        return opener

    # Tokens

    def _take(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk after the beginning of a token."""
        cursor = self._cursor
        text, position = cursor.held + chunk, cursor.position
        found, _ = self._find(text, position)
        if found is None or found[0] is not None:
            return cursor.advance(chunk, text, position)
        return [] if cursor.hold_on(chunk) and len(text) - position <= MOST_WAITING else None

    def _find(self, text: str, position: int) -> tuple[Found, int]:
        """Reads the token at an index; returns it, and the index of the text that was matched."""
        # The same short texts come repeatedly, so their tokens are cached.
        if position and len(text) - position <= SHORT:
            return tokens_of(self._node)[text[position - 1 :]], position - 1
        return read_token(self._node, text, position, _WINDOW), 0

    def _read(self, text: str, position: int) -> int:
        """Reads one token of the envelope at an index, or begins the payload or text there."""
        node = self._node
        if position == len(text):
            return self._wait(text, position)
        found, shift = self._find(text, position)
        if found is None:
            return self._read_payload(text, position)
        step, match = found
        if step is None:
            return self._wait(text, position)
        self._previous = step
        self._count += 1
        started = self._message.started
        if match.end() - match.start() > MAX_TOKEN or (self._count > MOST_TOKENS and not started):
            return NEEDS_DRIVER  # the driver reads so much white space or markup as text
        # The opener of the next call ends this one, which has no closer of its own.
        if node.accepts_text and self._message.start >= 0 and "call" in step.closes_before:
            return self._end_before_text(text, position) if started else NEEDS_DRIVER
        base = self._cursor.base + shift
        traits = traits_of(step)
        if traits.is_silent:
            if not self._pass_token(step, traits, match, base):
                return NEEDS_DRIVER
        elif not (traits.is_for_shortcut and self._read_token(step, traits, match, base)):
            return NEEDS_DRIVER
        elif traits.ends_call and match[match.lastgroup or 0].endswith(LAST):
            self._cursor.read_with(self._read_behind)
            return shift + match.end()
        return self._arrive(step, shift + match.end())

    def _wait(self, text: str, position: int) -> int:
        """Holds a text back from an index on until more text comes."""
        waits = self._cursor.hold(text, position, self._take)
        return waits if len(text) - position <= MOST_WAITING else NEEDS_DRIVER

    def _pass_token(self, step: Step, traits: TokenTraits, match: re.Match[str], base: int) -> bool:
        """Reads a token that opens, closes and fills nothing; False if it is damaged.

        Args:
            step: the step of the token.
            traits: its traits.
            match: its match.
            base: the offset of the text that was matched.
        """
        start, end = match.span(match.lastgroup or 0)
        message = self._message
        # `'name':` is read where the grammar has `"name":`, but it is a repair.
        if traits.may_be_loose and match.string[start:end].strip() != traits.written:
            return False
        if self._call_start < 0:
            self._call_start = base + start
        if message.name is not None:
            if message.arguments_start < 0:
                self._token_start = base + start
            # As in the driver, a name and a distinctive token make a call certain.
            if not message.started and step.weight >= _DISTINCTIVE:
                message.begin_call()
        if message.doubtful:
            message.doubt(doubtful=False)
        self._last_end = base + end
        return True

    def _arrive(self, step: Step, position: int) -> int:
        """Moves to the node after a token or a payload; returns the index to read on."""
        node = self._node = step.node
        if node.accepts_text and self._message.start < 0:
            # If text would end a call without a name here, the driver judges that.
            if "call" in node.after_text[0]:
                return NEEDS_DRIVER
            self._begin_text(node)
        return position

    def _read_token(self, step: Step, traits: TokenTraits, match: re.Match[str], base: int) -> bool:
        """Applies a token: closes, opens and fills its roles; False if the driver has to."""
        message, group = self._message, match.lastgroup or 0
        start, end = match.span(group)
        written = match[group]
        # The driver decodes an entity in a name or a key.
        if "&" in written and message.rules.entities:
            return False
        if end - start > MAX_TOKEN or (traits.may_be_loose and is_loose(step.terminal, written)):
            return False
        start += base
        # Roles that close before a token end where the last one ended; white space between the two
        # belongs to neither.
        if step.closes_before and not self._close(step.closes_before, self._last_end):
            return False
        if self._call_start < 0 or step.opens:
            self._call_start = start
            self._in_group = self._in_group or step.opens in GROUP_ROLES
        for role, part in step.filled(match, written):
            if message.start < 0:
                message.open(max(0, self._call_start))
                self._token_start = -1  # Tokens before this call do not count.
            arguments = self._token_start if self._token_start >= 0 else start
            if not message.fill(role, part, arguments):
                return False
        if step.kind == "same" and not self._repeats(step, written):
            return False
        if message.arguments_start < 0 and message.name is not None and not step.role:
            self._token_start = start
        self._last_end = base + end
        # Behind `{"name": "f"}` the arguments may follow, which the driver looks for.
        if message.arguments_start < 0 and "call" in step.closes and written.endswith("}"):
            return False
        if (
            step.closes
            # After a bracket that ends a call, more of its object may follow.
            and not (traits.ends_call and written.endswith(LAST))
            and not self._close(step.closes, self._last_end)
        ):
            return False
        self._judge(step, traits, written)
        return True

    def _close(self, closed: tuple[str, ...], end: int) -> bool:
        """Closes roles that end at an offset; returns False if the driver has to judge them."""
        message = self._message
        for role in closed:
            if role == "call":
                if not message.end_call(end):
                    return False
                self._call_start = -1
                self._text.note_call_ended()
            elif role == "argument":
                message.end_arguments(end)
            elif role in ("calls", "parallel"):
                self._in_group = False
                self._text.note_call_ended()
                # An empty section is reported, or may be text.
                if not message.calls:
                    return False
        return True

    def _repeats(self, step: Step, written: str) -> bool:
        """Whether a token repeats the name or the key that is open."""
        is_name = step.terminal.name == "SAME_NAME"
        return written == (self._message.written_name if is_name else self._message.written_key)

    def _judge(self, step: Step, traits: TokenTraits, written: str) -> None:
        """Makes the payload before a token certain, and the call if the token is distinctive."""
        message = self._message
        if message.doubtful:
            message.doubt(doubtful=False)
        if (
            not message.started
            and message.name is not None
            and traits.may_begin_call
            and (len(written.strip()) >= _DISTINCTIVE or step.kind == "same")
        ):
            message.begin_call()

    def _end_before_text(self, text: str, position: int) -> int:
        """Ends a call that has no closer of its own, before text or another call."""
        if not ends_plainly(text, position, self._previous):
            return NEEDS_DRIVER
        closed, stack = self._node.after_text
        if not self._close(closed, self._last_end):
            return NEEDS_DRIVER
        self._begin_text(self._machine.node(stack))
        return position

    # Payloads

    def _read_payload(self, text: str, position: int) -> int:
        """Begins the payload at an index where no token matches."""
        node, cursor = self._node, self._cursor
        place = blanks.match(text, position).end()
        # The driver reads so much white space as text.
        if place - position > MAX_TOKEN:
            return NEEDS_DRIVER
        for step in node.payloads:
            is_raw = step.terminal.name in RAW_LIKE
            begin = position if is_raw and node.blanks_matter else place
            if begin == len(text):
                return cursor.hold(text, position)
            # More text may decide whether this payload begins: `tru` may become `true`.
            if step.begun is not None and step.begun.match(text, begin):
                return cursor.hold(text, position)
            if step.begins.match(text, begin):
                return self._enter(step, text, begin, is_raw=is_raw)
        if place == len(text):
            return cursor.hold(text, position)
        return (
            self._end_before_text(text, position)
            if self._message.started and node.accepts_text
            else NEEDS_DRIVER
        )

    def _enter(self, step: Step, text: str, begin: int, *, is_raw: bool) -> int:
        """Begins a payload at an index; returns the index to read on, or `NEEDS_DRIVER`."""
        if step.closes_before and not self._close(step.closes_before, self._last_end):
            return NEEDS_DRIVER
        if self._call_start < 0:
            self._call_start = self._cursor.base + begin
        cursor, message = self._cursor, self._message
        if is_raw:
            before = self._previous is not None and "\n" in self._previous.terminal.trail
            payload: PayloadReader | None
            payload = StreamRaw(step, cursor, message, self._leave, before=before)
        else:
            opening = self._machine.start
            payload = call_payload(step, text[begin], opening, cursor, message, self._leave)
        if payload is None:
            return NEEDS_DRIVER
        self.payload = payload
        cursor.hold_nothing()
        return payload.begin(text, begin)

    def _leave(self, step: Step, text: str, end: int) -> int:
        """Ends a payload at an index; returns the index to read on, or `NEEDS_DRIVER`."""
        self.payload = None
        self._last_end = self._cursor.base + end
        # If the call ends with this payload, no token will come that could make it certain.
        if step.node.accepts_text or "call" in step.closes:
            self._message.doubt(doubtful=False)
        self._previous = step
        if text[end - 1] == "}" and traits_of(step).ends_call:
            self._cursor.read_with(self._read_behind)
            return end
        return self._close_behind(end)

    def _read_behind(self, text: str, position: int) -> int:
        """Looks at the text after a call that ends with its last bracket."""
        step = self._previous
        assert step is not None
        goes_on: bool | None = None
        if not step.node.accepts_text:
            goes_on = goes_on_in_list(text, position, lambda _: True, final=False)
        elif text[position:].strip():
            goes_on = may_go_on(text, position, is_payload=step.role == "arguments")
        if goes_on is None:
            return self._cursor.hold(text, position)
        return NEEDS_DRIVER if goes_on else self._close_behind(position)

    def _close_behind(self, position: int) -> int:
        """Closes the roles that end with the last token or payload, and reads on."""
        step = self._previous
        assert step is not None
        closes = not step.closes or self._close(step.closes, self._last_end)
        self._cursor.read_with(self._read)
        return self._arrive(step, position) if closes else NEEDS_DRIVER

    # The end

    def end(self) -> bool:
        """Ends the message; returns False if the driver has to read it."""
        cursor, message = self._cursor, self._message
        text, position = cursor.held, cursor.position
        if cursor.read == self._read_behind and self._close_behind(position) == NEEDS_DRIVER:
            return False
        in_call = cursor.read == self._read
        if in_call:
            node = self._node
            if not (
                message.started
                and node.accepts_text
                and is_over(node, text, position, self._previous)
            ):
                return False
            if lacks_required(message.spec, message.arguments):
                return False  # the call may have been cut
            closed, stack = node.after_text
            if not self._close(closed, self._last_end):
                return False
            self._begin_text(self._machine.node(stack))
        elif cursor.read != self._read_text:
            return False
        # An open call without a name is left to the driver.
        return message.start < 0 and self._text.end(in_group=self._in_group, after_call=in_call)
