"""Reads the `//@ key: value` lines at the top of a grammar file.

Example: `//@ trim: value=strip` becomes `{"value": "strip"}` in the field `trim`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from toolgrammar.grammar.files import grammar_paths, read_text
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.grammar.roles import BARE_QUOTES
from toolgrammar.patterns.trim import MODES
from toolgrammar.values.errors import GrammarError
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

WIRE_ROLES = ("id", "depends_on")
"""What an argument on the wire can be instead of an argument."""

_MARK = "//@"
_LINE = late(r"//@[ \t]*(?P<key>[\w-]+)[ \t]*:[ \t]*(?P<value>.*?)[ \t]*$")
_ID = late(r"[a-z0-9][a-z0-9_-]*")
_PAIR = late(r"(?P<name>[^\s=]+)=(?P<value>[^\s=]+)")
_STRING = late(r'"(?:[^"\\]|\\.)*"')
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


class _Entry(NamedTuple):
    """The value of one header line, and where it stands."""

    key: str
    value: str
    path: Path
    line: int
    column: int

    def error(self, message: str, hint: str, offset: int = 0) -> GrammarError:
        """Returns the error that points into the value."""
        return header_error(self.path, self.line, self.column + offset, message, hint)


def header_error(path: Path, line: int, column: int, message: str, hint: str) -> GrammarError:
    """Returns the error for a place in a grammar file."""
    return GrammarError(message, file=str(path), line=line, column=column, hint=hint, code="header")


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
    entries: dict[str, _Entry] = {}
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
    # It would be a comment to Lark, and nobody would miss it.
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


def _read_line(line: str, path: Path, number: int) -> _Entry:
    match = _LINE.match(line)
    if match is None:
        message = "found `//@` and no key with a value"
        hint = "a header line reads `//@ key: value`; a remark begins with `//` alone"
        raise header_error(path, number, len(_MARK) + 1, message, hint)
    key = match["key"]
    if key not in KEYS:
        message = f"unknown header key `{key}`"
        raise header_error(path, number, match.start("key") + 1, message, _mend(key, KEYS))
    return _Entry(key, match["value"], path, number, match.start("value") + 1)


def _mend(word: str, known: tuple[str, ...]) -> str:
    """Returns the hint for a word that is none of the known ones."""
    import difflib  # for mistakes alone

    nearest = difflib.get_close_matches(word.lower(), known, 1)
    return f"nearest: `{nearest[0]}`" if nearest else f"known: {', '.join(known)}"


def _build(entries: Mapping[str, _Entry]) -> Header:
    values: dict[str, object] = {
        key.replace("-", "_"): _READERS[key](entry) for key, entry in entries.items()
    }
    if not values.get("title"):
        values["title"] = values.get("id", "")
    return Header(**values)  # type: ignore[arg-type]  # each reader gives its field's type


def _read_id(entry: _Entry) -> str:
    if not _ID.fullmatch(entry.value):
        message = f"`{entry.value}` is no id"
        raise entry.error(message, "an id is made of lower-case letters, digits, `_` and `-`")
    # Tables, pages and formats are found by the name of the file.
    if entry.value != entry.path.stem:
        message = f"the id `{entry.value}` must equal the file's name `{entry.path.stem}`"
        raise entry.error(message, f"write `//@ id: {entry.path.stem}`, or rename the file")
    return entry.value


def _read_text(entry: _Entry) -> str:
    return entry.value


def _read_words(entry: _Entry) -> tuple[str, ...]:
    return tuple(word for part in entry.value.split(",") if (word := part.strip()))


def _read_blank_words(entry: _Entry) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s,]+", entry.value))


def _read_strings(entry: _Entry) -> tuple[str, ...]:
    """Returns the parts between commas; a part in double quotes is a JSON string."""
    found: list[str] = []
    value, position = entry.value, 0
    while position < len(value):
        if value[position].isspace():
            position += 1
        elif value[position] == '"':
            part, position = _quoted(entry, position)
            found.append(part)
        else:
            end = value.find(",", position)
            end = len(value) if end < 0 else end
            if word := value[position:end].strip():
                found.append(word)
            position = end + 1
    return tuple(found)


def _read_element(entry: _Entry) -> str:
    """Returns the one string that stands before each tag."""
    found = _read_strings(entry)
    if len(found) != 1:
        raise entry.error("found no string, or several", '`element` is one string: `"]<x>["`')
    return found[0]


def _read_quotes(entry: _Entry) -> tuple[str, ...]:
    """Returns the quotes of strings; one that begins another, or a bracket, can't be told apart."""
    quotes = _read_strings(entry)
    for quote in quotes:
        # What begins so would be read as a bracket, a comma, a colon or an escape.
        if not quote.strip() or quote[0] in "{}[],:\\":
            hint = "a quote is a mark that no key and no value begins with"
            raise entry.error(f"`{quote}` can't be a quote", hint)
    return quotes


