"""Runs the command line: `python -m toolgrammar`."""

import sys

from toolgrammar.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
