"""Records the places of the parts of calls in the source, for a message whose caller asks for them.

Example: of `<tool_call>{"name": "f", "arguments": {"a": 1}}` it records that `"f"` is a name and
`{"a": 1}` are arguments, both of one draft, and which call the draft becomes when the call ends.
The places of a draft that turns out not to be a call belong to no call and are ignored.

It also finds the keys and values in arguments that were read as one payload: in
`{"city": "Oslo", "days": 2}` the key `city` stands from 2 to 6 and its value from 9 to 15. Payloads in
Python, `city="Oslo"`, work the same way. The result is compared with the arguments that were read;
if they differ, the places are not known.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.tools.fits import same
from toolgrammar.values.patterns import blanks, late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.spans import PartKind

_KIND: Final[dict[str, PartKind]] = {
    "name": "name",
    "id": "id",
    "depends_on": "id",
    "key": "key",
    "value": "value",
    "arguments": "arguments",
    "input": "input",
    "body": "input",
    "words": "input",
    "reasoning": "reasoning",
    "text": "text",
    "content": "text",
}
"""The kind of the part that fills a role; other roles are markup."""


_LAST_NAMES: Final = 64
"""The number of last places among which the first name of a call is searched."""


class Place(NamedTuple):
    """The place of a part, by offsets in the source."""

    start: int
    end: int
    kind: PartKind
    key: str
    """The key of the argument to which the part belongs, or ""."""
    draft: Draft | None
    """The draft of the open call; None outside of calls."""


@dataclass(slots=True)
class Places:
    """The recorded places of one message."""

    found: list[Place] = field(default_factory=list)
    """The places in the order of reading; text that was read again is recorded again."""
    ended: dict[int, Draft] = field(default_factory=dict)
    """The draft of each call, by number; the next call replaces one that was taken back."""

    def note(self, builder: Builder, role: str, start: int, end: int) -> None:
        """Records the part between two offsets that fills a role."""
        kind, draft = _KIND.get(role), builder.draft
        if kind is None or end <= start:
            return
        # Text and reasoning belong to no call, even if one is open around them.
        if kind in ("reasoning", "text"):
            draft = None
        # Some formats drop the values of arguments that the tool does not have.
        elif draft is None or (kind == "value" and draft.dropped):
            return
        elif kind == "name" and any(
            each.kind == kind and each.draft is draft for each in self.found[-_LAST_NAMES:]
        ):
            return  # if a name comes twice, the first one counts
        key = ""
        if kind in ("value", "key") and draft is not None:
            # A key to which the header gives a role, such as `id`, is not an argument.
            kind = "id" if draft.wire_role and kind == "value" else kind
            key = "" if draft.wire_role else draft.key
        self.found.append(Place(start, end, kind, key, draft))

    def found_from(self, origin: int) -> Iterator[Place]:
        """Yields the places that end behind an offset, counted from there on."""
        for each in self.found:
            if each.end > origin:
                start, end = max(0, each.start - origin), each.end - origin
                yield each._replace(start=start, end=end)


def places_in(builder: Builder) -> Places | None:
    """Returns the recorded places of a message; None if they are not recorded."""
    found: Places | None = builder.cache.get(Places)
    return found


def note_places(builder: Builder) -> Places:
    """Starts recording the places of a message; returns the record."""
    found: Places = builder.cache.setdefault(Places, Places())
    return found


_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
_STRING: Final = "|".join(
    (
        # A triple-quoted string of Python may contain single quotes; one of backticks does not.
        r"\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)",
        *(rf"{quote}(?:[^{quote}\\]++|\\.)*+\\?{quote}?" for quote in "\"'`"),
    )
)
"""A string in JSON or Python; the end of the text may cut it."""
_KEY = late(rf"(?P<string>{_STRING})|[\w.$-]*", re.DOTALL)
_PIECE = late(rf"{_STRING}|[{{\[(}}\]),]|[^\"'`{{\[(}}\]),]++", re.DOTALL)
"""A string, a bracket, a comma, or what is between these."""


class Member(NamedTuple):
    """The place of one argument, by offsets in the payload; a key's quotes are not included."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int


