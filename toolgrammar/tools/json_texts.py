"""Reads JSON texts that a caller, a file or a server gives.

`{"a": 1}` is the object. `NaN`, `{"a": 1,}` and a hundred thousand `[` raise `ValueError`, so that a
caller has one exception to think of. What a model writes is read by `core.payloads.json` instead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonValue


def read_json(text: str | bytes) -> JsonValue:
    """Returns the value of a JSON text (RFC 8259).

    Raises:
        ValueError: it is not JSON, a number in it has more digits than Python reads, or it nests
            too deeply. The first is a `json.JSONDecodeError`, except for `NaN` and `Infinity`.
    """
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("lists and objects nest too deeply in it") from error
    return value


# Python's reader accepts `NaN` and `Infinity`, which are not JSON.
def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"`{constant}` is no JSON")
