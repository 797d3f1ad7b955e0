r"""Finds, in the text before a call, what shows the call to a reader instead of making it.

Example: the text `They wrote:\n\n> ` begins a line that quotes, and `See \begin{verbatim}` an
environment that prints what stands in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

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


class _Element(NamedTuple):
    """Markup whose text is shown, or dropped, and never read."""

    sign: str
    """What its opener contains."""
    opener: re.Pattern[str]
    closer: re.Pattern[str]
    where: str
    """Where a call in it stands."""


_ELEMENTS: Final = (
    _Element("<!--", late("<!--"), late("-->"), "in a comment, which nobody sees"),
    _Element(
        "<pre",
        late(r"^[ \t]*<pre(?:\s[^<>]{0,256})?>", re.MULTILINE),
        late("</pre>"),
        "in an element that shows text",
    ),
    _Element("<![CDATA", late(r"<!\[CDATA"), late("]]>"), "in CDATA, which is text"),
    _Element("/*", late(r"^[ \t]*/\*", re.MULTILINE), late(r"\*/"), "in a comment of code"),
    _Element(
        "[",
        late(r"\[(?:code|quote)(?:=[^\]\n]{0,64})?\]"),
        late(r"\[/(?:code|quote)\]"),
        "in a block that a forum shows",
    ),
    _Element(
        "\\begin{",
        late(r"\\begin\{(?:verbatim|lstlisting|minted|quote|quotation|comment)\}"),
        late(r"\\end\{"),
        "in an environment of LaTeX that prints text",
    ),
    _Element(
        "#+",
        late(r"^[ \t]*#\+begin_(?:src|example|quote|comment)\b", re.MULTILINE | re.IGNORECASE),
        late(r"#\+end_", re.IGNORECASE),
        "in a block of Org that shows text",
    ),
)
"""Of HTML, XML, code, forums, LaTeX and Org. They go on over calls, up to their end."""


def is_quoting_line(text: str, start: int) -> bool:
    """Whether the line that begins at an index quotes what follows it, as `> ` does."""
    return _QUOTING_LINE.match(text, start) is not None


def may_show(text: str) -> bool:
    """Whether a text may open an element: a look that costs little."""
    return "<" in text or "[" in text or "/*" in text or "\\" in text or "#+" in text


def element_around(text: str, before: str) -> str:
    """Returns in which element a call behind a text stands; "" if in none.

    Args:
        text: the text since the last call.
        before: the same of that call.
    """
    for element in _ELEMENTS:
        is_inside = before == element.where
        if (is_inside or element.sign in text) and _stands_in(element, text, is_inside=is_inside):
            return element.where
    return ""


def _stands_in(element: _Element, text: str, *, is_inside: bool) -> bool:
    """Whether an element is open at the end of a text, given whether it was at the beginning."""
    place = 0
    while True:
        expression = element.closer if is_inside else element.opener
        found = expression.search(text, place)
        if found is None:
            return is_inside
        place, is_inside = found.end(), not is_inside


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
