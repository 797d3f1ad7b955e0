"""Gives a call the arguments that it lacks from the call before it, where the header says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.values.making import make_arguments_delta

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft


def carry_over(builder: Builder, draft: Draft) -> None:
    """Adds what the call before had, at the end; remembers what this one has."""
    for key in builder.header.carry:
        if key in draft.arguments:
            builder.carried[key] = draft.arguments[key]
        elif key in builder.carried and draft.members:
            draft.key = key
            value = draft.arguments[key] = builder.carried[key]
            written = draft.member() + json.dumps(value, ensure_ascii=False)
            builder.emit(draft, make_arguments_delta(len(builder.calls), written))
