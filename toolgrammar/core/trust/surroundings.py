r"""Detects in the text before a call that the call is only shown: quoted, in an element, or in a value.

Examples: `They wrote:\n\n> ` ends with the beginning of a quotation, and `See \begin{verbatim}` in an
environment that is printed as it is, up to `\end{verbatim}`. `{"body": "see ` ends inside a string, and a
call behind it may be part of the string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.named_tools import properties_of
from toolgrammar.core.evidence.paired_marks import PAIRED_MARKS
from toolgrammar.core.evidence.reasoning_marks import REASONING_CLOSERS
from toolgrammar.core.evidence.used import is_used
from toolgrammar.core.machine.near_marks import is_near
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.values.tools import ToolSpec

_QUOTING_LINE = late(
    r" {0,3}(?:[>$]+ |>+\Z)|[ \t]*(?://+|#+|--|;;?|%)[ \t]|\+[ \t]*\Z|-(?:[ \t]{4,64})?\Z"
)
"""The beginning of a line that is a quotation, `> <tool_call>`, a comment in code, or a line of a diff.
`> ` and `$ ` are also prompts of a shell; without a blank, the call follows directly. A call behind `- `
is an item of a list."""
STRAIGHT: Final = ('"', "'")
"""Marks of quotations that are common in code as well, so that they only count right beside a call."""
_CLOSED_BY: Final[dict[str, tuple[str, ...]]] = {
    **PAIRED_MARKS,
    "\u201d": ("\u201d",), "\u2018": ("\u2019",), "\u2019": ("\u2019",), "\u201a": ("\u2018", "\u2019"),
    "\u00bb": ("\u00ab", "\u00bb"), "\u2039": ("\u203a",), "\uff62": ("\uff63",), "\uff02": ("\uff02",),
    "\u3008": ("\u3009",), "\u3010": ("\u3011",), "\u3014": ("\u3015",), "\uff08": ("\uff09",),
    "\uff3b": ("\uff3d",), "\u05f4": ("\u05f4",), '"""': ('"""',), "'''": ("'''",),
    "~~~": (), "(": (")",), "[": ("](",), "|": ("|",), "{{": ("}}",), "$$": ("$$",),
    "/*": ("*/",), "(*": ("*)",), "{-": ("-}",), "{#": ("#}",), "<#": ("#>",), "<%#": ("%>",),
    "--[[": ("]]",),
}  # fmt: skip
"""The closing marks of each opening mark of a quotation: `~~` strikes text out, brackets set it apart,
`|` encloses the cell of a table, `{#` a comment. Full-width brackets of Chinese and Japanese are brackets,
too. A fence of tildes opens a block of code."""
_LONGEST_MARK: Final = max(map(len, _CLOSED_BY))
_LABEL = late(r"(?<!\w)(?P<mark>[^\w\s]{1,3})\w{1,32}:[ \t]{0,8}\r?\n\s{0,64}\Z")
"""A word on the line above a call, with the mark before it: `(Action:`; not `(I look:`."""
_LONGEST_LABEL: Final = 128
"""The maximal number of characters of a label with its mark and the white space behind it."""
_TAGS: Final = (
    "pre|code|blockquote|q|samp|kbd|xmp|textarea|template|script|style|details|del|s|strike"
    "|examples?|samples?|quotes?|documents?|instructions?|system|system-reminder|user|human|prompt"
    "|think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|draft"
    "|e-?mail|web_?page|search_results?|observation"
)
"""Tags of HTML that show text, tags of examples and documents in prompts, and tags of reasoning in
formats without reasoning. All of them count in capitals, too."""
_THOUGHTS: Final = {opener.lower(): closer.lower() for closer, opener in REASONING_CLOSERS.items()}
"""The openers of reasoning of any model, each with its closer."""
# Each alternative begins with a character of its own, outside of groups: `re` skips what begins none.
# A line end is put before the text, so that the first line is like the others.
_ELEMENT = late(
    rf"\n[ \t]*(?:<(?P<tag>{_TAGS})(?:[ \t][^<>\n]{{0,256}})?>|(?P<c>/\*)"
    rf"|(?P<thought>{'|'.join(map(re.escape, _THOUGHTS))})"
    r"|#\+begin_(?P<org>src|example|quote|comment)\b"
    r"|\{(?P<jira>code|noformat|quote)(?::[^}\n]{0,64})?\}[ \t\r]*$"
    r"|(?P<ruby>=begin)[ \t\r]*$|:::[ \t]?(?P<pandoc>example|quote|code)\b"
    r"|\[(?:source|listing)[^\]\n]{0,64}\][ \t\r]*\n(?P<adoc>-{4,16})[ \t\r]*$)"
    r"|<!(?P<comment>--)|<!(?P<cdata>\[cdata)|\[(?P<forum>code|quote)(?:=[^\]\n]{0,64})?\](?!\()"
    r"|\\begin\{(?P<latex>verbatim|lstlisting|minted|quote|quotation|comment)\}"
    r"|\{%-?[ ]?(?P<template>comment|raw|verbatim)\b|\{(?P<mustache>\{!--)|<(?P<erb>%--)",
    re.MULTILINE,
)
"""The opener of an element whose text is only shown or dropped, such as `<pre>` or `<!--`, in small letters."""
_ENDS: Final = {
    "tag": "</{}>",
    "c": "*/",
    "org": "#+end_{}",
    "jira": "{{{}}}",
    "ruby": "=end",
    "pandoc": ":::",
    "adoc": "{}",
    "comment": "-->",
    "cdata": "]]>",
    "forum": "[/{}]",
    "latex": "\\end{{{}}}",
    "template": "end{}",
    "mustache": "--}}}}",
    "erb": "--%>",
}
"""The closer of an element for each group of its opener; `{}` is the text of the group."""

_HEAD_OF_BLOCK = late(
    r"^(?:[ \t]*(?:async[ \t]+)?(?:def|class|for|while|if|elif|else|try|except|finally|with|match|case)"
    r"\b[^\n]*:|[^\n]*(?:\{|::))[ \t\r]*$|^[ \t]{0,64}\.\. (?:\w{1,32}:)?[\w+-]{1,64}::",
    re.MULTILINE,
)
"""A line of code that an indented block follows, whose content runs later, repeatedly or never; or one
that ends with `::`, as before code in reStructuredText, or its directive `.. code-block:: xml`."""
_LAST: Final = 4096
"""The number of characters before a call in which the head of its block is searched."""


def may_begin_block(text: str) -> bool:
    """Whether a line of a text is the head of a block of code."""
    return _HEAD_OF_BLOCK.search(text) is not None


def is_in_block(text: str, indent: int) -> bool | None:
    """Whether a call behind a text is inside an indented block of code; None if the text does not show it.

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
    """Whether the line that begins at an index is a quotation, such as one with `> `."""
    return _QUOTING_LINE.match(text, start) is not None


