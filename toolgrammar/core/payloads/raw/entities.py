"""Decodes XML entities in raw payloads while they stream, and encodes them.

Example: of `a &lt; b &am` it emits `a < b ` and holds `&am` back, which may become `&amp;`.
"""

from __future__ import annotations

import re
from functools import cache

from toolgrammar.patterns.partial import partial
from toolgrammar.values.patterns import compile_pattern

# Those of XML alone: `&nbsp;` and the others of HTML are kept as they are.
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


@cache
def _entity() -> re.Pattern[str]:
    """Makes the expression of an entity, on demand: few formats have entities."""
    names = "|".join(_NAMED)
    return compile_pattern(
        # Digits are bounded, since the beginning of an entity is held back in a stream.
        rf"&(?:(?P<name>{names})|#(?P<decimal>\d{{1,7}})|#[xX](?P<hex>[0-9a-fA-F]{{1,6}}));",
        re.ASCII,
    )


@cache
def _beginning() -> re.Pattern[str]:
    """Makes the expression of a text that may become an entity."""
    return compile_pattern(rf"(?:{partial(_entity().pattern)})\Z", re.ASCII)


class EntityDecoder:
    """Decodes the entities of a text, and holds back a tail that may become one."""

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> str:
        """Accepts the next part; returns the text that is certain."""
        if not self.held and "&" not in text:
            return text
        text = self.held + text
        # Only after the last `&` can an entity be cut.
        start = text.rfind("&")
        cut = start if start >= 0 and _beginning().match(text, start) else len(text)
        self.held = text[cut:]
        return _entity().sub(_decoded, text[:cut])

    def finish(self) -> str:
        """Returns the tail that was held back, which is not an entity."""
        held, self.held = self.held, ""
        return held


def decoded(text: str) -> str:
    """Decodes the entities of a whole text."""
    return _entity().sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    """Returns the character of an entity; the entity itself if it is not that of a character."""
    if match["name"]:
        return _NAMED[match["name"]]
    code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    # Half a surrogate pair is not a character: `&#xD800;` is kept.
    valid = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if valid else match[0]


def encoded(text: str, *, quotes: bool) -> str:
    """Encodes markup characters of a text as entities; `quotes`: double quotes, too."""
    # The ampersand first, or those of the entities would be encoded again.
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quotes else text