def members_of(text: str, arguments: Mapping[str, Any], *, whole: bool) -> list[Member] | None:
    """Returns the members of a payload; None if their places are not certain.

    Args:
        text: the payload, a JSON object or Python arguments.
        arguments: the arguments that were read in it.
        whole: whether the payload is complete; if not, its last value is not compared.
    """
    found = _split(text)
    # A key that comes twice is two members and one argument, and it is not known here which one was
    # read.
    if found is None or [each.key for each in found] != list(arguments):
        return None
    # Of `{"a": 1, "b": "Os` only the last value can be cut; a comma ended every other one.
    judged = found if whole else found[:-1]
    if all(_was_read_from(text[each.start : each.end], arguments[each.key]) for each in judged):
        return found
    return None


def _split(text: str) -> list[Member] | None:
    """Splits a payload at the commas of its outermost level; None if that fails."""
    place, end = blanks.match(text).end(), len(text.rstrip())
    if text[place : place + 1] in ("{", "("):
        closer = _CLOSERS[text[place]]
        place += 1
        # A payload that was cut, or repaired at its end, lacks the bracket.
        end -= text.endswith(closer, 0, end)
    found: list[Member] = []
    while (place := blanks.match(text, place).end()) < end:
        member = _member(text, place, end)
        if member is None:
            return None
        found.append(member)
        place = blanks.match(text, _end_of_value(text, member.start, end)).end()
        if place < end and text[place] == ",":
            place += 1
        elif place < end:
            return None
    return found


def _member(text: str, place: int, end: int) -> Member | None:
    """Reads the member at an index: its key, the `:` or `=`, and the end of its value."""
    match = _KEY.match(text, place, end)
    assert match is not None
    quoted = match["string"] is not None
    key = _value(match[0]) if quoted else match[0]
    key_start, key_end = match.start() + quoted, match.end() - quoted
    stop = blanks.match(text, match.end()).end()
    # A key is followed by `:` in JSON, and by `=` in Python arguments.
    if not isinstance(key, str) or stop >= end or text[stop] not in ":=":
        return None
    start = blanks.match(text, stop + 1).end()
    # In `{"a": 1 , "b": 2}` the value `1` ends before the blank, not at the comma.
    value_end = start + len(text[start : _end_of_value(text, start, end)].rstrip())
    return Member(key, key_start, key_end, start, value_end)


def _end_of_value(text: str, place: int, end: int) -> int:
    """Returns the index of the comma that ends the value at an index, or `end`."""
    open_: list[str] = []
    for piece in _PIECE.finditer(text, place, end):
        mark = piece[0]
        if mark in _CLOSERS:
            open_.append(_CLOSERS[mark])
        elif open_ and mark == open_[-1]:
            open_.pop()
        elif mark == "," and not open_:
            return piece.start()
    return end


def _value(text: str) -> Any:
    """Returns the value of a text in JSON or Python, or the text itself."""
    try:
        # It is not strict, since a raw line end in a string was repaired and belongs to the value.
        # In `f(dry=true)` the word is read as in JSON, although Python has no such name.
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        # Python alone has `'Oslo'`, `True` and `(1, 2)`.
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text


def _was_read_from(text: str, value: object) -> bool:
    """Whether a value was read from a text, with or without a conversion by the schema."""
    read = _value(text)
    # Arguments are emitted as JSON, which has no tuples.
    if isinstance(read, tuple):
        read = list(read)
    if same(read, value):
        return True
    # The schema may convert the type: `"5"` to an integer, or `5` to a string.
    return isinstance(read, str) != isinstance(value, str) and (
        _value(str(read)) == value or str(read) == value
    )
