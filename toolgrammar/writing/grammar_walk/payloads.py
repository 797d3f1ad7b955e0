"""Writes values as the text of a declared payload: JSON, Python arguments, bare objects.

`{"q": "fjord"}` is written as `{"q": "fjord"}`, `q='fjord'` or `{q:"fjord"}`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toolgrammar.core.payloads.literals.bare_values import word_as_json
from toolgrammar.core.payloads.literals.scan_elements import ITEM, NAME
from toolgrammar.grammar import roles
from toolgrammar.grammar.payload_kinds import notation_of
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.grammar.terminals import Terminal

# A key that can't be told from a number, or holds a blank, needs quotes: `{city:1,"a b":2}`.
_BARE_KEY = compile_pattern(r"[^\W\d][\w$-]*")
# What a string between plain quotes can't hold as it stands.
_ESCAPED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}


def as_json(value: Any) -> str:
    """Returns the JSON text of a value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def payload(terminal: Terminal, value: Any) -> str | None:
    """Returns the text of a value in a payload, or None where the payload can't hold it."""
    name = terminal.name
    # Raw text is the string itself; any other value has to be written as JSON in it.
    if name in roles.RAW_LIKE and isinstance(value, str):
        return value
    wanted = roles.TYPED_JSON.get(name)
    # A terminal for strings alone can't hold a number, which would come back as text.
    if name == "RAW_STRING" or (wanted is not None and not _is(value, wanted)):
        return None
    notation = notation_of(name)
    if notation == "python":
        # `repr` writes True, None and nested values as Python reads them.
        return ", ".join(f"{key}={part!r}" for key, part in value.items())
    if notation == "bare":
        return _bare(value, terminal.marks)
    if notation == "elements":
        return _elements(value, terminal.marks[0])
    return as_json(value)


def _is(value: Any, types: tuple[type, ...]) -> bool:
    """Whether a value has one of the types; true is no number."""
    return isinstance(value, types) and (not isinstance(value, bool) or bool in types)


def _elements(members: dict[str, Any], mark: str) -> str | None:
    """Returns members as elements; None where a name or a text can't be written so."""
    parts: list[str] = []
    for key, value in members.items():
        inner = _element_body(value, mark)
        if inner is None or not re.fullmatch(NAME, key):
            return None
        parts.append(f"{mark}<{key}>{inner}{mark}</{key}>")
    return "".join(parts)


def _element_body(value: Any, mark: str) -> str | None:
    if isinstance(value, dict):
        return _elements(value, mark)
    if isinstance(value, list | tuple):
        parts = [_elements({ITEM: part}, mark) for part in value]
        items = [part for part in parts if part is not None]
        return "".join(items) if len(items) == len(parts) else None
    if not isinstance(value, str):
        return as_json(value)
    # A text that holds a tag would be read as elements: `<a>` as a value has no escape.
    return None if re.search(rf"{re.escape(mark)}</?{NAME}>", value) else value


def _bare(value: Any, quotes: Sequence[str]) -> str | None:
    """Returns the text of a value with bare keys; None where a string holds the quote itself."""
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
    # What the reader takes otherwise, as an integer of more digits than it reads, is refused.
    word = as_json(value)
    return word if word_as_json(word) == word else None


def _bare_key(key: str, quotes: Sequence[str]) -> str | None:
    return key if _BARE_KEY.fullmatch(key) else _quoted(key, quotes)


def _quoted(text: str, quotes: Sequence[str]) -> str | None:
    """Returns a string between the first quotes that can hold it."""
    for quote in quotes:
        if len(quote) == 1:
            inner = re.sub(r"[\\\n\r\t\0]", lambda match: _ESCAPED[match[0]], text)
            return f"{quote}{inner.replace(quote, chr(92) + quote)}{quote}"
        # A quote of several characters has no escape: the text must not hold it, nor end so that
        # the closer would begin too early (`a'` before `''`).
        if (text + quote).find(quote) == len(text):
            return f"{quote}{text}{quote}"
    return None
