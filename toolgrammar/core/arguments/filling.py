"""Fills the roles of a message with tokens; a token that is an argument is read as a raw payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls.role_effects import fill_part, plain_text
from toolgrammar.tools.call_words import takes_words

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder

_PAYLOADS = ("value", "input", "body", "arguments")


def fill_role(builder: Builder, role: str, text: str, start: int, unit: int) -> None:
    """Takes a token that fills a role.

    Args:
        builder: the message.
        role: what the token fills.
        text: the token as it is written.
        start: its offset.
        unit: the offset of what may become a call.
    """
    if fill_part(builder, role, text, start, unit):
        return
    if role == "words":
        _take_words(builder, plain_text(builder, role, text), start, unit)
    elif role in _PAYLOADS:
        # A token is taken as a payload of one piece, so that trimming, entities and typing are the
        # same.
        raws = raws_of(builder)
        raws.begin(role, start, unit, before=False, closes_line=False)
        raws.take(text)
        # A token at the end of the text may be half of one: `count=1` where `count=10` was meant.
        raws.end(start + len(text), whole=not raws.cuts_token, is_token=True)


def _take_words(builder: Builder, words: str, start: int, unit: int) -> None:
    """Takes words on the line of a call; where no property waits for them, as its input."""
    draft = builder.open_draft(unit)
    draft.begin_arguments(start)
    # The words wait in the draft: which property each is shows when the text below them is known.
    if takes_words(builder.spec()):
        draft.take_words(words.strip())
    else:
        fill_role(builder, "input", words.strip(), start, unit)


def overlooks(builder: Builder, start: int) -> bool:
    """Whether the member of a call that begins at an offset, and fills no role, is an object.

    Before the call has any arguments, that may be them: another format may know their key.
    """
    draft = builder.draft
    if draft is None or draft.name is None or draft.arguments_start >= 0 or start < 0:
        return False
    return builder.source.slice(start, start + 1) == "{"
