"""Mends at once a part of a string's body in which each damage shows by itself.

That is line ends and other control characters, backslashes that escape nothing, and quotes behind
which nothing can go on. Each is mended as the reader of single characters would mend it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.json_look import CLOSING_QUOTES, ODD_SPACES
from toolgrammar.core.json_repairs import Repair
from toolgrammar.core.json_runs import BRACKETS, UNIT
from toolgrammar.core.json_tokens import as_json
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    import re

_CONTROLS: Final = r"\x00-\x1f"
_SURROGATES: Final = "\ud800-\udfff"
_QUOTES: Final = "".join(CLOSING_QUOTES)
_SOUND: Final = rf""",(?![ \t\n\r]*+(?:["']|\Z))|{UNIT}"""
_PLAIN: Final = rf"""[^"\\,{_CONTROLS}{_SURROGATES}]++|{_SOUND}"""
_FRAMED: Final = rf"""[^"\\,}}\]{_CONTROLS}{_SURROGATES}]++|{BRACKETS}|{_SOUND}"""
# Before a quote it may be the string that lacks its own. What stands before much white space is
# mended by itself: who looked through it at each line end would take its length squared.
_CONTROL: Final = rf"[{_CONTROLS}]++(?![ \t\n\r]{{0,64}}+(?:[ \t\n\r{_QUOTES}]|\Z))"
_BACKSLASH: Final = (
    r"\\(?=[^\"\\/bfnrtu'`\x00-\x1f\x7f-\U0010ffff]|u[0-9a-fA-F]{0,3}+[\x20-\x2f:-@G-`g-~])"
)

_WS: Final = r"[ \t\n\r]{0,40}+"
_SPACES: Final = rf"\s{ODD_SPACES}/\#\\"
"""Behind these a look goes on."""
_NO_COLON: Final = rf"{_WS}[^:={_SPACES}]"
_QUOTED: Final = rf"(?:\"[^\"\\\n\r]{{0,64}}+\"|'[^'\\\n\r]{{0,64}}+'){_NO_COLON}"
"""What is no key."""
_IN_OBJECT: Final = (
    rf"\"(?={_WS}(?:[^,}}\]){_QUOTES}{_SPACES}]|(?:,{_WS})?+{_QUOTED}"
    rf"|,{_WS}(?:[^\W\d][\w$\-]{{0,63}}+{_WS}[^:\w$\-{_SPACES}]|[0-9(<>.;!?%&*+$\-])))"
)
_LAST: Final = rf"\"(?={_WS}\}}{_WS}[\":])"
"""Behind a value that stands by itself no quote and no colon may follow."""
_IN_ARRAY: Final = rf"\"(?=[^,}}\]){_SPACES}]|{_WS}[^,}}\]){_QUOTES}{_SPACES}{{\[\-0-9tTfFnN])"
_IN_KEY: Final = rf"\"(?={_WS}[^:=,}}{_QUOTES}{_SPACES}{{\[\-0-9tTfFnN])"
_COMMA_IN_OBJECT: Final = rf",(?={_WS}{_QUOTED})"
_COMMA_IN_ARRAY: Final = r",(?=[ \t\n\r]*+')"
_COMMA: Final = r",(?=[ \t\n\r]*+[\"'])"

_TABLE: Final = {code: as_json(chr(code))[1:-1] for code in range(32)}
_HAS_CONTROL = late(f"[{_CONTROLS}]")
_ESCAPED = late(rf'({UNIT})|([\\"])')
_NO_ESCAPE = late(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_LETTER_KEPT = late(r'(?:[^\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\(?![a-zA-Z]))*+\\(?=[a-zA-Z])')
_QUOTE = late(r'(?:[^\\"]++|\\["\\/]|\\)*+"')
_CODES: Final = ("", "escape", "inner-quote", "control")
_DAMAGE = late(rf'{UNIT}|(\\)|("++)|([{_CONTROLS}]++)')


@cache
def body_run(*, quotes: str, quoted: bool, framed: bool) -> re.Pattern[str]:
    """Gives the pattern of a part that begins with a damage and ends with what is sound.

    Args:
        quotes: which quotes may be damage: "" for none, those in a "key", an "object" or an
            "array", or in an object that is the value itself ("last").
        quoted: a quote stands in the string before; so a comma does not end an item whose own
            quote is missing.
        framed: whether markup stands around the value, so that it may end before brackets.
    """
    quote = {
        "key": _IN_KEY,
        "array": _IN_ARRAY,
        "object": _IN_OBJECT,
        "last": f"{_IN_OBJECT}|{_LAST}",
    }
    comma = _COMMA_IN_OBJECT
    if quotes in ("array", "key"):
        comma = _COMMA if quoted or quotes == "key" else _COMMA_IN_ARRAY
    damages = [_CONTROL, _BACKSLASH, *([quote[quotes]] if quotes else [])]
    sound = [_FRAMED if framed else _PLAIN, *([comma] if quotes else [])]
    return compile_pattern(f"(?:(?:{'|'.join(damages)})++(?:{'|'.join(sound)})++)++")


def mended(body: str) -> str:
    """Gives such a part as JSON."""
    if "\\" in body:
        if '"' in body or "\\\\" in body:
            body = _ESCAPED.sub(_escaped, body)
        else:
            body = _NO_ESCAPE.sub(r"\\\\", body)
    else:
        body = body.replace('"', '\\"')
    return body.translate(_TABLE) if _HAS_CONTROL.search(body) else body


def _escaped(match: re.Match[str]) -> str:
    return match[1] or "\\" + match[2]


def keeps_letter(body: str) -> bool:
    """Whether a backslash before a letter escapes nothing."""
    return "\\" in body and _LETTER_KEPT.match(body) is not None


def has_quote(body: str) -> bool:
    """Whether a quote stands in it that nothing escapes."""
    return "\\" not in body or _QUOTE.match(body) is not None


class BodyRun(NamedTuple):
    """Such a part, as the source has it."""

    text: str
    start: int
    """Its offset in the source."""
    path: str
    doubts: tuple[str, ...]
    """The codes of the repairs that may have guessed wrong."""

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)

    def repairs(self) -> list[Repair]:
        """Gives what was mended."""
        found = []
        base, path = self.start, self.path
        for match in _DAMAGE.finditer(self.text):
            kind = match.lastindex
            if kind is None:
                continue
            start, end = match.span()
            code = _CODES[kind]
            if kind == 1:
                written = "\\\\"
            elif kind == 2:
                written = '\\"' * (end - start)
            else:
                written = match.group().translate(_TABLE)
            repair = Repair(code, base + start, base + end, path)
            repair.edits.append((base + start, base + end, written))
            found.append(repair)
        return found
