"""Unwraps the arguments of a call from a single argument that contains all of them.

Example: `{"arguments": {"city": "Oslo"}}` becomes `{"city": "Oslo"}`, as models write calls in the
notation of another format. The header lists such keys. A tool with a parameter of this name keeps
it.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.near_marks import may_be
from toolgrammar.core.message.reports import doubt, emit_arguments
from toolgrammar.patterns.distances import distance
from toolgrammar.tools.coerce import type_text
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.json_types import JsonSchema, JsonValue


_LONG = 8
"""The least letters of a wrapper's key that damaged keys are compared with.

Names of other parameters seldom resemble so long a word.
"""
_OBJECT: Final[JsonSchema] = {"type": "object"}
_MOST = 3
"""The most letters of such a key that may be damaged if the argument is empty."""


def begin_argument(builder: Builder, draft: Draft) -> None:
    """Holds back an argument that may wrap the others; releases it if a second one comes."""
    if draft.wrapper_events is not None:
        release(builder, draft)
        return
    # A wrapper is the only argument: after another one it is an argument itself.
    if draft.has_any_argument or draft.key not in builder.header.unwrap:
        return
    spec = builder.spec()
    # Without a schema it is not known whether the tool has a parameter of that name.
    if spec is not None and draft.key not in spec.properties:
        draft.hold_argument()


def release_unless_object(builder: Builder, draft: Draft, text: str) -> None:
    """Releases an argument that is held back if its first text shows that it is not an object."""
    if draft.wrapper_events is not None and text.strip() and not text.lstrip().startswith("{"):
        release(builder, draft)


def release(builder: Builder, draft: Draft) -> None:
    """Emits the events that were held back, as the argument wraps no others."""
    for event in draft.release_argument():
        builder.emit(draft, event)


def unwrap(builder: Builder, draft: Draft, end: int) -> None:
    """Ends a call whose only argument was held back: an object in it becomes the arguments.

    Args:
        builder: the message.
        draft: the call.
        end: the offset where it ends.
    """
    # In an XML-like format the value is the text `{"city": "Oslo"}`, which is decoded here.
    key, value = next(iter(draft.arguments.items())) if len(draft.arguments) == 1 else ("", None)
    written = value if isinstance(value, str) else ""
    if written:
        # Single quotes are Python's and YAML's.
        value, _ = type_text(written, _OBJECT)
    if not isinstance(value, dict):
        release(builder, draft)
        if written.lstrip().startswith("{") and not draft.doubts:
            message = f"Found an object under `{key[:40]}` that could not be read; kept as text"
            doubt(builder, draft, "bare-text", message, Span(draft.start, max(draft.start, end)))
        return
    draft.unwrap(value)
    text = json.dumps(value, ensure_ascii=False)
    emit_arguments(builder, draft, text)


def any_wrapped(keys: tuple[str, ...], calls: Sequence[ToolCall]) -> bool:
    """Whether a call may have its arguments in one of these keys, or in a damaged one of them."""
    return any(
        (len(call.arguments) == 1 and next(iter(call.arguments)) in keys)
        or any(may_wrap(keys, key, value) for key, value in call.arguments.items())
        for call in calls
    )


def may_wrap(keys: tuple[str, ...], key: str, value: JsonValue) -> bool:
    """Whether an argument may be a wrapper with a damaged key; an empty one may be damaged more.

    In YAML, `parameter:` is empty, and the lines below it look like other arguments.
    """
    return is_damaged(keys, key) or (not value and _is_like(keys, key))


@lru_cache(maxsize=4096)
def _is_like(keys: tuple[str, ...], key: str) -> bool:
    return any(len(each) >= _LONG and 0 < distance(each, key) <= _MOST for each in keys)


@lru_cache(maxsize=4096)
def is_damaged(keys: tuple[str, ...], key: str) -> bool:
    """Whether a key may be a damaged form of one of the long keys that wrap the arguments."""
    # A singular, `argument`, is a common name of a parameter, and not damage.
    return any(len(each) >= _LONG and may_be(key, each) and f"{key}s" != each for each in keys)
