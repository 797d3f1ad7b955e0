"""The version of the package: here, so that a module can say it without importing everything."""

from typing import Final

__version__: Final = "0.1.0"
