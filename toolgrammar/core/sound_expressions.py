"""The expressions by which JSON that streams soundly is read, and where it is not yet decided."""

from __future__ import annotations

from typing import Final

from toolgrammar.core.json_look import REACH
from toolgrammar.core.json_runs import CHARACTERS, UNIT
from toolgrammar.core.remembered import certain_in
from toolgrammar.values.patterns import late

_WS: Final = r"[ \t\n\r]*+"
_SINGLE: Final = r"""'[^'"\\\x00-\x1f]{0,64}+"""
_COMMA: Final = rf""",(?= *(?:[^ "']|{_SINGLE}' *[^ :=/#\\]))"""
"""A comma behind which no key stands."""
_MAY_FRAME: Final = rf"(?:, *\{{| *<)[^\"]{{0,{REACH}}}+"
"""What may be markup behind brackets, up to the next quote."""
_BRACKETS: Final = rf"""[}}\]]++(?= *[\w.;()=+\\"':/*&!?%$^~#@-]|, *[^ ,"{{\x00-\x1f]|{_MAY_FRAME}(?:(?<=\\)"|[^"]))"""
"""Brackets in a string: what follows is no markup and no key, or a quote comes that is escaped."""
_BEGUN_ESCAPE: Final = (
    r"\\(?:u(?:[0-9a-fA-F]{0,3}|[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?)?"
)
BODY = late(
    rf"{CHARACTERS}(?:(?:{UNIT}|{_COMMA}|{_BRACKETS}){CHARACTERS})*+"
    rf"(, *(?:{_SINGLE}(?:' *)?\Z)?|[}}\]]{{1,64}}(?:{_MAY_FRAME}\Z|,? *)|{_BEGUN_ESCAPE}\Z)?"
)
"""The body of a string; at its end what may yet become something else (1).

That is the beginning of an escape, a comma and brackets: the string may have ended before them.
"""
sure: Final = certain_in(BODY)
"""How many characters of a piece of a string are its body; -1 where the string may end in it."""

_KEY: Final = '[^"\\\\\\x00-\\x1f\ud800-\udfff]'
_PAIR: Final = rf'{_WS}"({_KEY}{{1,64}}+)"{_WS}:{_WS}(?=[^ \t\n\r])'
_PAIR_BEGUN: Final = rf'{_WS}(?:"{_KEY}{{0,64}}+(?:"{_WS}(?::{_WS})?)?)?\Z'
_TEXT: Final = r'"(?:[^"\\]|\\.){0,300}+'
_ITEM: Final = rf'{_WS}(?=[^" \t\n\r]|{_TEXT}(?:"{_WS}[^:=/#\\ \t\n\r]|[^"\\]|\\.))'
"""An item; a string that a colon follows is the key of an object around the array."""
_ITEM_BEGUN: Final = rf'{_WS}(?:{_TEXT}(?:"{_WS}|\\)?)?\Z'
_CLOSER: Final = r"([}\]])"

# What stands behind a bracket or a value: a key with its colon (1) or an item, up to the value,
# what may yet become one (2), or a closer (3).
FIRST_KEY = late(rf"{_PAIR}|({_PAIR_BEGUN})|{_WS}{_CLOSER}")
FIRST_ITEM = late(rf"{_WS}(?![}}\]]){_ITEM}()|({_ITEM_BEGUN})|{_WS}{_CLOSER}")
NEXT_KEY = late(rf"{_WS}(?:,{_PAIR}|(,{_PAIR_BEGUN}|\Z)|{_CLOSER})")
NEXT_ITEM = late(rf"{_WS}(?:,{_ITEM}()|(,{_ITEM_BEGUN}|\Z)|{_CLOSER})")

SCALAR = late(
    r"(?:true|false|null|-?(?:0|[1-9][0-9]{0,63}+)(?:\.[0-9]{1,63}+)?+(?:[eE][+-]?[0-9]{1,3}+)?+)"
    r"(?=[ \t\n\r,}\]])"
)
SCALAR_BEGUN = late(r"[-+.0-9a-zA-Z]{1,128}\Z")
