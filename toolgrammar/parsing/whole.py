"""Reads a whole message at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.limits import Limits
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.catalogue.registry import FormatLike
    from toolgrammar.values.calls import ParseResult

_LIMITS = Limits()


def parse(
    text: str | bytes | None,
    format: FormatLike,
    *,
    tools: Iterable[object] | None = None,
    strict: bool = False,
    prefix: str = "",
    id_seed: str = "",
    finish_reason: str | None = None,
    limits: Limits = _LIMITS,
) -> ParseResult:
    """Returns what a message holds: its calls, its text, its reasoning and what was wrong.

    No text makes it raise; only a caller's mistake does.

    Args:
        text: what the model wrote. Bytes are read as UTF-8; None is an empty message.
        format: an id, an alias, a format or the path of a `.lark` file.
        tools: the tools that the model had, of any shape; their schemas give values their types.
        strict: accept only the language of the grammar and repair nothing.
        prefix: what the chat template had written of the answer before the model began.
        id_seed: what ids that the format leaves out are made from.
        finish_reason: why the server stopped; "length" says that the answer was cut.
        limits: bounds on length, depth and number of calls.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    content, problem = _as_text(text)
    parser = Parser(
        formats.resolve(format),
        tools=tools,
        strict=strict,
        prefix=prefix,
        id_seed=id_seed,
        limits=limits,
    )
    result = parser.run_whole(content, finish_reason)
    if problem is None:
        return result
    return replace(result, diagnostics=(problem, *result.diagnostics))


def _as_text(text: object) -> tuple[str, Diagnostic | None]:
    """Returns the message as a string, and what was wrong with its bytes."""
    if isinstance(text, str):
        return text, None
    if text is None:
        return "", None
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str, bytes or None, got {type(text).__name__}")
    data = bytes(text)
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
        content = data.decode("utf-8", errors="replace")
        message = (
            f"Found the byte 0x{data[error.start]:02x} at byte {error.start}; UTF-8 has it not"
        )
    return content, Diagnostic(
        code="invalid-utf8",
        severity="warning",
        message=message,
        span=Span(start, start + 1),
        hint="Each bad sequence was replaced by U+FFFD; decode the bytes where their encoding is known",
    )
