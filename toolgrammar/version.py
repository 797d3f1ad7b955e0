"""The version of the package: here, so that a module can say it without importing everything."""

from importlib.util import find_spec
from typing import Final

__version__: Final = "0.1.0"


def is_compiled() -> bool:
    """Returns whether the core is the one that `distribution/compiled.py` compiles to C."""
    found = find_spec("toolgrammar.core.state.driver")
    return found is not None and not str(found.origin).endswith(".py")
