"""Defines the payload of arguments as nested elements: its scanner, its writer, its rules.

The scanner reads it as it arrives, and emits JSON.

An element is `<key>` … `</key>`, each tag after a mark that the format defines. An element that
contains elements is an object; it is an array if its schema says so, or if the schema is silent
and all of them are named `item`. An element without elements is text, typed by its schema. If the
schema wants a string, every character up to the closing tag is the value, which is streamed;
any other value is emitted at its end. A repeated key holds a list. A tag that neither opens nor
closes an argument ends the arguments, and is left to the grammar. Example: of
`<city>Oslo</city><tags><item>a</item></tags>` the arguments are `{"city": "Oslo", "tags": ["a"]}`.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.payloads.json.tokens import MAX_DEPTH, TOO_DEEP, as_json, in_strings
from toolgrammar.core.payloads.literals.payload_faults import BEGIN, Fault, untyped
from toolgrammar.patterns.partial import begun_length
from toolgrammar.tools.coerce import type_text
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.values.schemas import NO_SHAPE, Shape, said_of, shape_of, types_of

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.tokens import ChunkMemo
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.json_types import JsonSchema
    from toolgrammar.values.tools import ToolSpec

RULES: Final = r"""
elements: _element+
_element: E_OPEN (E_TEXT | _element)* E_CLOSE

E_OPEN: /x/
E_CLOSE: /x/
E_TEXT: /x/
"""
"""The rules for plain Lark; `strict_terminals.py` inserts the header's terminals.

They don't check that the tags match, and text inside a string that looks like a tag is a tag."""

NAME: Final = r"[^\W\d][\w.-]{0,255}"
"""The pattern of an element's name."""
ITEM: Final = "item"
"""The name of the elements of an array in written text."""
_TEXT_KEY: Final = "$text"
"""The key of text beside elements."""
_LONGEST_TAG: Final = 260


class _Element:
    """An open element."""

    __slots__ = ("_shape", "children", "is_text", "quoted", "schema", "tag", "text")

    def __init__(self, tag: str, schema: JsonSchema | None) -> None:
        self.tag = tag
        self.schema = schema
        self.is_text = (types_of(schema) if schema else None) == ("string",)
        self.quoted = 0
        """The number of elements with its name that are open inside its text."""
        self.text: list[str] = []
        self.children: list[tuple[str, Any]] = []
        self._shape: Shape | None = None

    def quote(self, more: int) -> None:
        """Counts an element of its name inside its text."""
        self.quoted += more

    def leave_out(self) -> None:
        """Drops its text: an element of this name was emitted, and a repetition is dropped."""
        self.is_text = False

    def inner_schema(self, tag: str) -> JsonSchema | None:
        """Returns the schema of an element inside this one, whose own schema may be a union."""
        schema = self.schema
        if schema is None:
            return None
        if self._shape is None:
            self._shape = shape_of(schema)
        if tag not in self._shape.properties and "array" in (types_of(schema) or ()):
            items = said_of(schema, "items")
            return items if isinstance(items, dict) else None
        return self._shape.schema_of(tag)

    def value(self) -> tuple[Any, bool]:
        """Returns the value of the complete element, and whether it fits the schema."""
        text = "".join(self.text)
        # A union counts as each of its types: `["array", "null"]` wants a list.
        types = (types_of(self.schema) if self.schema else None) or ()
        if not self.children:
            # `<tags></tags>` is an empty list if a list is wanted.
            if not text.strip() and not self.is_text and ("array" in types or "object" in types):
                return ([] if "array" in types else {}), True
            return type_text(text, self.schema)
        listed = all(tag == ITEM for tag, _ in self.children) and not text.strip()
        is_array = "array" in types
        # By the schema, or else by the names: all are `item`, without text between them.
        if (is_array and listed) or ("object" not in types and (is_array or listed)):
            return [value for _, value in self.children], not types or "array" in types
        members: dict[str, Any] = {}
        for tag, value in self.children:
            _add(members, tag, value)
        # `<p>see <b>this</b></p>`: the text beside elements is kept under a key of its own.
        if text.strip():
            # No element has this name.
            members[_TEXT_KEY] = text.strip()
        return members, not types or "object" in types


_TWICE: Final = "Found an argument for the second time; the first one counts"


# A class of its own: a value that occurs once may be a list itself.
class _Repeated(list[Any]):
    """The values of a repeated key."""


def _add(members: dict[str, Any], tag: str, value: Any) -> None:
    known = members.get(tag)
    if tag not in members:
        members[tag] = value
    elif isinstance(known, _Repeated):
        known.append(value)
    else:
        members[tag] = _Repeated([known, value])


