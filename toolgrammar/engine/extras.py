"""What the engine needs beyond the package itself."""

from __future__ import annotations

from importlib.util import find_spec


def require_extra() -> None:
    """Makes sure that what the engine needs is installed.

    Raises:
        ImportError: it is not; the message says what to install.
    """
    try:
        found = find_spec("pydantic")
    except ImportError:  # whoever guards imports may refuse the question itself
        found = None
    if found is None:
        message = "the engine needs pydantic: pip install 'toolgrammar[exec]'"
        raise ImportError(message, name="pydantic")
