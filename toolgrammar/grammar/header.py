"""Reads the `//@ key: value` lines at the top of a grammar file.

Example: `//@ trim: value=strip` becomes `{"value": "strip"}` in the field `trim`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolgrammar.grammar.files import grammar_paths, read_text
from toolgrammar.grammar.header_values import KEYS, READERS, Entry, header_error, nearest
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.grammar.roles import BARE_QUOTES
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MARK = "//@"
_LINE = late(r"//@[ \t]*(?P<key>[\w-]+)[ \t]*:[ \t]*(?P<value>.*?)[ \t]*$")
_LATE_MARK = late(r"^//@", re.MULTILINE)


_NONE: Mapping[str, str] = {}


class Header(NamedTuple):
    """What a grammar file says of itself that is not syntax."""

    id: str = ""
    """The format's id, which is the file's name; empty in a library of common rules."""
    title: str = ""
    """The name for people; the id where none is given."""
    family: str = ""
    """What formats of its kind are called together, for lists."""
    aliases: tuple[str, ...] = ()
    """Other names of the format."""
    models: tuple[str, ...] = ()
    """Patterns of the models that speak it, as in `NousResearch/Hermes-*`."""
    stop: tuple[str, ...] = ()
    """The strings at which a server should stop."""
    special: tuple[str, ...] = ()
    """Special tokens of the model that look like none: `[INST]`, but not `<|im_end|>`."""
    trim: Mapping[str, str] = _NONE
    """How white space around a role's text is taken off, by role."""
    roles: Mapping[str, str] = _NONE
    """The names on the wire that are roles, as in `toolId=id`."""
    quotes: tuple[str, ...] = ()
    """What strings of a `BARE_OBJECT` stand between; the first is the one that is written."""
    element: str = ""
    """What stands before each tag of `ELEMENTS`."""
    alike: tuple[str, ...] = ()
    """A part of literals as the grammar spells it, and other spellings of it that are repairs."""
    names: Mapping[str, str] = _NONE
    """The tools that terminals stand for, by the names of the terminals; `*` is the one tool that
    the caller passes."""
    unwrap: tuple[str, ...] = ()
    """Keys of a lone argument that holds all the arguments."""
    doubled: str = ""
    """What stands between the halves of a name that may be written twice."""
    bare: Literal["text", "literal"] = "text"
    """What a value without quotes is in a `BARE_OBJECT`: text, or a literal and nothing else."""
    types: Literal["schema", "shape"] = "schema"
    """What gives a raw value its type: the tool's schema, or whether the text is JSON."""
    entities: tuple[str, ...] = ()
    """The roles whose raw payloads, or tokens, have entities as in XML."""
    unclosed: Literal["call", "text"] = "call"
    """What a call is whose closer never comes."""
    misfit: Literal["call", "text"] = "call"
    """What a call is of which no given tool takes the name and the arguments."""
    calls: Literal["all", "last"] = "all"
    """Which calls of a message count."""
    messages: Literal["joined", "lines"] = "joined"
    """What stands between the texts of several envelopes: nothing, or a line end."""
    no_calls: str = ""
    """The name of a call by which a model says that it calls no tool."""
    carry: tuple[str, ...] = ()
    """Arguments that a call without them has from the call before it."""
    keys: Mapping[str, str] = _NONE
    """The arguments whose values follow terminals, or stand in them, by the terminals' names."""
    misspelt: Mapping[str, str] = _NONE
    """What terminals are written instead of, by their names: they are read under a warning."""
    observation: tuple[str, ...] = ()
    """Terminals that begin the result of a tool: where a model writes one, it is made up."""
    answer: tuple[str, ...] = ()
    """Terminals that begin the final answer."""
    turns: Mapping[str, str] = _NONE
    """What a chat template writes around a message, as `<|user|>{content}`, by its role; `begin` stands
    before the first one."""
    tools: tuple[str, ...] = ()
    """The names of tools that count where the caller gives none and the wire needs them."""
    since: str = ""
    """The first version that has the format."""
    source: str = ""
    """Where the truth about the format stands."""
    unknown_arguments: Literal["keep", "drop"] = "keep"
    """What happens to an argument that the tool's schema does not have."""

    def marks_of(self, terminal: str) -> tuple[str, ...]:
        """Returns what the header says of a declared terminal."""
        key = PAYLOADS[terminal].header if terminal in PAYLOADS else ""
        if key == "element":
            return (self.element,)
        return (self.quotes or BARE_QUOTES) if key == "quotes" else ()


def read_header(path: Path) -> Header:
    """Returns the header of a grammar file.

    Raises:
        GrammarError: the header is wrong, or the file is not UTF-8.
    """
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        raise header_error(path, 1, 1, message, "save the grammar as UTF-8") from None
    return parse_header(text, path)


def parse_header(text: str, path: Path) -> Header:
    """Returns the header of a grammar's text; `path` is for the messages and for the id.

    Raises:
        GrammarError: a key is unknown, is there twice, or has a value that can't be read.
    """
    entries: dict[str, Entry] = {}
    start = 0
    number = 1
    # By hand, and not by Lark, to which these lines are comments: a format is listed by its header
    # alone, before anything is compiled.
    while text.startswith(_MARK, start):
        line = text[start:].partition("\n")[0]
        entry = _read_line(line, path, number)
        if entry.key in entries:
            message = f"`{entry.key}` stands twice; first on line {entries[entry.key].line}"
            raise header_error(path, number, 1, message, "drop one of the two lines")
        # So that a reader of the file, and a search over all files, finds it at a fixed place.
        if entry.key == "id" and number != 1:
            message = "`id` is the first line of a format"
            raise header_error(path, number, 1, message, "move the line up")
        entries[entry.key] = entry
        start += len(line) + 1
        number += 1
    # Lark would read it as a comment, and it would be lost unnoticed.
    if late := _LATE_MARK.search(text, start):
        late_line = text.count("\n", 0, late.start()) + 1
        message = "found a header line after other lines"
        hint = "move it up to the first lines; a remark begins with `//` alone"
        raise header_error(path, late_line, 1, message, hint)
    return _build(entries)


def scan_headers(folder: Path) -> list[tuple[Path, Header]]:
    """Returns the format files directly in a folder with their headers, sorted by name.

    A file without an id is a library and is left out.
    """
    headers = ((path, read_header(path)) for path in grammar_paths(folder))
    return [(path, header) for path, header in headers if header.id]


def _read_line(line: str, path: Path, number: int) -> Entry:
    match = _LINE.match(line)
    if match is None:
        message = "found `//@` and no key with a value"
        hint = "a header line reads `//@ key: value`; a remark begins with `//` alone"
        raise header_error(path, number, len(_MARK) + 1, message, hint)
    key = match["key"]
    if key not in KEYS:
        message = f"unknown header key `{key}`"
        raise header_error(path, number, match.start("key") + 1, message, nearest(key, KEYS))
    return Entry(key, match["value"], path, number, match.start("value") + 1)


def _build(entries: Mapping[str, Entry]) -> Header:
    values: dict[str, object] = {
        key.replace("-", "_"): READERS[key](entry) for key, entry in entries.items()
    }
    if not values.get("title"):
        values["title"] = values.get("id", "")
    return Header(**values)  # type: ignore[arg-type]  # each reader gives its field's type
