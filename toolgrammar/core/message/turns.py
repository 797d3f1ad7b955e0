"""Notes the turns that a model writes besides its own: the results of tools, a final answer."""

from __future__ import annotations

import copy


class Turns:
    """The other turns of a message, up to a place in it."""

    def __init__(self) -> None:
        self.observed = False
        """Whether the model wrote the result of a tool."""
        self.other_turn = False
        """Whether the model wrote what begins a result or a turn of the user, as text."""
        self.answered = 0
        """How many calls there were before the last final answer."""
        self.answer_start = -1
        """Offset where that answer begins, or -1."""
        self.awaiting: list[int] = []
        """The calls, by number, that what follows may put into doubt: a final answer, more than the
        end of the block of code that they stand in, the mark of a quotation, or the rest of a text."""
        self.cut: dict[int, str] = {}
        """Of these, the calls with a text that may be cut: the tag that lacks its closer, or ""."""
        self.fence = -1
        """Offset of what the block of code holds that the open island stands in, or -1."""
        self.fenced: dict[int, int] = {}
        """The calls in such blocks, with those offsets."""
        self.code = -1
        """Offset behind the last opener in inline code, or -1."""
        self.inline = -1
        """Offset behind the first opener that was taken for a quoted one, or -1."""
        self.is_open = False
        """Whether a call that could not be read, or lacks a closer behind a payload without escapes,
        has begun, and nothing has closed it."""
        self.quotation = False
        """Whether the last call stands in a line that quotes another text."""
        self.marks = ""
        """What would close the quotation whose mark stands right before the last call, or ""."""
        self.quoted: dict[int, str] = {}
        """The calls behind such marks, with what would close each."""

    def begin(self, role: str, start: int, calls: int) -> None:
        """Notes that another turn begins: an `observation`, or the final `answer`.

        Args:
            role: which.
            start: the offset where it begins.
            calls: how many calls stand before it.
        """
        if role == "observation":
            self.observed = True
        else:
            self.answered, self.answer_start = calls, start

    def begin_other_turn(self) -> None:
        """Notes that what begins a result or a turn of the user stands in the text."""
        self.other_turn = True

    def leave_open(self, *, is_open: bool = True) -> None:
        """Notes whether a call has begun that nothing closed."""
        self.is_open = is_open

    def stand_in_fence(self, began: int) -> None:
        """Notes the block of code in which the next island stands, by what it holds; or -1."""
        self.fence = began

    def stand_in_quotation(self, *, is_inside: bool, marks: str) -> None:
        """Notes how the next call is quoted.

        Args:
            is_inside: whether it stands in a line that quotes another text.
            marks: what closes a quotation whose mark stands right before it, or "".
        """
        self.quotation, self.marks = is_inside, marks

    def quote(self, end: int, *, is_inline: bool) -> None:
        """Notes an opener that only quotes a call.

        Args:
            end: where it ends.
            is_inline: whether it stands in inline code.
        """
        if is_inline:
            self.code = end
        # Only the first is reported.
        if self.inline < 0:
            self.inline = end

    def copy(self) -> Turns:
        """Returns the same turns, which stay as they are."""
        copied = copy.copy(self)
        copied.own_lists()
        return copied

    def own_lists(self) -> None:
        """Takes lists of its own: what is tried with a copy must not change the original."""
        self.awaiting, self.fenced = [*self.awaiting], {**self.fenced}
        self.cut, self.quoted = {**self.cut}, {**self.quoted}

    def before_answer(self, text: str, start: int) -> str:
        """Returns what of a text that begins at an offset stands before the final answer."""
        return text if self.answer_start < 0 else text[: max(0, self.answer_start - start)]