def element_around(text: str, closer: str) -> str:
    """Returns the closer of the element that a call behind a text is in; "" if it is in none.

    Args:
        text: the text since the last call.
        closer: the result for that call, since elements go on over calls up to their closer.
    """
    # The tags of HTML have no case, and other marks are no others in capitals.
    text, place = f"\n{text.lower()}", 0
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
        written = opener[group]
        closer = _THOUGHTS[written] if group == "thought" else _ENDS[group].format(written)


def closing_marks(text: str) -> tuple[str, ...]:
    """Returns the closing marks of the quotation whose opening mark a text ends with; () if none.

    A label such as `Action:` may stand between the mark and the call, on the line above.
    """
    written = text.rstrip()
    if written.endswith(":") and (label := _LABEL.search(text[-_LONGEST_LABEL:])):
        text = written = label["mark"]
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


_LAST_VALUE: Final = 4096
"""The number of characters before a call in which an open value is searched."""
_TAG = late(r"<(?P<close>/?)(?P<name>[A-Za-z_][\w.:-]{0,64})(?P<rest>[^<>]{0,256})>")
_INTO = late(
    r"(?:[:=(,\[{]\s{0,8}[\"']|<[A-Za-z_][\w.:|-]{0,64}(?:[ =][^<>/]{0,256})?>?"
    r"|[\"'\s,{][\w.-]{1,64}[\"']{1,2} ?(?::\w?|\w)\s{0,8})\Z"
)
"""The text before a value: the opening quote of a string, a tag, or a key with its colon."""
_WORD_IN_TAGS = late(r"(?:\w|\S[ \t]{1,8})<[\w.:|-]{1,64}>[ \t\r]{0,8}\n\s*\Z")
"""A tag of one word behind other text, and a line end: `Return a Vec<String>`. A value follows its tag."""
_SECTION = late(r"(?:\A|\n)[ \t]{0,16}<(?:[A-Za-z]{1,16}[_-])?(?:calls|tools|actions)>\s*\Z")
"""A tag alone on its line that says that calls follow, as other formats open their sections with."""
_STRING = late(
    r"""(?:[(,\[{]|(?<=\S)\s{0,8}[:=])\s{0,8}"""
    r"""(?P<quote>["']|<[^\w\s<>/]["\w]{1,16}[^\w\s<>/]>)(?:\\.|(?!(?P=quote)|\\).)*+(?P<end>(?P=quote))?"""
)
"""A string at the place of a value; the mark that opens it, such as `"` or `<|"|>`, closes it. A string
without its end is open. Ordinary tags such as `<b>` are not such marks."""
_HEREDOC = late(
    r"""<<[-~]?[ \t]{0,8}(["']?)(?P<word>[A-Za-z_]\w{0,64})\1[ \t]{0,8}(?:>[^\n]{0,128})?\r?\n"""
)
"""The first line of a here-document, which the shell may write to a file."""
_DASHED = late(r"(?m:^)(?P<key>\w{1,64}) ---[ \t]{0,8}\r?\n")
"""The line before a value that a line `--- body` closes: `body ---`."""
_BLOCK = late(
    r"(?m:^[ \t]{0,64}[\w-]{1,64}:[ \t]{0,8}[|>][+-]?[ \t]{0,8}(?:\r?\n[ \t]++[^\n]*+|\r?\n)++\Z)"
)
"""A block of YAML that goes on to the end of the text: `body: |` and indented lines."""
_LINE_OF_TOOL = late(
    r"(?m:^[^\w\n]{0,16}(?:\w{1,32}[^\w\n]{1,16})?\b(?P<name>[\w.-]{1,128})[^\w\n]{0,16}$)"
)
"""A line with the name of a tool, and at most one word and marks before it: `TOOL: note`."""
_LINE_OF_ARGUMENT = late(r"(?m:^[^\w\n]{0,16}(?P<key>[\w-]{1,64})[^\w\n.,;!?)]{0,8}[^\w\s.,;!?)])")
"""A line that begins with a word and marks, as values do: `body: `, `body ---`."""
_MOST_LINES: Final = 4
"""The maximal number of lines with the name of a tool whose following lines are examined."""