class ElementScanner:
    """Reads the elements of one call; the joined pieces are a JSON object."""

    open_brackets = 0

    def __init__(
        self,
        *,
        mark: str = "",
        shape: Shape | None = None,
        max_depth: int = MAX_DEPTH,
    ) -> None:
        """Makes a scanner for the arguments of one call.

        Args:
            mark: The text before each tag.
            shape: The names and schemas of the arguments.
            max_depth: How deep elements may nest.
        """
        self._mark = mark
        self._shape = shape or NO_SHAPE
        self._max_depth = max_depth
        self._any_tag, self._begun = _patterns(mark)
        self._open: list[_Element] = []
        self._pending: tuple[str, Any] | None = None  # the last argument: its key may be repeated
        self._given_out: set[str] = set()
        self.faults: list[Fault] = []
        self._untyped: list[str] = []
        """The paths of the arguments, or parts of them, that do not fit their schemas."""
        self.done = False
        self.failed = False
        self.failure = ""

    def feed(self, text: str, position: int, out: list[str]) -> int:
        """Returns the offset of the first undecided character; appends safe pieces to `out`."""
        while position < len(text) and not (self.done or self.failed):
            if not self._open:
                end = self._between(text, position, out)
            elif self._open[-1].is_text:
                end = self._string(text, position, out)
            else:
                end = self._inside(text, position, out)
            # Text that may become a tag waits for more.
            if end == position:
                break
            position = end
        return position

    def expect(self, *, base: int, final: bool) -> None:
        """Does nothing: elements end at tags, wherever the message ends."""

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns a memo of the JSON of chunks that only continue an emitted string, or None."""
        # A chunk without the first character of a tag can't end the string.
        return _without(self._mark[:1] or "<") if self._streams() else None

    def finish(self, out: list[str]) -> bool:
        """Appends what closes the object; the state of the scanner does not change."""
        if self.done:
            return True
        given_out = bool(self._given_out)
        if self._pending is not None:
            out.append(f"{', ' if given_out else '{'}{_member(*self._pending)}")
            given_out = True
        elif self._streams():
            out.append('"')
        if given_out:
            out.append("}")
        return False

    def _streams(self) -> bool:
        return len(self._open) == 1 and self._open[0].is_text

    # The states. Each returns its own offset if it needs more text.

    def _between(self, text: str, position: int, out: list[str]) -> int:
        """Reads the tag of an argument, or ends the arguments before any other text."""
        if text[position].isspace():
            return position + 1
        tag = self._any_tag.match(text, position)
        if tag is not None and tag["opened"] is not None:
            self._open_element(tag["opened"], out)
            return tag.end()
        # A tag that is cut.
        if tag is None and self._begun.match(text, position):
            return position
        self._settle(out)
        out.append("}" if self._given_out else "{}")
        for path in self._untyped:
            self.faults.append(Fault("schema-mismatch", untyped(path), BEGIN, path=f"$.{path}"))
        self.done = True
        return position

    def _string(self, text: str, position: int, out: list[str]) -> int:
        """Continues an element whose schema wants a string; quoted tags of its name balance."""
        element = self._open[-1]
        opener, closer = f"{self._mark}<{element.tag}>", f"{self._mark}</{element.tag}>"
        found = _either(opener, closer).search(text, position)
        ends = found is not None and found[0] == closer and not element.quoted
        if found is None:
            # A tail that may become one of the two tags is left for the next chunk.
            stop = len(text) - max(begun_length(text, position, tag) for tag in (opener, closer))
        elif ends:
            stop = found.start()
        else:
            # A tag inside the text is a part of it.
            element.quote(1 if found[0] == opener else -1)
            stop = found.end()
        if stop > position:
            piece = text[position:stop]
            if self._streams():
                out.append(as_json(piece)[1:-1])
            else:
                self._open[-1].text.append(piece)
        if not ends:
            return stop
        if self._streams():
            out.append('"')
            self._open.pop()
        else:
            self._close()
        return stop + len(closer)

    def _inside(self, text: str, position: int, out: list[str]) -> int:
        """Continues any other element: text, a tag inside, or its closing tag."""
        tag = self._any_tag.search(text, position)
        if tag is None:
            # No tag is longer, so a cut tag can only be this close to the end of the text.
            begun = self._begun.search(text, max(position, len(text) - _LONGEST_TAG))
            stop = begun.start() if begun is not None else len(text)
            self._open[-1].text.append(text[position:stop])
            return stop
        self._open[-1].text.append(text[position : tag.start()])
        if tag["opened"] is not None:
            if len(self._open) >= self._max_depth:
                return self._fail(TOO_DEEP, tag.start())
            self._open_element(tag["opened"], out)
        elif tag["closed"] == self._open[-1].tag:
            self._close()
        else:
            shown = f"`</{tag['closed']}>` inside of `<{self._open[-1].tag}>`"
            return self._fail(f"Found {shown}; its own closing tag is missing", tag.start())
        return tag.end()

    def _open_element(self, tag: str, out: list[str]) -> None:
        """Opens an element; an argument that is a string is emitted from here on."""
        if self._open:
            self._open.append(_Element(tag, self._open[-1].inner_schema(tag)))
            return
        # The pending argument was held for a repetition of its key; this is another key.
        if self._pending is not None and self._pending[0] != tag:
            self._settle(out)
        element = _Element(tag, self._shape.schema_of(tag))
        # `<a>1</a><b>2</b><a>3</a>`: the first value is emitted, and can't become a list.
        if tag in self._given_out:
            self.faults.append(Fault("duplicate-key", _TWICE, BEGIN, path=f"$.{tag}"))
            if element.is_text:
                element.leave_out()
        self._open.append(element)
        if self._streams():
            self._settle(out)
            out.append(f'{self._before(tag)}{as_json(tag)}: "')

    def _close(self) -> None:
        """Closes the innermost element: its value goes to its parent, or becomes pending."""
        element = self._open.pop()
        value, fits = element.value()
        if not fits:
            self._untyped.append(".".join(each.tag for each in (*self._open, element)))
        if self._open:
            self._open[-1].children.append((element.tag, value))
        elif self._pending is not None:
            members = dict([self._pending])
            _add(members, element.tag, value)
            self._pending = (element.tag, members[element.tag])
        # An argument whose key was emitted before is dropped.
        elif element.tag not in self._given_out:
            self._pending = (element.tag, value)

    def _settle(self, out: list[str]) -> None:
        """Emits the last argument."""
        if self._pending is not None:
            key, value = self._pending
            self._pending = None
            out.append(self._before(key) + _member(key, value))

    def _before(self, key: str) -> str:
        first = not self._given_out
        self._given_out.add(key)
        return "{" if first else ", "

    def _fail(self, failure: str, position: int) -> int:
        self.failed = True
        self.failure = failure
        return position


def _member(key: str, value: Any) -> str:
    return f"{as_json(key)}: {json.dumps(value, ensure_ascii=False)}"


@cache
def _without(character: str) -> ChunkMemo[str]:
    return in_strings(f"[^{re.escape(character)}]+")


@lru_cache(maxsize=256)
def _either(opener: str, closer: str) -> re.Pattern[str]:
    return compile_pattern(f"{re.escape(opener)}|{re.escape(closer)}")


@cache
def _patterns(mark: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns the patterns of a tag and of its proper beginnings at the end of the text."""
    begin = re.escape(mark)
    tag = compile_pattern(rf"{begin}<(?:(?P<opened>{NAME})|/(?P<closed>{NAME}))>")
    # The mark itself may be cut: of `]<x>[` any beginning may be at the end of a chunk.
    starts = "|".join(re.escape(mark[:length]) for length in range(len(mark), 0, -1))
    cut = rf"{begin}<(?:/?(?:{NAME})?)?" + (f"|{starts}" if starts else "")
    return tag, compile_pattern(rf"(?:{cut})\Z")


