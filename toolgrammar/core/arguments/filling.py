"""Fills the roles of a message with tokens; a token that is an argument is read as a raw payload.

Example: after the key `days`, the token `12` with the role `value` becomes the argument `days`: 12,
if the schema declares an integer, and else "12".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls.role_effects import fill_part, plain_text
from toolgrammar.tools.call_words import takes_words

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder

_PAYLOADS = ("value", "input", "body", "arguments")


def fill_role(builder: Builder, role: str, text: str, start: int, unit: int) -> None:
    """Fills a role with a token.

    Args:
        builder: the message.
        role: the role of the token.
        text: the token as it is written.
        start: its offset.
        unit: the offset of the part that may become a call.
    """
    if fill_part(builder, role, text, start, unit):
        return
    if role == "words":
        _take_words(builder, plain_text(builder, role, text), start, unit)
    elif role in _PAYLOADS:
        # A token is read as a payload of one piece, so that trimming, entities and typing work as
        # for other payloads.
        raws = raws_of(builder)
        raws.begin(role, start, unit, before=False, closes_line=False)
        raws.take(text)
        # A token at the end of the text may be cut: `count=1` where `count=10` was meant.
        raws.end(start + len(text), whole=not raws.cuts_token, is_token=True)


def _take_words(builder: Builder, words: str, start: int, unit: int) -> None:
    """Adds positional words of a call; if its tool has no properties for them, as its input."""
    draft = builder.open_draft(unit)
    draft.begin_arguments(start)
    # The words wait in the draft: their properties depend on the text below them.
    if takes_words(builder.spec()):
        draft.take_words(words.strip())
    else:
        fill_role(builder, "input", words.strip(), start, unit)


def overlooks(builder: Builder, start: int) -> bool:
    """Whether a member that fills no role may be the arguments: an object, in a call without any.

    Another format may have its key as that of the arguments.

    Args:
        builder: the message.
        start: the offset of the member's value.
    """
    draft = builder.draft
    if draft is None or draft.name is None or draft.arguments_start >= 0:
        return False
    return builder.source.slice(start, start + 1) == "{"