def ends_in_value(text: str, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a text ends inside a value: behind its opening quote, or the tag of an argument or tool."""
    last = text[-_LAST_VALUE:].rstrip()  # white space before a call may belong to it
    # What is open in the tag of an argument or a tool is looked for below, by their names.
    is_markup = _SECTION.search(last) or _WORD_IN_TAGS.search(text[-_LAST_VALUE:])
    if not is_markup and _INTO.search(last):
        return True
    if _has_open_string(last.rpartition("\n")[2]):
        return True
    # With the white space at the end: a call may follow the first line of a here-document.
    if "<<" in last and _has_open_document(text[-_LAST_VALUE:]):
        return True
    if ":" in last and _BLOCK.search(text[-_LAST_VALUE:]):
        return True
    if not tools:
        return False
    if " ---" in last and _has_open_dashes(text[-_LAST_VALUE:], tools):
        return True
    return ("<" in last and _has_open_tag(last, tools)) or _has_argument_line(last, tools)


def _has_open_string(line: str) -> bool:
    """Whether a line ends inside a string that is a value."""
    # Each search continues behind the last string, so that the work is linear.
    return any(found["end"] is None for found in _STRING.finditer(line))


def _has_open_document(text: str) -> bool:
    """Whether a text ends inside a here-document."""
    return any(
        text.find(f"\n{found['word']}", found.end() - 1) < 0 for found in _HEREDOC.finditer(text)
    )


def _has_open_dashes(text: str, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a text ends inside the value of an argument between `body ---` and `--- body`."""
    known = properties_of(tools)
    return any(
        found["key"] in known and text.find(f"\n--- {found['key']}", found.end() - 1) < 0
        for found in _DASHED.finditer(text)
    )


def _has_argument_line(text: str, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a line names a tool, and a later line begins with one of its arguments, such as `body: `."""
    specs = [
        (line.end(), tools[line["name"]])
        for line in _LINE_OF_TOOL.finditer(text)
        if line["name"] in tools
    ]
    if not specs:
        return False
    return any(
        line["key"] in spec.properties
        for start, spec in specs[:_MOST_LINES]
        for line in _LINE_OF_ARGUMENT.finditer(text, start)
    )


def _has_open_tag(text: str, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a text ends inside an element named like an argument or a tool."""
    # Only names of tools and their arguments count, since other tags may be HTML.
    due: list[tuple[str, int, int]] = []
    for tag in _TAG.finditer(text):
        name = tag["name"]
        if not tag["close"]:
            due.append((name, *tag.span()))
        elif name in (opened := [each[0] for each in due]):
            # As in HTML, a closer closes what was left open inside, too.
            del due[opened.index(name) :]
    known = properties_of(tools)
    return any(
        name in known
        or any(is_near(name, tool) for tool in tools)
        or (name in tools and is_used(text, start, end))
        for name, start, end in due
    )
