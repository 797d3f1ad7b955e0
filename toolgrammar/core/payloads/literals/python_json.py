"""Writes the arguments of a Python call as JSON; each value but a string is held until its end.

Example: `a={1, 2}` becomes `{"a": [1, 2]`: only the first item shows that `{` begins a set. Numbers
and named values become those of JSON: `0x1F` is `31`, and `None` is `null`.
"""

from __future__ import annotations

import json
import re
from typing import Final

from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.values.patterns import late

_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

LONGEST_WORD: Final = 4300
"""A longer number is refused: CPython refuses longer integers, and reading them is slow."""

NAMED_VALUES: Final[dict[str, bool | None]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}

# It begins with a digit or a point: Python's `float` accepts `inf` and `nan`, too.
_NUMBER = late(r"[+-]?[0-9.][0-9a-zA-Z_.+-]*", re.ASCII)


def read_scalar(word: str) -> tuple[str, str] | None:
    """Returns the JSON text of a number or named value and its text as a key, or None.

    Leading zeros are skipped; infinite and complex numbers are refused.
    """
    if word in NAMED_VALUES:
        return _encode(NAMED_VALUES[word]), str(NAMED_VALUES[word])
    if not _NUMBER.fullmatch(word):
        return None
    for read in (int, _based, float):
        try:
            value = read(word)
            return _encode(value), str(value)
        except ValueError:  # in another notation, past the interpreter's limit of digits, infinite
            continue
    return None


def _based(word: str) -> int:
    return int(word, 0)


LIST: Final = "list"
_ROUND: Final = "round"  # a tuple, or one value in parentheses
_BRACE: Final = "brace"  # a dictionary or a set: its first item is not delimited yet
DICTIONARY: Final = "dictionary"
_SET: Final = "set"
CONTAINER_KINDS: Final = {"[": LIST, "(": _ROUND, "{": _BRACE}
_CLOSERS: Final = {LIST: "]", _ROUND: ")", _BRACE: "}", DICTIONARY: "}", _SET: "}"}


class _Container:
    """An open bracket and the state of its content."""

    __slots__ = ("commas", "keyed", "kind", "opened_at", "whole_until")

    def __init__(self, kind: str, opened_at: int) -> None:
        self.kind = kind
        self.opened_at = opened_at  # the index of its opener in the pieces
        self.whole_until = opened_at + 1  # the pieces before this index are complete items
        self.commas = 0
        self.keyed = False  # in a dictionary: a key and its colon have been read

    @property
    def closer(self) -> str:
        """The bracket that closes it."""
        return _CLOSERS[self.kind]

    @property
    def at_key(self) -> bool:
        """Whether the current item is a key, or may become one."""
        return self.kind == _BRACE or (self.kind == DICTIONARY and not self.keyed)

    @property
    def wants_hashable(self) -> bool:
        """Whether the current item is a key, or an item of a set."""
        return self.at_key or self.kind == _SET

    def read_key(self) -> None:
        """Records a key and its colon: it is a dictionary."""
        self.kind, self.keyed = DICTIONARY, True

    def separate(self, pieces: int) -> None:
        """Records a comma; `pieces` is the number of pieces before it."""
        # `{1, `: a comma before any colon makes it a set.
        if self.kind == _BRACE:
            self.kind = _SET
        self.keyed = False
        self.commas += 1
        self.whole_until = pieces


