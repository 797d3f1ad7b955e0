"""Joins several formats that are read at once, as `any_of` and `"auto"` do.

`any_of("mine", "yours")` has the id `mine,yours`; `any_of("mine", "auto")` has the id `auto`.
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
    """Several formats that are read at once.

    Of formats that fit a call equally well the first in the list reads it. In `auto` those that were
    named before it come first, and evidence orders all others. Thread-safe.
    """

    def __init__(self, formats: Iterable[Format], id: str = "", named: int | None = None) -> None:
        """Joins formats; a duplicate keeps its first place.

        Args:
            formats: the formats.
            id: `auto`, or "" for the ids of the formats.
            named: how many of the formats, from the first on, the caller named; None: all of them,
                but in `auto` none.

        Raises:
            ValueError: `formats` is empty.
        """
        # A dict keeps the order and drops duplicates: `any_of("a", "a,b")` is a and b.
        self.formats = tuple(dict.fromkeys(formats))
        """The formats, those that the caller named first."""
        if not self.formats:
            raise ValueError("any_of() needs at least one format")
        self.id = id or ",".join(each.id for each in self.formats)
        """`auto`, or the ids of the formats, separated by commas."""
        if named is None:
            named = 0 if id == AUTO else len(self.formats)
        self.named: int = named
        """How many formats, from the first on, keep their order: all but those of `auto`."""
        # Cached here, so that the machines of a combination live as long as it does.
        self.readers: dict[Any, Any] = {}
        """The readers for each set of tool names, made on first use; see `parsing.readers`."""

    @cached_property
    def digest(self) -> str:
        """The SHA-256, in hex, of the digests of the formats, in their order."""
        return hex_digest("\n".join(each.digest for each in self.formats).encode())

    @property
    def _key(self) -> tuple[tuple[Format, ...], str, int]:
        return self.formats, self.id, self.named

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnyOf):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"any_of({', '.join(repr(each.id) for each in self.formats)})"

    # Without the readers, which are rebuilt in the process that unpickles it.
    def __reduce__(self) -> tuple[type[AnyOf], tuple[tuple[Format, ...], str, int]]:
        return type(self), self._key


def joined_formats(given: Iterable[Format | AnyOf]) -> AnyOf:
    """Returns formats, and results of `any_of`, joined in their order; with `auto` they are `auto`.

    To name a format behind `auto` adds nothing: `auto` has it already.

    Raises:
        ValueError: nothing is given.
    """
    # A dict drops formats that are given twice.
    found: dict[Format, None] = {}
    named: int | None = None
    for each in given:
        if not isinstance(each, AnyOf):
            found[each] = None
            continue
        if each.id == AUTO and named is None:
            found.update(dict.fromkeys(each.formats[: each.named]))
            named = len(found)
        found.update(dict.fromkeys(each.formats))
    return AnyOf(found, "" if named is None else AUTO, named)
