"""Reads the `//@ key: value` lines at the top of a grammar file.

Example: `//@ trim: value=strip` becomes `{"value": "strip"}` in the field `trim`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolgrammar.grammar.files import grammar_paths, read_text
from toolgrammar.grammar.header_values import KEYS, READERS, Entry, header_error, nearest_or_all
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.grammar.roles import BARE_QUOTES
from toolgrammar.values.errors import GrammarError, raise_first
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MARK = "//@"
_LINE = late(r"//@[ \t]*(?P<key>[\w-]+)[ \t]*:[ \t]*(?P<value>.*?)[ \t]*$")
_LATE_MARK = late(r"^//@", re.MULTILINE)


_NONE: Mapping[str, str] = {}


class Header(NamedTuple):
    """The properties of a format that its grammar file declares beside the syntax."""

    id: str = ""
    """The format's id, which is the file's name; empty in a library of common rules."""
    title: str = ""
    """The name for people; the id if none is given."""
    family: str = ""
    """The name of a group of related formats, for lists."""
    aliases: tuple[str, ...] = ()
    """Other names of the format."""
    models: tuple[str, ...] = ()
    """Patterns of the models that use it, as in `NousResearch/Hermes-*`."""
    stop: tuple[str, ...] = ()
    """The strings at which a server should stop."""
    special: tuple[str, ...] = ()
    """Special tokens of the model that do not look like ones: `[INST]`, but not `<|im_end|>`."""
    trim: Mapping[str, str] = _NONE
    """How white space around a role's text is removed, by role."""
    roles: Mapping[str, str] = _NONE
    """The argument names in the text that are roles instead, as in `toolId=id`."""
    quotes: tuple[str, ...] = ()
    """The quotes of strings in a `BARE_OBJECT`; the first one is used for writing."""
    element: str = ""
    """The text before each tag of `ELEMENTS`."""
    alike: tuple[str, ...] = ()
    """A part of literals as the grammar spells it, and other spellings, which are repairs."""
    names: Mapping[str, str] = _NONE
    """The tools that terminals represent, by the names of the terminals; `*` is the only tool of
    the caller."""
    unwrap: tuple[str, ...] = ()
    """Keys of a lone argument that contains all the arguments."""
    doubled: str = ""
    """The text between the halves of a name that may be written twice."""
    bare: Literal["text", "literal"] = "text"
    """What a value without quotes is in a `BARE_OBJECT`: text, or only a literal."""
    types: Literal["schema", "shape"] = "schema"
    """What determines the type of a raw value: the tool's schema, or whether the text is JSON."""
    entities: tuple[str, ...] = ()
    """The roles whose raw payloads, or tokens, contain XML entities."""
    unclosed: Literal["call", "text"] = "call"
    """How a call without a closer is read: as a call or as text."""
    misfit: Literal["call", "text"] = "call"
    """How a call is read if no given tool accepts its name and arguments: as a call or as text."""
    calls: Literal["all", "last"] = "all"
    """Which calls of a message count."""
    messages: Literal["joined", "lines"] = "joined"
    """What joins the texts of several envelopes: nothing, or a line end."""
    no_calls: str = ""
    """The name of a call with which a model declares that it calls no tool."""
    carry: tuple[str, ...] = ()
    """Arguments that a call without them inherits from the previous call."""
    keys: Mapping[str, str] = _NONE
    """The arguments whose values follow terminals, or are in them, by the terminals' names."""
    misspelt: Mapping[str, str] = _NONE
    """The texts that terminals misspell, by the terminals' names: they are read with a warning."""
    observation: tuple[str, ...] = ()
    """Terminals that begin the result of a tool: if a model writes one, the result is made up."""
    answer: tuple[str, ...] = ()
    """Terminals that begin the final answer."""
    turns: Mapping[str, str] = _NONE
    """The text of a chat template around a message, as `<|user|>{content}`, by its role; `begin` is
    the text before the first message."""
    tools: tuple[str, ...] = ()
    """The names of tools that are used if the caller gives none and the format needs them."""
    since: str = ""
    """The first version that has the format."""
    source: str = ""
    """The sources of the facts about the format."""
    unknown_arguments: Literal["keep", "drop"] = "keep"
    """What is done with an argument that the tool's schema does not have."""

    @property
    def decides_at_end(self) -> bool:
        """Whether only the end of a call, or of the message, shows if it is a call or text."""
        return "text" in (self.unclosed, self.misfit) or self.calls == "last"

    def marks_of(self, terminal: str) -> tuple[str, ...]:
        """Returns the values of the header for a declared terminal."""
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
    findings: list[GrammarError] = []
    start = 0
    number = 1
    # By hand, not by Lark, for which these lines are comments: a format is listed by its header
    # alone, before anything is compiled.
    while text.startswith(_MARK, start):
        line = text[start:].partition("\n")[0]
        try:
            entry = _read_line(line, path, number, entries)
            entries[entry.key] = entry
        except GrammarError as error:
            findings.append(error)
        start += len(line) + 1
        number += 1
    # Lark would read it as a comment, and it would be ignored silently.
    if late := _LATE_MARK.search(text, start):
        late_line = text.count("\n", 0, late.start()) + 1
        message = "found a header line after other lines"
        hint = "move it up to the first lines; a remark begins with `//` alone"
        findings.append(header_error(path, late_line, 1, message, hint))
    return _build(entries, findings)


def scan_headers(folder: Path) -> list[tuple[Path, Header]]:
    """Returns the format files directly in a folder with their headers, sorted by name.

    A file without an id is a library and is skipped.
    """
    headers = ((path, read_header(path)) for path in grammar_paths(folder))
    return [(path, header) for path, header in headers if header.id]


def _read_line(line: str, path: Path, number: int, before: Mapping[str, Entry]) -> Entry:
    """Returns the entry of one header line; `before` has those of the lines above it.

    Raises:
        GrammarError: it is no entry, or can't stand there.
    """
    match = _LINE.match(line)
    if match is None:
        message = "found `//@` and no key with a value"
        hint = "a header line reads `//@ key: value`; a remark begins with `//` alone"
        raise header_error(path, number, len(_MARK) + 1, message, hint)
    key = match["key"]
    if key not in KEYS:
        message = f"unknown header key `{key}`"
        raise header_error(path, number, match.start("key") + 1, message, nearest_or_all(key, KEYS))
    entry = Entry(key, match["value"], path, number, match.start("value") + 1)
    if key in before:
        message = f"`{key}` stands twice; first on line {before[key].line}"
        raise header_error(path, number, 1, message, "join both in one line, or drop one of them")
    # At a fixed place, a reader of the file, and a search over all files, finds it.
    if key == "id" and number != 1:
        raise header_error(
            path, number, 1, "`id` is the first line of a format", "move the line up"
        )
    # It would say the same as no line, and its author meant something by it.
    if not entry.value:
        raise entry.error(f"`{key}` has no value", "write it behind the colon, or drop the line")
    return entry


def _build(entries: Mapping[str, Entry], findings: list[GrammarError]) -> Header:
    """Returns the header with these entries.

    Raises:
        GrammarError: a value can't be read, or there were findings before.
    """
    values: dict[str, object] = {}
    for key, entry in entries.items():
        try:
            values[key.replace("-", "_")] = READERS[key](entry)
        except GrammarError as error:
            findings.append(error)
    raise_first(sorted(findings, key=lambda each: (each.line, each.column)))
    if not values.get("title"):
        values["title"] = values.get("id", "")
    return Header(**values)  # type: ignore[arg-type]  # each reader gives its field's type
