"""Writes raw payloads in the form in which the header says that they are read.

`a < b` is written as `a &lt; b` if the reader decodes entities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.typing_rules import json_shape
from toolgrammar.core.payloads.raw.entities import encoded
from toolgrammar.grammar.roles import bare_name
from toolgrammar.writing.grammar_walk.payloads import as_json

if TYPE_CHECKING:
    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.tables import Tables


class RawTexts:
    """How one format writes raw text."""

    def __init__(self, header: Header, tables: Tables) -> None:
        self.header = header
        self.quoted = _between_quotes(tables)

    def value(self, value: str) -> str:
        """Returns the text of a string that is the value of an argument."""
        # Where the shape of a text is its type, the string "5" needs quotes, or it would be a
        # number; so does one with blanks at its edges, which are taken off otherwise.
        if self.header.types == "shape" and (
            json_shape(value) is not None or value != value.strip()
        ):
            value = as_json(value)
        return self.text(value, "value")

    def text(self, text: str, role: str) -> str:
        """Returns the text of a payload."""
        if role not in self.header.entities:
            return text
        return encoded(text, quotes=role in self.quoted)


def _between_quotes(tables: Tables) -> frozenset[str]:
    """Lists the roles whose payloads a double quote ends."""
    texts = {terminal.name: terminal.text for terminal in tables.terminals}
    played = {production.origin: production.role for production in tables.productions}
    return frozenset(
        played.get(symbol, "")
        for production in tables.productions
        for symbol, following in zip(production.symbols, production.symbols[1:], strict=False)
        # In `name="a &quot;b&quot;"` a quote inside the payload has to be an entity.
        if texts.get(bare_name(following), "").strip().startswith('"')
    )
