"""Runs the command line as a user would."""

from tests.units.cli.conftest import run

__all__ = ["run"]
