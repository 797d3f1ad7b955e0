"""Finds text without quotes that does not fit its schema, while an object is read.

Example: of `{limit:5%}` the argument `limit` is reported if its schema wants an integer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.core.payloads.literals.payload_faults import BEGIN, Fault, untyped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.payloads.json.guide import Guide


class WantedTypes:
    """What the schemas of the open containers want."""

    def __init__(self, guide: Guide | None) -> None:
        """Begins before the object of all arguments; `guide` is None if their tool is not known."""
        self._guide = guide
        self._open: list[tuple[Guide | None, bool]] = []
        """The open containers: what their schemas want, and whether they are objects."""
        self._argument = ""
        self._untyped: dict[str, None] = {}

    def open(self, key: Sequence[str], *, is_object: bool) -> None:
        """Opens a container, which follows a key; the key is given as JSON in pieces."""
        guide = self._wanted(key) if self._open else self._guide
        self._open.append((guide, is_object))

    def close(self) -> None:
        """Closes the innermost container."""
        self._open.pop()

    def text(self, key: Sequence[str]) -> None:
        """Judges a text without quotes, which follows a key."""
        guide = self._wanted(key)
        if guide is not None and not guide.takes_text:
            self._untyped[self._argument] = None

    def missing(self, key: Sequence[str]) -> None:
        """Judges a missing value, which is read as the empty text.

        In `{kilos25:}` the colon may have moved behind the value: a key that the schema does not list
        is no evidence of an empty text.
        """
        self.text(key)
        guide, name = self._open[-1][0], text_of("".join(key))
        if guide is not None and guide.properties and guide.member(name) is None:
            self._untyped[self._argument] = None

    def faults(self) -> list[Fault]:
        """Returns the faults: one for each argument with such a text."""
        return [
            Fault("schema-mismatch", untyped(name), BEGIN, path=f"$.{name}")
            for name in self._untyped
        ]

    def _wanted(self, key: Sequence[str]) -> Guide | None:
        """Returns what the schema wants of the next value in the innermost container."""
        if not self._open:
            return None
        guide, is_object = self._open[-1]
        name = text_of("".join(key)) if is_object else ""
        if len(self._open) == 1:
            self._argument = name
        if guide is None:
            return None
        return guide.member(name) if is_object else guide.item()
