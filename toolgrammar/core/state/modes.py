"""Names what the driver's loop calls of the modes, which stand above it.

Example: in `Hi <tool_call>` the mode `text` emits `Hi `, then the mode `tokens` reads `<tool_call>`.
The modes are functions of the driver, in `core.driver`, and are handed in, so imports point one way:

- *text* (`reading_text`): it looks for the next opener that the node takes, gives out what stands
  before it, and holds back the shortest tail that may still become an opener;
- *token* (`reading_tokens`): inside an island it reads one token of the envelope after the other,
  with one regular expression a node;
- *payload* (`reading_payloads`): a scanner for JSON or for Python arguments owns the text until
  its value is whole;
- *raw* (`raw.reader`): text without escapes runs up to the closer that `raw_end` finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

D = TypeVar("D")
"""The driver."""


class Modes(NamedTuple, Generic[D]):
    """What the loop calls of the modes."""

    text: Callable[[D], bool]
    """Emits text up to the next opener."""
    tokens: Callable[[D], bool]
    """Reads one token of an envelope."""
    finish: Callable[[D], None]
    """Ends the message when its text has ended."""
    give_back: Callable[[D], None]
    """Turns an island into text that turned out to be no call."""


class RawMode(Protocol):
    """The raw payload that is read; `raw_reader` knows more of it."""

    def moved(self, by: int) -> None:
        """Notes that the first characters of the driver's buffer were dropped."""
