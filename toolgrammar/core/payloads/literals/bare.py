"""Defines the payload of an object with bare keys and words: its scanner, its writer, its rules.

Example: `{city:'Oslo',days:2}` becomes `{"city": "Oslo", "days": 2}`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.core.payloads.literals.bare_values import word_as_json
from toolgrammar.core.payloads.literals.scan_bare import BareScanner
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.tools import ToolSpec

RULES: Final = r"""
bare_object: _bare_object
_bare_object: P_LBRACE P_RBRACE | P_LBRACE _bare_member (P_COMMA _bare_member)* P_COMMA? P_RBRACE
_bare_member: (B_STRING | B_KEY) P_COLON _bare_value?
_bare_value: B_STRING | B_WORD | _bare_object | _bare_array
_bare_array: P_LSQB P_RSQB | P_LSQB _bare_value (P_COMMA _bare_value)* P_COMMA? P_RSQB

B_KEY: /x/
B_WORD: /x/
B_STRING: /x/
"""
"""The rules for plain Lark; `strict_terminals.py` inserts the terminals, which depend on the header's
quotes."""
# A key that looks like a number, or contains a blank, needs quotes: `{city:1,"a b":2}`.
_BARE_KEY = compile_pattern(r"[^\W\d][\w$-]*")
# The characters that a string between plain quotes can't contain unescaped.
_ESCAPED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}


def scanner(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None
) -> BareScanner:
    """Makes the scanner of a payload."""
    guide = None if spec is None or spec.parameters is None else guide_of_tool(spec)
    return BareScanner(quotes=terminal.marks, max_depth=max_depth, step=step, guide=guide)


def written(terminal: Terminal, value: Any) -> str | None:
    """Returns the text of a value, or None if the payload can't hold it."""
    return _bare(value, terminal.marks)


def _bare(value: Any, quotes: Sequence[str]) -> str | None:
    """Returns the text of a value with bare keys; None if a string contains the quote itself."""
    if isinstance(value, str):
        return _quoted(value, quotes)
    if isinstance(value, dict):
        pairs = [(_bare_key(key, quotes), _bare(part, quotes)) for key, part in value.items()]
        members = [f"{key}:{part}" for key, part in pairs if key is not None and part is not None]
        return "{" + ",".join(members) + "}" if len(members) == len(pairs) else None
    if isinstance(value, list | tuple):
        parts = [_bare(part, quotes) for part in value]
        items = [part for part in parts if part is not None]
        return "[" + ",".join(items) + "]" if len(items) == len(parts) else None
    # A value that would be read differently is refused, such as an integer of too many digits.
    word = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return word if word_as_json(word) == word else None


def _bare_key(key: str, quotes: Sequence[str]) -> str | None:
    return key if _BARE_KEY.fullmatch(key) else _quoted(key, quotes)


def _quoted(text: str, quotes: Sequence[str]) -> str | None:
    """Returns a string between the first quotes that can delimit it; None if none can."""
    for quote in quotes:
        if len(quote) == 1:
            inner = re.sub(r"[\\\n\r\t\0]", lambda match: _ESCAPED[match[0]], text)
            return f"{quote}{inner.replace(quote, chr(92) + quote)}{quote}"
        # A quote of several characters has no escape: the text must not contain it, nor end so that
        # the closer would be found too early (`a'` before `''`).
        if (text + quote).find(quote) == len(text):
            return f"{quote}{text}{quote}"
    return None
