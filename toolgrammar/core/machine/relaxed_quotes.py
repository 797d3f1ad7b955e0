"""Reads keys and strings of a JSON envelope that lack JSON's quotes, and keys that lack its colon.

Example: `'name'`, `name:` and `“name”` are read as `"name"`. The members of a call object are
tokens of the grammar: a key such as `"name"`, a colon, a string. Models write them in other ways as
well, and each such way is reported with the edit that mends it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from toolgrammar.tools.json_tokens import OTHER_COLON, OTHER_COLONS, SMART_QUOTES
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal

_KEY = late(r'"([A-Za-z_]\w*)"( ?:)?')
_KEYS = late(r'"((?:\w|\(\?:|\||\))+)"')
_WAYS = late(r"(\w*)\(\?:(\w*(?:\|\w*)*)\)(\w*)")
_COLON = r"\s{0,16}:"
_NAME = r"[A-Za-z_][\w.\-]{0,63}"
# A name that lacks a quote or both counts only before the comma and the key that follow it.
_STRING = (
    # A string in single quotes, with or without escapes: `'search'`.
    r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
    # Typographic quotes: “search”.
    r"|[\u201c\u201d\u201e][^\u201c\u201d\"\\\n]{0,256}[\u201c\u201d]"
    # A string without its first quote: `search",`.
    rf'|{_NAME}"(?=\s{{0,16}},)'
    # A string without both quotes: `search, "arguments"`.
    rf"|{_NAME}(?=\s{{0,16}},\s{{0,16}}[\"'\w\u201c\u201d])"
    # A key without quotes: `search:`.
    rf"|{_NAME}(?={_COLON})"
)
_STRING_NAME = "JSON_STRING"
_ESCAPE = late(r"\\.|\"", re.DOTALL)
OTHER_QUOTES: Final = f"'{SMART_QUOTES}"
"""All quotes that stand for JSON's."""


def loose_pattern(terminal: Terminal) -> str:
    """Returns the expression of other ways to write a JSON key or string; "" if there are none."""
    if terminal.name == _STRING_NAME:
        return _STRING
    # `"(?:name|tool)"` matches one of several keys, each of which may have other quotes.
    if terminal.kind == "regex":
        keys = _KEYS.fullmatch(terminal.pattern)
        return _loose_key(f"(?:{keys[1]})") if keys else ""
    key = _KEY.fullmatch(terminal.text.strip()) if terminal.kind == "literal" else None
    if key is None:
        return ""
    if not key[2]:
        return _loose_key(key[1])
    # The grammar has the colon in the key's token; it may be missing or another character as well.
    return (
        rf"(?:{_loose_key(key[1])}){_COLON}|\"{key[1]}\"\s{{0,16}}(?::|{OTHER_COLON})"
        rf"|\"{key[1]}\"(?=\s{{1,16}}[\"\[{{])"
    )


def spellings_pattern(terminal: Terminal) -> str:
    """Returns the expression of a literal in all spellings of the header; "" without any."""
    if terminal.kind != "literal" or not terminal.marks:
        return ""
    spellings = "|".join(map(re.escape, sorted(terminal.marks, key=len, reverse=True)))
    # The part may hold white space, as in `<invoke name=`: its own stays as the header has it.
    parts = " ".join(terminal.text.split()).split(terminal.marks[0])
    spaced = (r"\s+".join(map(re.escape, part.split(" "))) for part in parts)
    return f"(?:{spellings})".join(spaced)


def keys_of(terminal: Terminal) -> tuple[str, ...]:
    """Returns the words that a JSON key may be, without their quotes."""
    if terminal.kind == "literal":
        key = _KEY.fullmatch(terminal.text.strip())
        return (key[1],) if key is not None else ()
    keys = _KEYS.fullmatch(terminal.pattern) if terminal.kind == "regex" else None
    if keys is None:
        return ()
    parts = _WAYS.fullmatch(keys[1])
    if parts is None:
        # Alternatives outside of a single group can't be split here.
        return () if "|" in keys[1] else (keys[1],)
    return tuple(f"{parts[1]}{way}{parts[3]}" for way in parts[2].split("|"))


def _loose_key(key: str) -> str:
    """Returns the expression of a key in other quotes, or without one or both of them."""
    colon = f"(?={_COLON})"
    # Of `'name'`, `name:`, `"name:`, `name":` and typographic quotes, those that lack a quote need
    # the colon, which alone shows that they are keys.
    return (
        rf"'{key}'|{key}{colon}|\"{key}{colon}|{key}\"{colon}|[{SMART_QUOTES}]{key}[{SMART_QUOTES}]"
    )


def repair_code(terminal: Terminal, text: str, *, is_key: bool) -> str:
    """Returns the code of the repair of a loose key or string."""
    if terminal.marks:
        return "misspelt"
    if text[0] in OTHER_QUOTES:
        return "quote-style"
    # In `"name" = ` or `"name" {` both quotes are there, so the colon is what was repaired.
    if terminal.text.strip().endswith(":") and text.startswith('"') and text.count('"') > 1:
        found = (code for other, code in OTHER_COLONS.items() if text.endswith(other))
        return next(found, "colon")
    if '"' in text:
        return "missing-quote"
    return "bare-key" if is_key else "bare-text"


def as_strict(terminal: Terminal, text: str) -> str:
    """Returns a loose key or string as JSON writes it."""
    if terminal.kind == "literal":
        return terminal.text.strip()
    if text.startswith("'"):
        return '"' + _ESCAPE.sub(_requoted, text[1:-1]) + '"'
    if text[0] in SMART_QUOTES:
        return '"' + text[1:-1] + '"'
    return json.dumps(text.strip('"'), ensure_ascii=False)


def _requoted(match: re.Match[str]) -> str:
    found = match.group()
    return {'"': '\\"', "\\'": "'"}.get(found, found)


def is_loose(terminal: Terminal, text: str) -> bool:
    """Whether the text of a token is not in the exact notation of its terminal."""
    if terminal.kind == "literal":
        written = terminal.text.strip()
        if terminal.marks:
            # White space between the words of a literal is free.
            return text.split() != written.split()
        if not written.startswith('"') or text.strip() == written:
            return False
        return loose_pattern(terminal) != ""  # if it is "", only white space differs
    if not terminal.pattern.startswith('"'):
        return False
    whole = len(text) > 1 and text[0] == text[-1] == '"'
    return not whole and loose_pattern(terminal) != ""
