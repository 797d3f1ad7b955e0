"""Defines cases, a text with its expected result, and reads them from pages and JSON lines."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.page import Page
from toolgrammar.catalogue.registry import formats
from toolgrammar.grammar.files import read_text
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.json_types import JsonValue
from toolgrammar.values.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class Case:
    """A text, how to read it, and what is to be read in it; None means not asserted."""

    id: str
    """Names the case in messages."""
    format: str | Format
    """An id, an alias or a format."""
    text: str
    """The text of a model."""
    prefix: str = ""
    """The beginning of the answer that the chat template wrote."""
    tools: tuple[ToolSpec, ...] | None = None
    """The tools that the model had, or None if the caller gives none."""
    calls: tuple[dict[str, JsonValue], ...] = ()
    """The calls expected, in order."""
    content: str | None = None
    """The text that is not a call, without outer white space."""
    reasoning: str | None = None
    """The reasoning, without outer white space."""
    status: tuple[str, ...] | None = None
    """The status of each call."""
    codes: tuple[str, ...] | None = None
    """The codes of the diagnostics, in order."""
    tier: str = "well_formed"
    """`well_formed`, `edge`, `malformed` or `negative`."""


def cases_of_page(page: Page, format: str | Format | None = None) -> list[Case]:
    """Returns the examples of a page as cases.

    Args:
        page: what `read_page` gave.
        format: the format they are written in; by default the one that has the page's file name.
    """
    # The page is beside the grammar, and has the same name.
    chosen = Path(page.name).stem if format is None else format
    return [
        # The setting of an example takes precedence over that of its page.
        case_of_row({"tools": page.tools, **example.expected, "text": example.text},
                    f"{page.name}::{example.slug}", chosen)
        for example in page.examples
    ]  # fmt: skip


def cases_of_jsonl(path: str | Path) -> list[Case]:
    """Returns the cases of a file that holds one JSON object a line."""
    # Only "\n" ends a line: U+2028 may stand in a text.
    rows = [json.loads(line) for line in read_text(path).split("\n") if line.strip()]
    return [case_of_row(row, row["id"], row["format"]) for row in rows]


def case_of_row(row: Mapping[str, Any], id: str, format: str | Format) -> Case:
    """Returns the case that one JSON object describes."""
    return Case(
        id=id,
        format=format,
        text=row["text"],
        # In the rows of a file, null means the same as a missing key.
        prefix=row.get("prefix") or "",
        # None and no tools differ: without the list, any name may be a tool.
        tools=_specs(row.get("tools")),
        calls=tuple(cast("list[dict[str, JsonValue]]", row.get("calls") or [])),
        content=row.get("content"),
        reasoning=row.get("reasoning"),
        status=_strings(row.get("status")),
        codes=_strings(row.get("codes")),
        tier=row.get("tier", "well_formed"),
    )


def format_of(case: Case) -> Format:
    """Returns the format that a case is written in."""
    return formats.resolve(case.format)


def _specs(tools: list[Any] | None) -> tuple[ToolSpec, ...] | None:
    return None if tools is None else tuple(to_specs(tools).values())


def _strings(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)
