"""Checks that the optional dependencies of the engine are installed."""

from __future__ import annotations

from toolgrammar.values.errors import check_extra


def require_extra() -> None:
    """Checks that what the engine needs is installed.

    Raises:
        ImportError: pydantic is not installed; the message has the command to install it.
    """
    check_extra("pydantic", "the engine needs pydantic", "exec")
