"""Runs the nodes of a grammar over a text that is fed in chunks of any size.

Example: of the chunks `Hi <tool` and `_call>` it emits `Hi `, and then opens an island.

The driver is always in one of four modes (`modes`), and `Driver.run` is the next step of that mode.

An island that opens is uncertain at first. It becomes certain (*commits*) at the first payload or
at the first distinctive token after the tool's name. A mismatch before that gives the opener back
as text, and the search for the next opener goes on. A mismatch after it ends the call with a
diagnostic, and the rest is text (`mismatch`). The end of a message is in `ending`. With strict
reading, a call that needed a repair is text.

The result depends on the text alone, never on where it was cut: a token waits while the text so far
may become another one, and every limit counts characters of tokens, not of chunks. Each character
is looked at a bounded number of times.

This module has the state that all modes share, the loop, and the changes that every mode makes to
the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.calls.call_ends import report_without_roles
from toolgrammar.core.calls.completion import commit, judge_calls
from toolgrammar.core.calls.role_effects import close_role
from toolgrammar.core.message.quoted import Blocks
from toolgrammar.core.message.source import Source
from toolgrammar.core.state.open_payload import OpenPayload
from toolgrammar.core.state.way_back import WayBack
from toolgrammar.core.trust.call_or_text import NotACall
from toolgrammar.grammar.roles import GROUP_ROLES
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.state.protocols import Formats, Modes

_ISLANDS = frozenset({"call", *GROUP_ROLES})

_TRIED = 64
"""The characters of a text that are tried at once."""


class Driver:
    """The state of one message between two chunks."""

    def __init__(
        self, machine: Machine, builder: Builder, modes: Modes[Driver], *, max_depth: int
    ) -> None:
        self.modes, self.builder = modes, builder
        self.node = self.start_node = self.island_node = machine.start
        self.buffer, self.position = "", 0
        self.base = 0
        """Offset in the source of the buffer's first character."""
        self.blocks = Blocks()
        """The code blocks of the message."""
        self.previous_island_end = 0
        """`last_end` as it was before the open island; outside of islands, before the last one."""
        self.rounds = 0
        """The rounds of the loop so far, a measure of work that does not depend on time."""
        self.payload = OpenPayload()
        self.max_depth = max_depth
        """The most brackets that may be open at once in a payload."""
        self.formats: Formats[Driver] | None = None
        """The formats that are tried for the message; None if it is read in one format only."""
        self.restart("", 0, 0)

    def restart(self, before: str, offset: int, last_end: int) -> None:
        """Resets the driver to text at an offset; its buffer holds just the text `before` it.

        What was noted about the text after the offset is not valid for another reading of it.
        `rounds` is kept: it measures the work over the whole message.
        """
        self.read_anew(before, offset, len(before))
        self.island = -1
        """Index in the buffer where an island that is not certain yet began, or -1."""
        self.island_payload = False
        """Whether a payload was read in that island."""
        self.may_be_fenced = False
        """Whether a code fence after the island's opener may be dropped; it may be once."""
        self.call_start = -1
        """Offset of the first token of what may become a call, or -1."""
        self.in_call = False
        """Whether the opener of a call was read there, not that of a section or a separator."""
        self.has_name = False
        """Whether the open call has its name."""
        self.last_end = last_end
        """Offset where the last token or payload ended."""
        self.way_back: WayBack | None = None
        """The state before a short literal that was read last; None if no such literal was."""
        self.just_ended: str | None = None
        """The name of the last call while nothing but white space follows it; else None."""
        self.blank, self.held_at, self.island_tokens = (0, 0), -1, 0
        """The offsets of the last white space, so that it is searched only once; the offset of
        text that is held back as a possible opener, or -1; the tokens of the open island."""
        self.final = False
        self.previous: Step | None = None
        """The token or payload that was read last."""
        self.payload.forget()
        self.run: Callable[[Driver], bool] = self.modes.text
        """The next step of the mode; it returns False if more text is needed."""

    def try_apart(self, text: str) -> Iterator[Driver]:
        """Reads a text as a separate message in the same formats, without effect on this message.

        Yields:
            The driver that reads the text, after each piece, so that the caller may stop early.
        """
        source, formats = Source(), self.formats
        source.append(text)
        tried = self.builder.trial(source)
        machine = self.start_node.machine if formats is None else formats.start
        driver = Driver(machine, tried, self.modes, max_depth=self.max_depth)
        if formats is not None:
            driver.try_formats(formats.for_message(tried))
        for start in range(0, len(text), _TRIED):
            driver.feed(text[start : start + _TRIED], final=start + _TRIED >= len(text))
            yield driver

    def feed(self, chunk: str, *, final: bool = False) -> None:
        """Accepts the next chunk, the last one if `final`."""
        if self.formats is not None:
            self.formats.feed(self, chunk, final=final)
        else:
            self.take(chunk, final=final)
        if final:
            judge_calls(self.builder)

    def take(self, chunk: str, *, final: bool) -> None:
        """Reads a chunk in the current format, as far as its text suffices."""
        # An island that is not certain may be given back, so its text stays in the buffer.
        keep = self.position if self.island < 0 else self.island
        # So does a short literal that the name after it may take back.
        keep = keep if self.way_back is None else min(keep, self.way_back.start)
        keep = max(0, keep - 1)  # one character before, for anchors and look-behinds
        if keep:
            self.buffer = self.buffer[keep:] + chunk
            self.base += keep
            self.position -= keep
            if self.payload.raw is not None:
                self.payload.raw.shift_by(keep)
            if self.way_back is not None:
                self.way_back = self.way_back._replace(start=self.way_back.start - keep)
            if self.island >= 0:
                self.island -= keep
        else:
            self.buffer += chunk
        self.final = final
        # When an island turns out not to be a call, its opener is text and the rest is read again.
        while not self._reads_to_end():
            self.modes.give_back(self)

    def _reads_to_end(self) -> bool:
        """Reads what has arrived; false where the open island turns out not to be a call."""
        try:
            self.read_on()
            self.rounds += 1
            if self.final:
                self.modes.finish(self)
        except NotACall:
            return False
        return True

    def read_on(self) -> None:
        """Runs the loop until it needs more text."""
        while self.run(self):
            self.rounds += 1

    def stand_before(self, text: str, offset: int) -> None:
        """Puts text that begins at an offset, some of it read before, into the buffer again."""
        # For anchors and look-behinds, as in `take`.
        before = self.builder.source.slice(offset - 1, offset)
        self.read_anew(before + text, offset, len(before))

    def read_anew(self, text: str, offset: int, before: int) -> None:
        """Sets the buffer to a text and the position to an offset.

        Args:
            text: the text of the buffer from now on.
            offset: the offset in the source of the position.
            before: how many characters of the text stand before that position.
        """
        self.buffer, self.base, self.position = text, offset - before, before

    # The position

    def move_to(self, index: int) -> None:
        """Sets the position to an index of the buffer."""
        self.position = index

    def end_at(self, offset: int) -> None:
        """Notes the offset where the last token or payload ended."""
        self.last_end = offset

    def pass_to(self, index: int) -> None:
        """Sets the position to an index of the buffer, at which markup ends."""
        self.position, self.last_end = index, self.base + index

    def stand_on(self, node: Node) -> None:
        """Sets the node: what the grammar accepts next."""
        self.node = node

    def note_read(self, step: Step) -> None:
        """Notes the token or payload that was read last."""
        self.previous = step

    def follow(self, step: Step) -> None:
        """Moves to the node after a token or a payload that was read."""
        self.node, self.previous = step.node, step

    def keep_way_back(self, start: int, *, can_step_back: bool) -> None:
        """Saves the state before the literal at an index, if that may be taken back."""
        self.way_back = (
            WayBack(start, self.node, self.last_end, self.previous) if can_step_back else None
        )

    def forget_way_back(self) -> None:
        """Drops the saved state: the last literal is not taken back any more."""
        self.way_back = None

    def forget_last_call(self) -> None:
        """Notes that other text than white space follows the last call."""
        self.just_ended = None

    def hold_at(self, offset: int) -> None:
        """Notes the offset of text that is held back as a possible opener; -1 for none."""
        self.held_at = offset

    def count_round(self) -> None:
        """Counts a round of work."""
        self.rounds += 1

    def behind_blanks(self) -> int:
        """Returns the index after the white space at the position."""
        start, end = self.blank
        here = self.base + self.position
        # A long run of white space may arrive in many chunks. It is searched only once, to keep the
        # work linear.
        place = end - self.base if start <= here <= end else self.position
        found = blanks.match(self.buffer, place).end()
        self.blank = here, self.base + found
        return found

    # Modes

    @property
    def in_text(self) -> bool:
        """Whether the driver looks for the next opener."""
        return self.run is self.modes.text

    @property
    def in_tokens(self) -> bool:
        """Whether the driver reads a token of the envelope next."""
        return self.run is self.modes.tokens

    def to_text(self) -> None:
        """Switches to the mode that reads text."""
        self.run = self.modes.text

    def to_tokens(self) -> None:
        """Switches to the mode that reads tokens."""
        self.run = self.modes.tokens

    def read_by(self, run: Callable[[Driver], bool]) -> None:
        """Sets the next step of a mode."""
        self.run = run

    def enter_payload(self, step: Step, start: int) -> None:
        """Begins a payload at an index of the buffer."""
        if self.call_start < 0:
            self.call_start = self.base + start
        self.position, self.way_back = start, None
        self.payload.begin(step, self.base + start)

    def allow_fence(self, *, allowed: bool) -> None:
        """Sets whether a code fence after the island's opener may be dropped."""
        self.may_be_fenced = allowed

    def note_call_start(self, offset: int, *, in_call: bool) -> None:
        """Notes the offset of what may become a call, and whether a call opens there."""
        self.call_start, self.in_call = offset, in_call

    def count_token(self) -> int:
        """Counts a token of the open island; returns how many it has."""
        self.island_tokens += 1
        return self.island_tokens

    def note_payload(self) -> None:
        """Notes that the open island has a payload; it can be given back only as a whole."""
        self.island_payload = True

    def note_name(self) -> None:
        """Notes that the open call has its name."""
        self.has_name = True

    def leave_call(self) -> None:
        """Forgets what was noted of the open call: where it began, and its name."""
        self.call_start, self.has_name, self.in_call = -1, False, False

    def leave_island(self) -> None:
        """Closes an island that is not a call."""
        self.island = -1

    def note_call_ended(self) -> None:
        """Notes the last call's name: its stray closers are dropped until other text comes."""
        self.just_ended = self.builder.last_name

    def enter_island(self, node: Node, place: int, start: Node | None = None) -> None:
        """Opens an uncertain island.

        Args:
            node: the node in whose text the island opens.
            place: the index in the buffer where its opener begins.
            start: the start node of the island's format, if that is another than before.
        """
        self.start_node = start or self.start_node
        self.node = node
        self.position = place
        self.island, self.island_node, self.island_payload = place, node, False
        self.island_tokens = 0
        self.may_be_fenced = True
        self.payload.close_fence()
        self.just_ended = None
        # Code blocks open and end only in the text after the last island.
        self.previous_island_end = self.last_end
        self.leave_call()
        self.run = self.modes.tokens

    def try_formats(self, formats: Formats[Driver]) -> None:
        """Lets a message be read in any of several formats."""
        self.formats = formats

    def commit(self) -> None:
        """Makes the island and its open call certain: they are not given back as text any more.

        Raises:
            NotACall: of several formats, another one is tried for the island first.
        """
        if self.island >= 0 and self.formats is not None:
            # This comes before the events are emitted, since they make the choice of format final.
            self.formats.confirm(self)
        self.island = -1
        commit(self.builder)

    # Text, closers, repairs

    def give_text_to(self, end: int) -> None:
        """Emits the text up to an index."""
        if end > self.position:
            self.give_text(self.position, end)
            self.position = end

    def give_text(self, start: int, end: int) -> None:
        """Emits the text between two indexes."""
        text, offset = self.buffer[start:end], self.base + start
        # Text between the calls of a section is skipped, and is not text of the message.
        if self.node.skipping:
            self.builder.skipped_text.add(*self.builder.source.behind_prefix(text, offset))
        else:
            self.builder.text(text, offset)

    def close(self, closed: Iterable[str]) -> None:
        """Closes calls, sections and arguments that ended with the last token or payload."""
        for role in closed:
            if role == "call" and self.island >= 0 and self.has_name:
                self.commit()  # giving the island back would keep the call, and read it twice
            if role == "call":
                report_without_roles(self.builder, self.call_start, self.last_end)
            close_role(self.builder, role, self.last_end)
            if role in _ISLANDS:
                # Until other text comes, a stray closer may belong to this call.
                self.note_call_ended()
            if role == "call":
                self.leave_call()

    def close_before_text(self) -> None:
        """Closes the roles that end before text at this node, and reads text."""
        closed, stack = self.node.after_text
        self.close(closed)
        # All rules of the call are reduced: the next node is that of the text around the call.
        self.node = self.node.machine.node(stack)
        self.to_text()

    def apply_without_text(self, step: Step) -> None:
        """Applies a token or payload that fills no role, as it is inserted, misspelt or unreadable."""
        self.close(step.closes_before + step.closes)
        self.way_back = None
        self.follow(step)

    def step_back(self) -> None:
        """Takes back the last short literal: the text after it shows that it is no token here."""
        if self.way_back is not None:
            self.position, self.node, self.last_end, self.previous = self.way_back
            self.way_back = None
