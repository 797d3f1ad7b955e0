"""Reads the formats, tools and messages of a caller, which replace the drawn ones.

A folder with `mine.lark`, `tools.json` and `seen.jsonl` is a format, its tools and messages.
"""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgrammar.bulk.rows.packed import unpacking
from toolgrammar.catalogue.format import Format, load_format
from toolgrammar.cli.input import InputError, read_tools
from toolgrammar.comparison.messages import Message, fitting, message_of
from toolgrammar.interop.openai import from_tool_calls
from toolgrammar.parsing.whole import parse
from toolgrammar.scoring.truths import arguments_in
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import ToolGrammarError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgrammar.values.tools import ToolSpec

_MISSING = object()
_LISTS = "tools"
"""The key of a row's tools: a list, or the id of one in the first line."""
_ENDINGS = (".lark", ".json", ".jsonl", ".jsonl.gz", ".txt")


@dataclass
class Material:
    """The formats, tools and messages that the suite compares."""

    messages: list[Message]
    """The messages that every format is asked to carry."""
    formats: list[Format] = field(default_factory=list)
    """Formats of the caller's own."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Why something could not be used, and the names of what."""
    details: dict[str, str] = field(default_factory=dict)
    """What more is known of the first that could not be used for a reason."""

    def skip(self, reason: str, name: str, detail: str = "") -> None:
        """Notes what could not be used."""
        self.skipped.setdefault(reason, []).append(name)
        self.details.setdefault(reason, detail)

    def notes(self) -> Iterator[str]:
        """Yields what could not be used: a line for each reason, however many it is of."""
        for reason, names in self.skipped.items():
            detail = self.details[reason]
            first = f"{names[0]}: {reason}" + (f": {detail}" if detail else "")
            yield first if len(names) == 1 else f"{first}; and {len(names) - 1:,} more of this kind"


class _UnusableError(Exception):
    """Raised if a line holds no message: its reason, which other lines share, and a detail."""

    def __init__(self, reason: str, detail: object = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = str(detail)


class _Row(NamedTuple):
    """One message of a file, in whatever shape it is written."""

    name: str
    """Its name in notes and errors."""
    record: dict[str, Any] | _UnusableError
    """The content of its line, or why it has none."""
    lists: dict[str, Any]
    """The lists of tools by id that its file has in the first line."""


def read_material(paths: Iterable[str], limit: int | None = None, seed: int = 0) -> Material:
    """Returns what files and folders of a caller hold.

    `*.lark` are formats, `*.json` tools, `*.jsonl` messages (a line has `calls`, `tool_calls` or
    `text`, and may name its `format`), `*.txt` the transcript of one message.

    Args:
        paths: the files and folders.
        limit: draw at most so many of the messages; None takes all.
        seed: from which they are drawn.

    Raises:
        InputError: a file can't be read, or none of its lines; the message says where.
        GrammarError: a grammar is broken.
    """
    found = Material([])
    specs: dict[str, ToolSpec] = {}
    texts: list[Path] = []
    for path in _files(paths):
        match _ending(path):
            case ".lark":
                found.formats.append(load_format(path))
            case ".json":
                specs |= to_specs(read_tools(str(path)) or [])
            case ".jsonl" | ".jsonl.gz" | ".txt":
                texts.append(path)
            case _:
                found.skip("not a .lark, .json, .jsonl, .jsonl.gz or .txt file", str(path))
    rows = [row for path in texts for row in _rows(path)]
    if limit is not None and limit < len(rows):
        # Drawn, since the first of a log are often of one kind; and before their calls are read,
        # since a log may have thousands of times as many.
        random.Random(seed).shuffle(rows)  # noqa: S311 - the same in every run
    # After all files are seen: a transcript may come before the grammar that reads it.
    own = {each.id: each for each in found.formats}
    faults = 0
    for row in rows:
        if len(found.messages) == limit:
            break
        try:
            _add(found, row, own, specs)
        # One bad line of a log spoils no other.
        except _UnusableError as error:
            faults += 1
            found.skip(error.reason, row.name, error.detail)
    # Where every line is bad, more likely the files are not what they are taken for.
    if rows and faults == len(rows):
        raise InputError("; ".join(found.notes()))
    return found


def _add(
    found: Material, row: _Row, own: Mapping[str, Format], specs: Mapping[str, ToolSpec]
) -> None:
    """Adds the message of a row, or notes why it can't be used.

    Raises:
        _UnusableError: its line is wrong.
    """
    if isinstance(row.record, _UnusableError):
        raise row.record
    # A row's own tools first: a log may be of several agents, whose tools share names.
    known = _tools(row.record, row.lists) or specs
    calls = _calls(row.record, own, known)
    typed = None if calls is None else fitting(calls, known)
    # No fault: messages of a log that call nothing, or not as the tools want it, are as usual as
    # others.
    if calls is None:
        found.skip("a call in it is cut, can't be read, or may have been meant otherwise", row.name)
    elif not calls:
        found.skip("there is no call in it", row.name)
    elif typed is None:
        found.skip("a call breaks the schema of its tool", row.name)
    else:
        found.messages.append(message_of(row.name, typed, known))


def _files(paths: Iterable[str]) -> Iterator[Path]:
    """Yields the files; of a folder, those in it that have a meaning here."""
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise InputError(f"{name}: there is no such file or folder")
        if not path.is_dir():
            yield path
            continue
        # In an order that is the same on every system.
        for inner in sorted(path.iterdir()):
            if _ending(inner):
                yield inner


def _ending(path: Path) -> str:
    """Returns which of the endings with a meaning here the name of a file has; "" for another."""
    return next((each for each in _ENDINGS if path.name.endswith(each)), "")


def _rows(path: Path) -> Iterator[_Row]:
    """Yields the messages of a file."""
    lists: dict[str, Any] = {}
    for name, record in _records(path):
        # The first line may have the lists of tools by id, as logs have them.
        given = record.get(_LISTS) if isinstance(record, dict) and len(record) == 1 else None
        if not lists and isinstance(given, dict):
            lists = given
        else:
            yield _Row(name, record, lists)


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any] | _UnusableError]]:
    """Yields the lines of a file, or what is wrong with them, with the name of each."""
    try:
        # Editors on Windows write a byte order mark, which JSON does not take.
        text = _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8") from None
    if path.suffix == ".txt":
        yield path.name, {"text": text}
        return
    # Not `splitlines`: a JSON string may hold U+2028, which that takes for a line end.
    for number, line in enumerate(text.split("\n"), 1):
        # The line end of the last line makes an empty one.
        if not line.strip():
            continue
        yield f"{path.name}:{number}", _record(line)


