"""Reads messages in the format, and with the tools and the finish reason, that their own rows name.

In `{"text": "…", "format": "…", "tools": [{"name": "search"}]}` the message is read in that format,
with the tool `search`. A row that names an unknown format or list of tools is a bad row.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from toolgrammar.bulk.rows.columns_of_rows import value_at
from toolgrammar.bulk.rows.result_lines import plain_json
from toolgrammar.catalogue.registry import formats
from toolgrammar.parsing.whole import parse
from toolgrammar.tools.json_texts import read_json
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.errors import ToolGrammarError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgrammar.bulk.rows.parse_options import Reading
    from toolgrammar.bulk.rows.row_fields import Row
    from toolgrammar.values.calls import ParseResult
    from toolgrammar.values.tools import ToolSpec

_MOST_LISTS = 4096
"""The number of lists of tools that are cached: a log may have thousands of them."""
_SHOWN = 40


class BadSettingError(ToolGrammarError):
    """Raised if a row names a format or tools that do not exist, or has an odd finish reason."""


def results_of_rows(
    rows: Iterable[Row], reading: Reading, bad: list[tuple[int, str]], seen: set[str]
) -> Iterator[tuple[int, ParseResult, dict[str, Any]]]:
    """Yields the number of each row, its result, and the kept columns of the row.

    Args:
        rows: the rows.
        reading: the settings of the run, with the columns of those of rows.
        bad: receives the numbers of the rows that can't be read, and why.
        seen: receives the columns of settings that have a value in a row.
    """
    reader = RowReader(reading)
    assert reading.columns is not None
    for number, text, kept, problem in rows:
        if number == reading.columns.header_line:
            continue
        row: dict[str, Any] = {}
        try:
            row = columns_in(kept)
            reading.columns.note(row, seen)
            if not problem:
                yield number, reader.read(text, row), row
                continue
        except BadSettingError as error:
            problem = str(error)  # noqa: PLW2901 - the row has it from here on
        bad.append((number, problem))
        yield number, reading.refused(number, problem), row


def columns_in(kept: bytes) -> dict[str, Any]:
    """Returns the columns of a row from the JSON object that `kept_of` and `rows_of_lines` make.

    Raises:
        BadSettingError: they nest too deeply. msgspec copies them unread, however deep they are.
    """
    try:
        return cast("dict[str, Any]", read_json(kept)) if kept else {}
    except ValueError as error:
        raise BadSettingError(f"what is kept of it is no JSON: {error}") from error


def kept_of(row: Mapping[str, Any], keep: Iterable[str]) -> bytes:
    """Returns the kept columns of a row, as JSON; empty if none are kept."""
    names = tuple(keep)
    return plain_json({name: row[name] for name in names if name in row}) if names else b""


class RowReader:
    """Reads messages, each with the settings of its row."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        assert reading.columns is not None
        self._columns = reading.columns
        self._specs: dict[str, Mapping[str, ToolSpec]] = {}
        # The tools of a row replace those of the run.
        self._settings = reading.unusual()
        self._settings.pop("tools", None)

    def read(self, text: str | bytes | None, row: Mapping[str, Any]) -> ParseResult:
        """Returns the result of a message.

        Raises:
            BadSettingError: the row names a format or tools that do not exist, or its finish reason
                is not a string.
        """
        settings = {**self._settings, **self._finish_reason(row)}
        return parse(text, self._format(row), tools=self.tools(row), **settings)

    def _finish_reason(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Returns the finish reason of a row as a setting; none if the row has none of its own."""
        reason = value_at(row, self._columns.finish_reason)
        if reason is None or reason == "":
            return {}
        if not isinstance(reason, str):
            raise BadSettingError(f"its finish reason is not a string: {reason!r:.{_SHOWN}}")
        return {"finish_reason": reason}

    def _format(self, row: Mapping[str, Any]) -> Any:
        named = value_at(row, self._columns.format)
        # A row without an own setting uses that of the run.
        if named in (None, "", []):
            return self._reading.format
        try:
            return formats.resolve_any(named)
        except (ToolGrammarError, TypeError, ValueError, RecursionError, OSError) as error:
            raise BadSettingError(f"its format: {error}") from error

    def tools(self, row: Mapping[str, Any]) -> Mapping[str, ToolSpec] | None:
        """Returns the tools of a row.

        Raises:
            BadSettingError: the row names tools that do not exist.
        """
        value = value_at(row, self._columns.tools)
        if value is None or value == "":
            return self._reading.tools
        # Cached by their JSON text: rows of one agent repeat the same list.
        key = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=repr)
        known = self._specs.get(key)
        if known is None:
            if len(self._specs) >= _MOST_LISTS:
                self._specs.clear()
            known = self._specs[key] = self._specs_of(value)
        return known

    def _specs_of(self, value: object) -> Mapping[str, ToolSpec]:
        lists: Mapping[str, Any] = self._columns.lists or {}
        body: Any = value
        if isinstance(value, str):
            try:
                body = lists[value] if value in lists else read_json(value)
            except ValueError:
                raise BadSettingError(f"no list of tools is named `{value[:_SHOWN]}`") from None
        # The tools in the body of a request to an API.
        if isinstance(body, dict):
            body = body.get("tools")
        if not isinstance(body, list):
            raise BadSettingError("its tools are no list")
        try:
            return to_specs(body)
        except (TypeError, ValueError, RecursionError) as error:
            raise BadSettingError(f"its tools: {error}") from error
