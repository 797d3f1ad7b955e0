"""Checks the arguments of a caller, so that a mistake is reported at the call.

`to_message("text")` raises "result must be a ParseResult, got str 'text': parse(text, format) makes
one", and not that a `str` has no attribute of some name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.errors import check_several, check_type, described

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def check_result(result: object) -> None:
    """Checks that a caller passed in a message that was read.

    Raises:
        TypeError: it is something else.
    """
    check_type("result", result, ParseResult, "parse(text, format) makes one")


def check_reasoning_key(key: object) -> None:
    """Checks the key of a message under which its reasoning goes.

    Raises:
        TypeError: it is neither a str nor None.
    """
    mend = 'such as "reasoning_content", or None for no reasoning'
    check_type("reasoning_key", key, (str, type(None)), mend)


def checked_calls(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Returns the calls that a caller passed in.

    Raises:
        TypeError: they are no calls.
    """
    mend = "write parse(text, format).calls, or [call]"
    check_several("calls", calls, "a list of ToolCall", mend)
    found = list(calls)
    for place, call in enumerate(found):
        check_type(f"calls[{place}]", call, ToolCall, "ToolCall(name, arguments) makes one")
    return found


def no_event(item: Never) -> TypeError:
    """Returns the error for a wrong item among the events of a message."""
    mend = "Parser.feed(text) and stream(chunks, format) give events"
    return TypeError(f"events must hold events of toolgrammar, got {described(item)}: {mend}")


def given_calls(calls: Iterable[object] | None) -> list[object]:
    """Returns the calls that a caller passed in the shape of an API; None means no calls.

    Raises:
        TypeError: they are no list.
    """
    if calls is None:
        return []
    check_several("calls", calls, "a list of dicts or of models of the API", "write [call]")
    return list(calls)


def keys_of(found: Mapping[str, Any]) -> str:
    """Returns which keys an object has, for an error that misses another."""
    return ", ".join(map(repr, found)) or "nothing"
