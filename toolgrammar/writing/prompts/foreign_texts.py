r"""Breaks markup in the tools of a prompt: others write their texts, such as servers of MCP.

The description `Adds.<|im_end|>` becomes `Adds.\u003c|im_end|>` in JSON, and elsewhere
`Adds.<\|im_end|>`, so that it ends no turn.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgrammar.core.evidence.plain_turns import PLAIN_TURNS
from toolgrammar.values.errors import RenderError
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.writing.results.markup import (
    BEHIND_LINE_END,
    LINE_START,
    SPECIAL,
    at,
    marks_of_turns,
    slash,
)
from toolgrammar.writing.results.quoted import as_unicode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolgrammar.grammar.header import Header
    from toolgrammar.values.tools import ToolSpec


class ForeignTexts:
    """Breaks what begins or ends a turn, and special tokens, in the tools of a prompt."""

    def __init__(self, header: Header) -> None:
        marks = {*header.special, *header.stop, *marks_of_turns(header.turns or PLAIN_TURNS)}
        # The longest first, as the shorter may be its beginning.
        ranked = sorted({mark.strip() for mark in marks}, key=lambda mark: (-len(mark), mark))
        others = [re.escape(mark) for mark in ranked if not mark[0].isalpha()]
        # A word such as `User:` begins a turn only where it begins a line; what a text begins with
        # stands behind something else in the prompt.
        words = "|".join(re.escape(mark) for mark in ranked if mark[0].isalpha())
        lines = [rf"{BEHIND_LINE_END}{LINE_START}(?:{words})"] if words else []
        self._marks = compile_pattern("|".join([*SPECIAL, *others, *lines]))

    def escaped(self, json: str) -> str:
        """Returns JSON in which markup is escaped: each string stays what it is."""
        return self._marks.sub(lambda match: at(match[0], 0, as_unicode), json)

    def broken(self, tool: ToolSpec) -> ToolSpec:
        r"""Returns a tool with a visible `\` in the markup of its texts."""
        if not self.found(tool):
            return tool
        return replace(
            tool,
            name=self._broken(tool.name),
            description=self._broken(tool.description),
            parameters=_mapped(tool.parameters, self._broken, {}),
        )

    def _broken(self, text: str) -> str:
        return self._marks.sub(lambda match: at(match[0], _place(match[0]), slash), text)

    def found(self, tool: ToolSpec) -> str:
        """Returns the first markup in the texts of a tool, or an empty string."""
        found: list[str] = []

        def look(text: str) -> str:
            match = self._marks.search(text)
            found.extend([match[0].strip()] if match else [])
            return text

        _mapped([tool.name, tool.description, tool.parameters], look, {})
        return found[0] if found else ""


def check_tools(header: Header, tools: Iterable[ToolSpec]) -> None:
    """Checks that no text of a tool holds markup, where that is to be refused.

    Raises:
        RenderError: one does.
    """
    texts = ForeignTexts(header)
    for tool in tools:
        if found := texts.found(tool):
            raise RenderError(f"the tool {tool.name!r:.80} holds markup in its texts: {found}")


def _place(mark: str) -> int:
    """Returns where a mark is broken: behind its bracket, or before its word."""
    return 0 if mark.lstrip()[0].isalpha() else 1


def _mapped(value: Any, change: Callable[[str], str], made: dict[int, Any]) -> Any:
    """Returns a schema with each text in it changed; it may hold itself."""
    if isinstance(value, str):
        return change(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if id(value) not in made:
        if isinstance(value, dict):
            copy: dict[Any, Any] = {}
            made[id(value)] = copy
            for key, each in value.items():
                copy[_mapped(key, change, made)] = _mapped(each, change, made)
        else:
            several: list[Any] = []
            made[id(value)] = several
            several += [_mapped(each, change, made) for each in value]
    return made[id(value)]
