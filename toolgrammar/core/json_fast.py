"""Reads a whole strict JSON object with jiter, where the extra `fast` brings it.

jiter reads bytes at twice the speed of the standard library, but says no place where a value ends.
So the text is taken up to the closer of the call: where that stands in a string, or anything else
than one object stands before it, jiter fails, and `json_whole` reads the text.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.json_whole import is_odd

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.lanes import Landmark
    from toolgrammar.values.json_types import JsonValue

LEAST: Final = 1024
"""Characters of ASCII from which on jiter gains more than it costs; other text it never does."""
LEAST_ESCAPED: Final = 192
"""The same where the text holds escapes, at which the standard library goes slower."""
_BLANKS: Final = " \t\n\r"


def read_up_to(
    text: str, position: int, landmark: Landmark
) -> tuple[dict[str, JsonValue], int] | None:
    """Return the object that begins at `position` and its end.

    None where jiter is not installed, or `read_whole` has to judge.

    Args:
        text: the message.
        position: where the object begins.
        landmark: what stands behind it.
    """
    read = jiter_reader()
    if read is None:
        return None
    mark, braces = landmark
    end = text.find(mark, position)
    while braces and end > 0:
        end = text.rfind("}", position, end)
        braces -= 1
    if end <= position or text[position] != "{":
        return None
    if text[end - 1] in _BLANKS:
        end = position + len(text[position:end].rstrip(_BLANKS))
    try:
        written = text[position:end].encode()
        value: Any = read(written, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError:
        return None
    return None if is_odd(value) else (value, end)


def is_fast(text: str) -> bool:
    """Whether the objects of a text are worth a try with jiter."""
    length = len(text)
    return length > LEAST_ESCAPED and (length > LEAST or "\\" in text) and text.isascii()


@cache
def jiter_reader() -> Callable[..., Any] | None:
    """Gives what reads bytes with jiter; None where it is not installed."""
    try:
        from jiter import from_json
    except ImportError:
        return None
    return from_json
