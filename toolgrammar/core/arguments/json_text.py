r"""Decodes a JSON string, as it arrives, whose content is the free text (`input`) of a call.

Example: `"ls\n-l"` becomes an input of two lines. In a format whose arguments may stand in the
string, content that begins like an object is held back:
`"{\"a\": 1}"` becomes the arguments `{"a": 1}`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder

_BODY = late(r'(?:[^"\\]|\\.)*', re.DOTALL)


class JsonText:
    """One such string, whose content is emitted as raw text."""

    def __init__(
        self, builder: Builder, role: str, start: int, unit: int, *, may_be_arguments: bool
    ) -> None:
        self._builder = builder
        self._role = role
        self._start = start
        self._unit = unit
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
                self._role, self._start, self._unit, before=False, closes_line=False
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
            try:
                value = json.loads("".join(self._held))
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
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
