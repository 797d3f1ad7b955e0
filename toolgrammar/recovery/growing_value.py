"""Builds a JSON value from the pieces of its text, and returns a view of it at any time.

After `{"a": [1, "fj` a view is `{"a": [1, "fj"]}`.
"""

from __future__ import annotations

import json
from typing import Any, Final

from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.values.patterns import late

# Groups: 1 a string, 2 its closing quote (empty while it is open), 3 an opener, 4 a closer, 5 a
# comma or colon, 6 a number or a word.
_TOKEN = late(r'[ \t\n\r]*+(?:"((?:[^"\\]++|\\.)*+)("?)|([{\[])|([}\]])|([,:])|([^\s",:{}\[\]]++))')
_STRING_REST = late(r'((?:[^"\\]++|\\.)*+)("?)')
_NO_KEY: Final = object()


class GrowingValue:
    """The value that strict JSON has so far; a view shares what is closed with the next one."""

    def __init__(self) -> None:
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[Any] = []
        self._root: Any = None
        self._text: str | None = None
        self._key: Any = _NO_KEY

    def feed(self, text: str) -> None:
        """Accepts the next piece; keys, numbers, literals and escapes are not cut."""
        position, length = 0, len(text)
        if self._text is not None and length:
            position = self._go_on(text)
        while position < length:
            match = _TOKEN.match(text, position)
            if match is None:
                return  # only white space is left
            position = match.end()
            # The group that matched: a string, an opening bracket, a closing one, or a scalar.
            kind = match.lastindex
            if kind == 2:
                self._string(text_of(match[1]), closed=bool(match[2]))
            elif kind == 3:
                self._open_container({} if match[3] == "{" else [])
            elif kind == 4:
                self._open.pop()
                self._keys.pop()
            elif kind == 6:
                self._add(json.loads(match[6]))

    def view(self, member: tuple[str, object] | None = None) -> Any:
        """Returns the value so far; what is open is copied, what is closed is shared.

        Args:
            member: the key, which an array does not heed, and the value of a part at the end
                that has not been emitted yet.
        """
        if not self._open:
            return self._root
        # Open containers may still change, so a view gets copies of them.
        copies = [part.copy() for part in self._open]
        for index in range(len(copies) - 1):
            # An open part is the last item of a list: its copy takes that place.
            _put(copies[index], self._keys[index + 1], copies[index + 1], replace=True)
        if self._text is not None:
            _put(copies[-1], self._key, self._text, replace=False)
        elif member is not None:
            _put(copies[-1], *member, replace=False)
        return copies[0]

    def _go_on(self, text: str) -> int:
        """Goes on in the open string; returns where it ends."""
        match = _STRING_REST.match(text)
        assert match is not None
        self._text = (self._text or "") + text_of(match[1])
        if match[2]:
            found, self._text = self._text, None
            self._add(found)
        return match.end()

    def _string(self, text: str, *, closed: bool) -> None:
        # The first string in an object is a key; it waits for its value.
        if self._key is _NO_KEY and self._open and isinstance(self._open[-1], dict):
            self._key = text
        elif closed:
            self._add(text)
        else:
            self._text = text

    def _open_container(self, container: dict[str, Any] | list[Any]) -> None:
        # Kept before `_add` forgets it: a view puts its copy in under this key.
        key = self._key
        self._add(container)
        self._open.append(container)
        self._keys.append(key)

    def _add(self, value: Any) -> None:
        if not self._open:
            self._root = value
            return
        _put(self._open[-1], self._key, value, replace=False)
        self._key = _NO_KEY


def _put(container: Any, key: Any, value: Any, *, replace: bool) -> None:
    if isinstance(container, dict):
        container[key] = value
    elif replace:
        container[-1] = value
    else:
        container.append(value)
