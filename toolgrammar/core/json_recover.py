"""Reads one JSON value that may be damaged, as its text arrives, and gives it out as strict JSON.

What is given out is the source with the edits of the repairs made in it, so each repair can be
checked; only a value that its schema turns into another type differs. As long as the text is
strict, it passes as it is: the first repair ends that. Nothing given out is taken back: a quote, a
comma, a key or a word waits until what follows decides what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_frames import Frame
from toolgrammar.core.json_look import CLOSING_QUOTES, More, Undecided
from toolgrammar.core.json_members import Members
from toolgrammar.core.json_repairs import OpenerRun, Repair
from toolgrammar.core.json_runs import inside_string
from toolgrammar.core.json_state import ITEM, KEY, START, TRIPLE, VALUE
from toolgrammar.core.json_tokens import MAX_DEPTH, MAX_DIGITS, plain_scalar

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from toolgrammar.core.json_ahead import LookAhead
    from toolgrammar.core.json_body_runs import BodyRun
    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.json_stretches import Stretch

_CLOSERS: Final = "}])"
_MOST_QUOTES: Final = 7
"""So many quotes are not the opener, an empty body and the closer of a string in triple quotes."""


class RecoveringScanner(Members):
    """Reads one JSON value piece by piece; the joined pieces are its text, mended."""

    __slots__ = (
        "_object_only",
        "_tail",
        "asleep",
        "failed",
        "no_triple",
        "unread",
    )

    inside = inside_string
    """What a piece matches that only goes on in a string."""

    def __init__(
        self,
        guide: Guide | None = None,
        *,
        object_only: bool = False,
        backticks: bool = False,
        max_depth: int = MAX_DEPTH,
        follows: Callable[[LookAhead, int], bool] | None = None,
        refuses: str = "",
        stops: Callable[[str, int], bool] | None = None,
    ) -> None:
        """Make a scanner for one value.

        Args:
            guide: What the schema wants of the value.
            object_only: The root must be an object.
            backticks: A value may be a backtick string; that is no repair.
            max_depth: How deep brackets may nest.
            follows: Whether what stands at an index of the look may follow the whole value; None
                where its last bracket or quote ends it, whatever follows.
            refuses: Characters that `follows` takes nowhere.
            stops: Whether something that ends the value, whole or not, stands at an index.
        """
        super().__init__(follows, stops)
        self.set_up(guide, backticks=backticks)
        self.refuses = refuses
        self._object_only = object_only
        self.max_depth = max_depth
        self.done = False
        self.failed = False
        self.unread = ""
        """What was taken and is no part of the value, where that began before the last chunk."""
        self.no_triple = False
        self.return_to = START
        self.asleep: list[str] = []
        """Pieces of what may be a string in triple quotes, whose end has not come."""
        self._tail = ""

    def feed(
        self, text: str, position: int, out: list[str], *, base: int = 0, final: bool = False
    ) -> int:
        """Give the offset of the first character not consumed; safe pieces go to `out`.

        All of `text` is consumed unless the value is `done` or has `failed`.

        Args:
            text: Holds the next piece of the value.
            position: Where the piece begins.
            out: Takes the pieces of strict JSON.
            base: Offset in the source of the first character of `text`.
            final: The text ends here.
        """
        self.out = out
        length = len(text)
        if self.plain and position < length and not final and self.inside.fullmatch(text, position):
            out.append(text[position:] if position else text)
            self.text, self.pos = text[-1], 1
            return length
        if self.state == TRIPLE and not final and self._sleeps(text[position:]):
            return length
        # One character stays before the rest, for anchors and look-behinds of `stops`.
        keep = max(self.pos - 1, 0)
        self.text = "".join([self.text[keep:], *self.asleep, text[position:]])
        self.asleep.clear()
        self.base = base + length - len(self.text)
        self.pos -= keep
        self.final = final
        self._run()
        over = len(self.text) - self.pos
        self.plain = self.is_plain and not over
        if not (self.done or self.failed):
            return length
        fresh = length - position
        if over > fresh:
            self.unread = self.text[self.pos : len(self.text) - fresh]
            return position
        return length - over

    def went_on(self, text: str) -> None:
        """Steps behind text in which a string only went on."""
        self.text, self.pos = text[-1], 1
        self.note_escapes(text)

    def _sleeps(self, piece: str) -> bool:
        """Keeps a piece in which the string in triple quotes does not end."""
        behind = self._tail if self.asleep else self.text[self.pos + 3 :][-2:]
        behind += piece
        if self.text[self.pos] * 3 in behind:
            return False
        self.asleep.append(piece)
        self._tail = behind[-2:]
        return True

    def read_again(self, stretch: Stretch) -> None:
        """Reads a stretch one token after the other, for its repairs."""
        self.text, self.base = stretch.text, stretch.start
        frame = Frame("{" if stretch.state == KEY else "[", None, stretch.path)
        frame.members = stretch.members
        self.stack = [frame]
        self.state, self.strict = stretch.state, stretch.strict
        self.note_comma(0)
        self.look_from(stretch.end + len(stretch.text))
        self._run()

    def open_implied(self, offset: int, out: list[str]) -> None:
        """Opens an object whose opener is missing at an offset of the source."""
        self.out = out
        self.repair("bracket", offset - self.base, offset - self.base, "{")
        out.append("{")
        self.kept = len(self.repairs)
        self.stack.append(Frame("{", self.guide, "$"))
        self.state = KEY

    def _run(self) -> None:
        handlers = self._handlers
        try:
            while self.pos < len(self.text) and not (self.done or self.failed):
                handlers[self.state](self)
                if self.failure:
                    self.failed = True
        except More:
            pass

    def _value(self) -> None:
        """Begins the root, an item, or the value of a member."""
        character = self.text[self.pos]
        if self.state == ITEM and self.is_free() and (self.mends() or self.items()):
            return
        if character == '"' and self.state == VALUE:
            if not self.plain_string(character):
                self._open_quoted(character)
            return
        if character == "{" or character == "[":  # noqa: PLR1714 - the hottest test
            self._open(character)
            return
        scalar = (
            plain_scalar.match(self.text, self.pos) if self.guide is None and self.stack else None
        )
        if scalar is not None and scalar.end() - self.pos <= MAX_DIGITS and self._is_ended(scalar):
            self.begin_value()
            self.out.append(scalar.group())
            self.pos = scalar.end()
            self.value_ended()
        elif not self.between():
            self._other_value(character)

    def _is_ended(self, scalar: re.Match[str]) -> bool:
        return self.text[scalar.end()] in ",}]\n\r"

    def _other_value(self, character: str) -> None:
        if character in CLOSING_QUOTES:
            if not (self.state == ITEM and self._item_is_key()) and not self.plain_string(
                character
            ):
                self._open_quoted(character)
        elif self.stopped() or self.plain_word():
            return
        elif character == "," and self.stack:
            self._comma_for_value()
        elif character in _CLOSERS and self.stack:
            if self.state == VALUE:
                self.leave_out_key()
            else:
                self.closer(character)
        elif character == "(" and self.stack and self._is_tuple():
            self._open(character)
        elif character == ":" and self.state == VALUE:
            self.repair("colon", self.pos, self.pos + 1, "")
            self.pos += 1
        else:
            self.begin_word()
            if not (character.isalnum() or character in "_.+-"):
                self.end_word()

    def _is_tuple(self) -> bool:
        wanted = self.slot()
        return wanted is None or wanted.types is None or "array" in wanted.types

    def _comma_for_value(self) -> None:
        if self.state == VALUE:
            self.leave_out_key()
        else:
            self.stray_commas()

    def _item_is_key(self) -> bool:
        """Closes arrays whose closer is missing: a string and a colon are a member."""
        level = len(self.stack) - 2
        while level >= 0 and not self.stack[level].is_object:
            level -= 1
        if level < 0:
            return False
        self.look(self.pos)
        try:
            is_key = self.reads_key(self.pos, self.stack[level], at_end=False)
        except Undecided:
            return False
        if is_key:
            self.close_missing(level)
            self.state = KEY
        return is_key

    def _open_quoted(self, quote: str) -> None:
        """Begins a string value in one, two or three quotes."""
        text, start = self.text, self.pos
        if quote in "\"'" and not self.no_triple and not self.doubled:
            run = text[start : start + _MOST_QUOTES]
            count = len(run) - len(run.lstrip(quote))
            if count == len(run) < _MOST_QUOTES and not self.final:
                raise More
            begun = quote * 3
            if 3 <= count < _MOST_QUOTES:
                end = text.find(begun, start + 3)
                if end < 0 and not self.final:
                    self.state, self.return_to = TRIPLE, self.state
                    raise More
                self.no_triple = end < 0
                if end >= 0:
                    self.open_string(quote, key=False, width=3)
                    return
        elif self.doubled and start + 1 == len(text) and not self.final:
            raise More
        width = 2 if self.doubled and text.startswith('""', start) else 1
        self.open_string(quote, key=False, width=width)

    def _read_triple(self) -> None:
        """Waits for the closer of a string in triple quotes."""
        self.state = self.return_to
        self._open_quoted(self.text[self.pos])

    def _open(self, opener: str) -> None:
        if len(self.stack) >= self.max_depth:
            self.failure = "too deep"
            return
        wanted = self.slot()
        self.begin_value()
        path = self.stack[-1].place() if self.stack else "$"
        if opener == "(":
            self.repair("bracket", self.pos, self.pos + 1, "[")
        self.out.append("[" if opener == "(" else opener)
        self.kept = len(self.repairs)
        self.stack.append(Frame(opener, wanted, path))
        self.pos += 1
        self.state = KEY if opener == "{" else ITEM

    _handlers: tuple[Callable[[RecoveringScanner], None], ...] = (
        _value,  # START
        _value,  # ITEM
        Members.read_key,
        Members.read_colon,
        _value,  # VALUE
        Members.read_after,
        Members.read_string,
        _read_triple,
        Members.read_word,
        Members.read_text,
        Members.read_bare_key,
        Members.read_comment,
    )


def repairs_of(stretch: Stretch | BodyRun | OpenerRun) -> list[Repair]:
    """Gives the repairs of what was mended at once."""
    from toolgrammar.core.json_body_runs import BodyRun  # most texts need none of it

    if isinstance(stretch, BodyRun | OpenerRun):
        return stretch.repairs()
    reader = RecoveringScanner()
    reader.read_again(stretch)
    return [each for each in reader.repairs if each.start < stretch.end]
