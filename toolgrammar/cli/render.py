"""The command `render`: writes calls, given as JSON, in a format's wire text.

`[{"name": "get_weather", "arguments": {"city": "Oslo"}}]` becomes the text that a model would
have written.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, cast

from toolgrammar.catalogue.registry import formats
from toolgrammar.cli.input import STANDARD_INPUT, InputError, read_json, read_tools
from toolgrammar.cli.output import write
from toolgrammar.values.calls import ToolCall

if TYPE_CHECKING:
    import argparse

    from toolgrammar.values.json_types import JsonValue

_WRITTEN = ("name", "arguments", "input", "id", "depends_on")
# More keys that `parse --json` prints for a call; they describe how it was read.
_READ_ONLY = (
    "schema",
    "type",
    "raw_arguments",
    "span",
    "status",
    "format",
    "error",
    "doubts",
    "executable",
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "render",
        help="write calls in a format",
        description="Writes calls in a format. They are JSON: a list of "
        '{"name": …, "arguments": {…}}, one such object, or what `parse --json` prints.',
    )
    parser.add_argument("file", nargs="?", default=STANDARD_INPUT, help="none is standard input")
    parser.add_argument("--format", required=True, help="id, alias or path of a .lark file")
    parser.add_argument("--text", help="text before the calls")
    parser.add_argument(
        "--tools", metavar="FILE", help="JSON list of all tools: the message is read back with them"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes the calls and returns the exit status."""
    chosen = formats.resolve(arguments.format)
    value = read_json(arguments.file)
    text: str | None = arguments.text
    # `parse --json` prints a whole result: its text is written too, unless another is given.
    if isinstance(value, dict) and "calls" in value:
        if text is None and isinstance(value.get("text"), str):
            text = cast("str", value["text"])
        value = value["calls"]
    # One call alone, or a list of calls.
    rows = value if isinstance(value, list) else [value]
    calls = [_call(row, f"call {number}") for number, row in enumerate(rows, 1)]
    write(chosen.render(calls, text=text or "", tools=read_tools(arguments.tools)))
    return 0


def _call(row: JsonValue, place: str) -> ToolCall:
    """Returns the call that a JSON object describes."""
    if not isinstance(row, dict):
        # Cut, since the value may be of any length.
        raise InputError(f"{place}: expected an object, got {row!r:.40}")
    for key in row:
        # A misspelt key, `argument` for `arguments`, would be lost in silence.
        if key not in _WRITTEN and key not in _READ_ONLY:
            nearest = difflib.get_close_matches(key, _WRITTEN, 1)
            mend = f"nearest: {nearest[0]!r}" if nearest else f"known: {', '.join(_WRITTEN)}"
            raise InputError(f"{place}: unknown key {key!r}; {mend}")
    # What `parse --json` says of a call that was cut would be lost in the written text.
    if row.get("executable") is False:
        raise InputError(
            f"{place}: it may not run, and would be written as a call that may; "
            "leave out `executable` to write it all the same"
        )
    name = row.get("name")
    if not isinstance(name, str) or not name:
        raise InputError(f"{place}: `name` must be a string, got {name!r:.40}")
    # A missing value and null are empty; another empty value, such as `[]`, is a mistake.
    arguments = {} if row.get("arguments") is None else row["arguments"]
    if not isinstance(arguments, dict):
        raise InputError(f"{place}: `arguments` must be an object, got {arguments!r:.40}")
    depends_on = [] if row.get("depends_on") is None else row["depends_on"]
    if not isinstance(depends_on, list) or not all(isinstance(one, str) for one in depends_on):
        raise InputError(f"{place}: `depends_on` must be a list of ids")
    return ToolCall(
        name,
        dict(arguments),
        id=_optional_string(row, "id", place),
        input=_optional_string(row, "input", place),
        depends_on=tuple(cast("list[str]", depends_on)),
    )


def _optional_string(row: dict[str, JsonValue], key: str, place: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{place}: `{key}` must be a string, got {value!r:.40}")
    return value
