"""Judges, where several formats are read, whether what was read so far is a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Container

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
_FENCE = 3
"""Backticks in a row that open a block of code."""
_NEAR = 1024
"""Characters before a place in which a backtick tells that it is quoted."""


class NotACall(Exception):  # noqa: N818 - no error: what was read is text, or another format's
    """Raised if the text is not a call of this format."""


def is_name(name: str) -> bool:
    """Whether a tool may have this name."""
    return _NAME.fullmatch(name) is not None


def is_inline_code(source: Source, offset: int, free: int) -> bool:
    """Whether a place stands behind a backtick that opens: `<tool_call>` in a sentence is a word.

    The backtick is looked for on the same line, near the place, behind the last island (`free`).
    """
    # Behind the last island: a backtick in the arguments of a call opens nothing in the text.
    line = source.slice(max(free, offset - _NEAR), offset).rpartition("\n")[2]
    return "`" in line and ends_in_code(line)


def ends_in_code(line: str) -> bool:
    """Whether inline code is open at the end of a line: as many backticks as open it close it."""
    opened = 0
    line = line.rpartition("\r")[2]  # which ends a line, too
    for run in _BACKTICKS.finditer(line):
        length = run.end() - run.start()
        if opened:
            opened = 0 if length == opened else opened
        # Three of them where a line begins are a fence.
        elif length < _FENCE or line[: run.start()].strip():
            opened = length
    return opened > 0


def is_code_block(opener: str) -> bool:
    """Whether what opens is no more than a fence of Markdown with its language: code in prose."""
    return _FENCE_LINE.fullmatch(opener) is not None


def length_as_evidence(opener: str) -> int:
    """Returns the length of an opener, of a block of code without its language.

    A format that has the language in its opener is no more likely than one that reads it.
    """
    return len(opener) - len(opener.lstrip(opener[:1])) if is_code_block(opener) else len(opener)


def is_markup(opener: str) -> bool:
    """Whether what opens is no more than a tag of one plain word: `<code>` in a page of HTML."""
    return _WORD_TAG.fullmatch(opener) is not None


def tag_of_tool(text: str, place: int, tools: Container[str]) -> bool:
    """Whether a tag stands at a place whose only word is the name of a given tool."""
    found = _TAG.match(text, place)
    return found is not None and found[1] in tools


def opens_as_prose(text: str, place: int) -> bool:
    """Whether what opens at a place begins as a block of code or a tag of one word does."""
    return _AS_PROSE.match(text, place) is not None


def begins_its_arguments(builder: Builder, text: str, place: int) -> bool:
    """Whether an object begins with an argument of the open call's tool, or has none."""
    spec, key = builder.spec(), _FIRST_KEY.match(text, place)
    # Without a known tool nothing can be told against the object.
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
    # So long a key was cut by the expression, not by the model.
    return len(word) == _LONGEST_WORD and bool(rests)


def names_a_tool(builder: Builder) -> bool | None:
    """Whether the open call names a known tool; None where no tools are known."""
    draft = builder.draft
    if draft is None or draft.name is None or not builder.tools:
        return None
    return draft.name in builder.tools
