"""Notes the code that stands around calls: inline code, in which a call is text, and blocks.

Example: in "Write `<tool_call>{}</tool_call>` first." the opener opens no call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.trust.call_or_text import is_inline_code
from toolgrammar.core.trust.quoted_calls import CODE, NESTED
from toolgrammar.grammar.call_evidence import is_of_calls
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.quoted import Blocks

_LAST: Final = 4096
"""The maximal length of inline code that quotes a call, in characters."""
_QUOTED = late(r"[^`]*?(?:[{\[(]\s{0,16}[\"'\w}]|</|<[|\uff5c])[^`]*`")
"""The text behind the opener of a call in inline code, up to the end of the code."""


def report_inline(builder: Builder) -> None:
    """Reports the first call in inline code, which is text.

    Called once, at the end of the message. An opener alone is only a mention of the format.
    """
    place = builder.turns.first_quoted_end
    if place >= 0 and _QUOTED.match(builder.source.slice(place, place + _LAST)):
        message = "Found a call in quoted code; it is text"
        builder.report(CODE, "warning", message, Span(place, place))


def is_inline(builder: Builder, offset: int, first: int) -> bool:
    """Whether a place is in inline code: behind an open backtick in its line, or of code over lines.

    Args:
        builder: the message.
        offset: the place.
        first: the offset from which backticks count.
    """
    turns = builder.turns
    if 0 <= offset - turns.inline_code_end <= _LAST and turns.inline_code_end >= 0:
        between = builder.source.slice(turns.inline_code_end, offset)
        # Inline code may go on over line ends, but not over the end of a paragraph.
        if "`" not in between and "\n\n" not in between.replace("\r\n", "\n"):
            return True
    island_end = builder.calls[-1].span.end if builder.calls else 0
    return is_inline_code(builder.source, offset, max(island_end, first))


def note_quoted(builder: Builder, offset: int, opener: str, *, is_inline: bool = True) -> None:
    """Notes an opener that opens no call because it is in quoted code.

    Args:
        builder: the message.
        offset: the offset of the opener.
        opener: its text.
        is_inline: whether it is in inline code, not in a block.
    """
    turns = builder.turns
    if is_of_calls(opener, ""):
        turns.quote(offset + len(opener), is_inline=is_inline)


def note_block(
    builder: Builder, blocks: Blocks, offset: int, island_end: int, *, is_fence: bool
) -> None:
    """Notes whether an island that opens at an offset is in a block of code.

    Args:
        builder: the message.
        blocks: its blocks of code.
        offset: the offset of the island.
        island_end: the offset of the end of the last island.
        is_fence: whether the opener is a fence itself, which must not count as the fence around it.
    """
    blocks.look(builder.source, offset, island_end)
    fence = blocks.began if not is_fence else NESTED if blocks.may_nest else -1
    builder.turns.stand_in_fence(fence)
