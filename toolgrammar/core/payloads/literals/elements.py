"""Defines the payload of arguments as nested elements: its scanner, its writer, its rules.

Example: with the mark `~`, `~<city>Oslo~</city>` becomes `{"city": "Oslo"}`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.payloads.literals.scan_elements import ITEM, NAME, ElementScanner

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.tools import ToolSpec

RULES: Final = r"""
elements: _element+
_element: E_OPEN (E_TEXT | _element)* E_CLOSE

E_OPEN: /x/
E_CLOSE: /x/
E_TEXT: /x/
"""
"""The rules for plain Lark; `strict_terminals.py` inserts the header's terminals.

They don't check that the tags match, and text inside a string that looks like a tag is a tag."""


def scanner(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, _step: Step | None
) -> ElementScanner:
    """Makes the scanner of a payload."""
    shape = spec.shape if spec is not None else None
    return ElementScanner(mark=terminal.marks[0], shape=shape, max_depth=max_depth)


def written(terminal: Terminal, value: Any) -> str | None:
    """Returns the text of arguments, or None if the payload can't represent them."""
    return _elements(value, terminal.marks[0])


def _elements(members: dict[str, Any], mark: str) -> str | None:
    """Returns members as elements; None if a name or a text can't be written."""
    parts: list[str] = []
    for key, value in members.items():
        inner = _element_body(value, mark)
        if inner is None or not re.fullmatch(NAME, key):
            return None
        parts.append(f"{mark}<{key}>{inner}{mark}</{key}>")
    return "".join(parts)


def _element_body(value: Any, mark: str) -> str | None:
    """Returns the text inside an element for a value; None if it can't be written."""
    if isinstance(value, dict):
        return _elements(value, mark)
    if isinstance(value, list | tuple):
        parts = [_elements({ITEM: part}, mark) for part in value]
        items = [part for part in parts if part is not None]
        return "".join(items) if len(items) == len(parts) else None
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    # A text that contains a tag would be read as elements: `<a>` as a value has no escape.
    return None if re.search(rf"{re.escape(mark)}</?{NAME}>", value) else value
