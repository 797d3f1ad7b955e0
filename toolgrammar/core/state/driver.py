"""Pushes text through the nodes of a grammar: feed any pieces, close at the end.

The driver is always in one of four modes (`modes`), and `Driver.run` is the next step of that mode.

An island that opens is a guess at first. It becomes certain (*commits*) at the first payload or
at the first distinctive token after the tool's name. A mismatch before that gives the opener back
as text and looks for the next one; a mismatch after it ends the call, says so, and the rest is
text (`mismatch`). How a message ends is in `ending`. With strict reading, what was mended is no call.

The result depends on the text alone, never on where it was cut: a token waits while the text so far
may become another one, and every limit counts characters of tokens, not of chunks. Each character
is looked at a bounded number of times.

What is here is the state that all modes share, the loop, and what every mode does to the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.calls.completion import commit, judge_calls
from toolgrammar.core.calls.role_effects import close_role
from toolgrammar.core.message.quoted import FENCES, LONG_FENCES, Quoted
from toolgrammar.core.state.open_payload import OpenPayload
from toolgrammar.core.trust.evidence import NotACall
from toolgrammar.grammar.roles import GROUP_ROLES
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.machine.machine import Machine, Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.state.modes import Modes
    from toolgrammar.core.state.others import Others

_ISLANDS = frozenset({"call", *GROUP_ROLES})


class Driver:
    """The state of one message between two chunks."""

    def __init__(
        self, machine: Machine, builder: Builder, modes: Modes[Driver], *, base: int, max_depth: int
    ) -> None:
        self.modes, self.builder = modes, builder
        self.node = self.start_node = machine.start
        self.buffer, self.position = "", 0
        self.base = base
        """Offset in the source of the buffer's first character; negative inside the prefix."""
        self.island = -1
        """Index in the buffer where an island that is not certain yet began, or -1."""
        self.island_node = machine.start
        self.island_payload = False
        """Whether a payload was read in that island."""
        self.may_be_fenced = False
        """Whether no code fence was left out yet behind the island's opener."""
        self.fences, self.long_fences = Quoted(FENCES), Quoted(LONG_FENCES)
        """The blocks of code of the message, and those that hold blocks."""
        self.unit = -1
        """Offset where the part that may become a call began, or -1."""
        self.last_end = base
        """Offset where the last token or payload ended."""
        self.free = base
        """That of the last one before the open island, or before the one that was read last."""
        self.back: tuple[int, Node, int, Step | None] | None = None
        """Of a short literal that was read last, before a repeated name: its index, and the node,
        the end and the token before it. The name may show that it belongs to something else."""
        self.behind: str | None = None
        """The name of the last call while nothing but white space follows it; else None."""
        self.blank, self.held_at, self.island_tokens = (0, 0), -1, 0
        """Offsets of the white space that was passed last, of which a run is looked through once; that
        of text which is held back since it may become an opener; the tokens of the open island."""
        self.final = False
        self.steps = 0
        """Rounds of the loop so far: a measure of work that needs no clock."""
        self.previous: Step | None = None
        """The token or payload that was read last."""
        self.payload = OpenPayload()
        self.limits_depth = max_depth
        self.called = False
        """Whether the open call has its name."""
        self.among: Others[Driver] | None = None
        """The other formats that the message may be written in."""
        self.run: Callable[[Driver], bool] = modes.text
        """The next step of the mode; it gives False where more text is needed."""

    def feed(self, chunk: str, *, final: bool = False) -> None:
        """Takes the next chunk; `final` says that the text ends with it."""
        if self.among is not None:
            self.among.feed(self, chunk, final=final)
        else:
            self.take(chunk, final=final)
        if final:
            judge_calls(self.builder)

    def take(self, chunk: str, *, final: bool) -> None:
        """Takes a chunk and reads on as far as it goes."""
        # An island that is not certain may be given back, so its text stays in the buffer.
        keep = self.position if self.island < 0 else self.island
        # So does a short literal that the name behind it may take back.
        keep = keep if self.back is None else min(keep, self.back[0])
        keep = max(0, keep - 1)  # one character before, for anchors and look-behinds
        if keep:
            self.buffer = self.buffer[keep:] + chunk
            self.base += keep
            self.position -= keep
            if self.payload.raw is not None:
                self.payload.raw.moved(keep)
            if self.back is not None:
                self.back = (self.back[0] - keep, *self.back[1:])
            if self.island >= 0:
                self.island -= keep
        else:
            self.buffer += chunk
        self.final = final
        reading = True
        # Of an island that is given back the opener is text; what follows is read anew.
        while reading:
            try:
                self.read_on()
                self.steps += 1
                if final:
                    self.modes.finish(self)
                reading = False
            except NotACall:
                self.modes.give_back(self)

    def read_on(self) -> None:
        """Runs the loop until it needs more text."""
        while self.run(self):
            self.steps += 1

    def restart(self, before: str, offset: int, last_end: int) -> None:
        """Stands in text again at an offset, with nothing but the character before it."""
        self.read_anew(before, offset, len(before))
        self.last_end = last_end
        self.island = self.unit = -1
        self.back = self.behind = self.previous = None
        self.payload.forget()
        # What was noted of the text behind the offset holds for another reading of it no more.
        self.blank, self.held_at, self.island_tokens = (0, 0), -1, 0
        # `steps` is kept: it measures the work over the whole message.
        self.final = self.called = self.may_be_fenced = self.island_payload = False
        self.run = self.modes.text

    def stand_before(self, text: str, offset: int) -> None:
        """Stands before text that begins at an offset, some of which was looked at already."""
        # For anchors and look-behinds, as in `take`.
        before = self.builder.source.slice(offset - 1, offset) if offset > 0 else ""
        self.read_anew(before + text, offset, len(before))

    def read_anew(self, text: str, offset: int, before: int) -> None:
        """Stands at an offset again; so many characters of the text stand before it."""
        self.buffer, self.base, self.position = text, offset - before, before

    # Where it stands

    def move_to(self, index: int) -> None:
        """Stands at an index of the buffer."""
        self.position = index

    def end_at(self, offset: int) -> None:
        """Notes the offset where the last token or payload ended."""
        self.last_end = offset

    def pass_to(self, index: int) -> None:
        """Stands at an index of the buffer, behind markup that ends there."""
        self.position, self.last_end = index, self.base + index

    def stand_on(self, node: Node) -> None:
        """Goes on with what a node takes."""
        self.node = node

    def note_read(self, step: Step) -> None:
        """Notes the token or payload that was read last."""
        self.previous = step

    def follow(self, step: Step) -> None:
        """Stands behind a token or a payload that was read."""
        self.node, self.previous = step.node, step

    def keep_way_back(self, start: int, *, short: bool) -> None:
        """Notes how to take back the literal at an index, where it is short enough for that."""
        self.back = (start, self.node, self.last_end, self.previous) if short else None

    def forget_way_back(self) -> None:
        """Lets the last literal stand for itself."""
        self.back = None

    def forget_last_call(self) -> None:
        """Notes that something else than white space stands behind the last call."""
        self.behind = None

    def hold_at(self, offset: int) -> None:
        """Notes the text that is held back, since it may become an opener; -1 for none."""
        self.held_at = offset

    def count_round(self) -> None:
        """Counts a round of work."""
        self.steps += 1

    def behind_blanks(self) -> int:
        """Returns the index behind the white space that stands here."""
        start, end = self.blank
        here = self.base + self.position
        # A long run of white space may arrive in many chunks: it is looked through once (linear
        # work).
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
        """Reads text from here on."""
        self.run = self.modes.text

    def to_tokens(self) -> None:
        """Reads tokens from here on."""
        self.run = self.modes.tokens

    def read_by(self, run: Callable[[Driver], bool]) -> None:
        """Goes on with a step of a mode above."""
        self.run = run

    def enter_payload(self, step: Step, start: int) -> None:
        """Stands before a payload at an index of the buffer."""
        if self.unit < 0:
            self.unit = self.base + start
        self.position, self.back = start, None
        self.payload.begin(step)

    def judge_fence(self, *, may_come: bool) -> None:
        """Decides whether a code fence may be left out behind the island's opener."""
        self.may_be_fenced = may_come

    def begin_unit(self, offset: int) -> None:
        """Notes where the part begins that may become a call."""
        self.unit = offset

    def count_token(self) -> int:
        """Counts a token of the open island; returns how many it has."""
        self.island_tokens += 1
        return self.island_tokens

    def note_payload(self) -> None:
        """Notes that a payload was read in the open island, which is given back as a whole."""
        self.island_payload = True

    def note_name(self) -> None:
        """Notes that the open call has its name."""
        self.called = True

    def leave_call(self) -> None:
        """Forgets the part that might have become a call."""
        self.unit, self.called = -1, False

    def leave_island(self) -> None:
        """Ends an island that is none."""
        self.island = -1

    def stand_behind_call(self) -> None:
        """Lets a closer that is left over belong to the last call, until other text comes."""
        self.behind = self.builder.last_name

    def enter_island(self, node: Node, place: int, start: Node | None = None) -> None:
        """Begins an island that may turn out to be none; `start` begins messages of its format."""
        self.start_node = start or self.start_node
        self.node = node
        self.position = place
        self.island, self.island_node, self.island_payload = place, node, False
        self.island_tokens = 0
        self.may_be_fenced = True
        self.payload.close_fence()
        self.behind = None
        # Blocks of code open and end only behind the last island.
        self.free = self.last_end
        self.unit = -1
        self.called = False
        self.run = self.modes.tokens

    def read_among(self, others: Others[Driver]) -> None:
        """Reads a message that may be written in other formats, too."""
        self.among = others

    def commit(self) -> None:
        """Makes the island certain, and its open call: neither is given back as text any more."""
        if self.island >= 0 and self.among is not None:
            # Before the events go out: the choice of the format is final with them.
            self.among.vouch(self)
        self.island = -1
        commit(self.builder)

    # What is read

    def give_text_to(self, end: int) -> None:
        """Emits the text up to an index."""
        if end > self.position:
            self.give_text(self.position, end)
            self.position = end

    def give_text(self, start: int, end: int) -> None:
        """Emits the text between two indexes, without what stands in the prefix."""
        text, offset = self.buffer[start:end], self.base + start
        if offset < 0:
            # The prefix is the template's text: it is read, but it is no part of the message.
            text, offset = text[-offset:], min(0, self.base + end)
        if text:
            # Between the calls of a section nothing is the message's text.
            if self.node.skipping:
                self.builder.skipped_text.add(text, offset)
            else:
                self.builder.text(text, offset)

    def close(self, role: str, end: int) -> None:
        """Closes a call or a section that ended at an offset."""
        if role == "call" and self.island >= 0 and self.called:
            self.commit()  # taking the island back would leave the call, and read it once more
        close_role(self.builder, role, end)
        if role in _ISLANDS:
            # Until other text comes, a closer that is left over may belong to this call.
            self.stand_behind_call()
        if role == "call":
            self.leave_call()

    def close_before_text(self) -> None:
        """Closes what text closes where it stands here, and reads it."""
        closed, stack = self.node.after_text
        for role in closed:
            self.close(role, self.last_end)
        # The next node is the text that surrounds the call, with all of its rules reduced.
        self.node = self.node.machine.node(stack)
        self.to_text()

    def pass_over(self, step: Step) -> None:
        """Does what a token that was put in does: it closes, and leads on."""
        # Nothing is filled: a token that is put in has no text.
        for role in (*step.before, *step.after):
            self.close(role, self.last_end)
        self.back = None
        self.follow(step)

    def step_back(self) -> None:
        """Takes a short literal back: what follows shows that it belongs to something else."""
        # As the `</` of `</b>`, where `</search>` was due: the name behind it is another.
        if self.back is not None:
            self.position, self.node, self.last_end, self.previous = self.back
            self.back = None
