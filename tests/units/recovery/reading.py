"""Reads texts in pieces, applies edits, and compares views: what the tests of this folder share."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from tests.house.checkout import ROOT
from toolgrammar import Diagnostic, JsonParser, RecoveredJson

ROWS = ROOT.parent / "shared" / "cases" / "json.jsonl"


class Row(NamedTuple):
    """A payload of another project's tests."""

    id: str
    text: str
    schema: dict[str, Any] | None
    value: object


def rows(path: Path = ROWS) -> list[Row]:
    """The rows that stand beside the checkout; they are not part of it."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        schema = row["tools"][0]["parameters"] if row["tools"] else None
        found.append(Row(row["id"], row["text"], schema, row["value"]))
    return found


class Reading(NamedTuple):
    """All that one reading shows."""

    result: RecoveredJson
    views: list[Any]

    @property
    def shown(self) -> str:
        """The result as text: NaN is equal to itself there, and true is not 1."""
        return json.dumps(self.result.to_dict(), sort_keys=True)


def read(pieces: Iterable[str], schema: dict[str, Any] | None = None, end: Any = "open") -> Reading:
    """Feeds the pieces and looks at the value after each."""
    parser = JsonParser(schema)
    views = []
    for piece in pieces:
        parser.feed(piece)
        views.append(parser.value)
    return Reading(parser.close(end), views)


def applied(text: str, diagnostics: Sequence[Diagnostic]) -> str:
    """The text with all edits made; none may overlap another."""
    edits = [edit for each in diagnostics for edit in each.edits]
    edits.sort(key=lambda edit: (edit.span.start, edit.span.end))
    pieces, place = [], 0
    for edit in edits:
        assert edit.span.start >= place, edit
        pieces += [text[place : edit.span.start], edit.replacement]
        place = edit.span.end
    return "".join([*pieces, text[place:]])


def same(left: object, right: object) -> bool:
    """Whether two values are equal; NaN is, and true is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def grows(before: Any, after: Any) -> bool:
    """Whether a view may be followed by another: strings, lists and objects only grow.

    A literal at the end of a text that was strict so far may become text without quotes.
    """
    if before is None or isinstance(before, bool):
        return same(before, after) or before is None or isinstance(after, str)
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    if isinstance(before, list) and isinstance(after, list):
        return _parts_grow(list(enumerate(before)), list(enumerate(after)))
    if isinstance(before, dict) and isinstance(after, dict):
        return _parts_grow(list(before.items()), list(after.items()))
    return same(before, after)


def _parts_grow(before: list[tuple[Any, Any]], after: list[tuple[Any, Any]]) -> bool:
    if before and (before[-1][1] is None or isinstance(before[-1][1], bool)):
        before = before[: len(after)]
    return len(before) <= len(after) and all(
        one[0] == other[0] and grows(one[1], other[1])
        for one, other in zip(before, after, strict=False)
    )


def check_laws(text: str, schema: dict[str, Any] | None, cuts: Iterable[int]) -> None:
    """Every way of cutting gives the same; views only grow; the edits make the text strict."""
    for end in ("open", "closed"):
        whole = read([text], schema, end)
        for cut in cuts:
            assert read([text[:cut], text[cut:]], schema, end).shown == whole.shown, (end, cut)
        pieces = read(text, schema, end)
        assert pieces.shown == whole.shown, end
        _check_result(text, schema, whole.result)
        codes = {each.code for each in whole.result.diagnostics}
        if whole.result.status != "unreadable" and "duplicate-key" not in codes:
            views = [*pieces.views, whole.result.value]
            for before, after in pairwise(views):
                assert grows(before, after), (before, after)


def _check_result(text: str, schema: dict[str, Any] | None, result: RecoveredJson) -> None:
    codes = {each.code for each in result.diagnostics}
    assert (result.status == "complete") == (codes <= {"duplicate-key"})
    if result.status in {"truncated", "unreadable"}:
        assert not result.executable
    if result.status == "unreadable":
        assert result.value is None
        return
    strict = applied(text, result.diagnostics)
    value = json.loads(strict)
    if "schema-type" not in codes:
        assert same(value, result.value), strict
    again = read([strict], schema).result
    # No number of JSON is NaN; and the schema types a string that lacked a quote before.
    if "nonfinite" not in codes and not (schema and "missing-quote" in codes):
        assert same(again.value, result.value), strict
        assert again.status == "complete" or "schema-type" in codes, strict