def scanner(
    terminal: Terminal, spec: ToolSpec | None, max_depth: int, _step: Step | None
) -> ElementScanner:
    """Makes the scanner of a payload."""
    shape = spec.shape if spec is not None else None
    return ElementScanner(mark=terminal.marks[0], shape=shape, max_depth=max_depth)


def written(terminal: Terminal, value: Any) -> str | None:
    """Returns the text of arguments, or None if the payload can't represent them."""
    return _elements(value, terminal.marks[0])


def _elements(members: dict[str, Any], mark: str) -> str | None:
    """Returns members as elements; None if a name or a text can't be written."""
    parts: list[str] = []
    for key, value in members.items():
        inner = _element_body(value, mark)
        if inner is None or not re.fullmatch(NAME, key):
            return None
        parts.append(f"{mark}<{key}>{inner}{mark}</{key}>")
    return "".join(parts)


def _element_body(value: Any, mark: str) -> str | None:
    """Returns the text inside an element for a value; None if it can't be written."""
    if isinstance(value, dict):
        return _elements(value, mark)
    if isinstance(value, list | tuple):
        parts = [_elements({ITEM: part}, mark) for part in value]
        items = [part for part in parts if part is not None]
        return "".join(items) if len(items) == len(parts) else None
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    # A text that contains a tag would be read as elements: `<a>` as a value has no escape.
    return None if re.search(rf"{re.escape(mark)}</?{NAME}>", value) else value
