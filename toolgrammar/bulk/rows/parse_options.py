"""Defines the settings with which a run parses its messages; they can be sent to processes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from toolgrammar.bulk.rows.columns_of_rows import RowColumns, heads
from toolgrammar.catalogue.registry import formats
from toolgrammar.parsing.whole import parse
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ParseResult
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.errors import check_several, check_type
from toolgrammar.values.limits import Limits
from toolgrammar.values.spans import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolgrammar.catalogue.format import Format
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.catalogue.several import AnyOf
    from toolgrammar.values.tools import ToolSpec


_LIMITS = Limits()
# The defaults of `parse`: they need not be passed for each message.
_USUAL: dict[str, Any] = {
    "tools": None,
    "strict": False,
    "prefix": "",
    "id_seed": "",
    "finish_reason": None,
    "limits": _LIMITS,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """The settings of a run, which can be pickled."""

    format: Format | AnyOf
    """The format or formats."""
    tools: Mapping[str, ToolSpec] | None
    """The tools that the models had."""
    strict: bool
    """Whether nothing is repaired."""
    prefix: str
    """The text of each answer that the chat template wrote."""
    id_seed: str
    """The seed of ids that the format omits."""
    finish_reason: str | None
    """Why the server stopped."""
    limits: Limits
    """Bounds on each message."""
    column: str
    """The column with the message of a row, or the path to it."""
    keep: tuple[str, ...]
    """The other columns of a row to copy to the output."""
    source: bool
    """Whether the output repeats the message."""
    columns: RowColumns | None = None
    """The columns in which rows have their own settings; None if all use those of the run."""

    @property
    def wanted(self) -> tuple[str, ...]:
        """The keys of a row that are needed besides its message."""
        if self.columns is None:
            return self.keep
        of_rows = heads(self.columns.named)
        return tuple(dict.fromkeys((*self.keep, *of_rows)))

    @property
    def needed(self) -> tuple[str, ...]:
        """The top-level keys of a row that are needed: those of its message and `wanted`."""
        return tuple(dict.fromkeys((*heads((self.column,)), *self.wanted)))

    @property
    def kept_only(self) -> tuple[str, ...]:
        """The columns that are kept, without those of settings."""
        named = () if self.columns is None else self.columns.named
        return tuple(dict.fromkeys(name for name in self.keep if name not in named))

    def missing(self, seen: Iterable[str]) -> tuple[str, ...]:
        """Returns the named columns that no row has; their names may be misspelt."""
        there = set(seen)
        of_rows = () if self.columns is None else self.columns.missing(there)
        return (*of_rows, *(name for name in self.kept_only if name not in there))

    def unusual(self) -> dict[str, Any]:
        """Returns the arguments of `parse` that are not defaults, except the format."""
        said = {name: getattr(self, name) for name in _USUAL}
        return {name: value for name, value in said.items() if value != _USUAL[name]}

    def reader(self) -> Callable[[str | bytes | None], ParseResult]:
        """Returns `parse` with these settings; defaults are not passed."""
        unusual, format_ = self.unusual(), self.format
        if not unusual:
            # The fastest call: a `partial` with all settings is slower for each message.
            return lambda text: parse(text, format_)
        return partial(parse, format=format_, **unusual)

    def read(self, text: str | bytes | None) -> ParseResult:
        """Returns the result of a message."""
        return self.reader()(text)

    def refused(self, number: int, reason: str) -> ParseResult:
        """Returns the result of a row without a message: it is not ok, and says why."""
        message = f"Found no message in row {number}: {reason}"
        # An error diagnostic, so that the result is not ok; the digest says with what it was not
        # read.
        return ParseResult(
            diagnostics=(Diagnostic("unreadable", "error", message, NOWHERE),),
            format=self.format.id,
            digest=self.format.digest,
        )


class Settings(TypedDict, total=False):
    """The options of `parse` besides the format; they apply to all messages."""

    tools: Iterable[object] | None
    """The tools that the models had, of any shape."""
    strict: bool
    """Accept only the language of the grammar and repair nothing."""
    prefix: str
    """The text of each answer that the chat template wrote before the model began."""
    id_seed: str
    """The seed of ids that the format omits."""
    finish_reason: str | None
    """Why the server stopped; "length" says that the answers were cut."""
    limits: Limits
    """Bounds on length, depth and number of calls of each message."""


def reading_of(
    format: FormatsLike,
    settings: Settings,
    *,
    column: str,
    keep: Iterable[str] = (),
    source: bool = True,
    columns: RowColumns | None = None,
) -> Reading:
    """Returns the settings that a caller means.

    Raises:
        UnknownFormat: no format has this id or alias.
        GrammarError: the grammar of the format is broken.
        TypeError: an argument has the wrong type.
    """
    # The string "text" would mean the columns t, e, x and t.
    check_several("keep", keep, "a list of columns")
    check_type("source", source, bool)
    kept = tuple(keep)
    for name, value in (("column", column), *(("a column to keep", each) for each in kept)):
        check_type(name, value, str)
    # Settings come as keywords of `batch`: a misspelt one must not be ignored.
    unknown = set(settings) - set(Settings.__annotations__)
    if unknown:
        raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
    tools = settings.get("tools")
    reading = Reading(
        formats.resolve_any(format),
        None if tools is None else to_specs(tools),
        settings.get("strict", False),
        settings.get("prefix", ""),
        settings.get("id_seed", ""),
        settings.get("finish_reason"),
        settings.get("limits", _LIMITS),
        column,
        kept,
        source,
        columns,
    )
    # Reading an empty message compiles the tables once, before processes start.
    reading.read("")  # a broken grammar is reported here, and not in each process
    return reading
