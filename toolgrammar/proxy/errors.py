"""Builds errors in the shape of OpenAI's API.

Example: for a server that can't be reached it is `{"error": {"message": "the upstream …", "type":
"upstream_error", "param": null, "code": "upstream_unreachable"}}`.
"""

from __future__ import annotations

from typing import Any


def error_body(message: str, code: str, kind: str = "upstream_error") -> dict[str, Any]:
    """Returns the body of an error in the shape of the API."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
