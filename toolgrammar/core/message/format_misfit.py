"""Says which diagnostics show that a message may be written in another format than the one read.

Example: an opener that had to be respelled does; a key that comes twice does not, in any format.
"""

from __future__ import annotations

_OF_MARKUP = frozenset({"misspelt", "missing-close-tag", "missing-open-tag", "stray-close-tag"})
"""Codes of safe repairs of the envelope."""
_OF_VALUES = frozenset(
    {
        "dependency-cycle",
        "duplicate-id",
        "duplicate-key",
        "empty-name",
        "malformed-name",
        "missing-quote",
        "overlong-name",
        "schema-mismatch",
        "slipped-quote",
        "unknown-argument",
        "unknown-dependency",
    }
)
"""Codes of diagnostics that say nothing of the wire: another format would meet them too."""


class FormatMisfit(Exception):  # noqa: N818 - no error: it ends a reading that is judged
    """The format that is read needs a repair, and another one might not."""

    def __init__(self, *, in_reasoning: bool = False, overlooked: bool = False) -> None:
        super().__init__()
        self.in_reasoning = in_reasoning
        """Whether nothing is wrong, but another format ends the reasoning here."""
        self.overlooked = overlooked
        """Whether nothing is wrong, but an object is skipped that may be the arguments."""


def is_misfit(code: str, severity: str) -> bool:
    """Whether a diagnostic tells that the text may be in another format.

    A safe repair inside JSON does not: models write it so, in any format.
    """
    # A closer that is missing here may be one that another format does not have.
    return code in _OF_MARKUP or (severity == "error" and code not in _OF_VALUES)
