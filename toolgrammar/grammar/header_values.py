r"""Reads the values of a grammar file's header lines, with a reader for each key.

Example: the value of `//@ trim: value=strip` becomes `{"value": "strip"}`; an invalid value is a
`GrammarError` at the part that is wrong.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, cast

from toolgrammar.patterns.trim import MODES
from toolgrammar.values.errors import GrammarError
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

WIRE_ROLES = ("id", "depends_on")
"""The roles that the header may give to a name among the arguments in the text."""
TURNS = ("*", "begin", "system", "user", "assistant", "tool")
"""The keys of `turns`: every other role, the beginning of the conversation, or a role."""

_ID = late(r"[a-z0-9][a-z0-9_-]*")
_PAIR = late(r"(?P<name>[^\s=]+)=(?P<value>[^\s=]+)")
_TURN = late(r'[\s,]*(?P<role>[^\s=,]+)=(?P<text>"(?:[^"\\]|\\.)*")')
_STRING = late(r'"(?:[^"\\]|\\.)*"')


class Entry(NamedTuple):
    """The value of one header line, and its place."""

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


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns the start of a hint that names the most similar known name, or ""."""
    import difflib  # imported here: only errors need it

    # `text` means `TEXT`: the case of a name is the likeliest mistake.
    by_case = {each.lower(): each for each in sorted(known, reverse=True)}
    found = difflib.get_close_matches(name.lower(), by_case, 1)
    return f"nearest: `{by_case[found[0]]}`; " if found else ""


def nearest_or_all(word: str, known: tuple[str, ...]) -> str:
    """Returns the hint for a word that is not one of the known ones."""
    return nearest(word, known).removesuffix("; ") or f"known: {', '.join(known)}"


def _read_id(entry: Entry) -> str:
    if not _ID.fullmatch(entry.value):
        message = f"`{entry.value}` is no id"
        raise entry.error(message, "an id is made of lower-case letters, digits, `_` and `-`")
    # Tables, pages and formats are found by the name of the file.
    if entry.value != entry.path.stem:
        message = f"the id `{entry.value}` must equal the file's name `{entry.path.stem}`"
        raise entry.error(message, f"write `//@ id: {entry.path.stem}`, or rename the file")
    return entry.value


def _read_text(entry: Entry) -> str:
    return entry.value


def _read_words(entry: Entry) -> tuple[str, ...]:
    return tuple(word for part in entry.value.split(",") if (word := part.strip()))


def _read_blank_words(entry: Entry) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s,]+", entry.value))


def _read_strings(entry: Entry) -> tuple[str, ...]:
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


def _read_element(entry: Entry) -> str:
    """Returns the only string, which is before each tag."""
    found = _read_strings(entry)
    if len(found) != 1:
        raise entry.error("found no string, or several", '`element` is one string: `"]<x>["`')
    return found[0]


def _read_quotes(entry: Entry) -> tuple[str, ...]:
    """Returns the quotes of strings; none may begin another one, or look like a bracket."""
    quotes = _read_strings(entry)
    for quote in quotes:
        # It would be read as a bracket, a comma, a colon or an escape.
        if not quote.strip() or quote[0] in "{}[],:\\":
            hint = "a quote is a mark that no key and no value begins with"
            raise entry.error(f"`{quote}` can't be a quote", hint)
    return quotes


def _quoted(entry: Entry, position: int) -> tuple[str, int]:
    """Returns the JSON string at a position and the position after its comma."""
    match = _STRING.match(entry.value, position)
    try:
        part = cast("str", json.loads(match[0])) if match else None
    except json.JSONDecodeError:
        part = None
    # A string without its closing quote, or with an escape that is not JSON.
    if match is None or part is None:
        raise entry.error("found a string that JSON can't read", 'close it with `"`', position)
    # Commas inside a JSON string do not separate parts, so the string is read first.
    rest = entry.value[match.end() :].lstrip()
    if rest and not rest.startswith(","):
        offset = len(entry.value) - len(rest)
        raise entry.error("found no comma behind a string", "put commas between strings", offset)
    return part, len(entry.value) - len(rest) + 1


def _read_alike(entry: Entry) -> tuple[str, ...]:
    """Returns a part of literals, and its other spellings."""
    found = _read_strings(entry)
    if len(found) == 1:
        hint = f'write its other spellings behind it: `{json.dumps(found[0])}, "…"`'
        raise entry.error(f"`{found[0]}` has no other spelling", hint)
    return found


def _read_pairs(entry: Entry, values: str = "") -> dict[str, str]:
    """Returns pairs written as `name=value name=value`; `values` says which values there are."""
    pairs: dict[str, str] = {}
    for word in re.finditer(r"[^\s,]+", entry.value):
        pair = _PAIR.fullmatch(word[0])
        if pair is None:
            hint = f"`{entry.key}` is written `name=value name=value`{values}"
            raise entry.error(f"`{word[0]}` is no pair", hint, word.start())
        # Otherwise the last one would win silently.
        if pair["name"] in pairs:
            message = f"`{pair['name']}` stands twice in `{entry.key}`"
            raise entry.error(message, "drop one of the two", word.start())
        pairs[pair["name"]] = pair["value"]
    return pairs


