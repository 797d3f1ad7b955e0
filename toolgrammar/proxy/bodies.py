"""Writes the bodies of answers: JSON, and errors in the shape of OpenAI's API.

Example: for a server that can't be reached it is `{"error": {"message": "the upstream …", "type":
"upstream_error", "param": null, "code": "upstream_unreachable"}}`.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_STRING_OR_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|Infinity')


def error_body(message: str, code: str, kind: str = "upstream_error") -> dict[str, Any]:
    """Returns the body of an error in the shape of the API."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def to_bytes(body: dict[str, Any]) -> bytes:
    """Returns a body as JSON, in ASCII: half of a surrogate pair has no other encoding."""
    try:
        return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")
    except ValueError:
        # A number such as `1e999` is read as infinite, and JSON has no other way to write that.
        text = json.dumps(body, separators=(",", ":"))
    return _STRING_OR_WORD.sub(_number, text).encode("ascii")


def _number(match: re.Match[str]) -> str:
    return "1e999" if match[0] == "Infinity" else match[0]
