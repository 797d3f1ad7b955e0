r"""Removes the backslashes that Markdown has before underscores from the names of calls.

Example: `get\_weather` is read as `get_weather` if a tool of this name is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft

_ESCAPED: Final = "\\_"
_NEAR: Final = 64
"""The most characters of a token before the name in it."""


def plain_name(name: str) -> str:
    """Returns a name without the backslashes before its underscores."""
    return name.replace(_ESCAPED, "_")


def known_name(builder: Builder, draft: Draft, name: str, start: int) -> str:
    """Returns the name of a call, without such backslashes if that names a known tool.

    Removing them is reported as a repair.

    Args:
        builder: the message.
        draft: the call.
        name: its name, as written.
        start: the offset of the token that contains it.
    """
    plain = plain_name(name)
    # A tool may have a backslash in its name, and the name of an unknown tool may be right as it is
    # written.
    if plain == name or name in builder.tools or plain not in builder.tools:
        return name
    # The token may contain more than the name, as `<function=get\_weather>` does, so the name is
    # searched in it.
    written = builder.source.slice(start, start + len(name) + _NEAR)
    place = start + max(0, written.find(name))
    edits = []
    at = name.find(_ESCAPED)
    while at >= 0:
        edits.append(Edit(Span(place + at, place + at + 1), ""))
        # The search goes on after both characters, so that each backslash gets one edit.
        at = name.find(_ESCAPED, at + 2)
    draft.mend_name()
    builder.report(
        "backslash",
        "warning",
        f"Found backslashes before underscores in `{name[:64]}`, as in Markdown; left them out",
        Span(place, place + len(name)),
        edits=tuple(edits),
    )
    return plain
