"""Reads a caller's own formats, tools and messages, which take the place of drawn ones.

A folder with `mine.lark`, `tools.json` and `seen.jsonl` is a format, its tools and messages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgrammar.catalogue.format import Format, load_format
from toolgrammar.cli.input import InputError, read_tools
from toolgrammar.comparison.messages import Message, fitting, message_of
from toolgrammar.interop.openai import from_tool_calls
from toolgrammar.parsing.whole import parse
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import ToolGrammarError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgrammar.values.tools import ToolSpec

_MISSING = object()
_LISTS = "tools"
"""The key of a row's tools: a list, or the id of one in the first line."""


@dataclass
class Material:
    """What the suite runs over."""

    messages: list[Message]
    """The messages that every format is asked to carry."""
    formats: list[Format] = field(default_factory=list)
    """Formats of the caller's own."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Why something could not be used, and the names of what."""

    def skip(self, reason: str, name: str) -> None:
        """Notes what could not be used."""
        self.skipped.setdefault(reason, []).append(name)


def read_material(paths: Iterable[str]) -> Material:
    """Returns what files and folders of a caller hold.

    `*.lark` are formats, `*.json` tools, `*.jsonl` messages (a line has `calls`, `tool_calls` or
    `text`, and may name its `format`), `*.txt` the transcript of one message.

    Raises:
        InputError: a file can't be read; the message says where.
        GrammarError: a grammar is broken.
    """
    found = Material([])
    specs: dict[str, ToolSpec] = {}
    texts: list[Path] = []
    for path in _files(paths):
        match path.suffix:
            case ".lark":
                found.formats.append(load_format(path))
            case ".json":
                specs |= to_specs(read_tools(str(path)) or [])
            case ".jsonl" | ".txt":
                texts.append(path)
            case _:
                found.skip("not a .lark, .json, .jsonl or .txt file", str(path))
    # After all files are seen: a transcript may come before the grammar that reads it.
    own = {each.id: each for each in found.formats}
    for path in texts:
        lists: dict[str, Any] = {}
        for name, record in _records(path):
            # The first line may have the lists of tools by id, as logs have them.
            if not lists and isinstance(record.get(_LISTS), dict) and len(record) == 1:
                lists = record[_LISTS]
                continue
            # A row's own tools first: a log may be of several agents, whose tools share names.
            known = _tools(name, record, lists) or specs
            calls = tuple(_calls(name, record, own, known))
            typed = fitting(calls, known)
            # No error: messages of a log that call nothing, or not as the tools want it, are as
            # usual as others.
            if not calls:
                found.skip("there is no call in it", name)
            elif typed is None:
                found.skip("a call breaks the schema of its tool", name)
            else:
                found.messages.append(message_of(name, typed, known))
    return found


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
            if inner.suffix in (".lark", ".json", ".jsonl", ".txt"):
                yield inner


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the messages of a file with the name of each."""
    try:
        # Editors on Windows write a byte order mark, which JSON does not take.
        text = path.read_text(encoding="utf-8-sig")
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
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputError(f"{path}:{number}: expected a JSON object")
        yield f"{path.name}:{number}", record


def _tools(name: str, record: dict[str, Any], lists: dict[str, Any]) -> dict[str, ToolSpec]:
    """Returns the tools that a row has of its own."""
    given = record.get(_LISTS)
    if isinstance(given, str):
        # An id that the first line lacks gives None: then the tools of all files count.
        given = lists.get(given)
    try:
        return dict(to_specs(given)) if isinstance(given, list) else {}
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: its tools: {error}") from error


def _calls(
    name: str,
    record: dict[str, Any],
    own: Mapping[str, Format],
    specs: Mapping[str, ToolSpec],
) -> Iterable[ToolCall]:
    """Returns the calls of a message that is written in any of the shapes."""
    try:
        if isinstance(record.get("calls"), list):
            return [_plain_call(call) for call in record["calls"]]
        if isinstance(record.get("tool_calls"), list):
            # As OpenAI's messages have them.
            return from_tool_calls(record["tool_calls"])
        # `content` is the key of the text in OpenAI's messages.
        text = record.get("text", record.get("content", _MISSING))
        if isinstance(text, str):
            return _calls_of_text(text, record.get("format"), own, list(specs.values()))
    # A record is the caller's: whatever is wrong with it is told with its file and line.
    except (TypeError, AttributeError, ToolGrammarError) as error:
        raise InputError(f"{name}: {error}") from error
    if text is None:  # as services write a message that has none
        return ()
    raise InputError(f"{name}: expected `calls`, `tool_calls` or `text`")


def _plain_call(call: object) -> ToolCall:
    """Returns a call that is written as we write it."""
    # Left out, or null: a call without arguments.
    arguments = (call.get("arguments") or {}) if isinstance(call, dict) else None
    if not (isinstance(call, dict) and call.get("name") and isinstance(arguments, dict)):
        shape = '{"name": …, "arguments": {…}}'
        raise TypeError(f"a call in `calls` is an object `{shape}`, got {call!r:.100}")
    return ToolCall(call["name"], arguments)


def _calls_of_text(
    text: str, named: str | None, own: Mapping[str, Format], tools: list[ToolSpec]
) -> tuple[ToolCall, ...]:
    """Returns the calls of a transcript; where no format is named, also in the caller's own."""
    tried: list[str | Format] = (
        # `auto` knows the formats of the catalogue only.
        [own.get(named, named)] if named is not None else ["auto", *own.values()]
    )
    calls = (parse(text, format=each, tools=tools).calls for each in tried)
    return next(filter(None, calls), ())
