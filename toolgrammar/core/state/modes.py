"""Declares the functions of the modes that the driver's loop calls.

Example: in `Hi <tool_call>` the mode `text` emits `Hi `, then the mode `tokens` reads
`<tool_call>`. The modes are functions of the driver, in `core.driver`. They are passed in, so
imports point one way:

- *text* (`reading_text`) searches for the next opener that the node accepts, emits the text before
  it, and holds back the shortest suffix that may still become an opener;
- *token* (`reading_tokens`) reads the envelope inside an island token by token, with one regular
  expression for each node;
- *payload* (`reading_payloads`) passes the text to a scanner, for JSON or for Python arguments,
  until its value is complete;
- *raw* (`raw.reader`) reads text without escapes up to the closer that `raw_end` finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

D = TypeVar("D")
"""The type of the driver, a variable so that this module does not import it."""


class Modes(NamedTuple, Generic[D]):
    """The functions of the modes that the loop calls."""

    text: Callable[[D], bool]
    """Emits text up to the next opener."""
    tokens: Callable[[D], bool]
    """Reads one token of an envelope."""
    finish: Callable[[D], None]
    """Ends the message when its text has ended."""
    give_back: Callable[[D], None]
    """Gives an island back as text that turned out not to be a call."""


class RawMode(Protocol):
    """The raw payload that is read, as far as the driver's state needs it."""

    def moved(self, by: int) -> None:
        """Notes that the first characters of the driver's buffer were dropped."""
