"""Checks that the optional dependencies of the engine are installed."""

from __future__ import annotations

from importlib.util import find_spec


def require_extra() -> None:
    """Checks that what the engine needs is installed.

    Raises:
        ImportError: pydantic is not installed; the message has the command to install it.
    """
    try:
        found = find_spec("pydantic")
    except ImportError:  # an import hook may refuse even the look-up
        found = None
    if found is None:
        message = "the engine needs pydantic: pip install 'toolgrammar[exec]'"
        raise ImportError(message, name="pydantic")
