"""Says what stands beside the arguments of a call and is no part of it, and doubts what may be one.

Example: of `{"name": "order", "arguments": {"kind": "rye"}, "kilos": 25}` the call gets `kind`
alone. It is doubted where the tool has an argument `kilos`; else an info says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.tools import ToolSpec

MOST_KEYS: Final = 32
"""Keys that are kept of one call, and of what stands before its name."""
PLAIN_KEYS: Final = (
    "explanation", "id", "index", "reason", "reasoning", "thought", "thoughts", "type", "why",
)  # fmt: skip
"""Keys, in small letters, by which models say what an object is, or what they thought."""


def note_beside(builder: Builder, key: str, offset: int) -> None:
    """Notes the key of a member that fills no role, and where it stands."""
    keys = builder.keys_beside
    keys[offset] = key
    if len(keys) > 2 * MOST_KEYS:
        # What stands long before a call is none of its members.
        for old in list(keys)[:MOST_KEYS]:
            del keys[old]


def is_plain(key: str, specs: Iterable[ToolSpec]) -> bool:
    """Whether a member with this key says nothing of a call, and can be no argument of one."""
    return key.lower() in PLAIN_KEYS and not any(key in spec.properties for spec in specs)


def holds_beside(builder: Builder, draft: Draft) -> bool:
    """Whether a member without a role stands behind the arguments of the open call."""
    behind = draft.arguments_end
    return behind >= 0 and any(offset >= behind for offset in builder.keys_beside)


def tell_beside(builder: Builder, draft: Draft) -> None:
    """Reports what stands beside the arguments of a call that ends; doubts what may be one of them."""
    keys = builder.keys_beside
    for offset, key in sorted(keys.items()):
        # What is said twice has a doubt of its own.
        if offset < draft.start or "duplicate-key" in draft.doubts:
            continue
        awaited = builder.awaits(key)
        if is_plain(key, ()) and not awaited:
            continue
        message = f"Found `{key[:40]}` beside the arguments, and no part of the call"
        if awaited:
            draft.doubts.append("skipped-markup")
            message = f"Found `{key[:40]}` beside the arguments; it may be one of them"
        place = Span(offset, offset + len(key) + 2)
        builder.report("skipped-markup", "error" if awaited else "info", message, place)
    keys.clear()
