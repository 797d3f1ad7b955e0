"""Fills in the arguments that a call lacks from the call before it, where the header says so."""

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
"""Characters before a call in which the line above it stands."""
_WORDS_ABOVE = late(r"[^\s][^\S\r\n]*(?:\r?\n)?\Z")


def carry_over(builder: Builder, draft: Draft) -> None:
    """Adds what the call before had, at the end; remembers what this one has.

    A call that has it from nowhere is doubted, and so is one with words right above it: they may
    say what it was meant to be.
    """
    for key in builder.header.carry:
        if key in draft.arguments:
            builder.carried[key] = draft.arguments[key]
        # A call without any argument gets none: only calls with others have this one.
        elif not draft.members:
            continue
        elif key not in builder.carried:
            _doubt(builder, draft, key, f"Found no `{key}`, nor a call before that has it")
        else:
            draft.take_key(key, key, "")
            value = draft.arguments[key] = builder.carried[key]
            written = draft.member() + json.dumps(value, ensure_ascii=False)
            builder.emit(draft, ArgumentsDelta(len(builder.calls), written))
            # Between the two calls alone: what stands above the last one was said of that.
            behind = builder.calls[-1].span.end if builder.calls else 0
            above = builder.source.slice(max(behind, draft.start - _NEAR), draft.start)
            # In `And in the tests:` right above the call the model may have named another value.
            if _WORDS_ABOVE.search(above):
                message = (
                    f"Found no `{key}` in the words before a call; took that of the one before"
                )
                _doubt(builder, draft, key, message)


def _doubt(builder: Builder, draft: Draft, key: str, message: str) -> None:
    """Doubts a call without an argument of its own that all calls with others have."""
    draft.doubts.append("missing-argument")
    span = Span(draft.start, draft.start)
    builder.report("missing-argument", "error", message, span, path=f"$.{key}")
