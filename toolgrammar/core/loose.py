"""Reads the keys and strings of a JSON envelope that are quoted otherwise than JSON wants.

The members of a call object are tokens of the grammar: `"name"`, a colon, a string. Models write
`'name'` or `name` as well (json-recovery, rules 20 and 25). What is read in such a way is reported
with the edit that mends it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.core.tables import Terminal

_KEY = re.compile(r'"([A-Za-z_]\w*)"')
_STRING = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
_STRING_NAME = "JSON_STRING"
_ESCAPE = re.compile(r"\\.|\"", re.DOTALL)


def loose_pattern(terminal: Terminal) -> str:
    """Gives the expression of the other ways to write a JSON key or string; "" where none is."""
    if terminal.kind == "regex":
        return _STRING if terminal.name == _STRING_NAME else ""
    key = _KEY.fullmatch(terminal.text.strip()) if terminal.kind == "literal" else None
    return rf"'{key[1]}'|{key[1]}(?=\s{{0,16}}:)" if key else ""


def as_strict(text: str) -> str:
    """Gives a loose key or string as JSON writes it."""
    if not text.startswith("'"):
        return json.dumps(text, ensure_ascii=False)
    return '"' + _ESCAPE.sub(_requoted, text[1:-1]) + '"'


def _requoted(match: re.Match[str]) -> str:
    found = match.group()
    return {'"': '\\"', "\\'": "'"}.get(found, found)


def is_loose(terminal: Terminal, text: str) -> bool:
    """Whether a text was read in another way than the terminal says."""
    if terminal.kind == "literal":
        return terminal.text.strip().startswith('"') and not text.startswith('"')
    return terminal.name == _STRING_NAME and text.startswith("'")