def _read_turns(entry: Entry) -> dict[str, str]:
    r"""Returns the texts around messages by role, each with `{content}`, and `{role}` replaced.

    `*="<|{role}|>{content}" tool="result"` is `<|result|>{content}` for `tool`: a text without
    `{content}` replaces `{role}` in the text of `*`. Other roles use the text of `*`.
    """
    turns: dict[str, str] = {}
    position = 0
    while entry.value[position:].strip(" \t,"):
        found = _TURN.match(entry.value, position)
        if found is None:
            hint = '`turns` is written `user="<|user|>{content}" assistant="…"`'
            raise entry.error("found no role with a JSON string", hint, position)
        role, start = found["role"], found.start("role")
        if role not in TURNS:
            raise entry.error(f"unknown turn `{role}`", nearest_or_all(role, TURNS), start)
        if role in turns:
            raise entry.error(f"`{role}` stands twice in `turns`", "drop one of the two", start)
        alone = entry._replace(value=entry.value[: found.end()])
        turns[role], _ = _quoted(alone, found.start("text"))
        _check_placeholders(entry, found, turns[role])
        position = found.end()
    every = turns.pop("*", "")
    for role in TURNS[2:] if every else ():
        word = turns.get(role, role)
        if "{content}" not in word:
            turns[role] = every.replace("{role}", word)
    # Every text needs the message, and a model must be able to answer.
    if "assistant" not in turns or any(
        turn.count("{content}") != (role != "begin") for role, turn in turns.items()
    ):
        hint = "write `{content}` once in the turn of each role, also of the assistant, or in `*`"
        raise entry.error("found a turn without its message", hint)
    return turns


def _check_placeholders(entry: Entry, turn: re.Match[str], text: str) -> None:
    """Raises for a placeholder that nothing fills in: it would stand in each prompt as it is."""
    known = ("content", "role") if turn["role"] == "*" else ("content",)
    for name in re.findall(r"\{(\w+)\}", text):
        if name not in known:
            only = "`{role}` is filled in the text of `*` alone; " if name == "role" else ""
            shown = " and ".join(f"`{{{each}}}`" for each in known)
            at = max(turn["text"].find(f"{{{name}}}"), 0) + turn.start("text")
            message = f"`{{{name}}}` stands in the turn of `{turn['role']}`, and nothing fills it"
            raise entry.error(message, f"{only}placeholders here are {shown}", at)


def _pairs_of(what: str, *allowed: str) -> Callable[[Entry], dict[str, str]]:
    """Returns a reader of pairs whose values are among the allowed words."""

    def read(entry: Entry) -> dict[str, str]:
        pairs = _read_pairs(entry, f", a {what} behind each `=`: {', '.join(allowed)}")
        for name, value in pairs.items():
            if value not in allowed:
                # The place of this pair: the same value may follow another name, too.
                pair = compile_pattern(rf"(?<![^\s,]){re.escape(name)}=")
                found = pair.search(entry.value)
                offset = found.end() if found else 0
                raise entry.error(
                    f"unknown {what} `{value}`", nearest_or_all(value, allowed), offset
                )
        return pairs

    return read


def _words_of(*allowed: str) -> Callable[[Entry], tuple[str, ...]]:
    """Returns a reader of words, separated by blanks, that are among the allowed ones."""

    def read(entry: Entry) -> tuple[str, ...]:
        words = _read_blank_words(entry)
        for word in words:
            if word not in allowed:
                offset = entry.value.index(word)
                raise entry.error(
                    f"`{entry.key}` does not take `{word}`", nearest_or_all(word, allowed), offset
                )
        return words

    return read


def _choice(*allowed: str) -> Callable[[Entry], str]:
    """Returns a reader that accepts one of the words."""

    def read(entry: Entry) -> str:
        if entry.value not in allowed:
            hint = f"`{entry.key}` is {' or '.join(f'`{word}`' for word in allowed)}"
            raise entry.error(f"found `{entry.value}`", hint)
        return entry.value

    return read


READERS: dict[str, Callable[[Entry], object]] = {
    "id": _read_id,
    "title": _read_text,
    "family": _read_text,
    "aliases": _read_words,
    "models": _read_words,
    "stop": _read_strings,
    "special": _read_strings,
    "trim": _pairs_of("mode of trimming", *MODES),
    "roles": _pairs_of("role on the wire", *WIRE_ROLES),
    "quotes": _read_quotes,
    "element": _read_element,
    "alike": _read_alike,
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
    "turns": _read_turns,
    "tools": _read_words,
    "since": _read_text,
    "source": _read_text,
    "unknown-arguments": _choice("keep", "drop"),
}

KEYS = tuple(READERS)
"""Every key that a header may have."""