def _record(line: str) -> dict[str, Any] | _UnusableError:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _UnusableError("not JSON", error)
    return record if isinstance(record, dict) else _UnusableError("expected a JSON object")


def _bytes(path: Path) -> bytes:
    """Returns what a file holds, unpacked.

    Raises:
        InputError: its name says that gzip packed it, and it did not.
    """
    if path.suffix != ".gz":
        return path.read_bytes()
    try:
        with gzip.open(path) as file, unpacking(path):
            return file.read()
    except ValueError as error:
        raise InputError(str(error)) from error


def _tools(record: Mapping[str, Any], lists: Mapping[str, Any]) -> dict[str, ToolSpec]:
    """Returns the tools that a row has of its own.

    Raises:
        _UnusableError: they can't be read, or their id is unknown.
    """
    given = record.get(_LISTS)
    if given is None or given == "":
        return {}
    if isinstance(given, str):
        if given not in lists:
            raise _UnusableError("its tools: the first line has no list of this id", given)
        given = lists[given]
    if not isinstance(given, list):
        raise _UnusableError("its tools: expected a list, or the id of one")
    try:
        return dict(to_specs(given))
    except (TypeError, ValueError, RecursionError) as error:
        raise _UnusableError("its tools", error) from error


def _calls(
    record: Mapping[str, Any], own: Mapping[str, Format], specs: Mapping[str, ToolSpec]
) -> tuple[ToolCall, ...] | None:
    """Returns the calls of a message that is written in any of the shapes.

    None says that one of them was not read as it was meant for certain.

    Raises:
        _UnusableError: the message is in none of the shapes.
    """
    # `content` is the key of the text in OpenAI's messages.
    text = record.get("text", record.get("content", _MISSING))
    try:
        if isinstance(record.get("calls"), list):
            return tuple(_plain_call(call) for call in record["calls"])
        if isinstance(record.get("tool_calls"), list):
            # As OpenAI's messages have them.
            calls = tuple(from_tool_calls(record["tool_calls"]))
            return calls if all(call.executable for call in calls) else None
        if isinstance(text, str):
            # An empty cell of a log names no format, as in `score`.
            return _calls_of_text(text, record.get("format") or None, own, list(specs.values()))
    # A record is the caller's: whatever is wrong with it is told with its file and line.
    except KeyError as error:
        raise _UnusableError("a call can't be read", error.args[0]) from error
    except (TypeError, AttributeError, ValueError, OSError, ToolGrammarError) as error:
        raise _UnusableError("its message can't be read", error) from error
    if text is None:  # as services write a message that has none
        return ()
    raise _UnusableError("expected `calls`, `tool_calls` or `text`")


def _plain_call(call: object) -> ToolCall:
    """Returns a call that is written as we write it.

    Raises:
        _UnusableError: it is written otherwise.
    """
    # Left out, or null: a call without arguments.
    arguments = (arguments_in(call) or {}) if isinstance(call, dict) else None
    name = call.get("name") if isinstance(call, dict) else None
    if not (isinstance(name, str) and name and isinstance(arguments, dict)):
        shape = '{"name": …, "arguments": {…}}'
        raise _UnusableError(f"a call in `calls` is an object `{shape}`", f"got {call!r:.100}")
    return ToolCall(name, arguments)


def _calls_of_text(
    text: str, named: str | None, own: Mapping[str, Format], tools: list[ToolSpec]
) -> tuple[ToolCall, ...] | None:
    """Returns the calls of a transcript; where no format is named, also in the caller's own.

    None says that one of them was lost, or may not run: the message is not what was meant.
    """
    tried: list[str | Format] = (
        # `auto` knows the formats of the catalogue only.
        [own.get(named, named)] if named is not None else ["auto", *own.values()]
    )
    results = [parse(text, format=each, tools=tools) for each in tried]
    whole = next((result.calls for result in results if result.calls and result.ok), ())
    begun = any(result.calls or not result.ok for result in results)
    return None if begun and not whole else whole
