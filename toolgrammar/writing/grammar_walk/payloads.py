"""Writes values as the text of a declared payload: JSON, Python arguments, bare objects.

`{"q": "fjord"}` is written as `{"q": "fjord"}`, `q='fjord'` or `{q:"fjord"}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.payloads.scanners import literal_of
from toolgrammar.grammar import roles

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal


def as_json(value: Any) -> str:
    """Returns the JSON text of a value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def payload(terminal: Terminal, value: Any) -> str | None:
    """Returns the text of a value in a payload, or None if the payload can't hold it."""
    name = terminal.name
    # Raw text is the string itself; any other value has to be written as JSON in it.
    if name in roles.RAW_LIKE and isinstance(value, str):
        return value
    wanted = roles.TYPED_JSON.get(name)
    # A terminal for strings alone can't hold a number, which would come back as text.
    if name == "RAW_STRING" or (wanted is not None and not _is(value, wanted)):
        return None
    literal = literal_of(name)
    return as_json(value) if literal is None else literal.written(terminal, value)


def _is(value: Any, types: tuple[type, ...]) -> bool:
    """Whether a value has one of the types; true is not a number."""
    return isinstance(value, types) and (not isinstance(value, bool) or bool in types)
