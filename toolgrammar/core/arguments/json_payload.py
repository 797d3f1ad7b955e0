r"""Reads a JSON payload inside a message, and mends it up to the markup that its grammar expects.

Example: in `{"q": "x"</tool_call>` the payload ends before the markup, and its brace is inserted. A
JSON string may stand for a payload: `"ls\n-l"` is a free text of two lines, or the arguments
where it holds an object.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toolgrammar.core.arguments.markup import Markup
from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.core.payloads.mended.recover import RecoveringScanner
from toolgrammar.core.payloads.mended.repairs import judge_duplicates
from toolgrammar.core.trust.mended_values import doubt_quotes
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.payloads.mended.repairs import Repair


class JsonPayload(RecoveringScanner):
    """The scanner of a JSON payload, which looks at the markup after it to find its end."""

    def __init__(
        self,
        step: Step,
        start: Node,
        guide: Guide | None,
        *,
        backticks: bool,
        max_depth: int,
        careful: bool = False,
    ) -> None:
        """Makes a scanner for one payload.

        Args:
            step: the step of the payload.
            start: the node in which calls open.
            guide: the types that the schema declares for the payload.
            backticks: whether strings in backticks are legal.
            max_depth: the number of brackets that may be open at once.
            careful: whether it fails at a repair that may be wrong, as this may not be a payload.
        """
        self._markup = Markup(step, start)
        super().__init__(
            guide, backticks=backticks, max_depth=max_depth, around=self._markup, careful=careful
        )

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the value at the end of the text; returns whether it is complete."""
        if self.failed:
            out.append(self.view())
        elif not self.done:
            self.end(out, closed=False)
        return self.done

    @property
    def closing_edit(self) -> tuple[int, int, str] | None:
        """The edit that closes the payload if the text ended in it: start, end, replacement."""
        # It belongs to the last repair, since all others stand before the end of the text.
        last = self.repairs[-1] if self.repairs else None
        return last.edits[-1] if last is not None and last.code == "truncated" else None

    def settled(self, text: str) -> list[Repair]:
        """Returns the repairs in the order of the source, once the payload's JSON is `text`."""
        judge_duplicates(self.repairs, text)
        quoted = [each for each in self.repairs if each.code == "inner-quote" and not each.doubt]
        if quoted and text:
            value = json.loads(text)
            doubt_quotes(self.repairs, value)
            # A string that contains `"}}, {"name": "` has swallowed a call, so its quotes were not
            # part of the string.
            if self._markup.holds_calls(value):
                for each in quoted:
                    each.judge(doubt=True)
        return sorted(self.repairs, key=lambda each: (each.start, each.end))


def object_in(text: str) -> dict[str, Any] | None:
    """Returns the object that a JSON text is; None for any other text."""
    try:
        value = json.loads(text)
    # A model's text may be nested deeper than Python can read: `"[[[[…"`.
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_BODY = late(r'(?:[^"\\]|\\.)*', re.DOTALL)


class JsonText:
    """A string in a JSON payload whose content is emitted as raw text."""

    def __init__(
        self, builder: Builder, role: str, start: int, call_start: int, *, may_be_arguments: bool
    ) -> None:
        self._builder = builder
        self._role = role
        self._start = start
        self._call_start = call_start
        self._quoted = False
        self._begun = False
        self._brace = False
        """Whether the text that is held back begins like an object."""
        self._held: list[str] | None = [] if may_be_arguments else None
        """The text that is held back, since it may be an object; None if it is text."""

    def take(self, piece: str) -> None:
        """Accepts the next part of the string, as JSON."""
        if not self._quoted:
            # The first piece begins with the quote that opens the string.
            self._quoted = True
            piece = piece[1:]
        # The pieces never end inside an escape. The last one has the closing quote, which does not
        # match.
        body = _BODY.match(piece)
        text = "" if body is None else text_of(body[0])
        if not text:
            return
        if self._held is None:
            self._pass(text)
            return
        self._held.append(text)
        if not self._brace and not text.isspace():
            # Only an object can be arguments, so any other first character lets the text stream.
            self._brace = text.lstrip().startswith("{")
            if not self._brace:
                self._give_up()

    def _pass(self, text: str) -> None:
        """Passes decoded text on as a raw payload."""
        if not self._begun:
            self._begun = True
            raws_of(self._builder).begin(
                self._role, self._start, self._call_start, before=False, closes_line=False
            )
        raws_of(self._builder).take(text)

    def _give_up(self) -> None:
        """Passes on the text that was held back, which is not an object."""
        held, self._held = self._held, None
        for text in held or ():
            self._pass(text)

    def end(self, end: int) -> dict[str, Any] | None:
        """Ends the string; returns the object in it, if that may be the arguments, or None."""
        if self._held is not None:
            value = object_in("".join(self._held))
            if value is not None:
                return value
            self._give_up()
        # An empty string is an input too, so `begin` has to run once.
        self._pass("")
        raws_of(self._builder).end(end, whole=True)
        return None

    def cut(self, end: int) -> None:
        """Ends the string where the text was cut; half an object is dropped."""
        # Text that is still held may be half an object, which would look like a whole input.
        if self._begun:
            raws_of(self._builder).end(end, whole=False)
