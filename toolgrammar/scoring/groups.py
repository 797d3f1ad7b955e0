"""Defines the score of logs: shares with intervals, for each value of each label.

`scores.of("model", "a")["parsed"]` is a `Rate`: 90 of 100, 0.83 to 0.94.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

from toolgrammar.scoring.intervals import wilson
from toolgrammar.scoring.message_scores import MEASURES
from toolgrammar.values.plain import headed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.bulk.runs.reports import BadRow
    from toolgrammar.scoring.intervals import Sums

METHOD = (
    "95 % intervals by Wilson's method; shares of calls and arguments count as many as would be "
    "independent of each other, since those of one message are not"
)
"""The description of the intervals, for reports."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, and the interval in which it lies."""

    hits: int
    """The number of items that count."""
    of: int
    """The number of all items."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end."""

    @property
    def share(self) -> float:
        """The share; 0 if there are no items."""
        return self.hits / self.of if self.of else 0.0

    @classmethod
    def of_sums(cls, sums: Sums) -> Self:
        """Returns the rate of some sums."""
        share = sums.hits / sums.of if sums.of else 0.0
        # Without items the interval is 0 to 1, since nothing is known.
        return cls(sums.hits, sums.of, *wilson(share, sums.effective if sums.of else 0))

    def to_dict(self) -> dict[str, Any]:
        """Returns the rate as plain JSON data."""
        # Six digits are more than any log supports, and hide how the last bits of a float differ
        # between machines, so that two reports can be compared as text.
        ends = {"share": self.share, "low": self.low, "high": self.high}
        return {"hits": self.hits, "of": self.of, **{key: round(x, 6) for key, x in ends.items()}}


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that have one value of a label."""

    label: str
    """The label; "" for all rows."""
    value: str
    """Its value."""
    messages: int
    """The number of rows."""
    rates: Mapping[str, Rate]
    """By measure, in the order of `MEASURES`; what does not apply is omitted."""
    codes: Mapping[str, int]
    """The messages that have an error or a warning of each code, the most frequent first."""
    lost: Mapping[str, int]
    """The messages that lost something, by code."""

    def __getitem__(self, measure: str) -> Rate:
        """Returns the rate of a measure."""
        return self.rates[measure]

    def to_dict(self) -> dict[str, Any]:
        """Returns the group as plain JSON data."""
        return {
            "label": self.label,
            "value": self.value,
            "messages": self.messages,
            "rates": {name: rate.to_dict() for name, rate in self.rates.items()},
            "codes": dict(self.codes),
            "lost": dict(self.lost),
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of some logs, as data."""

    groups: tuple[Group, ...]
    """All rows first, then each value of each label, the most frequent first."""
    rows: int
    """The rows read, bad ones too."""
    bad: int
    """The rows without a score: no message, or a format, tools or truth that can't be read."""
    bad_rows: tuple[BadRow, ...] = field(default=())
    """The first of them."""
    missing_columns: tuple[str, ...] = field(default=())
    """The named columns that have no value in any row."""

    @property
    def all(self) -> Group:
        """The group of all rows."""
        return self.groups[0]

    def of(self, label: str, value: str) -> Group:
        """Returns the rows that have a value of a label.

        Raises:
            KeyError: no row has it.
        """
        for group in self.groups:
            if (group.label, group.value) == (label, value):
                return group
        if label and label not in self.labels:
            raise KeyError(f"no label {label!r}; there are {', '.join(self.labels) or 'none'}")
        nearest = get_close_matches(value, [each.value for each in self.by(label)], 1)
        said = f"; nearest: {nearest[0]!r}" if nearest else ""
        raise KeyError(f"no row has {value!r} as its {label}{said}")

    def by(self, label: str) -> tuple[Group, ...]:
        """Returns the groups of a label, the most frequent value first; none for another name."""
        return tuple(group for group in self.groups if group.label == label)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in their order."""
        # The first group is that of all rows, whose label is "".
        return tuple(dict.fromkeys(group.label for group in self.groups[1:]))

    def records(self) -> list[dict[str, Any]]:
        """Returns a row for each group and measure, as tables want it."""
        return [
            {"label": group.label, "value": group.value, "messages": group.messages}
            | {"measure": name, "counted": MEASURES[name][0], **rate.to_dict()}
            for group in self.groups
            for name, rate in group.rates.items()
        ]

    def to_pandas(self) -> Any:
        """Returns `records` as a data frame.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            # Imported here, since only `lark` is a hard dependency.
            import pandas as pd
        except ImportError:
            message = "a data frame needs pandas: pip install pandas"
            raise ImportError(message, name="pandas") from None
        return pd.DataFrame(self.records())

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as plain JSON data."""
        return headed(
            {
                "rows": self.rows,
                "bad": self.bad,
                "bad_rows": [{"row": each.number, "reason": each.reason} for each in self.bad_rows],
                "intervals": METHOD,
                "groups": [group.to_dict() for group in self.groups],
            }
        )
