"""Holds the state of a reader of damaged JSON: open brackets, repairs, pieces emitted or held.

Nothing emitted is taken back. So a comma, a key and white space are held until the next value
begins. Example: of `{"a": 1, ` all but the comma and the blank after it are emitted; `"b": 2`
releases them, `}` drops the comma with a repair `stray-comma`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.mended.repairs import Repair, Repairs
from toolgrammar.values.codes import DOUBTS

if TYPE_CHECKING:
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.payloads.mended.frames import Frame
    from toolgrammar.core.payloads.mended.look import Source

# The modes: what the reader waits for.
(
    START,  # the root value
    ITEM,  # an item, or the closer of an array
    KEY,  # a key, or the closer of an object
    COLON,  # the colon after a key
    VALUE,  # the value after a colon
    AFTER,  # a comma or a closer after a value
    STRING,  # the rest of a string or a key
    WORD,  # the rest of a number or literal
    TEXT,  # the rest of text without quotes
    BARE_KEY,  # the rest of a key without quotes
    COMMENT,  # the rest of a comment
) = range(11)
_CLOSERS: Final = {True: "}", False: "]"}


class State:
    """Everything that is known between two characters; its fields are set in this class only."""

    def __init__(self, source: Source, guide: Guide | None, *, careful: bool = False) -> None:
        """Makes the state of a new reader.

        Args:
            source: the text.
            guide: what the schema wants of the value.
            careful: whether to fail at a repair that may guess wrong.
        """
        self.source = source
        self.guide = guide
        self.careful = careful
        self.mode = START
        self.done = False
        """Whether the value is complete."""
        self.failure = ""
        """The reason why the value can't be read; "" if there is none."""
        self.unreadable = False
        """Whether the root is an object that has content, but no member."""
        self.strict = True
        """Whether the text so far is strict JSON."""
        self.doubled = False
        """Whether every quote of the text is doubled."""
        self.stack: list[Frame] = []
        self.repairs = Repairs()
        self.refused_at = -1
        """The offset of the first repair that a careful reading refused, or -1."""
        self.kept = 0
        """The number of repairs that are final, since they are before the held pieces."""
        self.out: list[str] = []
        """The list for emitted pieces."""
        self.held: list[str] = []
        """The pieces that were read and are emitted when the next value begins."""
        self.held_from = 0
        self.comma: tuple[int, int] | None = None
        """The place of the comma that is held: its index in `held` and its offset in the source."""
        self._number_end = -1
        """The offset behind the last number: a string that touches it may be a part of the same value."""
        self._put_in: Repair | None = None
        """The repair that inserted that comma, or replaced another character by it."""
        self._left_out: Repair | None = None
        """The repair of the last dropped member, as long as only commas follow it."""
        self.key_from = (0, 0, 0)
        """The beginning of the key: its index in `held`, its offset in the source, its index in `repairs`."""

    # Modes

    def expect(self, mode: int) -> None:
        """Sets the mode."""
        self.mode = mode

    def expect_next(self) -> None:
        """Sets the mode to the next member or item."""
        self.mode = KEY if self.stack[-1].is_object else ITEM

    def write_to(self, out: list[str]) -> None:
        """Sets the list for emitted pieces."""
        self.out = out

    def fail(self, reason: str) -> None:
        """Ends the reading, because the value can't be read."""
        self.failure = reason

    def finish(self) -> None:
        """Ends the reading, because the value is complete."""
        self.done = True

    def double_quotes(self) -> None:
        """Records that every quote of the text is doubled."""
        self.doubled = True

    # Repairs

    def repair(
        self,
        code: str,
        start: int,
        end: int,
        replacement: str | None = None,
        *,
        join: bool = True,
    ) -> Repair:
        """Records a repair at indices of the text; it may be joined to an adjacent one."""
        self.strict = False
        if self.careful and code in DOUBTS:
            self.failure = "not sure to be JSON"
        start, end = self.source.base + start, self.source.base + end
        last = self.repairs[-1] if join and start < end and self.repairs else None
        # `,,,` is one repair, not three.
        if last is not None and last.code == code and last.end == start:
            repair = last
            repair.extend(end)
        else:
            repair = Repair(code, start, end, self.stack[-1].place() if self.stack else "$")
            self.repairs.add(repair)
        if replacement is not None:
            repair.edit(start, end, replacement)
        if self.failure and self.refused_at < 0:
            self.refused_at = repair.start
        return repair

    def insert(self, code: str, place: int, text: str) -> Repair:
        """Records that a text is missing at a place."""
        return self.repair(code, place, place, text)

    def note(self, code: str, start: int, end: int) -> None:
        """Records at offsets of the source a repair after which strict JSON is still strict."""
        strict, base = self.strict, self.source.base
        self.repair(code, start - base, end - base)
        self.strict = strict

    def forget_repairs(self, since: int) -> None:
        """Removes the repairs of text that is not emitted."""
        self.repairs.cut(since)

    def keep_repairs(self) -> None:
        """Makes the repairs so far final: the text that they mended is emitted."""
        self.kept = len(self.repairs)

    # Values

    def slot(self) -> Guide | None:
        """Returns the guide of the next value."""
        if not self.stack:
            return self.guide
        frame = self.stack[-1]
        if frame.guide is None:
            return None
        return frame.guide.member(frame.key) if frame.is_object else frame.guide.item()

    def begin_value(self, start: int) -> None:
        """Emits the held pieces: a value begins at an index."""
        if self.stack:
            frame = self.stack[-1]
            if not frame.is_object:
                self.insert_comma(start)
            # The last value wins, as in most readers of JSON; the diagnostic reports it.
            elif frame.key in frame.seen:
                self.note("duplicate-key", self.key_from[1], self.key_from[1])
            frame.begin_member()
        self.release()

    def end_value(self) -> None:
        """Continues after a value, which ends at the current position."""
        source = self.source
        if source.text[source.pos - 1 : source.pos].isdigit():
            self._number_end = source.base + source.pos
        self.mode = AFTER
        self.keep_repairs()
        if not self.stack:
            self.done = True

    def give(self, piece: str) -> None:
        """Emits a piece."""
        self.out.append(piece)

    def hold(self, piece: str, start: int) -> None:
        """Holds a piece until the next value begins; `start` is its index in the text."""
        if not self.held:
            self.held_from = self.source.base + start
        self.held.append(piece)

    def keep(self, piece: str) -> None:
        """Holds a piece after other held pieces."""
        self.held.append(piece)

    def release(self) -> None:
        """Emits the held pieces."""
        self.out.extend(self.held)
        self.held.clear()
        self.comma = self._put_in = self._left_out = None
        self.keep_repairs()

    # Keys

    def begin_key(self, start: int) -> None:
        """Records that a key begins at an index."""
        self.key_from = (len(self.held), self.source.base + start, len(self.repairs))

    def key_pieces(self) -> list[str]:
        """Returns the pieces of a quoted key so far, without its opening quote."""
        return self.held[self.key_from[0] + 1 :]

    def rewrite_key(self, *pieces: str) -> None:
        """Replaces the pieces of a quoted key so far, without its opening quote."""
        self.held[self.key_from[0] + 1 :] = pieces

    def end_key(self, key: str) -> None:
        """Continues after a key."""
        self.stack[-1].read_key(key)
        self.mode = COLON

    def leave_out(self, start: int, end: int) -> None:
        """Drops a key without a value, or a value without a key."""
        self.stack[-1].drop_member()
        self._left_out = self.repair("missing-value", start, end, "")
        self.mode = KEY

    def leave_out_key(self) -> None:
        """Drops the key that was read: no value follows."""
        held, start, repairs = self.key_from
        del self.held[held:]
        self.forget_repairs(repairs)
        self.leave_out(start - self.source.base, self.source.pos)

    # Commas

    def note_comma(self, start: int, *, put_in: Repair | None = None) -> None:
        """Holds a comma after a value until the next value begins."""
        self.comma = (len(self.held), self.source.base + start)
        self.hold(",", start)
        self._put_in = put_in

    def insert_comma(self, start: int) -> None:
        """Inserts a comma after the last value, if one is missing before what begins at `start`."""
        frame, base = self.stack[-1], self.source.base
        # The first member needs none.
        if not frame.members or self.comma is not None:
            return
        frame.separate()
        # Directly after the last value, before the held white space.
        offset = self.held_from if self.held else base + start
        self._put_in = self.insert("comma", offset - base, ",")
        # In `[7"a"]` nothing parts them: the digit may be left of something else, as of a bracket.
        if base + start == self._number_end:
            self._put_in.judge(doubt=True)
        self.held.insert(0, ",")
        self.held_from = offset
        self.comma = (0, offset)

    def stray_comma(self, start: int, end: int) -> None:
        """Drops commas of the text that separate nothing."""
        # The comma of a dropped member is dropped with it, in one repair.
        if self._left_out is not None:
            base = self.source.base
            self._left_out.edit(base + start, base + end, "")
        else:
            self.repair("stray-comma", start, end, "")

    def drop_comma(self) -> None:
        """Drops the held comma: a closer follows."""
        if self.comma is None:
            return
        index, offset = self.comma
        self.comma = None
        self.held[index] = ""
        put_in, start = self._put_in, offset - self.source.base
        if put_in is not None:
            self.repairs.drop(put_in)
        # A comma that replaced another character is dropped with that character.
        if put_in is None or put_in.start < put_in.end:
            self.stray_comma(start, start + 1)

    # Brackets

    def open(self, frame: Frame, opener: str) -> None:
        """Opens an object or an array."""
        self.out.append(opener)
        self.keep_repairs()
        self.stack.append(frame)
        self.expect_next()

    def closers(self, level: int) -> str:
        """Returns the closers of all brackets from the top of the stack down to a level."""
        return "".join(_CLOSERS[frame.is_object] for frame in reversed(self.stack[level:]))

    def close(self, level: int, found: str) -> None:
        """Closes brackets down to a level with the bracket at the current position."""
        self.drop_comma()
        self.release()
        start = self.source.pos
        if level < len(self.stack) - 1:
            self.out.append(self._insert_closers(level + 1, start))
            del self.stack[level + 1 :]
        frame = self.stack[level]
        written = _CLOSERS[frame.is_object]
        if written != found:
            self.repair("bracket", start, start + 1, written)
        self.out.append(written)
        self.source.go(start + 1)
        del self.stack[level:]
        # `{1, 2}`: nothing in it can be read as a member.
        if not self.stack and frame.dropped and not frame.members:
            self.unreadable = True
        self.end_value()

    def close_missing(self, level: int) -> None:
        """Closes all above a level, before the held comma: their brackets are missing."""
        source = self.source
        index, offset = self.comma or (len(self.held), source.base + source.pos)
        self.out.extend(self.held[:index])
        del self.held[:index]
        self.held_from = offset
        # Repairs after the comma stay held with it.
        behind = [each for each in self.repairs[self.kept :] if each.start >= offset]
        self.repairs.cut(len(self.repairs) - len(behind))
        self.out.append(self._insert_closers(level + 1, offset - source.base))
        self.keep_repairs()
        self.repairs += behind
        if self.comma is not None:
            self.comma = (0, offset)
        del self.stack[level + 1 :]
        self.stack[-1].read_key("")

    def _insert_closers(self, level: int, place: int) -> str:
        """Inserts the closers of all brackets from a level on; returns them."""
        missing = self.closers(level)
        # `[1, { {"a": 2}]`: that the empty object was meant as a value is a guess.
        is_empty = any(not frame.members for frame in self.stack[level:])
        repair = self.insert("bracket", place, missing)
        repair.judge(doubt=repair.doubt or is_empty)
        return missing

    def close_all(self, *, truncated: bool) -> None:
        """Closes all brackets at the end of the text."""
        if self.stack:
            root = self.stack[0]
            self.unreadable = root.dropped and not root.members and not truncated
        self.stack.clear()

    def drop_held(self) -> int:
        """Drops the pieces held for a value that won't come; returns their offset, or -1."""
        start = self.held_from if self.held else -1
        self.held.clear()
        return start

    # Stretches

    def resume(self, frame: Frame, mode: int, *, strict: bool) -> None:
        """Continues inside one object or array, as it was at an earlier moment."""
        self.stack.append(frame)
        self.mode, self.strict = mode, strict

    def pass_by(self, written: str, keys: list[str], members: int, *, mended: bool) -> None:
        """Adds members or items that were read at once."""
        self.release()
        self.out.append(written)
        self.stack[-1].take(keys, members)
        if mended:
            self.strict = False
        self.end_value()
