"""Settings of the whole test run."""

import gc
import os
import re
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from toolgrammar.testing.depth import at_depth

# `default` draws the same examples every time; `deep` is for an evening: HYPOTHESIS_PROFILE=deep.
settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    max_examples=at_depth(few=5, usual=30, every=30),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# `re` keeps 512 expressions, and 112 formats have many more: the laws that load a format anew, or
# read it with other tools, would compile them anew, too. There is no public way to keep more; with
# 512 the laws take 9 % longer.
vars(re)["_MAXCACHE"] = 50_000

# The formats and their expressions stay to the end: to look through them for garbage as often as
# usual takes 7 % longer.
gc.set_threshold(20_000, 20, 100)


_LAWS = Path(__file__).with_name("laws")
_OF_NO_FORMAT = "~"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of the quick run."""
    parser.addoption(
        "--third", action="store_true", help="hold each law over a third of the formats alone"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Brings the tests of a format together, the tests of no format behind them.

    A format makes its expressions when it first reads: `--dist worksteal` gives each process one
    stretch of the tests, so most formats are made by one process, not by each.
    """
    if config.getoption("third"):
        left_out = [item for item in items if not _is_of_third(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _is_of_third(item)]
    items.sort(key=_format_of)


def _is_of_third(item: pytest.Item) -> bool:
    """Whether the quick run holds this law over this format: each law takes another third of them."""
    format_id = _format_of(item)
    if _LAWS not in item.path.parents or format_id == _OF_NO_FORMAT:
        return True
    law = getattr(item, "originalname", None) or item.name
    return (crc32(law.encode()) + crc32(format_id.encode())) % 3 == 0


def pytest_collection_finish() -> None:
    """Spares the collector of garbage the many tests: they stay to the end of the run."""
    gc.collect()
    gc.freeze()


def _format_of(item: pytest.Item) -> str:
    """Returns the id of the format that a test, or the page that an example is of, reads."""
    if item.path.suffix == ".md":
        return item.path.stem
    callspec = getattr(item, "callspec", None)
    found = callspec.params.get("format_id") if callspec else None
    return found if isinstance(found, str) else _OF_NO_FORMAT
