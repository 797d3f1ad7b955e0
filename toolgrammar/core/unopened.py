"""Finds reasoning that the prompt opened and nobody said so: its closer stands alone in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.roles import RAW_LIKE, bare_name
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.build import Builder
    from toolgrammar.core.tables import Tables

_HINT = "pass `prefix` with what the prompt wrote of the answer, as in prefix={opener!r}"


def reasoning_tags(tables: Tables) -> dict[str, str]:
    """Gives what closes reasoning in a grammar, each with what opens it, without white space."""
    texts = {t.name: t.text.strip() for t in tables.terminals if t.kind == "literal"}
    tags: dict[str, str] = {}
    for production in tables.productions:
        symbols = [bare_name(symbol) for symbol in production.symbols]
        at = next((at for at, symbol in enumerate(symbols) if symbol in RAW_LIKE), -1)
        if production.role != "reasoning" or at < 0:
            continue
        before = [text for symbol in symbols[:at] if (text := texts.get(symbol, ""))]
        behind = [text for symbol in symbols[at + 1 :] if (text := texts.get(symbol, ""))]
        if before and behind:
            tags.setdefault(behind[0], before[-1])
    return tags


def report_unopened(builder: Builder, tags: Mapping[str, str]) -> None:
    """Reports the first closer of reasoning in the text of a message that has no reasoning.

    It is called once, when the text has ended. Nothing is read anew: the closer stays text.

    Args:
        builder: what the message consists of.
        tags: what closes reasoning, each with what opens it.
    """
    if not tags or builder.reasoning_parts:
        return
    closer = compile_pattern("|".join(map(re.escape, tags)))
    for start, text in builder.text_parts.stretches():
        found = closer.search(text)
        if found is not None:
            place = Span(start + found.start(), start + found.end())
            message = f"Found `{found[0][:40]}`, and no reasoning that it closes; it is text"
            hint = _HINT.format(opener=f"{tags[found[0]]}\n")
            builder.report("unopened-reasoning", "info", message, place, hint=hint)
            return
