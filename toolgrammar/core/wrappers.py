"""Takes the arguments of a call out of a lone argument that wraps them.

A model that knows how calls look elsewhere writes `arguments`, and all arguments in it. The header
names such keys. A tool that has a parameter of this name keeps it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.values.making import make_arguments_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.values.calls import ToolCall


def begin_argument(builder: Builder, draft: Draft) -> None:
    """Holds an argument back that may wrap the others; another one shows that none does."""
    if draft.held is not None:
        release(builder, draft)
        return
    if draft.given_out or draft.key not in builder.header.unwrap:
        return
    spec = builder.spec()
    if spec is not None and draft.key not in spec.properties:
        draft.held = []


def judge(builder: Builder, draft: Draft, text: str) -> None:
    """Looks at the first text of an argument that is held back: it has to be an object."""
    if draft.held is not None and text.strip() and not text.lstrip().startswith("{"):
        release(builder, draft)


def release(builder: Builder, draft: Draft) -> None:
    """Gives out what was held back: it is an argument like others."""
    events, draft.held = draft.held or [], None
    for event in events:
        builder.emit(draft, event)


def settle(builder: Builder, draft: Draft) -> None:
    """Ends a call with one argument that was held back: its object is the arguments."""
    values = list(draft.arguments.values())
    value = values[0] if len(values) == 1 else None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        release(builder, draft)
        return
    draft.held = None
    draft.arguments, draft.members, draft.has_payload = value, 0, True
    written = json.dumps(value, ensure_ascii=False)
    builder.emit(draft, make_arguments_delta(len(builder.calls), written))


def any_wrapped(keys: Sequence[str], calls: Sequence[ToolCall]) -> bool:
    """Whether a call may hold its arguments in one of them."""
    return any(len(call.arguments) == 1 and next(iter(call.arguments)) in keys for call in calls)
