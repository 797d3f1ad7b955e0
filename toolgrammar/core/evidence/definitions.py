"""Recognises the definition of a tool, which has the shape of a call in formats of plain JSON.

Example: in `{"name": "send", "parameters": {"type": "object", "properties": {…}}}` the member
`parameters` holds the schema of the arguments of `send`, and no arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.values.tools import ToolSpec


def is_definition(arguments: Mapping[str, object] | None, spec: ToolSpec | None) -> bool:
    """Whether the arguments of a call are the schema of an object, and its tool takes none.

    Args:
        arguments: the arguments that were read.
        spec: the tool that is called; None if it is not known.
    """
    if not arguments or arguments.get("type") != "object":
        return False
    if "properties" in arguments:
        return spec is None or "properties" not in spec.properties
    # `{"type": "object"}` is the schema of a tool without arguments; alone it may be anything.
    return len(arguments) == 1 and spec is not None and "type" not in spec.properties
