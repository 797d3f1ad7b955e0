"""Pushes text through the nodes of a grammar: feed any pieces, close at the end.

The driver is always in one of four modes, and `Driver.run` is the next step of that mode:

- *text* (`reading_text`): it looks for the next opener that the node takes, gives out what stands
  before it, and holds back the shortest tail that may still become an opener;
- *token* (`reading_tokens`): inside an island it reads one token of the envelope after the other,
  with one regular expression a node;
- *payload* (`reading_payloads`): a scanner for JSON or for Python arguments owns the text until
  its value is whole;
- *raw* (`raw_reader`): text without escapes runs up to the closer that `raw_end` finds.

An island that opens is a guess at first. It becomes certain (*commits*) at the first payload or
at the first distinctive token after the tool's name. A mismatch before that gives the opener back
as text and looks for the next one; a mismatch after it ends the call, says so, and the rest is
text (`mismatch`). How a message ends, wherever the driver stands then, is in `ending`. With strict
reading, what was mended on the way is no call.

The result depends on the text alone, never on where it was cut: a token waits while the text so
far may become a longer or another one, and every limit counts characters of tokens, not of
chunks. Each character is looked at a bounded number of times.

What is here is the state that all modes share, the loop, and what every mode does to the state.
The modes are functions of the driver. None imports this module, so imports point one way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.ending import finish
from toolgrammar.core.evidence import NotACall
from toolgrammar.core.mismatch import give_back
from toolgrammar.core.quotes import FENCES, LONG_FENCES, Quoted
from toolgrammar.core.reading_text import read_text
from toolgrammar.core.reading_tokens import read_token
from toolgrammar.core.role_effects import close_role
from toolgrammar.core.roles import GROUP_ROLES
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.among import Among
    from toolgrammar.core.build import Builder
    from toolgrammar.core.json_payload import JsonPayload
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.core.raw_reader import RawReader
    from toolgrammar.core.scanners import Scanner
    from toolgrammar.core.steps import Step
    from toolgrammar.core.undecided import Undecided

_ISLANDS = frozenset({"call", *GROUP_ROLES})


class Driver:
    """The state of one message between two chunks."""

    __slots__ = (
        "among",
        "back",
        "base",
        "behind",
        "blank",
        "buffer",
        "builder",
        "called",
        "fenced",
        "fences",
        "final",
        "free",
        "held_at",
        "island",
        "island_node",
        "island_payload",
        "island_tokens",
        "last_end",
        "limits_depth",
        "long_fences",
        "may_be_fenced",
        "node",
        "open_brackets",
        "position",
        "previous",
        "raw",
        "run",
        "scanner",
        "start_node",
        "step",
        "steps",
        "undecided",
        "unit",
    )

    def __init__(self, machine: Machine, builder: Builder, *, base: int, max_depth: int) -> None:
        self.builder = builder
        self.node = self.start_node = machine.start
        self.buffer = ""
        self.base = base
        """Offset in the source of the buffer's first character; negative inside the prefix."""
        self.position = 0
        self.island = -1
        """Index in the buffer where an island that is not certain yet began, or -1."""
        self.island_node = machine.start
        self.island_payload = False
        """Whether a payload was read in that island."""
        self.may_be_fenced = False
        """Whether no code fence was left out yet behind the island's opener."""
        self.fenced = False
        """Whether a code fence was left out before the payload, so that one may end behind it."""
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
        self.step: Step | None = None
        """The payload that is read, or was read last."""
        self.scanner: Scanner | JsonPayload | None = None
        self.undecided: Undecided | None = None
        self.limits_depth = max_depth
        self.open_brackets = 0
        """Of arguments that can't be read: how many brackets are open in them, with their own."""
        self.raw: RawReader | None = None
        self.called = False
        """Whether the open call has its name."""
        self.among: Among | None = None
        """The other formats that the message may be written in."""
        self.run: Callable[[Driver], bool] = read_text
        """The next step of the mode; it gives False where more text is needed."""

    def feed(self, chunk: str, *, final: bool = False) -> None:
        """Takes the next chunk; `final` says that the text ends with it."""
        if self.among is not None:
            self.among.feed(self, chunk, final=final)
        else:
            self.take(chunk, final=final)

    def take(self, chunk: str, *, final: bool) -> None:
        """Takes a chunk and reads on as far as it goes."""
        keep = self.position if self.island < 0 else self.island
        if self.back is not None:
            keep = min(keep, self.back[0])
        keep = max(0, keep - 1)  # one character before, for anchors and look-behinds
        if keep:
            self.buffer = self.buffer[keep:] + chunk
            self.base += keep
            self.position -= keep
            if self.raw is not None:
                self.raw.searched -= keep
            if self.back is not None:
                self.back = (self.back[0] - keep, *self.back[1:])
            if self.island >= 0:
                self.island -= keep
        else:
            self.buffer += chunk
        self.final = final
        reading = True
        while reading:
            try:
                self.read_on()
                self.steps += 1
                if final:
                    finish(self)
                reading = False
            except NotACall:
                give_back(self)

    def read_on(self) -> None:
        """Runs the loop until it needs more text."""
        while self.run(self):
            self.steps += 1

    def restart(self, before: str, offset: int, last_end: int) -> None:
        """Stands in text again at an offset, with nothing but the character before it."""
        self.buffer = before
        self.position = len(before)
        self.base = offset - len(before)
        self.last_end = last_end
        self.island = self.unit = -1
        self.back = self.behind = self.previous = self.step = None
        self.scanner = self.undecided = self.raw = None
        self.final = self.called = self.fenced = False
        self.run = read_text

    def stand_before(self, text: str, offset: int) -> None:
        """Stands before text that begins at an offset, some of which was looked at already."""
        before = self.builder.source.slice(offset - 1, offset) if offset > 0 else ""
        self.buffer = before + text
        self.position = len(before)
        self.base = offset - len(before)

    def went_on(self, text: str, chunks: int) -> None:
        """Steps behind text in which nothing began or ended."""
        # One character stays, for anchors and look-behinds.
        self.base += self.position + len(text) - 1
        self.buffer = text[-1]
        self.position = 1
        self.steps += chunks

    def behind_blanks(self) -> int:
        """Gives the index behind the white space that stands here."""
        start, end = self.blank
        here = self.base + self.position
        place = end - self.base if start <= here <= end else self.position
        found = blanks.match(self.buffer, place).end()
        self.blank = here, self.base + found
        return found

    # Modes

    @property
    def in_text(self) -> bool:
        """Whether the driver looks for the next opener."""
        return self.run is read_text

    @property
    def in_tokens(self) -> bool:
        """Whether the driver reads a token of the envelope next."""
        return self.run is read_token

    def to_text(self) -> None:
        """Reads text from here on."""
        self.run = read_text

    def to_tokens(self) -> None:
        """Reads tokens from here on."""
        self.run = read_token

    def enter_island(self, node: Node, place: int) -> None:
        """Begins an island that may turn out to be none."""
        self.node = node
        self.position = place
        self.island, self.island_node, self.island_payload = place, node, False
        self.island_tokens = 0
        self.may_be_fenced, self.fenced = True, False
        self.behind = None
        self.free = self.last_end
        self.unit = -1
        self.called = False
        self.run = read_token

    def commit(self) -> None:
        """Makes the island certain: it is not given back as text any more."""
        if self.among is not None:
            self.among.vouch(self)
        self.island = -1
        self.builder.commit()

    # What is read

    def give_text_to(self, end: int) -> None:
        """Gives out the text up to an index."""
        if end > self.position:
            self.give_text(self.position, end)
            self.position = end

    def give_text(self, start: int, end: int) -> None:
        """Gives out the text between two indexes, without what stands in the prefix."""
        text, offset = self.buffer[start:end], self.base + start
        if offset < 0:
            text, offset = text[-offset:], min(0, self.base + end)
        if text:
            if self.node.skipping:
                self.builder.skipped(text, offset)
            else:
                self.builder.text(text, offset)

    def close(self, role: str, end: int) -> None:
        """Closes a call or a section that ended at an offset."""
        if role == "call" and self.island >= 0 and self.called:
            self.commit()  # taking the island back would leave the call, and read it once more
        close_role(self.builder, role, end)
        if role in _ISLANDS:
            self.behind = self.builder.last_name
        if role == "call":
            self.unit = -1
            self.called = False

    def pass_over(self, step: Step) -> None:
        """Does what a token that was put in does: it closes, and leads on."""
        for role in (*step.before, *step.after):
            self.close(role, self.last_end)
        self.back = None
        self.node = step.node
        self.previous = step

    def step_back(self) -> None:
        """Takes a short literal back: what follows shows that it belongs to something else."""
        if self.back is not None:
            self.position, self.node, self.last_end, self.previous = self.back
            self.back = None
