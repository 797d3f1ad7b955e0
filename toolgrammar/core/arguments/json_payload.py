"""Reads a JSON payload inside a message, and mends it up to the markup that its grammar expects.

Example: in `{"q": "x"</tool_call>` the payload ends before the markup, and its brace is inserted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.arguments.markup import Markup
from toolgrammar.core.payloads.mended.recover import RecoveringScanner
from toolgrammar.core.payloads.mended.repairs import judge_duplicates
from toolgrammar.core.trust.mended_values import doubt_quotes

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
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
