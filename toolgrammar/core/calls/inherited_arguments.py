"""Adds the arguments that a call lacks from the calls before it, if the format's header lists them.

Example: with `carry: path`, a call without `path` gets the `path` of the last call that had one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.values.events import ArgumentsDelta
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft

_NEAR = 256
"""The number of characters before a call in which the line above it is searched."""
_WORDS_ABOVE = late(r"[^\s][^\S\r\n]*(?:\r?\n)?\Z")


def carry_over(builder: Builder, draft: Draft) -> None:
    """Adds inherited arguments at the end of a call, and records those that it has itself.

    A call is doubted if no earlier call has the argument, or if words stand right above the call,
    since they may name another value.
    """
    for key in builder.header.carry:
        if key in draft.arguments:
            builder.carried[key] = draft.arguments[key]
        # A call without any argument inherits none: only calls with other arguments have this one.
        elif not draft.members:
            continue
        elif key not in builder.carried:
            _doubt(builder, draft, key, f"Found no `{key}`, nor a call before that has it")
        else:
            draft.take_key(key, key, "")
            value = draft.arguments[key] = builder.carried[key]
            written = draft.member() + json.dumps(value, ensure_ascii=False)
            builder.emit(draft, ArgumentsDelta(len(builder.calls), written))
            # Only the text between the two calls counts: words above the last call belong to that.
            behind = builder.calls[-1].span.end if builder.calls else 0
            above = builder.source.slice(max(behind, draft.start - _NEAR), draft.start)
            # With `And in the tests:` right above the call, the model may have named another value.
            if _WORDS_ABOVE.search(above):
                message = (
                    f"Found no `{key}` in the words before a call; took that of the one before"
                )
                _doubt(builder, draft, key, message)


def _doubt(builder: Builder, draft: Draft, key: str, message: str) -> None:
    """Doubts a call that lacks an argument which all calls with arguments should have."""
    draft.doubts.append("missing-argument")
    span = Span(draft.start, draft.start)
    builder.report("missing-argument", "error", message, span, path=f"$.{key}")
