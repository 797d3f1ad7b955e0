"""Writes raw payloads as the header says that they are read: with entities, with shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.entities import encoded
from toolgrammar.core.roles import bare_name
from toolgrammar.core.shapes import json_shape
from toolgrammar.writing.payloads import as_json

if TYPE_CHECKING:
    from toolgrammar.core.header import Header
    from toolgrammar.core.tables import Tables


class RawTexts:
    """How one format writes raw text."""

    def __init__(self, header: Header, tables: Tables) -> None:
        self.header = header
        self.quoted = _between_quotes(tables)

    def value(self, value: str) -> str:
        """Gives the text of a string that is the value of an argument."""
        if self.header.types == "shape" and (
            json_shape(value) is not None or value != value.strip()
        ):
            value = as_json(value)
        return self.text(value, "value")

    def text(self, text: str, role: str) -> str:
        """Gives the text of a payload."""
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
        if texts.get(bare_name(following), "").strip().startswith('"')
    )
