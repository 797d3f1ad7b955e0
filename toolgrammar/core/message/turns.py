"""Records other turns that a model writes in its message: tool results, a final answer, quotations.

Example: a call after an invented `Observation: 12 °C` comes after another turn, so it is doubted.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.core.evidence.signs import Signs


class Turns:
    """The other turns of a message up to a place in it, and the calls that they may affect."""

    def __init__(self) -> None:
        self.observed = False
        """Whether the model wrote the result of a tool."""
        self.other_turn = False
        """Whether the text contains the beginning of a tool's result or of a turn of the user."""
        self.answered = 0
        """The number of calls before the last final answer."""
        self.answer_start = -1
        """The offset where that answer begins, or -1."""
        self.parts_before = 0
        """The number of parts of the text before the end of the last call."""
        self.awaiting: list[int] = []
        """The numbers of the calls that later text may put in doubt: a final answer, text after the
        code block around them, the closing mark of a quotation, or the rest of a cut text."""
        self.cut: dict[int, str] = {}
        """The indexes of calls whose text may be cut, each with the tag that is unclosed in it, or ""."""
        self.fence = -1
        """The offset where the content begins of the code block around the open island, or -1."""
        self.fenced: dict[int, int] = {}
        """The calls in code blocks, by number, with those offsets."""
        self.inline_code_end = -1
        """The offset after the last opener in inline code, or -1."""
        self.first_quoted_end = -1
        """The offset after the first opener that was read as quoted, or -1."""
        self.is_open = False
        """Whether an unclosed call has begun: one that was not read, or that lacks a closer after
        a payload without escapes."""
        self.quotation = False
        """Whether the last call stands in a line that quotes another text."""
        self.in_block = False
        """Whether the last call stands in a block of code, as the body of an `if`."""
        self.element = ""
        """The closer of the element that only shows the last call, such as `-->`; "" if there is none."""
        self.string_end = 1
        """The number of characters of the message that may be one JSON string; -1 if it is not one."""
        self.string_has_escapes = False
        self.quotation_closers: tuple[str, ...] = ()
        """The marks that close the quotation that opens right before the last call."""
        self.quoted: dict[int, tuple[str, ...]] = {}
        """The calls after such opening marks, by number, with the closing marks of each."""
        self.open_quotations: tuple[str, ...] = ()
        """The marks of the quotations that are open before the last call, with words between."""
        self.spoken: list[int] = []
        """The calls behind such marks, by number."""
        self.thought_end = -1
        """The offset where a call ended reasoning that has no closer before it, or -1."""
        self.closers: set[str] = set()
        """The closers of values that repeat a key or a mark, as they were written: `--- body`, `EOF`."""
        self.prose: list[tuple[int, int, Signs, str]] = []
        """Reasoning and wrapped text that calls end, too: where each starts and ends, the signs of
        calls in its format, and a word for it in reports."""

    def begin(self, role: str, start: int, calls: int) -> None:
        """Notes that another turn begins: an `observation`, or the final `answer`.

        Args:
            role: `observation` or `answer`.
            start: the offset where it begins.
            calls: the number of calls before it.
        """
        if role == "observation":
            self.observed = True
        else:
            self.answered, self.answer_start = calls, start

    def end_call(self, parts: int) -> None:
        """Notes how many parts the text has where a call ends."""
        self.parts_before = parts

    def begin_other_turn(self) -> None:
        """Notes that the beginning of a tool's result or of a user's turn stands in the text."""
        self.other_turn = True

    def leave_open(self, *, is_open: bool = True) -> None:
        """Notes whether a call has begun that is not closed."""
        self.is_open = is_open

    def stand_in_fence(self, began: int) -> None:
        """Notes the offset of the content of the code block around the next island, or -1."""
        self.fence = began

    def stand_in_quotation(self, *, is_inside: bool, closers: tuple[str, ...]) -> None:
        """Notes how the next call is quoted.

        Args:
            is_inside: whether it stands in a line that quotes another text.
            closers: those that close the quotation that opens right before it, if one does.
        """
        self.quotation, self.quotation_closers = is_inside, closers

    def stand_behind_marks(self, marks: tuple[str, ...]) -> None:
        """Notes the marks of the quotations that are open before the next call."""
        self.open_quotations = marks

    def stand_in_string(self, end: int, *, has_escapes: bool) -> None:
        """Notes up to which offset the message may be one string of JSON, or -1 if it is none."""
        self.string_end = end
        self.string_has_escapes = self.string_has_escapes or has_escapes

    def stand_in_block(self, *, is_inside: bool) -> None:
        """Notes whether the next call stands in a block of code."""
        self.in_block = is_inside

    def stand_in_element(self, closer: str) -> None:
        """Notes what closes the element that only shows the next call, or "" if there is none."""
        self.element = closer

    def leave_thought(self, end: int) -> None:
        """Notes the offset where a call ends reasoning without its closer."""
        self.thought_end = end

    def close_value(self, before: str, repeated: str) -> None:
        """Notes the closer of a value: the text before it, and the key or mark that it repeats."""
        marks = before.rpartition("\n")[2]
        self.closers.add(marks[len(marks.rstrip("</- ")) :] + repeated)

    def quote(self, end: int, *, is_inline: bool) -> None:
        """Notes an opener that is only quoted.

        Args:
            end: the offset after it.
            is_inline: whether it stands in inline code.
        """
        if is_inline:
            self.inline_code_end = end
        # Only the first is reported.
        if self.first_quoted_end < 0:
            self.first_quoted_end = end

    def end_prose(self, start: int, end: int, signs: Signs, kind: str) -> None:
        """Notes reasoning or text that the opener of a call ends, too: a call may be lost in it."""
        self.prose.append((start, end, signs, kind))

    def copy(self) -> Turns:
        """Returns an independent copy: changes of these turns do not affect it."""
        copied = copy.copy(self)
        copied.own_lists()
        return copied

    def own_lists(self) -> None:
        """Copies its lists, so that a trial with a copy does not change the original."""
        self.awaiting, self.fenced = [*self.awaiting], {**self.fenced}
        self.cut, self.quoted = {**self.cut}, {**self.quoted}
        self.prose, self.closers = [*self.prose], {*self.closers}
        self.spoken = [*self.spoken]

    def before_answer(self, text: str, start: int) -> str:
        """Returns the part of a text at an offset that stands before the final answer."""
        return text if self.answer_start < 0 else text[: max(0, self.answer_start - start)]
