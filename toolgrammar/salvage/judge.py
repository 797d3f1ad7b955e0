"""Judges the calls of one message, each once it has ended.

Fed with a line of three backticks and then the text of a call, it refuses the call with the
code `in-code`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.salvage.code_blocks import CodeBlocks, FormatMarks
from toolgrammar.salvage.refusals import Refusal, refusal
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from toolgrammar.salvage.guarded_texts import GuardedTexts
    from toolgrammar.salvage.refusals import Code


class Judge:
    """Judges whether the calls of one message may run; it must be used by one thread or task.

    Its work is linear in the text, however that is cut: what lies before a call that was judged is
    not looked at again.
    """

    def __init__(
        self,
        *,
        names: frozenset[str] | None,
        guarded: GuardedTexts | None,
        beside_native: bool,
        in_code: bool,
        native: bool,
        prefix: str,
    ) -> None:
        self.native = native
        """Whether the answer has calls of the API's own; those of the text that were judged before
        it was set keep their word."""
        self._names = names
        self._guarded = guarded
        self._beside_native = beside_native
        self._blocks = None if in_code else CodeBlocks()
        self._marks: dict[str, FormatMarks] = {}
        # The prefix, which may open reasoning, is before offset 0.
        self._prefix = prefix
        self._pieces: list[str] = []
        # The text that no call has passed yet begins at `_at` in `_text`, which begins at `_start`.
        self._text = ""
        self._start = self._at = 0
        self.fed = 0
        """The number of characters of the message so far."""

    def see_native(self) -> None:
        """Notes that the answer has a call of the API's own."""
        self.native = True

    def feed(self, piece: str) -> None:
        """Accepts the next piece of the message, before any of its calls is judged.

        Raises:
            TypeError: the piece is not a text.
        """
        check_type("piece", piece, str)
        self._pieces.append(piece)
        self.fed += len(piece)

    def judge(self, call: ToolCall) -> Refusal | None:
        """Returns why a call that has ended may not run; None if it may.

        Calls come in the order of the text. One that was made by hand has no text: it is judged by
        its name and its arguments.

        Raises:
            TypeError: it is not a call.
        """
        check_type("call", call, ToolCall)
        before, text = self._taken(call)
        # The code before a call counts for all that follow, so it is read for refused calls as well.
        quoted = self._blocks is not None and self._is_quoted(self._blocks, call, before, text)
        code = self._code(call, text.strip(), quoted=quoted)
        return None if code is None else refusal(call, code, self._names or ())

    def _taken(self, call: ToolCall) -> tuple[str, str]:
        """Returns the text between the last call and this one, and that of this one."""
        # Only where more has come: the rest of a piece with many calls is not copied for each.
        if self._pieces:
            self._text = "".join([self._text[self._at :], *self._pieces])
            self._start, self._at = self._start + self._at, 0
            self._pieces.clear()
        start, end = call.span.start - self._start, call.span.end - self._start
        # The text of a call without a place, or of one that was judged already, is not known.
        if start < self._at or end <= start:
            return "", ""
        before, self._at = self._text[self._at : start], end
        return before, self._text[start:end]

    def _is_quoted(self, blocks: CodeBlocks, call: ToolCall, before: str, text: str) -> bool:
        marks = self._marks.get(call.format)
        if marks is None:
            marks = self._marks[call.format] = FormatMarks.of(formats.get(call.format))
        if self._prefix:
            blocks.read(self._prefix, marks)
            self._prefix = ""
        # A fence before a call that begins with the line's end is a whole line.
        blocks.read(before + text[:1] if text[:1] in ("\n", "\r") else before, marks)
        # If fences are markup of the format, the parser distinguishes calls from examples.
        quoted = blocks.in_line or (blocks.in_block and not marks.has_fences)
        blocks.skip(text)
        return quoted

    def _code(self, call: ToolCall, text: str, *, quoted: bool) -> Code | None:
        # The first question: it is one of the whole answer, and does not depend on the call.
        if self.native and not self._beside_native:
            return "beside-native"
        # Before the doubts: the parser doubts calls in code too, with a less precise message.
        if quoted:
            return "in-code"
        if not call.executable:
            return "not-executable"
        if self._names is not None and call.name not in self._names:
            return "unknown-tool"
        return None if self._guarded is None else self._guarded.holds(call, text)
