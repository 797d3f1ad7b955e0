"""Makes the unpacked wheels of vLLM and SGLang importable, where `make servers` has put them."""

import importlib.util
import logging
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from peers import absent
from peers.places import folder

# They need torch, which only the environment of `make servers` has.
if folder().is_dir() and importlib.util.find_spec("torch") is not None:
    absent.enter()
    # The tests look at what is logged.
    logging.disable(logging.NOTSET)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "servers" and item.path.parent.parent.name == "tests":
            # The servers' own warnings are none of ours.
            item.add_marker(pytest.mark.filterwarnings("ignore"))
