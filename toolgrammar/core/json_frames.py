"""Remembers the open objects and arrays of a JSON text, and which keys may come in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgrammar.core.json_guide import Guide

LONGEST_KEY: Final = 64
"""Characters of a key that is not known from a schema."""


class Frame:
    """One open object or array."""

    __slots__ = (
        "begun",
        "closer",
        "dropped",
        "guide",
        "is_object",
        "key",
        "members",
        "path",
        "seen",
    )

    def __init__(self, opener: str, guide: Guide | None, path: str) -> None:
        self.is_object = opener == "{"
        self.closer = "}" if opener == "{" else "]" if opener == "[" else ")"
        self.guide = guide
        self.path = path
        self.key = ""
        self.members = 0
        """Members or items that have begun."""
        self.begun = False
        """Whether the last of them is the one that is read, and no comma came since."""
        self.dropped = False
        """Whether a key without a value, or a value without a key, was left out."""
        self.seen: set[str] = set()

    def anew(self) -> Frame:
        """Gives an object of the same kind with nothing in it."""
        return Frame("{", self.guide, self.path)

    @property
    def is_judged(self) -> bool:
        """Whether a schema lists the keys of this object."""
        return self.guide is not None and self.guide.judged

    def is_complete(self) -> bool:
        """Whether nothing that a schema requires is missing."""
        guide = self.guide
        return guide is None or not guide.judged or self.seen.issuperset(guide.required)

    def may_have(self, key: str) -> bool:
        """Whether the next member may have this key."""
        if not self.is_judged:
            return len(key) <= LONGEST_KEY
        assert self.guide is not None
        return key in self.guide.properties and key not in self.seen

    def may_have_begun(self, key: str) -> bool:
        """Whether the next member's key may begin so."""
        if not self.is_judged:
            return len(key) <= LONGEST_KEY
        assert self.guide is not None
        return any(name.startswith(key) for name in self.guide.properties if name not in self.seen)

    def place(self) -> str:
        """Gives the path of the current member or item."""
        if not self.is_object:
            return f"{self.path}[{self.members - self.begun}]"
        return f"{self.path}.{self.key}" if self.key else self.path


def key_of(body: str) -> str:
    """Gives the key that is written between two quotes."""
    if "\\" not in body:
        return body
    try:
        key: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return body
    return key
