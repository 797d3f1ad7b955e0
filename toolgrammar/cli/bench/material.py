"""The messages whose calls the formats are compared on: ours, a caller's, or those of a page."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgrammar.catalogue.format import Format, load_format
from toolgrammar.catalogue.page import PageError, read_page_text
from toolgrammar.cli.input import InputError, read_tools
from toolgrammar.interop.openai import from_tool_calls
from toolgrammar.parsing.whole import parse
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import ToolGrammarError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgrammar.values.tools import ToolSpec

_MISSING = object()
_PAGE_MESSAGES = 5
"""So many examples of its page stand for a format that can't carry the calls of all others."""

# With quotes, braces, line ends and a letter beyond ASCII: what formats have to escape.
_CODE = 'def rate(km: float) -> str:\n    return f"{km * 0.75:.2f} EUR"  # naïve\n'

_TOOLS: list[object] = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "metric": {"type": "boolean"},
            },
            "required": ["city"],
        },
    },
    {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}},
            "required": ["path", "body"],
        },
    },
    {
        "name": "find_trips",
        "parameters": {
            "type": "object",
            "properties": {
                "from": {"type": "string"},
                "stops": {"type": "array", "items": {"type": "string"}},
                "limits": {
                    "type": "object",
                    "properties": {"price": {"type": "number"}, "changes": {"type": "integer"}},
                },
            },
            "required": ["from"],
        },
    },
    {"name": "list_notes", "parameters": {"type": "object", "properties": {}}},
]

_WEATHER = ToolCall("get_weather", {"city": "Tromsø", "days": 16, "metric": True})
_TRIPS = ToolCall(
    "find_trips",
    {
        "from": "Oslo",
        "stops": ["Hamar", "Lillehammer"],
        "limits": {"price": 249.5, "changes": 28},
    },
)


@dataclass(frozen=True)
class Message:
    """The calls of one message, and what their tools look like."""

    name: str
    """What the message is called in reports."""
    calls: tuple[ToolCall, ...]
    """The calls, without ids."""
    tools: list[object] = field(default_factory=list)
    """The tools that they call, as far as they are known."""


@dataclass
class Material:
    """What the suite runs over."""

    messages: list[Message]
    """The messages that every format is asked to carry."""
    formats: list[Format] = field(default_factory=list)
    """Formats of the caller's own."""
    skipped: list[str] = field(default_factory=list)
    """What could not be used, and why."""


def built_in() -> list[Message]:
    """Returns messages of all shapes: one call, code, nested values, no arguments, two calls."""
    specs = to_specs(_TOOLS)
    messages = {
        "one call": (_WEATHER,),
        "code": (ToolCall("write_file", {"path": "src/fare.py", "body": _CODE * 3}),),
        "nested": (_TRIPS,),
        "no arguments": (ToolCall("list_notes"),),
        "two calls": (_WEATHER, _TRIPS),
    }
    return [_message(name, calls, specs) for name, calls in messages.items()]


def long_message(size: int) -> Message:
    """Returns a message with one argument of about so many characters of code."""
    body = _CODE * (size // len(_CODE))
    call = ToolCall("write_file", {"path": "src/fare.py", "body": body})
    return _message("long", (call,), to_specs(_TOOLS))


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
                found.skipped.append(f"{path}: not a .lark, .json, .jsonl or .txt file")
    # After all files are seen: a transcript may come before the grammar that reads it.
    own = {each.id: each for each in found.formats}
    for path in texts:
        for name, record in _records(path):
            calls = tuple(_calls(name, record, own, specs))
            if calls:
                found.messages.append(_message(name, calls, specs))
            else:
                found.skipped.append(f"{name}: there is no call in it")
    if not found.messages:
        if texts or found.skipped or not (found.formats or specs):
            found.skipped.append("no call of your own was found: the built-in ones are measured")
        found.messages.extend(built_in())
    return found


def of_page(form: Format) -> list[Message]:
    """Returns the calls of sound examples on a format's own page."""
    try:
        page = read_page_text(form.page, form.id)
    except PageError:
        return []
    messages: list[Message] = []
    for example in page.examples:
        tools = example.expected.get("tools")
        # An example may name tools of its own.
        specs = to_specs(tools if isinstance(tools, list) else page.tools)
        found = parse(example.text, format=form, tools=list(specs.values()))
        # Sound ones only: a repaired message does not come back as it was written.
        if found.calls and not found.diagnostics:
            messages.append(_message(example.slug, found.calls, specs))
        if len(messages) == _PAGE_MESSAGES:
            break
    return messages


def _message(name: str, calls: Iterable[ToolCall], specs: Mapping[str, ToolSpec]) -> Message:
    # Without ids, which not every format has a place for.
    chosen = tuple(ToolCall(call.name, call.arguments, None, call.input) for call in calls)
    called = [specs[name] for name in dict.fromkeys(call.name for call in chosen) if name in specs]
    # Dicts, as callers give them; one list that stays, so that it is read once.
    tools: list[object] = [{"name": spec.name, "parameters": spec.parameters} for spec in called]
    return Message(name, chosen, tools)


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
