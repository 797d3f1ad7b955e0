r"""Finds markup of calls in another spelling, which is not read as markup.

Example: `&lt;tool_call&gt;` is `<tool_call>` in HTML, `<tool\u200b_call>` contains a zero-width space. Such
a text is read once more in the usual spelling, to report a call in it as lost.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.tools.entities import without_entities
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

_ANY: Final = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
"""The soft hyphen, zero-width spaces and joiners, direction marks, the byte order mark."""
_INVISIBLE = late(_ANY)
_OF_MARKUP: Final = "[!-~\uff5c\u2581]"
"""The visible characters of ASCII, and the bar and the block in special tokens."""
# Emoji and scripts that join their letters with such characters have no markup beside them.
_BESIDE_MARKUP = late(rf"(?m:^){_ANY}|(?<={_OF_MARKUP}){_ANY}|{_ANY}(?={_OF_MARKUP})")
"""An invisible character at the start of a line, or beside a character of markup."""

_NAMED: Final = (
    r"[\w:.|\uff5c\u2581-]{0,32}(?i:tool|call|func|invoke|action|execute|param|args|arguments)"
)
"""The beginning of the name of a tag or a key, up to a word that is common in such names."""
_NAME_IN_TAG: Final = rf"/?{_NAMED}[^<>\n]{{0,100}}?"
_ENTITY = late(rf"&(?:lt|quot|#(?:34|60|x22|x3[cC]));/?{_NAMED}")
"""An angle bracket or a quote as HTML writes it: `&lt;tool_call`, `&quot;arguments`."""
_CAPITALS = late(rf"</?\|?(?=[\w:.-]{{0,64}}[A-Z]){_NAMED}")
"""A tag with capitals in its name: `<TOOL_CALL`, `</Tool_Call`, `<|TOOL_CALL`."""
_NAMES = late(r"</?\|?[A-Za-z_][^<>\"'=]{0,64}|\"[A-Z_]{2,32}\"(?=\s{0,8}:)")
"""A tag up to the first value in it, `<INVOKE NAME`, and a key in capitals, `"NAME"`."""
_BACKSLASH = late(rf"\\</?{_NAMED}|<[\w|]{{1,32}}\\_")
"""A tag behind a backslash, or with one in its name, as Markdown escapes it: `<tool\\_call`."""
_ESCAPED = late(r"\\([_<>*\[\]#`|~])")
"""A character that Markdown escapes; not a quote, which JSON escapes as well."""
_WIDE = late(rf"[\uff1c\uff5b][/|\"\uff02\uff0f\uff5c]?{_NAMED}")
"""A full-width bracket, followed by a word of calls: `\uff1ctool_call`."""
_SPACED = late(
    rf"<(?:[ \t]{{1,4}}/?|/[ \t]{{1,4}}){_NAMED}|<{_NAME_IN_TAG}[ \t]{{1,4}}>"
    r"|<(?:[ \t]{1,4}/|/[ \t]{1,4})[ \t]{0,4}\w[\w:.-]{1,64}[ \t]{0,4}>"
)
"""A tag with blanks at its ends: `< tool_call >`, `< /invoke>`, `<tool_call >`."""
_SPACED_ENDS: Final = ("< ", "<\t", "</ ", "</\t", " >", "\t>")
_SPACES = late(r"(?<=<)[ \t]{1,4}(?=/|[\w|])|(?<=</)[ \t]{1,4}(?=[\w|])|[ \t]{1,4}(?=/?>)")
_HYPHENS = late(rf"</?\|?(?=[\w:.]{{1,64}}-){_NAMED}|</[\w:.]{{1,64}}-[\w:.-]{{1,64}}>")
"""A tag with hyphens in its name: `<tool-call`, `</read-file>`, where formats have underscores."""
_HYPHENED = late(r"</?\|?\w[\w:.-]{1,64}")
_SQUARE = late(rf"\[/?{_NAMED}[^\[\]\n]{{0,100}}\]")
"""A tag in square brackets, as in forums: `[tool_call]`."""
_SQUARE_TAG = late(r"\[(/?\w[\w:.|-]{0,64}(?:[= ][^\[\]\n]{1,200})?)\]")
_ASCII_TOKEN = late(
    rf"<(?:\||[|\uff5c](?=\w{{1,64}}_)|\uff5c(?=[\w\u2581]{{1,64}}\|)){_NAMED}[\w\u2581]{{0,64}}[|\uff5c]>"
)
"""A special token with a character of ASCII in place of the bar or the block: `<|tool_calls_begin|>`."""
_TOKEN = late(r"<[|\uff5c]([\w\u2581]{1,64})[|\uff5c]>")
# The full-width bar is part of special tokens, or replaces the usual one.
_NARROW: Final = {
    place + 0xFEE0: place for place in range(ord("!"), ord("~") + 1) if place != ord("|")
}
"""The code point of each full-width character, and that of the same character in ASCII."""
_ESCAPED_TAG = late(
    r"(?:&(?:lt|#60|#x3[cC]);[^&;<>\n]{1,100}&(?:gt|#62|#x3[eE]);|\\<[^<>\n]{1,100}>)\s{0,16}\Z"
)
"""A tag written with entities or behind a backslash, at the end of a text."""
_LONGEST_TAG: Final = 128
"""The maximal number of characters of such a tag and the white space behind it."""
_LABEL = late(rf"(?m:^)(?=[a-z _]{{1,32}}:|[A-Z _]{{1,32}}:){_NAMED}[\w ]{{0,16}}:")
"""A label at the start of a line, all in capitals or all in lower case: `action input:`."""
_STRING = late(rf"\A\s{{0,64}}\"(?=[\s\S]{{0,4096}}?(?:\\n|\\\"|<){_NAMED})")
"""The opening quote of a message that is one string of JSON, with a word of calls in it."""


class Spelling(NamedTuple):
    """Another spelling of the markup of calls."""

    find: Callable[[str], re.Match[str] | None]
    """Returns the first place in a text where markup may be in this spelling."""
    usual: Callable[[str], str]
    """Returns a text in the usual spelling; the part before that place does not get longer."""
    is_damage: bool
    """Whether it is damage: nobody uses this spelling in order to show markup."""


def _find_invisible(text: str) -> re.Match[str] | None:
    # Most texts are ASCII, which is quick to check.
    return None if text.isascii() else _BESIDE_MARKUP.search(text)


def _find_wide(text: str) -> re.Match[str] | None:
    return _WIDE.search(text) if "\uff1c" in text or "\uff5b" in text else None


def _find_spaced(text: str) -> re.Match[str] | None:
    # Most markup has no blanks at the ends of its tags, which is quick to check.
    return _SPACED.search(text) if any(end in text for end in _SPACED_ENDS) else None


def _decoded(text: str) -> str:
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return decoded if isinstance(decoded, str) else text


def _with_wide_bars(token: re.Match[str]) -> str:
    return f"<\uff5c{token[1].replace('_', chr(0x2581))}\uff5c>"


SPELLINGS: Final = (
    Spelling(_find_invisible, lambda text: _INVISIBLE.sub("", text), is_damage=True),
    Spelling(
        lambda text: _ENTITY.search(text) if "&" in text else None,
        without_entities,
        is_damage=False,
    ),
    Spelling(
        lambda text: _CAPITALS.search(text) if "<" in text else None,
        lambda text: _NAMES.sub(lambda name: name[0].lower(), text),
        is_damage=False,
    ),
    Spelling(
        lambda text: _BACKSLASH.search(text) if "\\" in text else None,
        lambda text: _ESCAPED.sub(r"\1", text),
        is_damage=False,
    ),
    Spelling(
        _find_spaced,
        lambda text: _SPACES.sub("", text),
        is_damage=False,
    ),
    Spelling(
        lambda text: _HYPHENS.search(text) if "-" in text and "<" in text else None,
        lambda text: _HYPHENED.sub(lambda name: name[0].replace("-", "_"), text),
        is_damage=False,
    ),
    Spelling(
        # Such tags have closers of the same kind; links of Markdown do not.
        lambda text: _SQUARE.search(text) if "[/" in text else None,
        lambda text: _SQUARE_TAG.sub(r"<\1>", text),
        is_damage=False,
    ),
    Spelling(_find_wide, lambda text: text.translate(_NARROW), is_damage=False),
    Spelling(
        _find_wide, lambda text: text.translate(_NARROW).replace("\uff5c", "|"), is_damage=False
    ),
    Spelling(
        lambda text: _ASCII_TOKEN.search(text) if "<" in text else None,
        lambda text: _TOKEN.sub(_with_wide_bars, text),
        is_damage=False,
    ),
    Spelling(
        _LABEL.search,
        lambda text: _LABEL.sub(lambda label: label[0].title(), text),
        is_damage=False,
    ),
    Spelling(_STRING.match, _decoded, is_damage=False),
)
"""Invisible characters, entities of HTML, tags in capitals, backslashes of Markdown, tags with blanks,
hyphens or square brackets, full-width brackets, special tokens with the bars of ASCII, labels in
another case, and a message that is one JSON string."""


def may_be_spelt_otherwise(text: str) -> bool:
    """Whether a text may contain one of the spellings; called for every text without a call."""
    # Looking for a character costs a twentieth of a search.
    if text.isascii() and not any(mark in text for mark in '<&\\"['):
        return ":" in text and _LABEL.search(text) is not None
    return any(each.find(text) is not None for each in SPELLINGS)


def spellings_in(text: str) -> Iterator[tuple[Spelling, re.Match[str]]]:
    """Yields the spellings that a text may contain, each with its first place."""
    for each in SPELLINGS:
        found = each.find(text)
        if found is not None:
            yield each, found


def ends_in_escape(text: str) -> bool:
    r"""Whether a text ends with an escaped tag, such as `&lt;tool_call&gt;`, or with a backslash.

    What follows is only shown: the payload of the tag, or an opener that the backslash escapes. A
    backslash at the end of a line is a line break and escapes nothing.
    """
    if text.endswith("\\"):
        return True
    end = text.rstrip()[-1:]
    return end in (";", ">") and _ESCAPED_TAG.search(text[-_LONGEST_TAG:]) is not None
