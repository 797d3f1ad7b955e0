"""Reads a JSON payload inside a message: mended where it is damaged, up to what its grammar wants.

Example: of `{"q": "x"</tool_call>` the payload ends before the markup, and its brace is put in.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.arguments.markup import Markup
from toolgrammar.core.payloads.json.duplicates import equal_duplicates
from toolgrammar.core.payloads.mended.recover import RecoveringScanner
from toolgrammar.core.trust.mended_calls import doubt_quotes

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.core.payloads.mended.repairs import Repair


class JsonPayload(RecoveringScanner):
    """A payload; the markup around it says what ends it."""

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
        """Makes a reader for one payload.

        Args:
            step: what reading the payload does.
            start: the node in which calls open.
            guide: what the schema wants of the payload.
            backticks: backtick strings are legal.
            max_depth: how deep brackets may nest.
            careful: fail where a repair may guess wrong: it is not sure that this is a payload.
        """
        self._markup = Markup(step, start)
        super().__init__(
            guide, backticks=backticks, max_depth=max_depth, around=self._markup, careful=careful
        )

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the value where the text ends, or where it failed; True if whole."""
        if self.failed:
            out.append(self.view())
        elif not self.done:
            self.end(out, closed=False)
        return self.done

    @property
    def closing_edit(self) -> tuple[int, int, str] | None:
        """What closes the payload where the text ended in it: from where, to where, and how."""
        # The last, for the end of the text comes after all that was mended before.
        last = self.repairs[-1] if self.repairs else None
        return last.edits[-1] if last is not None and last.code == "truncated" else None

    def settled(self, text: str) -> list[Repair]:
        """Returns the repairs in the order of the source, once the payload's JSON is `text`."""
        # `{"x": 1, "x": 1}` means one thing, whichever member counts; `{"x": 1, "x": 2}` is a
        # guess.
        doubled = [each for each in self.repairs if each.code == "duplicate-key"]
        # Which members are equal shows only when the payload is over.
        if doubled and text:
            for repair, equal in zip(doubled, equal_duplicates(text), strict=False):
                repair.judge(doubt=not equal)
        quoted = [each for each in self.repairs if each.code == "inner-quote" and not each.doubt]
        if quoted and text:
            value = json.loads(text)
            doubt_quotes(self.repairs, value)
            # A string that swallowed `"}}, {"name": "` has swallowed a call: its quotes were no
            # inner ones.
            if self._markup.holds_calls(value):
                for each in quoted:
                    each.judge(doubt=True)
        return sorted(self.repairs, key=lambda each: (each.start, each.end))
