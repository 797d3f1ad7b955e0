"""Closes what is open in a JSON text that may be damaged: by its brackets, and at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_look import Undecided
from toolgrammar.core.json_state import BARE_KEY, COLON, COMMENT, STRING, TEXT, VALUE, WORD
from toolgrammar.core.json_tokens import as_json
from toolgrammar.core.json_typing import cut_container
from toolgrammar.core.json_words import Words, scalar_of
from toolgrammar.values.patterns import anywhere

if TYPE_CHECKING:
    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.json_repairs import Repair

_COMMAS = anywhere(r",*")
_LONGEST: Final = len("false")
_RUNS: Final = {closer: anywhere(rf"\{closer}*+") for closer in "}])"}
_BEGUN_WORDS: Final = (
    "true",
    "false",
    "null",
    "none",
    "nan",
    "undefined",
    "infinity",
    "-infinity",
    "+infinity",
)


class Closers(Words):
    """Closes objects and arrays; settles what the end of the text cuts."""

    __slots__ = ("_left_out", "comment", "kept", "put_in", "truncated", "unreadable")

    def set_up(self, guide: Guide | None, *, backticks: bool) -> None:
        """Sets what a new reader knows."""
        super().set_up(guide, backticks=backticks)
        self.comment = (0, "")
        """Where the open comment begins, and how."""
        self.truncated = False
        """Whether the text ended inside the value."""
        self.unreadable = False
        """Whether the root is an object with something in it, but no member."""
        self.kept = 0
        """How many repairs stand before what is held."""
        self.put_in: Repair | None = None
        """What put the comma in that waits, or in the place of something else."""
        self._left_out: Repair | None = None

    # Commas

    def note_comma(self, start: int) -> None:
        """Takes a comma after a value; it waits for the next one."""
        self.comma = (len(self.held), self.base + start)
        self.hold(",", start)
        self.put_in = None

    def insert_comma(self) -> None:
        """Puts a comma in behind the last value, if one is missing."""
        frame = self.stack[-1]
        if not frame.members or self.comma is not None:
            return
        frame.begun = False
        offset = self.held_from if self.held else self.base + self.pos
        self.put_in = self.repair("comma", offset - self.base, offset - self.base, ",")
        self.held.insert(0, ",")
        self.held_from = offset
        self.comma = (0, offset)

    def stray_comma(self, start: int, end: int) -> None:
        """Drops commas of the text that part nothing."""
        if self._left_out is not None:
            self.edit(self._left_out, self.base + start, self.base + end, "")
        else:
            self.repair("stray-comma", start, end, "")

    def stray_commas(self) -> None:
        """Drops the commas that stand at `pos`."""
        start = self.pos
        self.pos = _COMMAS.match(self.text, start).end()
        self.stray_comma(start, self.pos)

    def drop_comma(self) -> None:
        """Drops the comma that waits: a closer follows."""
        if self.comma is None:
            return
        index, offset = self.comma
        self.comma = None
        self.held[index] = ""
        put_in = self.put_in
        if put_in is not None:
            self.repairs.remove(put_in)
        if put_in is None or put_in.start < put_in.end:
            self.stray_comma(offset - self.base, offset - self.base + 1)

    def leave_out(self, start: int, end: int) -> None:
        """Leaves out a key without a value, or a value without a key."""
        super().leave_out(start, end)
        self._left_out = self.repairs[-1]

    def release(self) -> None:
        """Gives out what was held."""
        self.out.extend(self.held)
        self.held.clear()
        self.comma = self.put_in = self._left_out = None
        self.kept = len(self.repairs)

    # Brackets

    def closer(self, character: str) -> None:
        """Takes a closing bracket that stands at `pos`."""
        level = len(self.stack) - 1
        if character == self.stack[level].closer:
            self._close(character, level)
            return
        self.look(self.pos)
        try:
            found = self.level_closed(character, self.pos, level)
        except Undecided:
            found = self.opener_of("]" if character == ")" else character, level)
        if found is None:
            end = self.pos + 1
            if self.stops is None:
                # Behind all but the last of a run stands one that fits nothing either.
                end = max(end, _RUNS[character].match(self.text, end).end() - 1)
            repair = self.repair("extra-closer", self.pos, end, "")
            self.pos = end - 1
            repair.doubt = not self._is_last()
            self.pos = end
        else:
            self._close(character, found)

    def _is_last(self) -> bool:
        """Whether the bracket at `pos` stands directly before the one that closes the root."""
        if len(self.stack) > 1:
            return False
        self.look(self.pos)
        try:
            return self.at(self.blank(self.pos + 1)) == self.stack[0].closer
        except Undecided:
            return False

    def _close(self, character: str, level: int) -> None:
        """Closes down to a level with the bracket at `pos`."""
        self.drop_comma()
        self.release()
        start = self.pos
        if level < len(self.stack) - 1:
            missing = self._closers(level + 1)
            self.repair("bracket", start, start, missing)
            self.out.append(missing)
            del self.stack[level + 1 :]
        frame = self.stack[level]
        written = "}" if frame.is_object else "]"
        if written != character:
            self.repair("bracket", start, start + 1, written)
        self.out.append(written)
        self.pos = start + 1
        del self.stack[level:]
        if not self.stack and frame.dropped and not frame.members:
            self.unreadable = True
        self.value_ended()

    def _closers(self, level: int) -> str:
        """Gives the brackets that close all from the top of the stack down to a level."""
        return "".join("}" if frame.is_object else "]" for frame in reversed(self.stack[level:]))

    def close_missing(self, level: int) -> None:
        """Closes all above a level, before the comma that waits: their brackets are missing."""
        missing = self._closers(level + 1)
        index, offset = self.comma or (len(self.held), self.base + self.pos)
        self.out.extend(self.held[:index])
        self.out.append(missing)
        del self.held[:index]
        self.held_from = offset
        # What was mended behind the comma stays held with it.
        behind = [each for each in self.repairs[self.kept :] if each.start >= offset]
        del self.repairs[len(self.repairs) - len(behind) :]
        self.repair("bracket", offset - self.base, offset - self.base, missing)
        self.kept = len(self.repairs)
        self.repairs += behind
        if self.comma is not None:
            self.comma = (0, offset)
        del self.stack[level + 1 :]
        self.stack[-1].key = ""

    # The end of the text

    def end(self, out: list[str], *, closed: bool, here: bool = False) -> None:
        """Closes the value where the text ends; what is not decided by then is left out.

        Args:
            out: Takes the pieces.
            closed: A marker follows that delimits the value.
            here: The value ends at `pos`; what follows stays for others to read.
        """
        self.out = out
        end = self.base + (self.pos if here or not self.final else len(self.text))
        cut, tail = self._end_token(closed=closed)
        if self.failure:
            return
        self.truncated = cut or not closed
        if not self.stack and not tail:
            return
        start = self.base + self.pos
        if self.state in (WORD, BARE_KEY):
            start = min(start, self.word_from)
        elif self.state == STRING:
            start = min(start, self.key_from[1] if self.in_key else start)
            start = min(start, self.string_from if self.typed is not None else start)
        elif self.state == COMMENT:
            start = min(start, self.comment[0])
        if self.held:
            start = min(start, self.held_from)
        self.held.clear()
        self.typed = None
        for repair in self.repairs[self.kept :]:
            start = min([start, *(edit[0] for edit in repair.edits)])
        del self.repairs[self.kept :]
        closers = self._closers(0)
        self.out.append(tail + closers)
        if self.state == STRING and len(tail) > 1:
            tail = as_json(tail)  # the edit closes the string; the schema types it
        code = "truncated" if self.truncated else "bracket"
        place = start - self.base
        repair = self.repair(code, place, end - self.base, join=False)
        self.edit(repair, start, end, tail + closers)
        if self.stack:
            root = self.stack[0]
            self.unreadable = root.dropped and not root.members and not self.truncated
        self.stack.clear()

    def _end_token(self, *, closed: bool) -> tuple[bool, str]:
        """Ends the token that the text ends in; says whether it is cut, and what closes it."""
        state = self.state
        if state == WORD:
            return self._end_word_at_end(closed=closed)
        if state == TEXT:
            assert self.text_repair is not None
            self.text_repair.end = self.base + self.pos - len(self.pad)
            self.pos -= len(self.pad)
            self.kept = len(self.repairs)
            return not closed, '"'
        if state == STRING and not self.in_key:
            return True, self._end_string_at_end()
        return state in (STRING, BARE_KEY, COLON, VALUE, COMMENT), ""

    def _end_string_at_end(self) -> str:
        if self.typed is None:
            self.kept = len(self.repairs)
            return '"'
        wanted = self.slot()
        found = cut_container("".join(self.typed), wanted) if wanted is not None else None
        if found is None:
            return ""
        del self.repairs[self.string_repairs :]
        end = self.base + self.pos
        self.pos = self.string_from - self.base
        self.begin_value()
        self.retype(self.string_from, end)
        self.kept = len(self.repairs)
        return found

    def _end_word_at_end(self, *, closed: bool) -> tuple[bool, str]:
        word = "".join(self.pieces)
        try:
            scalar = scalar_of(word, self.slot()) if word else None
        except ValueError:
            self.failure = "number too long"
            return True, ""
        number = word[:1].isdigit() or word[:1] in ("+", "-", ".")
        if scalar is not None and (closed or not number):
            self.give_scalar(word, scalar, self.slot())
            return False, ""
        low = word.lower()
        if scalar is None and not number and not any(each.startswith(low) for each in _BEGUN_WORDS):
            self.begin_text(word, self.slot())
            return self._end_token(closed=closed)
        return True, ""

    def view(self) -> str:
        """Gives what would close the value as it is, were this the end; nothing changes."""
        found = ""
        if self.state == TEXT or (self.state == STRING and not self.in_key and self.typed is None):
            found = '"'
        elif self.state == WORD:
            found = self._word_in_view()
        return found + self._closers(0)

    def _word_in_view(self) -> str:
        literal = self.literal()
        return "" if literal is None else "".join(self.held) + literal[1]

    def literal(self) -> tuple[str, str] | None:
        """Gives the key and the text of a literal that is not delimited yet, but whole.

        Once something is mended there is none: it may be the begin of text without quotes.
        """
        if self.state != WORD or not self.strict or not self.stack or len(self.pieces) > _LONGEST:
            return None
        word = "".join(self.pieces)
        return (self.stack[-1].key, word) if word in ("true", "false", "null") else None
