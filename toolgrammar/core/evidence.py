"""Judges, where several formats are read, whether what was read so far is a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder

_NAME = re.compile(r"[^\W\d][\w.\-:/@]{0,127}(?: [\w.\-:/@]{1,64}){0,3}")
"""What the name of a tool looks like."""


class NotACall(Exception):  # noqa: N818 - no error: what was read is text, or another format's
    """What was read is no call of this format."""


def is_name(name: str) -> bool:
    """Whether a tool may have this name."""
    return _NAME.fullmatch(name) is not None


def names_a_tool(builder: Builder) -> bool | None:
    """Whether the open call names a known tool; None where no tools are known."""
    draft = builder.draft
    if draft is None or draft.name is None or not builder.tools:
        return None
    return draft.name in builder.tools
