"""What the engine needs beyond the package itself."""

from __future__ import annotations

from importlib.util import find_spec


def require_extra() -> None:
    """Makes sure that what the engine needs is installed.

    Raises:
        ImportError: it is not; the message says what to install.
    """
    for package in ("pydantic", "tenacity"):
        if not _is_there(package):
            raise ImportError(
                f"the engine needs {package}: pip install 'toolgrammar[exec]'", name=package
            )


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:  # whoever guards imports may refuse the question itself
        return False
