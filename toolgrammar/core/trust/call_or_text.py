"""Judges whether the text read so far is a call, if several formats are read.

Example: `<search>` is a call if `search` is a known tool, and else may be a tag of HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.source import Source

_NAME = late(r"[^\W\d][\w.\-:/@]{0,127}(?: [\w.\-:/@]{1,64}){0,3}")
"""The expression of names of tools."""
_FENCE_LINE = late(r"(?:`{3,}|~{3,}+)[ \t]*+[^\s`]*\s*")
_WORD_TAG = late(r"<[a-z]+>\s*")
_TAG = late(r"<([\w.-]{1,64})>")
_AS_PROSE = late(r"`{3,}|~{3,}|<[a-z]+>")
_BACKTICKS = late("`+")
_LONGEST_WORD = 64
_FIRST_KEY = late(rf"""\s*\{{\s*["'`\u201c]?([\w$-]{{0,{_LONGEST_WORD}}})([^\w$"'`\u201d:-]?)""")
"""The first word of an object's first key, and what follows it."""
_FENCE_MARKS = "```"
_FENCE = 3
"""The number of backticks that open a block of code."""
_NEAR = 1024
"""The number of characters before a place in which an open backtick is searched."""


class NotACall(Exception):  # noqa: N818 - no error: what was read is text, or another format's
    """Raised if the text is not a call of this format."""


def is_name(name: str) -> bool:
    """Whether a tool may have this name."""
    return _NAME.fullmatch(name) is not None


def is_inline_code(source: Source, offset: int, island_end: int) -> bool:
    """Whether a place is in inline code, behind an opening backtick: there markup is only mentioned.

    The backtick is searched on the same line, near the place, behind the last island (`island_end`).
    """
    # Behind the last island, since a backtick in the arguments of a call does not open inline code.
    line = source.slice(max(island_end, offset - _NEAR), offset).rpartition("\n")[2]
    return "`" in line and ends_in_code(line)


def ends_in_code(line: str) -> bool:
    """Whether inline code is open at the end of a line: it is closed by the same number of backticks."""
    opened = 0
    line = line.rpartition("\r")[2]  # which ends a line, too
    for run in _BACKTICKS.finditer(line):
        length = run.end() - run.start()
        if opened:
            opened = 0 if length == opened else opened
        # Three backticks at the beginning of a line are a fence.
        elif length < _FENCE or line[: run.start()].strip():
            opened = length
    return opened > 0


def is_code_block(opener: str) -> bool:
    """Whether an opener is only a fence of Markdown with a language, as of code in prose."""
    return _FENCE_LINE.fullmatch(opener) is not None


def length_as_evidence(opener: str) -> int:
    """Returns the length of an opener; for a block of code without the language.

    A format whose opener contains the language is not more likely than one that reads it as a role.
    """
    return len(opener) - len(opener.lstrip(opener[:1])) if is_code_block(opener) else len(opener)


def is_markup(opener: str) -> bool:
    """Whether an opener is only a tag with one plain word, such as `<code>`, which HTML has, too."""
    return _WORD_TAG.fullmatch(opener) is not None


def tag_of_tool(text: str, place: int, tools: Container[str]) -> bool:
    """Whether there is a tag at a place whose only word is the name of a given tool."""
    found = _TAG.match(text, place)
    return found is not None and found[1] in tools


def opens_as_prose(text: str, place: int) -> bool:
    """Whether the opener at a place begins like a block of code or a tag with one word."""
    return _AS_PROSE.match(text, place) is not None


def is_shown_block(builder: Builder, opener: str, signs: Iterable[str]) -> bool:
    """Whether an opener is that of a file or a diff in a block of code, as answers show them.

    Example: a file's name and a fence write the file, but not if the caller has no tool to write files.

    Args:
        builder: the content of the message, with the open call.
        opener: the text that opened it.
        signs: the signs of calls in its format; with one of them it is no mere block.
    """
    draft = builder.draft
    # The text contains no name if the format calls a tool of its own.
    is_of_format = draft is not None and draft.name in builder.header.names.values()
    if not (is_of_format and names_a_tool(builder) is False and _FENCE_MARKS in opener):
        return False
    return not any(sign in opener for sign in signs)


def begins_its_arguments(builder: Builder, text: str, place: int) -> bool:
    """Whether an object begins with an argument of the open call's tool, or has none."""
    spec, key = builder.spec(), _FIRST_KEY.match(text, place)
    # Without a known tool there is no evidence against the object.
    if spec is None or key is None:
        return spec is None
    word, behind = key.groups()
    if word in spec.properties or (not word and behind == "}"):
        return True
    # The expression stops at a character that no plain key has, as in `user name`: compare the
    # rest.
    rests = [name[len(word) :] for name in spec.properties if name.startswith(word)]
    if behind == "\\":
        return any(rest and not rest[0].isascii() for rest in rests)  # written as an escape
    if behind:
        return any(rest.startswith(behind) for rest in rests)
    # A key of this length was cut by the expression, not by the model.
    return len(word) == _LONGEST_WORD and bool(rests)


def names_a_tool(builder: Builder) -> bool | None:
    """Whether the open call names a known tool; None if no tools are known."""
    draft = builder.draft
    if draft is None or draft.name is None or not builder.tools:
        return None
    return draft.name in builder.tools
