"""Tracks the open objects and arrays of a JSON text, and which keys may follow in them.

Example: after `{"a": 1, ` a schema with the keys `a` and `b` admits only `b` as the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgrammar.core.payloads.json.guide import Guide

LONGEST_KEY: Final = 64
"""The maximal length in characters of a key that is not in a schema."""


class Frame:
    """An open object or array."""

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
        self.closer = "}" if opener == "{" else "]" if opener == "[" else ")"  # `)`: a tuple
        self.guide = guide
        self.path = path
        self.key = ""
        self.members = 0
        """The number of members or items that have begun."""
        self.begun = False
        """Whether the last of them is being read, with no comma after it yet."""
        self.dropped = False
        """Whether a key without a value, or a value without a key, was dropped."""
        self.seen: set[str] = set()

    def begin_member(self) -> None:
        """Records that the value of the current key, or an item, begins."""
        if self.is_object:
            self.seen.add(self.key)
        self.members += 1
        self.begun = True

    def separate(self) -> None:
        """Records that a comma ends the current member or item."""
        self.begun = False
        self.key = ""

    def read_key(self, key: str) -> None:
        """Makes a key the current one."""
        self.key = key

    def drop_member(self) -> None:
        """Records that a key without a value, or a value without a key, is dropped."""
        self.dropped = True
        self.key = ""

    def take(self, keys: list[str], members: int) -> None:
        """Counts members or items that were read at once; items have no keys."""
        self.seen.update(keys)
        self.members += members
        if keys:
            self.key = keys[-1]

    def anew(self) -> Frame:
        """Returns an empty frame of the same kind."""
        return Frame("{", self.guide, self.path)

    @property
    def is_judged(self) -> bool:
        """Whether a schema lists the keys of this object."""
        return self.guide is not None and self.guide.judged

    def is_complete(self) -> bool:
        """Whether no key that a schema requires is missing."""
        guide = self.guide
        return guide is None or not guide.judged or self.seen.issuperset(guide.required)

    def may_have(self, key: str) -> bool:
        """Whether the next member may have this key."""
        # Without a schema, a short text may be a key; a long text is more likely a value.
        if not self.is_judged:
            return len(key) <= LONGEST_KEY
        assert self.guide is not None
        # A repeated key is more likely text inside a string.
        return key in self.guide.properties and key not in self.seen

    def may_have_begun(self, key: str) -> bool:
        """Whether the key of the next member may begin with this text."""
        if not self.is_judged:
            return len(key) <= LONGEST_KEY
        assert self.guide is not None
        return any(name.startswith(key) for name in self.guide.properties if name not in self.seen)

    def place(self) -> str:
        """Returns the path of the current member or item."""
        if not self.is_object:
            # An item that has begun is counted already.
            return f"{self.path}[{self.members - self.begun}]"
        return f"{self.path}.{self.key}" if self.key else self.path
