"""Reads the input of a command: its options, and files or stdin as UTF-8 bytes."""

from __future__ import annotations

import codecs
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from toolgrammar.values.json_types import JsonValue
    from toolgrammar.values.tools import ToolSpec

STANDARD_INPUT = "-"

_TOOL = (
    "JSON object with a `name` and, as an object, the schema of its arguments: `parameters` "
    "(OpenAI), `input_schema` (Anthropic) or `inputSchema` (MCP)"
)


class InputError(ValueError):
    """Raised if an input file can't be used; the message says why."""


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Adds the messages to read and how to read them, as `parse` and `explain` take them."""
    parser.add_argument("files", nargs="*", help="messages; none or `-` is standard input")
    parser.add_argument(
        "--format", default="auto", help="ids, aliases, path of a .lark file (default: auto)"
    )
    parser.add_argument("--tools", metavar="FILE", help="JSON list of the tools of the model")
    parser.add_argument("--prefix", default="", help="what the chat template wrote of the answer")
    parser.add_argument("--finish-reason", help="why the server stopped, as in `length`")
    parser.add_argument("--strict", action="store_true", help="repair nothing")


def read_bytes(name: str) -> bytes:
    """Returns the bytes of a file, or of standard input for `-`.

    Not by `grammar/files.py`: every byte of a message counts, its line ends too.

    Raises:
        InputError: standard input is wanted, and closed.
    """
    if name == STANDARD_INPUT:
        # Python sets it to None if the process began with the descriptor closed.
        stream = cast("TextIO | None", sys.stdin)
        if stream is None:
            raise InputError("standard input is closed; name a file")
        return stream.buffer.read()
    return Path(name).read_bytes()


def read_message(name: str) -> bytes:
    """Returns the bytes of a message in UTF-8, without the byte order mark that some editors write.

    Raises:
        InputError: standard input is wanted, and closed.
    """
    data = read_bytes(name)
    # Older shells of Windows write the output of a program in UTF-16.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def read_json(name: str) -> JsonValue:
    """Returns the JSON value in a file or in standard input.

    Raises:
        InputError: it is not JSON in UTF-8; the message says where.
    """
    shown = "standard input" if name == STANDARD_INPUT else name
    try:
        # Some editors write a byte order mark, which JSON has not.
        return cast("JsonValue", json.loads(read_bytes(name).decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{shown}:{error.lineno}:{error.colno}: not JSON: {error.msg.removesuffix(' at')}"
        ) from None
    except RecursionError:
        raise InputError(f"{shown}: lists and objects nest too deeply in it") from None
    except ValueError:
        # The one `ValueError` that is left: JSON's integers are read by `int`, which has a limit.
        most = sys.get_int_max_str_digits()
        raise InputError(f"{shown}: a number in it has more than {most} digits") from None


def read_tools(name: str | None) -> list[ToolSpec] | None:
    """Returns the tools in a JSON file: a list, or an object that has one under `tools`.

    Raises:
        InputError: the file holds something else.
    """
    if name is None:
        return None
    value = read_json(name)
    # As the body of a request to an API has them.
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        value = value["tools"]
    if not isinstance(value, list):
        raise InputError(f'{name}: expected a list of tools, or an object `{{"tools": […]}}`')
    try:
        return list(to_specs(value).values())
    except RecursionError:
        raise InputError(f"{name}: lists and objects nest too deeply in it") from None
    except TypeError as error:
        # One by one only now, to say which of them it is.
        number = next(number for number, tool in enumerate(value, 1) if not _is_tool(tool))
        raise InputError(f"{name}: tool {number} is no {_TOOL}") from error
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error


def _is_tool(value: JsonValue) -> bool:
    try:
        to_specs([value])
    except TypeError:
        return False
    return True
