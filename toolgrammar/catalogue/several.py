"""Joins several formats that are read at once, as `any_of` and `"auto"` do.

`any_of("mine", "yours")` has the id `mine,yours`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolgrammar.grammar.files import hex_digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.catalogue.format import Format

AUTO = "auto"
"""The name of all formats at once."""


class AnyOf:
    """Several formats that are read at once; in a tie, the earlier one is preferred.

    Thread-safe.
    """

    def __init__(self, formats: Iterable[Format], id: str = "") -> None:
        """Joins formats; duplicates are dropped.

        Raises:
            ValueError: `formats` is empty.
        """
        # A dict keeps the order and drops duplicates: `any_of("a", "a,b")` is a and b.
        self.formats = tuple(dict.fromkeys(formats))
        """The formats, the preferred ones first."""
        if not self.formats:
            raise ValueError("any_of() needs at least one format")
        self.id = id or ",".join(each.id for each in self.formats)
        """`auto`, or the ids of the formats, separated by commas."""
        # Cached here, so that the machines of a combination live as long as it does.
        self.readers: dict[Any, Any] = {}
        """The readers for each set of tool names, made on first use; see `parsing.readers`."""

    @cached_property
    def digest(self) -> str:
        """The SHA-256, in hex, of the digests of the formats, in their order."""
        return hex_digest("\n".join(each.digest for each in self.formats).encode())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnyOf):
            return NotImplemented
        return (self.id, self.formats) == (other.id, other.formats)

    def __hash__(self) -> int:
        return hash((self.id, self.formats))

    def __repr__(self) -> str:
        return f"any_of({', '.join(repr(each.id) for each in self.formats)})"

    # Without the readers, which are rebuilt in the process that unpickles it.
    def __reduce__(self) -> tuple[type[AnyOf], tuple[tuple[Format, ...], str]]:
        return type(self), (self.formats, self.id)
