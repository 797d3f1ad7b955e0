"""Writes values as compact JSON for models: `{"city": "Malmö"}` becomes `{"city":"Malmö"}`."""

from __future__ import annotations

import json
from typing import Any


def compact_json(value: Any) -> str:
    """Returns JSON without white space, not ASCII-escaped."""
    return _ENCODER.encode(value)


# Made once: `json.dumps` with these options makes an encoder for each call.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
