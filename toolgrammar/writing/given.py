"""Checks the calls that a caller wants to write: values that no format can express are refused.

So are calls that may not run: what a cut `{"path": "a` was read as would be written as a sound call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.values.errors import RenderError
from toolgrammar.values.limits import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ToolCall


def check_calls(calls: Iterable[ToolCall]) -> None:
    """Checks that the calls may run, and hold what JSON can say.

    Raises:
        RenderError: a key is not a string, values nest too deep, or the call may not run.
    """
    for call in calls:
        if not call.executable:
            why = ", ".join(call.doubts) or call.status
            raise RenderError(
                f"the call of {call.name!r} may not run ({why}), and would be written as one that may; "
                "`call.with_arguments(call.arguments)` takes what was read as what was meant"
            )
        _check_keys(call)


def _check_keys(call: ToolCall) -> None:
    level: list[Any] = [call.arguments]
    # Level by level, without recursion: a value that holds itself ends at the bound too.
    for _ in range(DEEPEST + 1):
        inner: list[Any] = []
        for each in level:
            keys = each if isinstance(each, dict) else ()
            # `json.dumps` would write the key 1 as "1", and the call would come back as another
            # one.
            strange = [key for key in keys if not isinstance(key, str)]
            if strange:
                where = f"in the arguments of {call.name!r}"
                raise RenderError(
                    f"the key {strange[0]!r} {where} is no string: JSON has no others"
                )
            parts = each.values() if isinstance(each, dict) else each
            inner += [part for part in parts if isinstance(part, dict | list | tuple)]
        if not inner:
            return
        level = inner
    raise RenderError(f"the arguments of {call.name!r} nest deeper than {DEEPEST} levels")
