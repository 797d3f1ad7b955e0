"""Defines which diagnostics suggest that a message is written in another format than the one read.

Example: a misspelt opener (`misspelt`) does; a key that comes twice (`duplicate-key`) does not.
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
"""Codes of diagnostics that do not depend on the wire: another format would report them as well."""


class FormatMisfit(Exception):  # noqa: N818 - no error: it ends a reading that is judged
    """The format that is read needs a repair, and another one might not."""

    def __init__(self, *, in_reasoning: bool = False, overlooked: bool = False) -> None:
        super().__init__()
        self.in_reasoning = in_reasoning
        """Whether another format ends the reasoning here, with no repair needed."""
        self.overlooked = overlooked
        """Whether an object is skipped that may be the arguments, with no repair needed."""


def is_misfit(code: str, severity: str) -> bool:
    """Whether a diagnostic suggests that the text is in another format.

    A safe repair inside JSON does not: models make such mistakes in any format.
    """
    # A closer that is missing in this format may not exist in another one.
    return code in _OF_MARKUP or (severity == "error" and code not in _OF_VALUES)
