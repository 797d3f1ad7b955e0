r"""Finds, in the text before a call, what shows the call to a reader instead of making it.

Example: the text `They wrote:\n\n> ` begins a line that quotes, and `See \begin{verbatim}` an
environment that prints what stands in it, up to `\end{verbatim}`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUOTING_LINE = late(r" {0,3}[>$]+ |[ \t]*(?://+|#+|--|;;?|%)[ \t]|[-+]\Z")
"""What begins a line that quotes, `> <tool_call>`, that code has as a comment, or that a diff shows.
`> ` and `$ ` are prompts of a shell, too."""
STRAIGHT: Final = ('"', "'")
"""Marks that open and close quotations, and are marks of code, too: they count right beside a call."""
_CLOSED_BY: Final[dict[str, tuple[str, ...]]] = {
    "\u201c": ("\u201d",), "\u201d": ("\u201d",), "\u201e": ("\u201c", "\u201d"),
    "\u2018": ("\u2019",), "\u2019": ("\u2019",), "\u201a": ("\u2018", "\u2019"),
    "\u00ab": ("\u00bb",), "\u00bb": ("\u00ab", "\u00bb"), "\u2039": ("\u203a",),
    "\u300c": ("\u300d",), "\u300e": ("\u300f",), '"""': ('"""',), "'''": ("'''",),
    "~~": ("~~",), "~~~": (), "(": (")",), "[": ("](",), "|": ("|",), "{{": ("}}",), "$$": ("$$",),
    "/*": ("*/",),
}  # fmt: skip
"""By the mark that opens a quotation, those that close it: `~~` strikes text out, brackets set it
apart, `|` stands around the cell of a table. A fence of tildes opens a block of code."""
_LONGEST_MARK: Final = max(map(len, _CLOSED_BY))
_TAGS: Final = (
    "pre|code|blockquote|q|samp|kbd|xmp|textarea|template|script|style|details|del|s|strike"
    "|examples?|samples?|quotes?|documents?|instructions?|system|system-reminder|user|human|prompt"
    "|think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|draft"
)
"""Tags of HTML that show text, of prompts that give examples and texts, and of thoughts in formats
that have no such tag themselves."""
_ELEMENT = late(
    rf"^[ \t]*(?:<(?P<tag>{_TAGS})(?:[ \t][^<>\n]{{0,256}})?>|(?P<c>/\*)"
    r"|#\+begin_(?P<org>src|example|quote|comment)\b|#\+BEGIN_(?P<ORG>SRC|EXAMPLE|QUOTE|COMMENT)\b)"
    r"|(?P<comment><!--)|(?P<cdata><!\[CDATA)|\[(?P<forum>code|quote)(?:=[^\]\n]{0,64})?\]"
    r"|\\begin\{(?P<latex>verbatim|lstlisting|minted|quote|quotation|comment)\}",
    re.MULTILINE,
)
"""What opens an element: markup whose text is shown, or dropped, and never read."""
_ENDS: Final = {
    "tag": "</{}>",
    "c": "*/",
    "org": "#+end_{}",
    "ORG": "#+END_{}",
    "comment": "-->",
    "cdata": "]]>",
    "forum": "[/{}]",
    "latex": "\\end{{{}}}",
}
"""What closes an element, by the group of its opener, around the text of the group."""

_HEAD_OF_BLOCK = late(
    r"^(?:[ \t]*(?:async[ \t]+)?(?:def|class|for|while|if|elif|else|try|except|finally|with|match|case)"
    r"\b[^\n]*:|[^\n]*\{)[ \t\r]*$",
    re.MULTILINE,
)
"""A line of code whose block follows, indented: what stands there runs later, often or never."""
_LAST: Final = 4096
"""The most characters before a call in which the head of its block is looked for."""


def may_begin_block(text: str) -> bool:
    """Whether a line of a text is the head of a block of code."""
    return _HEAD_OF_BLOCK.search(text) is not None


def is_in_block(text: str, indent: int) -> bool | None:
    """Whether a call behind a text stands in a block of code; None if the text does not tell.

    Args:
        text: the text since the last call, up to the line of this one.
        indent: the white space before the call in its line, in characters.
    """
    for line in reversed(text[-_LAST:].split("\n")):
        written = line.lstrip(" \t")
        # A line above that is indented less may be the head of the block.
        if written.strip() and len(line) - len(written) < indent:
            indent = len(line) - len(written)
            if _HEAD_OF_BLOCK.match(line):
                return True
        if not indent:
            return False
    return None


def is_quoting_line(text: str, start: int) -> bool:
    """Whether the line that begins at an index quotes what follows it, as `> ` does."""
    return _QUOTING_LINE.match(text, start) is not None


def element_around(text: str, closer: str) -> str:
    """Returns what closes the element in which a call behind a text stands; "" if it is in none.

    Args:
        text: the text since the last call.
        closer: the same of that call: elements go on over calls, up to their end.
    """
    # A look for these characters costs little, and most texts have none of them.
    may_open = "<" in text or "[" in text or "/*" in text or "\\" in text or "#+" in text
    if not (closer or may_open):
        return ""
    place = 0
    while True:
        if closer:
            end = text.find(closer, place)
            if end < 0:
                return closer
            place = end + len(closer)
        opener = _ELEMENT.search(text, place)
        if opener is None or opener.lastgroup is None:
            return ""
        place, group = opener.end(), opener.lastgroup
        closer = _ENDS[group].format(opener[group])


def closing_marks(text: str) -> tuple[str, ...]:
    """Returns what closes the quotation that a text ends in the opening mark of; () if there is none."""
    written = text.rstrip()
    for length in range(_LONGEST_MARK, 0, -1):
        found = _CLOSED_BY.get(written[-length:])
        if found is not None:
            return found
    return (text[-1],) if text.endswith(STRAIGHT) else ()


def are_closed(marks: Sequence[str], behind: str) -> bool:
    """Whether a text behind a call closes the quotation that the text before it opens.

    Args:
        marks: what `closing_marks` returned for the text before.
        behind: the text behind the call.
    """
    is_straight = len(marks) == 1 and marks[0] in STRAIGHT
    return (behind if is_straight else behind.lstrip()).startswith(tuple(marks))
