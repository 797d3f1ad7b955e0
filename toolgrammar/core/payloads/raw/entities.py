"""Decodes the entities of XML in raw payloads while they stream, and writes them.

Example: of `a &lt; b &am` it passes `a < b ` on and holds `&am` back, which may become `&amp;`.
"""

from __future__ import annotations

import re
from functools import cache

from toolgrammar.patterns.partial import partial
from toolgrammar.values.patterns import compile_pattern

# Those of XML alone: `&nbsp;` and the others of HTML stay as they stand.
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


@cache
def _entity() -> re.Pattern[str]:
    """Makes the expression of an entity; few formats have any."""
    names = "|".join(_NAMED)
    return compile_pattern(
        # Digits are bounded, as what is only begun is held back in a stream.
        rf"&(?:(?P<name>{names})|#(?P<decimal>\d{{1,7}})|#[xX](?P<hex>[0-9a-fA-F]{{1,6}}));",
        re.ASCII,
    )


@cache
def _beginning() -> re.Pattern[str]:
    """Makes the expression of what may become an entity."""
    return compile_pattern(rf"(?:{partial(_entity().pattern)})\Z", re.ASCII)


class EntityDecoder:
    """Passes text on with its entities decoded; holds back what may become one."""

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> str:
        """Takes the next part; gives what is certain."""
        if not self.held and "&" not in text:
            return text
        text = self.held + text
        # Only behind the last `&` can an entity be cut.
        start = text.rfind("&")
        cut = start if start >= 0 and _beginning().match(text, start) else len(text)
        self.held = text[cut:]
        return _entity().sub(_decoded, text[:cut])

    def finish(self) -> str:
        """Returns what was held back: it is no entity."""
        held, self.held = self.held, ""
        return held


def decoded(text: str) -> str:
    """Returns a whole text with its entities decoded."""
    return _entity().sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    """Returns the character of an entity; one that no character has stays as it is."""
    if match["name"]:
        return _NAMED[match["name"]]
    code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    # Half a surrogate pair is no character: `&#xD800;` stays.
    valid = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if valid else match[0]


def encoded(text: str, *, quotes: bool) -> str:
    """Writes a text with entities for what would be markup; `quotes`: between double quotes."""
    # The ampersand first, or those of the entities would be written once more.
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quotes else text
