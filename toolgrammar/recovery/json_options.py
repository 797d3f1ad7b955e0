"""Checks the options of `recover_json`, so that a mistake is reported at the call.

The code `inner_quote` becomes `inner-quote`; `stray-comma`, which is not a doubt, is a ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.values.codes import CODES, DOUBTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.json_types import AnySchema


def checked_schema(schema: AnySchema | None) -> AnySchema | None:
    """Returns the schema.

    Raises:
        TypeError: it is none.
    """
    if schema is None or isinstance(schema, Mapping | bool):
        return schema
    raise TypeError(f"a schema is a dict or a bool, got {type(schema).__name__}")


def checked_codes(allow: Iterable[str]) -> frozenset[str]:
    """Returns the codes that a caller allows.

    Raises:
        ValueError: one of them is not a doubt.
    """
    if isinstance(allow, str):
        raise TypeError(f"allow is a set of codes, got the str {allow!r}")
    codes = frozenset(code.replace("_", "-") for code in allow)  # `inner_quote` will do too
    unknown = sorted(codes - DOUBTS - {"extra-closer"})  # a doubt inside the value only
    if unknown:
        known = ", ".join(sorted(DOUBTS & MESSAGES.keys() & CODES.keys()))
        raise ValueError(f"allow holds {unknown[0]!r}, which is no doubt; the doubts are {known}")
    return codes
