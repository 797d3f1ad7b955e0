"""Writes the arguments of one Python call as JSON: one value is held until it is whole.

Example: `a={1, 2}` becomes `{"a": [1, 2]`: only behind its first item is it known that `{` begins a set.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.core.payloads.json.tokens import as_json

LIST: Final = "list"
_ROUND: Final = "round"  # a tuple, or one value in parentheses
_BRACE: Final = "brace"  # a dictionary or a set: its first item is not delimited yet
DICTIONARY: Final = "dictionary"
_SET: Final = "set"
CONTAINER_KINDS: Final = {"[": LIST, "(": _ROUND, "{": _BRACE}
_CLOSERS: Final = {LIST: "]", _ROUND: ")", _BRACE: "}", DICTIONARY: "}", _SET: "}"}


class _Container:
    """One open bracket and what has been read of it."""

    __slots__ = ("commas", "keyed", "kind", "opened_at", "whole_until")

    def __init__(self, kind: str, opened_at: int) -> None:
        self.kind = kind
        self.opened_at = opened_at  # where its opener stands among the pieces
        self.whole_until = opened_at + 1  # the pieces up to there hold whole items only
        self.commas = 0
        self.keyed = False  # in a dictionary: a key and its colon have been read

    @property
    def closer(self) -> str:
        """The bracket that closes it."""
        return _CLOSERS[self.kind]

    @property
    def at_key(self) -> bool:
        """Whether what is being read is, or may turn out to be, a key."""
        return self.kind == _BRACE or (self.kind == DICTIONARY and not self.keyed)

    def read_key(self) -> None:
        """Notes a key and its colon: it is a dictionary."""
        self.kind, self.keyed = DICTIONARY, True

    def separate(self, pieces: int) -> None:
        """Notes a comma behind so many pieces."""
        # `{1, `: a comma before any colon makes it a set.
        if self.kind == _BRACE:
            self.kind = _SET
        self.keyed = False
        self.commas += 1
        self.whole_until = pieces


class PythonJson:
    """What is written of the arguments. A string that is no part of a container is not held."""

    def __init__(self) -> None:
        self._name = ""  # of the argument whose value is read
        self.is_spread = False
        """Whether the members of that value are arguments."""
        self.begun = False
        """Whether the JSON of an argument was given out."""
        self.text_open = False
        """Whether the JSON of a string has begun and not ended."""
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
        """Says in which argument the value stands, for a message."""
        return f" in the argument `{self._name[:64]}`" if self._name else ""

    @property
    def holds(self) -> str:
        """What is held; nothing of a string, which was given out as it came."""
        return "".join(self._pieces)

    def begin(self, name: str, *, is_spread: bool = False) -> None:
        """Begins an argument."""
        self._name, self.is_spread = name, is_spread

    def spread(self) -> None:
        """Takes the members of the value for arguments."""
        self.is_spread = True

    def give_out(self, out: list[str]) -> None:
        """Gives out the value that is held."""
        written = self.holds
        self._pieces.clear()
        if self.is_spread:
            self.is_spread = False
            # Without their braces, the members go on in the object of the arguments.
            members = written[1:-1]
            if members.strip():
                out.append(self._separator() + members)
        elif written:
            out.append(f"{self._separator()}{as_json(self._name)}: {written}")

    def end(self, out: list[str]) -> None:
        """Ends the object of the arguments."""
        out.append("}" if self.begun else "{}")

    def _separator(self) -> str:
        before = ", " if self.begun else "{"
        self.begun = True
        return before

    # Strings

    def begin_string(self, out: list[str]) -> None:
        """Begins a string; the next part of one that is written in several goes on in it."""
        if self.text_open:
            return
        self.text_open = True
        start = "" if self.stack else f"{self._separator()}{as_json(self._name)}: "
        self.add_text(f'{start}"', out)

    def add_text(self, piece: str, out: list[str]) -> None:
        """Adds to a string."""
        (self._pieces if self.stack else out).append(piece)

    def end_string(self, out: list[str]) -> None:
        """Ends a string."""
        self.add_text('"', out)
        self.text_open = False
        self.key = ""

    # What is held

    def begin_item(self) -> None:
        """Writes the comma before an item; so that one before a closer is not written."""
        if self.stack and self.stack[-1].commas and not self.stack[-1].keyed:
            self._pieces.append(", ")

    def add(self, piece: str, key: str) -> None:
        """Adds a number or a named value, and what it is as a key."""
        self._pieces.append(piece)
        self.key = key

    def colon(self) -> bool:
        """Takes the colon behind a key; False where no key stands before it."""
        container = self.stack[-1]
        if not container.at_key or self.key is None:
            return False
        # A number or a named value as key becomes its text, `2` `"2"`.
        if self.key:
            self._pieces[-1] = as_json(self.key)
        container.read_key()
        self._pieces.append(": ")
        return True

    def comma(self) -> None:
        """Takes the comma behind an item."""
        self.stack[-1].separate(len(self._pieces))

    def open(self, bracket: str) -> None:
        """Opens a container."""
        self.stack.append(_Container(CONTAINER_KINDS[bracket], len(self._pieces)))
        self._pieces.append("{" if bracket == "{" else "[")

    def close(self, *, holds_value: bool) -> None:
        """Closes the innermost container, behind a value or behind a comma."""
        container = self.stack.pop()
        if container.kind == _ROUND and holds_value and not container.commas:
            self._pieces[container.opened_at] = ""  # parentheses around one value
        else:
            self._write_closer(container, empty=not holds_value)
        # A container is no key.
        self.key = None

    def close_cut(self, out: list[str], *, whole: bool) -> None:
        """Closes all where the text ends; gives out what is sure.

        Args:
            out: takes it.
            whole: what is held ends with a value that may be kept.
        """
        if self.text_open:
            self.end_string(out)
            whole = True
        while self.stack:
            container = self.stack.pop()
            # Half an item, and a key without its value, are dropped.
            if not whole or container.at_key:
                del self._pieces[container.whole_until :]
            # Parentheses without a comma may close around one value: no array can be promised.
            whole = container.kind != _ROUND or container.commas > 0
            if whole:
                self._write_closer(container, empty=True)
        if whole:
            self.give_out(out)
        self.end(out)

    def _write_closer(self, container: _Container, *, empty: bool) -> None:
        # `{}` is a dictionary; braces around one value that no colon followed are a set.
        is_object = container.kind == DICTIONARY or (container.kind == _BRACE and empty)
        self._pieces[container.opened_at] = "{" if is_object else "["
        self._pieces.append("}" if is_object else "]")
