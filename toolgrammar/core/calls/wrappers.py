"""Takes the arguments of a call out of a lone argument that wraps them.

A model that knows how calls look elsewhere writes `arguments`, and all arguments in it. The header
names such keys. A tool that has a parameter of this name keeps it.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from toolgrammar.core.machine.near_marks import may_be
from toolgrammar.patterns.damaged_marks import distance
from toolgrammar.values.events import ArgumentsDelta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonValue


_LONG = 8
"""Letters of a word that no other argument is called like."""
_MOST = 3
"""Letters of it that may be damaged where the argument is empty."""


def begin_argument(builder: Builder, draft: Draft) -> None:
    """Holds an argument back that may wrap the others; another one shows that none does."""
    if draft.held is not None:
        release(builder, draft)
        return
    # A wrapper stands alone: behind another argument it is one like others.
    if draft.given_out or draft.key not in builder.header.unwrap:
        return
    spec = builder.spec()
    # Without a schema nobody knows whether the tool has a parameter of that name.
    if spec is not None and draft.key not in spec.properties:
        draft.hold_argument()


def judge(builder: Builder, draft: Draft, text: str) -> None:
    """Looks at the first text of an argument that is held back: it has to be an object."""
    if draft.held is not None and text.strip() and not text.lstrip().startswith("{"):
        release(builder, draft)


def release(builder: Builder, draft: Draft) -> None:
    """Emits what was held back: it is an argument like others."""
    for event in draft.release_argument():
        builder.emit(draft, event)


def settle(builder: Builder, draft: Draft) -> None:
    """Ends a call with one argument that was held back: its object is the arguments."""
    # Of an XML-like format the value is text, `{"city": "Oslo"}`, and is decoded here.
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
    draft.unwrap(value)
    written = json.dumps(value, ensure_ascii=False)
    builder.emit(draft, ArgumentsDelta(len(builder.calls), written))


def any_wrapped(keys: tuple[str, ...], calls: Sequence[ToolCall]) -> bool:
    """Whether a call may hold its arguments in one of them, or in what may be one, damaged."""
    return any(
        (len(call.arguments) == 1 and next(iter(call.arguments)) in keys)
        or any(may_wrap(keys, key, value) for key, value in call.arguments.items())
        for call in calls
    )


def may_wrap(keys: tuple[str, ...], key: str, value: JsonValue) -> bool:
    """Whether an argument may be one that wraps the others: its key is damaged, or it is empty.

    In YAML `parameter:` has nothing behind it, and below it what seem to be other arguments.
    """
    return is_damaged(keys, key) or (not value and _is_like(keys, key))


@lru_cache(maxsize=4096)
def _is_like(keys: tuple[str, ...], key: str) -> bool:
    return any(len(each) >= _LONG and 0 < distance(each, key) <= _MOST for each in keys)


@lru_cache(maxsize=4096)
def is_damaged(keys: tuple[str, ...], key: str) -> bool:
    """Whether a key may be one of the long ones that wrap the arguments, damaged."""
    # A singular, `argument`, is a parameter's name in its own right, and no damage.
    return any(len(each) >= _LONG and may_be(key, each) and f"{key}s" != each for each in keys)
