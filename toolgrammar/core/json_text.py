"""Takes a JSON string whose content is the text of a call: its input, decoded as it arrives.

Beside a payload that is the arguments, the string may hold them: what it stands for is then
held back while it begins as an object does.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder

_BODY = late(r'(?:[^"\\]|\\.)*', re.DOTALL)


class JsonText:
    """One such string; it is given out as raw text is."""

    __slots__ = ("_begun", "_brace", "_builder", "_held", "_quoted", "_role", "_start", "_unit")

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
            self._quoted = True
            piece = piece[1:]
        body = _BODY.match(piece)
        text = json.loads(f'"{body[0]}"') if body is not None and body[0] else ""
        if not text:
            return
        if self._held is None:
            self._pass(text)
            return
        self._held.append(text)
        if not self._brace and not text.isspace():
            self._brace = text.lstrip().startswith("{")
            if not self._brace:
                self._give_up()

    def _pass(self, text: str) -> None:
        if not self._begun:
            self._begun = True
            self._builder.raws.begin(
                self._role, self._start, self._unit, before=False, closes_line=False
            )
        self._builder.raws.take(text)

    def _give_up(self) -> None:
        """Lets go what was held: it is no object."""
        held, self._held = self._held, None
        for text in held or ():
            self._pass(text)

    def end(self, end: int) -> dict[str, Any] | None:
        """Ends the string; gives the object that it holds, where it may be the arguments."""
        if self._held is not None:
            try:
                value = json.loads("".join(self._held))
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                return value
            self._give_up()
        self._pass("")
        self._builder.raws.end(end, whole=True)
        return None

    def cut(self, end: int) -> None:
        """Ends the string where the text was cut; half an object is nothing."""
        if self._begun:
            self._builder.raws.end(end, whole=False)
