"""Checks the options of `recover_json`, so that a mistake is reported at the call.

The code `inner_quote` becomes `inner-quote`; `stray-comma`, which is not a doubt, is a ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, get_args

from toolgrammar.core.payloads.mended.repairs import MESSAGES
from toolgrammar.values.codes import CODES, DOUBTS
from toolgrammar.values.errors import check_several, check_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.json_types import AnySchema

End = Literal["open", "closed"]
"""The end of a text: it may have been cut, or a marker followed that ends the value."""
_ENDS: Final = get_args(End)


def checked_end(end: End) -> End:
    """Returns the end.

    Raises:
        ValueError: it is another word.
    """
    if end not in _ENDS:
        raise ValueError(f"end is {' or '.join(map(repr, _ENDS))}, got {end!r}")
    return end


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
        TypeError: they are not several strings.
        ValueError: one of them is not a doubt.
    """
    check_several("allow", allow, "a set of codes")
    given = tuple(allow)
    for code in given:
        check_type("a code in allow", code, str)
    codes = frozenset(code.replace("_", "-") for code in given)  # `inner_quote` will do too
    unknown = sorted(codes - DOUBTS - {"extra-closer"})  # a doubt inside the value only
    if unknown:
        known = ", ".join(sorted(DOUBTS & MESSAGES.keys() & CODES.keys()))
        raise ValueError(f"allow holds {unknown[0]!r}, which is no doubt; the doubts are {known}")
    return codes
