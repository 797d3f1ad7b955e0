r"""Tells whether a text ends inside a value: a call that stands there may be a part of that.

Example: `{"title": "t", "body": "see ` ends in a string, `body <<EOF\nsee ` in a here-document, and
with a tool that has an argument `body`, `<body>see ` in a tag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.named_tools import properties_of
from toolgrammar.core.evidence.used import is_used
from toolgrammar.core.machine.near_marks import is_near
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.values.tools import ToolSpec

_LAST: Final = 4096
"""Characters before a call in which a value may be open."""
_TAG = late(r"<(?P<close>/?)(?P<name>[A-Za-z_][\w.:-]{0,64})(?P<rest>[^<>]{0,256})>")
_INTO = late(
    r"(?:[:=(,\[{]\s{0,8}[\"']|<[A-Za-z_][\w.:|-]{0,64}(?:[ =][^<>/]{0,256})?>?"
    r"|[\"'\s,{][\w.-]{1,64}[\"']{1,2} ?(?::\w?|\w)\s{0,8})\Z"
)
"""What leads into a value: a string that opens, a tag, or a key with its colon."""
_STRING = late(
    r"""(?:[(,\[{]|(?<=\S)\s{0,8}[:=])\s{0,8}"""
    r"""(?P<quote>["']|<[^\w\s<>/]["\w]{1,16}[^\w\s<>/]>)(?:\\.|(?!(?P=quote)|\\).)*+(?P<end>(?P=quote))?"""
)
"""A string where values stand; the mark that opens it, as `"` or `<|"|>`, closes it. One that lacks its
end is open. `<b>` is a tag of any text, and no such mark."""
_HEREDOC = late(r"""<<[-~]?[ \t]{0,8}(["']?)(?P<word>[A-Za-z_]\w{0,64})\1[ \t]{0,8}\n""")
_BLOCK = late(
    r"(?m:^[ \t]{0,64}[\w-]{1,64}:[ \t]{0,8}[|>][+-]?[ \t]{0,8}(?:\n[ \t]++[^\n]*+|\n)++\Z)"
)
"""A block of YAML that goes on to the end: `body: |` and lines that are indented."""
_LINE_OF_TOOL = late(
    r"(?m:^[^\w\n]{0,16}(?:\w{1,32}[^\w\n]{1,16})?\b(?P<name>[\w.-]{1,128})[^\w\n]{0,16}$)"
)
"""A line with the name of a tool, one word before it at most and marks: `TOOL: note`."""
_LINE_OF_ARGUMENT = late(r"(?m:^[^\w\n]{0,16}(?P<key>[\w-]{1,64})[^\w\n.,;!?)]{0,8}[^\w\s.,;!?)])")
"""A line that begins with a word and marks, as values do: `body: `, `body ---`."""
_MOST_LINES: Final = 4
"""Lines with the name of a tool that are looked behind."""


def ends_in_value(text: str, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a text ends in a value: behind its quote, or a tag of an argument or near a tool's."""
    last = text[-_LAST:].rstrip()  # white space before a call may belong to it
    if _INTO.search(last) or _has_open_string(last.rpartition("\n")[2]):
        return True
    # With the white space: a call may stand right behind the first line of the document.
    if "<<" in last and _has_open_document(text[-_LAST:]):
        return True
    if ":" in last and _BLOCK.search(text[-_LAST:]):
        return True
    if not tools:
        return False
    return ("<" in last and _has_open_tag(last, tools)) or _has_argument_line(last, tools)


def _has_open_string(line: str) -> bool:
    """Whether a line ends in a string that is a value."""
    # Each search goes on behind the last string, so that work is linear.
    return any(found["end"] is None for found in _STRING.finditer(line))


def _has_open_document(text: str) -> bool:
    """Whether a text ends in a here-document."""
    return any(
        text.find(f"\n{found['word']}", found.end() - 1) < 0 for found in _HEREDOC.finditer(text)
    )


def _has_argument_line(text: str, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a line names a tool, and a later one begins with an argument of it, as `body: `."""
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
    """Whether a text ends in a tag of an argument, or of a tool."""
    # Only names of tools and their arguments tell: other tags are those of any HTML.
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