class PythonJson:
    """The JSON of the arguments; of a string outside of containers, nothing is held."""

    def __init__(self) -> None:
        self.name = ""
        """The name of the argument whose value is read."""
        self.is_spread = False
        """Whether the members of that value are arguments."""
        self.begun = False
        """Whether the JSON of an argument was emitted."""
        self.text_open = False
        """Whether the JSON of a string is open."""
        self.stack: list[_Container] = []
        self.key: str | None = None
        """The last value as a key; "" for a string, which is one already; None for no key."""
        self._pieces: list[str] = []

    @property
    def is_object(self) -> bool:
        """Whether an object is held."""
        return self._pieces[:1] == ["{"] and self._pieces[-1] == "}"

    @property
    def place(self) -> str:
        """Returns in which argument the value is, for a message."""
        return f" in the argument `{self.name[:64]}`" if self.name else ""

    @property
    def holds(self) -> str:
        """The held pieces, joined; nothing of a string, which is emitted as it arrives."""
        return "".join(self._pieces)

    def begin(self, name: str, *, is_spread: bool = False) -> None:
        """Begins an argument."""
        self.name, self.is_spread = name, is_spread

    def spread(self) -> None:
        """Makes the members of the value arguments."""
        self.is_spread = True

    def give_out(self, out: list[str]) -> None:
        """Emits the held value."""
        written = self.holds
        self._pieces.clear()
        if self.is_spread:
            self.is_spread = False
            # Without their braces, the members continue the object of the arguments.
            members = written[1:-1]
            if members.strip():
                out.append(self._separator() + members)
        elif written:
            out.append(f"{self._separator()}{as_json(self.name)}: {written}")

    def end(self, out: list[str]) -> None:
        """Ends the object of the arguments."""
        out.append("}" if self.begun else "{}")

    def _separator(self) -> str:
        before = ", " if self.begun else "{"
        self.begun = True
        return before

    # Strings

    def begin_string(self, out: list[str]) -> None:
        """Begins a string; the next part of a string in several parts continues it."""
        if self.text_open:
            return
        self.text_open = True
        start = "" if self.stack else f"{self._separator()}{as_json(self.name)}: "
        self.add_text(f'{start}"', out)

    def add_text(self, piece: str, out: list[str]) -> None:
        """Adds a piece to a string."""
        (self._pieces if self.stack else out).append(piece)

    def end_string(self, out: list[str]) -> None:
        """Ends a string."""
        self.add_text('"', out)
        self.text_open = False
        self.key = ""

    # What is held

    def begin_item(self) -> None:
        """Writes the comma before an item: this way none is written before a closer."""
        if self.stack and self.stack[-1].commas and not self.stack[-1].keyed:
            self._pieces.append(", ")

    def add(self, piece: str, key: str) -> None:
        """Adds a number or a named value; `key` is its text as a key."""
        self._pieces.append(piece)
        self.key = key

    def colon(self) -> bool:
        """Records the colon after a key; returns False if no key is before it."""
        container = self.stack[-1]
        if not container.at_key or self.key is None:
            return False
        # A number or a named value as key becomes its text: `2` becomes `"2"`.
        if self.key:
            self._pieces[-1] = as_json(self.key)
        container.read_key()
        self._pieces.append(": ")
        return True

    def comma(self) -> None:
        """Records the comma after an item."""
        self.stack[-1].separate(len(self._pieces))

    def open(self, bracket: str) -> None:
        """Opens a container."""
        self.stack.append(_Container(CONTAINER_KINDS[bracket], len(self._pieces)))
        self._pieces.append("{" if bracket == "{" else "[")

    def close(self, *, holds_value: bool) -> None:
        """Closes the innermost container, after a value or after a comma."""
        container = self.stack.pop()
        if container.kind == _ROUND and holds_value and not container.commas:
            self._pieces[container.opened_at] = ""  # parentheses around one value
        else:
            self._write_closer(container, empty=not holds_value)
        # A container is not a key.
        self.key = None

    def close_cut(self, out: list[str], *, whole: bool) -> None:
        """Closes all at the end of the text, and emits the part that is certain.

        Args:
            out: the list for the pieces.
            whole: whether the held text ends with a value that may be kept.
        """
        if self.text_open:
            self.end_string(out)
            whole = True
        while self.stack:
            container = self.stack.pop()
            # Half an item, or a key without its value, is dropped.
            if not whole or container.at_key:
                del self._pieces[container.whole_until :]
            # Parentheses without a comma may turn out to be around one value: no array can be
            # promised.
            whole = container.kind != _ROUND or container.commas > 0
            if whole:
                self._write_closer(container, empty=True)
        if whole:
            self.give_out(out)
        self.end(out)

    def _write_closer(self, container: _Container, *, empty: bool) -> None:
        # `{}` is a dictionary; braces around a single value without a colon are a set.
        is_object = container.kind == DICTIONARY or (container.kind == _BRACE and empty)
        self._pieces[container.opened_at] = "{" if is_object else "["
        self._pieces.append("}" if is_object else "]")
