"""Tells markup that a text uses, as calls do, from markup that it speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

NEAR: Final = 256
"""Characters beside a place that tell."""
_MARKS: Final = "<>[]{}()|=*#@^\uff5c\u276e-"
_QUOTES: Final = frozenset("`\"'\u201c\u2018\u00ab")
_QUOTATION = late(
    r"""(?<![^\s(])(["'`])(?=[<\[(*\uff5c])[\s\S]{1,1024}?(?<=[>\])}|\uff5c])\1(?![\w"'`])"""
)
"""Markup in quotes."""
_REST = late(r"[^<>\n]{0,128}[>\]]")  # The attributes of a tag, `id="1">`.
_TAGS = late(r"(?:\s{0,64}<[^<>\s]{1,64}>){0,8}")
_BEGINS = late(r"(?:\A|\n|[^\w\s,;(\"'`])[ \t]*\Z|\w\Z")
"""What stands before something that no sentence leads to."""
_STRUCTURE = late(
    r"""\s{0,64}(?:[\[{(]\s{0,64}(?:["'\[{<(]|[\w$.-]{1,64}[ \t]?[(:=]|[})])|<[^<>\n]{1,128}=)"""
)
"""What calls have behind an opener, and sentences do not."""
_BEHIND = late(r"[^\s\w]{0,8}\w|[^\S\n]*\n\s*\S|[:=][ \t]*\S")
"""What stands behind an opener where no sentence goes on; a blank and a word would be one."""
_PROSE = late(r"[.,;!?)\"'`\u201d\u2019](?:\s|\Z)|[^\S\n]+\w")  # Where a sentence goes on, or ends.
_NUMBER = late(r"[ \t]\d{1,3}(?=:)")  # `Action Input 1:` is a label, as `Action Input:` is.
_LINE = late(r"(?:\A|\n)[ \t]*\Z")
_CLOSED = late(r"(?:(?:(?<![\w,] )[}\])]|[}\])][\"']|[\"'])|</[^<>\n]{1,128}>)\s{0,64}\Z")
"""What calls have before their closer."""
_CLOSER = late(r"</[^<>\n]{1,128}>\s{0,64}\Z")

_BRACKETS: Final = r"(?P<open>[{\[])|(?P<close>[}\]])|(?P<blank>\s+)"
_PARTS = late(rf"""{_BRACKETS}|"(?:[^"\\]|\\[\s\S])*+"|(?P<odd>")|[^\s{{}}\[\]"]+""")
_PARTS_WITHOUT_STRINGS = late(rf"{_BRACKETS}|[^\s{{}}\[\]]+")


def quotations(text: str) -> list[tuple[int, int]]:
    """Returns what stands in quotes and begins with a mark of markup."""
    return [found.span() for found in _QUOTATION.finditer(text)]


def is_quoted(text: str, place: int) -> bool:
    """Whether a quote or an open backtick stands before a place of its line."""
    line = text[max(0, place - NEAR) : place].rpartition("\n")[2]
    return line.count("`") % 2 == 1 or line[-1:] in _QUOTES


def is_label(text: str, start: int, end: int) -> bool:
    """Whether a word with a colon stands at the beginning of a line, and something behind it."""
    begins_line = _LINE.search(text[max(0, start - NEAR) : start]) is not None
    return begins_line and text[end - 1] == ":" and not text[end:].isspace() and end < len(text)


def holds_object(text: str, place: int) -> bool:
    """Whether an object or a list stands at a place of a text, and is whole."""
    depth, tags = 0, _TAGS.match(text, place)
    for part in _parts(text, tags.end() if tags else place):
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth -= 1
        # Something else than an object stands there.
        elif not depth and not part["blank"]:
            return False
        if part["close"] and depth <= 0:
            return depth == 0
    return False


def _parts(text: str, place: int) -> Iterator[re.Match[str]]:
    """Yields the brackets, the white space, the strings and all else from a place of a text on."""
    for part in _PARTS.finditer(text, place):
        yield part
        # Behind a quote that nothing closes no string ends: to look for its end at each quote
        # would be quadratic.
        if part["odd"]:
            yield from _PARTS_WITHOUT_STRINGS.finditer(text, part.end())
            return


def closes_more(text: str, place: int) -> bool:
    """Whether a brace closes behind a place that opened neither before nor behind it.

    >>> closes_more('save", "arguments": {}}', 6)
    True
    """
    depth = text.count("{", 0, place) - text.count("}", 0, place)
    for part in _parts(text, place):
        depth += (part[0] == "{") - (part[0] == "}")
        if depth < 0:
            return True
    return False


def begins(before: str) -> bool:
    """Whether no sentence leads from the text before a place to that place."""
    return _BEGINS.search(before) is not None


def is_used(text: str, start: int, end: int) -> bool:
    r"""Whether the markup at a place of a text stands there as calls have it.

    >>> text = 'Write <tool_call> and </tool_call>.'
    >>> is_used(text, 6, 17)
    False
    >>> is_used('<tool_call>\n{"city": "Oslo"}', 0, 11)
    True

    Args:
        text: the text.
        start: where the markup begins.
        end: where it ends; the rest of an unclosed tag belongs to it.
    """
    first = start
    # In `**Action Input**: {` the sign is the words, and what stands before them begins at the
    # stars.
    while start and text[start - 1] in _MARKS:
        start -= 1
    # The quote before the end of a tag is that of an attribute, before a bracket that of a value.
    if text[start] not in ">}])" and is_quoted(text, start):
        return False
    # `…</value></tool_call>`: what stands before a closer is the end of another one.
    if text.startswith("</", first) and _CLOSER.search(text[max(0, first - NEAR) : first]):
        return True
    before, behind = text[max(0, start - NEAR) : start], text[end : end + 2 * NEAR]
    # `…}</tool_call>`: right behind a bracket, markup ends something that was written.
    # A sentence names a closer behind a word: `close it with </tool_call>`.
    if _CLOSED.search(before) or _CLOSED.search(text[max(0, first - NEAR) : first]):
        return True
    last = max(text.rfind("<", start, end), text.rfind("[", start, end))
    # The sign is the beginning of a tag, `<invoke`: its attributes belong to it.
    if last >= 0 and text.find(">", last, end) < 0 and text.find("]", last, end) < 0:
        rest = _REST.match(behind)
        behind = behind[rest.end() :] if rest else behind
    tags = _TAGS.match(behind)
    # Of `<calls><call>{"name": …` the tags behind the opener are passed over: the brace tells.
    inner = behind[tags.end() :] if tags else behind
    if number := _NUMBER.match(inner):
        inner = inner[number.end() :]
    if _STRUCTURE.match(behind) or _STRUCTURE.match(inner):
        return True
    return bool(begins(before) and not _PROSE.match(inner) and _BEHIND.match(inner))


def touches(before: str, behind: str) -> bool:
    """Whether text goes on right behind a bracket, as in a value that has not ended there."""
    return before in ("}", "]") and (behind.isalnum() or behind in ('"', "'", ":"))
