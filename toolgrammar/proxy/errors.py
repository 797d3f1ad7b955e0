"""Errors in the shape of OpenAI's API.

A server that can't be reached gives `{"error": {"message": "the upstream …", "type":
"upstream_error", "param": null, "code": "upstream_unreachable"}}`.
"""

from __future__ import annotations

from typing import Any


def error_body(message: str, code: str, kind: str = "upstream_error") -> dict[str, Any]:
    """Returns an error as the API writes it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
