"""Reads one JSON value that may be damaged, as its text arrives, and emits strict JSON.

The emitted text is the source with the edits of the repairs applied, so each repair can be
checked; only a value that its schema converts to another type differs. Strict text is emitted
unchanged up to the first repair. Nothing emitted is taken back: a quote, a comma, a key or a word
is held until the text after it decides what it is.
Example: of `{a: 'x'}` the pieces are `{`, `"a": "`, `x`, `"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.mended.ahead import Around, LookAhead
from toolgrammar.core.payloads.mended.end import Ending
from toolgrammar.core.payloads.mended.frames import Frame
from toolgrammar.core.payloads.mended.gaps import Gaps
from toolgrammar.core.payloads.mended.look import More, Source
from toolgrammar.core.payloads.mended.open_string import OpenString
from toolgrammar.core.payloads.mended.state import ITEM, KEY, State
from toolgrammar.core.payloads.mended.stretches import Stretch, Stretches
from toolgrammar.core.payloads.mended.strings import StringReader
from toolgrammar.core.payloads.mended.structure import Structure
from toolgrammar.core.payloads.mended.wide_quotes import WideQuotes
from toolgrammar.core.payloads.mended.words import WordReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.payloads.mended.repairs import Repair


class RecoveringScanner:
    """Reads one JSON value piece by piece; the joined pieces are the mended JSON text.

    It connects the readers of the parts: each has one concern and may use only those made before
    it.
    """

    def __init__(
        self,
        guide: Guide | None = None,
        *,
        backticks: bool = False,
        max_depth: int = MAX_DEPTH,
        around: Around | None = None,
        careful: bool = False,
    ) -> None:
        """Makes a scanner for one value.

        Args:
            guide: what the schema wants of the value.
            backticks: whether a value may be a backtick string without a repair.
            max_depth: how deep brackets may nest.
            around: the markup around the value; without it, the last bracket ends the value.
            careful: whether to fail at a repair that may guess wrong: the text may not be JSON.
        """
        self._around = around or Around()
        self._source = source = Source()
        self._state = state = State(source, guide, careful=careful)
        self._string = string = OpenString(state, backticks=backticks)
        look = LookAhead(source, state, string, self._around)
        strings = StringReader(look)
        words = WordReader(look)
        gaps = Gaps(state)
        self._ending = ending = Ending(state, string, words, gaps)
        self._quotes = quotes = WideQuotes(state, strings)
        structure = Structure(look, gaps, strings, quotes, words, ending, max_depth)
        self._stretches = Stretches(max_depth)
        self._handlers: tuple[Callable[[], None], ...] = (
            structure.read_value,  # START
            structure.read_value,  # ITEM
            structure.read_key,
            structure.read_colon,
            structure.read_value,  # VALUE
            structure.read_after,
            strings.read,
            words.read_word,
            words.read_text,
            words.read_key,
            gaps.read_comment,
        )
        """The method that continues the reading, by the mode of the state."""
        self.repairs: list[Repair] = state.repairs
        """The repairs that were made token by token."""
        self.stretches: list[Stretch] = self._stretches.mended
        """The stretches that were mended at once."""
        self.failed = False
        self.plain = False
        """Whether the next text is inside a string whose body is emitted unchanged."""
        self.unread = ""
        """Text that was consumed but is not in the value, if it began before the last chunk."""

    # The state of the value

    @property
    def done(self) -> bool:
        """Whether the value is complete."""
        return self._state.done

    @property
    def failure(self) -> str:
        """Why the value can't be read."""
        return self._state.failure

    @property
    def truncated(self) -> bool:
        """Whether the text ended inside the value."""
        return self._ending.truncated

    @property
    def lacks_closers(self) -> bool:
        """Whether markup ended the value while brackets were open, so that closers were put in."""
        return self._ending.before_markup

    @property
    def unreadable(self) -> bool:
        """Whether the root is an object that has content, but no member."""
        return self._state.unreadable

    @property
    def refused_at(self) -> int:
        """The offset of the first repair that a careful reading refused, or -1."""
        return self._state.refused_at

    @property
    def offset(self) -> int:
        """The offset in the source of the next character to read."""
        return self._source.base + self._source.pos

    def inside(self, chunk: str, position: int = 0) -> bool:
        """Whether a chunk only continues a plain string."""
        return self._around.inside.fullmatch(chunk, position) is not None

    # Reading

    def feed(
        self, text: str, position: int, out: list[str], *, base: int = 0, final: bool = False
    ) -> int:
        """Returns the offset of the first character not consumed; appends safe pieces to `out`.

        All of `text` is consumed unless the value is `done` or has `failed`.

        Args:
            text: contains the next piece of the value.
            position: the index where the piece begins.
            out: the list for the pieces of strict JSON.
            base: the offset in the source of the first character of `text`.
            final: whether the text ends here.
        """
        source, state, length = self._source, self._state, len(text)
        state.write_to(out)
        if self.plain and position < length and not final and self.inside(text, position):
            # Most chunks continue a string.
            out.append(text[position:] if position else text)
            source.pass_by(text[-1])
            return length
        piece = text[position:] if position else text
        # A string that may be in triple quotes is collected until three quotes come.
        if self._quotes.waits:
            if not final and self._quotes.stores(piece):
                return length
            piece = self._quotes.take_stored() + piece
        source.extend(piece, base + length, final=final)
        self._run()
        over = len(source.text) - source.pos
        self.plain = self._string.is_plain and not over
        if not (state.done or self.failed):
            return length
        fresh = length - position
        # The value ended before this chunk began, in text that a look had waited for.
        if over > fresh:
            self.unread = source.text[source.pos : len(source.text) - fresh]
            return position
        return length - over

    def _run(self) -> None:
        """Reads the text so far, token by token, until the value ends or more text must decide."""
        source, state, handlers = self._source, self._state, self._handlers
        # Markup around the value may end it anywhere: then each token is read by itself.
        leaps = not self._around.framed
        try:
            while source.pos < len(source.text) and not state.done:
                mode = state.mode
                if leaps and mode in (KEY, ITEM) and self._stretches.take(state):
                    continue
                handlers[mode]()
                if state.failure:
                    self.failed = True
                    return
        # Nothing was changed: the same question is asked with the next chunk.
        except More:
            pass

    def went_on(self, text: str) -> None:
        """Skips text that only continued a string."""
        self._source.pass_by(text[-1])
        self._string.note(text)

    def open_implied(self, offset: int, out: list[str]) -> None:
        """Opens an object whose opener is missing, at an offset of the source."""
        state, place = self._state, offset - self._source.base
        state.write_to(out)
        state.insert("bracket", place, "{")
        state.open(Frame("{", state.guide, "$"), "{")

    def read_again(self, stretch: Stretch) -> None:
        """Reads a stretch token by token, for its repairs."""
        frame = Frame("{" if stretch.state == KEY else "[", None, stretch.path)
        frame.take([], stretch.members)
        self._source.replace(stretch.text, stretch.start)
        self._state.resume(frame, stretch.state, strict=stretch.strict)
        # As if after a comma, so that none is inserted before the first member.
        self._state.note_comma(0)
        self._stretches.pause(stretch.end + len(stretch.text))
        self._run()

    # The end

    def end(self, out: list[str], *, closed: bool) -> None:
        """Closes the value where the text ends; what is undecided by then is dropped.

        Args:
            out: the list for the pieces.
            closed: whether a marker follows that delimits the value.
        """
        self._state.write_to(out)
        self._ending.close(closed=closed)

    def view(self) -> str:
        """Returns the text that would close the value now; the state does not change."""
        return self._ending.view()

    def literal(self) -> tuple[str, str] | None:
        """Returns the key and the text of a literal that is complete but not delimited yet."""
        return self._ending.literal()


def repairs_of(stretch: Stretch) -> list[Repair]:
    """Returns the repairs of a stretch that was mended at once."""
    reader = RecoveringScanner()
    reader.read_again(stretch)
    # The member after the stretch was read only to show where the stretch ends.
    return [each for each in reader.repairs if each.start < stretch.end]
