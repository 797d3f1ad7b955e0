"""Distinguishes markup that is used, as in a call, from markup that a text only mentions.

Example: `<tool_call>{"name"` uses the tag, `Write <tool_call> first.` mentions it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

NEAR: Final = 256
"""The number of characters beside a place that are examined."""
_MARKS: Final = "<>[]{}()|=*#@^\uff5c\u276e-"
_QUOTES: Final = frozenset("`\"'\u201c\u2018\u00ab")
_QUOTATION = late(
    r"""(?<![^\s(])(["'`])(?=[<\[(*\uff5c])[\s\S]{1,1024}?(?<=[>\])}|\uff5c])\1(?![\w"'`])"""
)
"""Markup in quotes."""
_REST = late(r"[^<>\n]{0,128}[>\]]")  # The attributes of a tag, `id="1">`.
_TAGS = late(r"(?:\s{0,64}<[^<>\s]{1,64}>){0,8}")
_BEGINS = late(r"(?:\A|\n|[^\w\s,;(\"'`])[ \t]*\Z|\w\Z")
"""The text before a place that no sentence leads to: the start of a line, or punctuation."""
_STRUCTURE = late(
    r"""\s{0,64}(?:[\[{(]\s{0,64}(?:["'\[{<(]|[\w$.-]{1,64}[ \t]?[(:=]|[})])|<[^<>\n]{1,128}=)"""
)
"""The text behind an opener in calls, but not in sentences."""
_BEHIND = late(r"[^\s\w]{0,8}\w|[^\S\n]*\n\s*\S|[:=][ \t]*\S")
"""The text behind an opener if no sentence goes on there, as it would with a blank and a word."""
_PROSE = late(r"[.,;!?)\"'`\u201d\u2019](?:\s|\Z)|[^\S\n]+\w")  # A sentence goes on or ends.
_NUMBER = late(r"[ \t]\d{1,3}(?=:)")  # `Action Input 1:` is a label, as `Action Input:` is.
_LINE = late(r"(?:\A|\n)[ \t]*\Z")
_CLOSED = late(
    r"(?:(?:(?<![\w,] )[}\])]|[}\])][\"']|[\"'])|</[^<>\n]{1,128}>"
    r"|<[|\uff5c][^<>\n]{0,64}end[^<>\n\w]{0,2}>)\s{0,64}\Z"
)
"""The text before the closer of a call, such as another closer: `</value>`, `<|argument:end|>`."""
_CLOSER = late(r"</[^<>\n]{1,128}>\s{0,64}\Z")

_CLOSING_LINE = late(r"(?m:^[ \t]{0,3}(?:(?:</|--- )[\w.-]{1,64}>?|[A-Z_][A-Z\d_]{1,63})[ \t\r]*$)")
"""A line that is the closer of a value, as `--- body`, `</body>` and the mark of a here-document are."""
_END_OF_ATTRIBUTE = late(r"[^<]*?(?P<end>[\"']\s{0,8}/>)")

_BRACKETS: Final = r"(?P<open>[{\[])|(?P<close>[}\]])|(?P<blank>\s+)"
_PARTS = late(rf"""{_BRACKETS}|"(?:[^"\\]|\\[\s\S])*+"|(?P<odd>")|[^\s{{}}\[\]"]+""")
_PARTS_WITHOUT_STRINGS = late(rf"{_BRACKETS}|[^\s{{}}\[\]]+")


def quotations(text: str) -> list[tuple[int, int]]:
    """Returns the spans of quotations that begin with a character of markup."""
    return [found.span() for found in _QUOTATION.finditer(text)]


def closing_lines(text: str) -> Iterator[re.Match[str]]:
    """Yields the lines of a text that may close a value, such as `--- body` and `EOF`."""
    return _CLOSING_LINE.finditer(text)


def end_of_attribute(text: str) -> re.Match[str] | None:
    """Returns the end of an attribute with that of its element, if no other element opens before.

    As in ` rest"/>` behind `<f x="first "/>`: the quote inside the value is not escaped.
    """
    return _END_OF_ATTRIBUTE.match(text) if "/>" in text else None


def is_quoted(text: str, place: int) -> bool:
    """Whether a place is right behind a quote, or in its line behind an open backtick."""
    line = text[max(0, place - NEAR) : place].rpartition("\n")[2]
    return line.count("`") % 2 == 1 or line[-1:] in _QUOTES


def is_label(text: str, start: int, end: int) -> bool:
    """Whether a span is a word with a colon at the beginning of a line, and text follows it."""
    begins_line = _LINE.search(text[max(0, start - NEAR) : start]) is not None
    return begins_line and text[end - 1] == ":" and not text[end:].isspace() and end < len(text)


def holds_object(text: str, place: int) -> bool:
    """Whether there is a complete object or list at a place of a text."""
    depth, tags = 0, _TAGS.match(text, place)
    for part in _parts(text, tags.end() if tags else place):
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth -= 1
        # Something else than an object or a list is there.
        elif not depth and not part["blank"]:
            return False
        if part["close"] and depth <= 0:
            return depth == 0
    return False


def _parts(text: str, place: int) -> Iterator[re.Match[str]]:
    """Yields the brackets, the white space, the strings and the other parts of a text from a place on."""
    for part in _PARTS.finditer(text, place):
        yield part
        # Behind an unclosed quote there are no more strings: searching the end of a string at each
        # quote would be quadratic.
        if part["odd"]:
            yield from _PARTS_WITHOUT_STRINGS.finditer(text, part.end())
            return


def closes_more(text: str, place: int) -> bool:
    """Whether there is a closing brace behind a place whose opening brace is missing in the text.

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
    r"""Whether the markup at a place of a text is used as in a call.

    >>> text = 'Write <tool_call> and </tool_call>.'
    >>> is_used(text, 6, 17)
    False
    >>> is_used('<tool_call>\n{"city": "Oslo"}', 0, 11)
    True

    Args:
        text: the text.
        start: the offset of the markup.
        end: the offset of its end; the rest of an unclosed tag belongs to it.
    """
    first = start
    # In `**Action Input**: {` the sign is `Action Input`; the stars belong to it.
    while start and text[start - 1] in _MARKS:
        start -= 1
    # A quote before the end of a tag belongs to an attribute, before a bracket to a value, before the
    # end of a special token to that.
    is_end = text[start] in ">}])" or text.startswith("|>", start)
    if not is_end and is_quoted(text, start):
        return False
    # `…</value></tool_call>`: another closer precedes the closer.
    if text.startswith("</", first) and _CLOSER.search(text[max(0, first - NEAR) : first]):
        return True
    before, behind = text[max(0, start - NEAR) : start], text[end : end + 2 * NEAR]
    # `…}</tool_call>`: right behind a bracket, a closer is used. A sentence mentions it behind a word:
    # `close it with </tool_call>`.
    if _CLOSED.search(before) or _CLOSED.search(text[max(0, first - NEAR) : first]):
        return True
    last = max(text.rfind("<", start, end), text.rfind("[", start, end))
    # The sign may be the beginning of a tag, such as `<invoke`: the attributes belong to it.
    if last >= 0 and text.find(">", last, end) < 0 and text.find("]", last, end) < 0:
        rest = _REST.match(behind)
        behind = behind[rest.end() :] if rest else behind
    tags = _TAGS.match(behind)
    # In `<calls><call>{"name": …` the tags behind the opener are skipped: the brace decides.
    inner = behind[tags.end() :] if tags else behind
    if number := _NUMBER.match(inner):
        inner = inner[number.end() :]
    if _STRUCTURE.match(behind) or _STRUCTURE.match(inner):
        return True
    return bool(begins(before) and not _PROSE.match(inner) and _BEHIND.match(inner))


def touches(before: str, behind: str) -> bool:
    """Whether text follows right behind a bracket, as in a value that does not end there."""
    return before in ("}", "]") and (behind.isalnum() or behind in ('"', "'", ":"))
