"""Takes a JSON string whose content is the text of a call: its input, decoded as it arrives.

Beside a payload that is the arguments, the string may hold them: what it stands for is then
held back while it begins as an object does.
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
    """One such string; it is given out as raw text is."""

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
        """Whether what is held begins as an object does."""
        self._held: list[str] | None = [] if may_be_arguments else None
        """What may be an object; None once it is text."""

    def take(self, piece: str) -> None:
        """Takes the next part of the string, as JSON."""
        if not self._quoted:
            # The first piece begins with the quote that opens the string.
            self._quoted = True
            piece = piece[1:]
        # The pieces never end within an escape, and the last has the closing quote, which is left
        # here.
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
        if not self._begun:
            self._begun = True
            raws_of(self._builder).begin(
                self._role, self._start, self._unit, before=False, closes_line=False
            )
        raws_of(self._builder).take(text)

    def _give_up(self) -> None:
        """Lets go what was held: it is no object."""
        held, self._held = self._held, None
        for text in held or ():
            self._pass(text)

    def end(self, end: int) -> dict[str, Any] | None:
        """Ends the string; returns the object that it holds, where it may be the arguments."""
        if self._held is not None:
            try:
                value = json.loads("".join(self._held))
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                return value
            self._give_up()
        # An empty string is an input too: `begin` has to run once.
        self._pass("")
        raws_of(self._builder).end(end, whole=True)
        return None

    def cut(self, end: int) -> None:
        """Ends the string where the text was cut; half an object is nothing."""
        # What is still held may be half an object: as text it would look like a whole input.
        if self._begun:
            raws_of(self._builder).end(end, whole=False)