def _quoted(entry: _Entry, position: int) -> tuple[str, int]:
    """Returns the JSON string at a position and the position after its comma."""
    match = _STRING.match(entry.value, position)
    try:
        part = cast("str", json.loads(match[0])) if match else None
    except json.JSONDecodeError:
        part = None
    # A string without its closing quote, or with an escape that JSON does not know.
    if match is None or part is None:
        raise entry.error("found a string that JSON can't read", 'close it with `"`', position)
    # Commas inside of a JSON string part nothing, so the string is read first.
    rest = entry.value[match.end() :].lstrip()
    if rest and not rest.startswith(","):
        offset = len(entry.value) - len(rest)
        raise entry.error("found no comma behind a string", "put commas between strings", offset)
    return part, len(entry.value) - len(rest) + 1


def _read_pairs(entry: _Entry) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for word in re.finditer(r"[^\s,]+", entry.value):
        pair = _PAIR.fullmatch(word[0])
        if pair is None:
            hint = f"`{entry.key}` is written `name=value name=value`"
            raise entry.error(f"`{word[0]}` is no pair", hint, word.start())
        # The last one would win in silence.
        if pair["name"] in pairs:
            message = f"`{pair['name']}` stands twice in `{entry.key}`"
            raise entry.error(message, "drop one of the two", word.start())
        pairs[pair["name"]] = pair["value"]
    return pairs


def _pairs_of(what: str, *allowed: str) -> Callable[[_Entry], dict[str, str]]:
    """Returns a reader of pairs whose values are among the words."""

    def read(entry: _Entry) -> dict[str, str]:
        pairs = _read_pairs(entry)
        for name, value in pairs.items():
            if value not in allowed:
                # The place of this pair: the same value may stand behind another name, too.
                pair = compile_pattern(rf"(?<![^\s,]){re.escape(name)}=")
                found = pair.search(entry.value)
                offset = found.end() if found else 0
                raise entry.error(f"unknown {what} `{value}`", _mend(value, allowed), offset)
        return pairs

    return read


def _words_of(*allowed: str) -> Callable[[_Entry], tuple[str, ...]]:
    """Returns a reader of words, with blanks between, that are among the allowed ones."""

    def read(entry: _Entry) -> tuple[str, ...]:
        words = _read_blank_words(entry)
        for word in words:
            if word not in allowed:
                offset = entry.value.index(word)
                raise entry.error(
                    f"`{entry.key}` does not take `{word}`", _mend(word, allowed), offset
                )
        return words

    return read


def _choice(*allowed: str) -> Callable[[_Entry], str]:
    """Returns a reader that takes one of the words."""

    def read(entry: _Entry) -> str:
        if entry.value not in allowed:
            hint = f"`{entry.key}` is {' or '.join(f'`{word}`' for word in allowed)}"
            raise entry.error(f"found `{entry.value}`", hint)
        return entry.value

    return read


_READERS: dict[str, Callable[[_Entry], object]] = {
    "id": _read_id,
    "title": _read_text,
    "family": _read_text,
    "aliases": _read_words,
    "models": _read_words,
    "stop": _read_strings,
    "special": _read_strings,
    "trim": _pairs_of("way to trim", *MODES),
    "roles": _pairs_of("role on the wire", *WIRE_ROLES),
    "quotes": _read_quotes,
    "element": _read_element,
    "alike": _read_strings,
    "names": _read_pairs,
    "unwrap": _read_blank_words,
    "doubled": _read_text,
    "bare": _choice("text", "literal"),
    "types": _choice("schema", "shape"),
    "entities": _words_of("value", "input", "body", "words", "content", "name", "key"),
    "unclosed": _choice("call", "text"),
    "misfit": _choice("call", "text"),
    "calls": _choice("all", "last"),
    "messages": _choice("joined", "lines"),
    "no-calls": _read_text,
    "carry": _read_blank_words,
    "keys": _read_pairs,
    "misspelt": _read_pairs,
    "observation": _read_blank_words,
    "answer": _read_blank_words,
    "tools": _read_words,
    "since": _read_text,
    "source": _read_text,
    "unknown-arguments": _choice("keep", "drop"),
}

KEYS = tuple(_READERS)
"""Every key that a header may have."""
