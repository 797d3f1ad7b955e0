"""Defines the testing kit: cases, laws that every format keeps, and a pytest plugin.

In: a case, which is a text with its expected result. Out: nothing, or an AssertionError that names
the broken law. Begin with `laws`; `cases` reads cases from pages, `plugin` runs them under pytest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.testing.cases import Case, cases_of_jsonl, cases_of_page
    from toolgrammar.testing.laws import (
        deltas,
        early,
        expected,
        laws_of,
        linear,
        no_raise,
        rewritten,
        round_trip,
        splits,
        strict_oracle,
        tiling,
        truncation,
        trust,
    )

__all__ = [
    "Case",
    "cases_of_jsonl",
    "cases_of_page",
    "deltas",
    "early",
    "expected",
    "laws_of",
    "linear",
    "no_raise",
    "rewritten",
    "round_trip",
    "splits",
    "strict_oracle",
    "tiling",
    "truncation",
    "trust",
]

# All names but those of cases live in `laws`.
_MODULE_OF = dict.fromkeys(__all__, "toolgrammar.testing.laws") | dict.fromkeys(
    ("Case", "cases_of_jsonl", "cases_of_page"), "toolgrammar.testing.cases"
)


def __getattr__(name: str) -> object:
    """Imports a public name on first use: pytest loads this package before every run."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_MODULE_OF[name]), name)
    # Found at once from now on, without this function.
    globals()[name] = value
    return value
