"""Judges whether a call is one of a given tool: its name, and arguments that the tool takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.guide import guide_of_tool

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft


def is_misfit(builder: Builder, draft: Draft) -> bool:
    """Whether the format wants a given tool, and none takes the name and arguments of a call."""
    if builder.header.misfit != "text":
        return False
    spec = builder.tools.get(draft.name or "")
    if spec is None or draft.error is not None:
        return True
    # A schema without `properties` says nothing of the names; one with an empty `{}` takes none.
    named = bool(spec.properties) or "properties" in (spec.parameters or {})
    if named and not draft.arguments.keys() <= spec.properties.keys():
        return True
    return not guide_of_tool(spec).admits(draft.arguments)
