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


_SHARES = {"all": 1, "third": 3, "sixth": 6}
_LAW_FROM = 15
"""A test that takes so many formats holds a law over each of them; others take some for a reason."""
_OF_NO_FORMAT = "~"
_HERE = Path(__file__).parent
_HOUSE = _HERE / "house"
_FORMATS = {path.stem for path in (_HERE.parent / "grammars").glob("*.lark")}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of the quick run."""
    parser.addoption(
        "--formats", choices=_SHARES, default="all", help="hold each law over some formats alone"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Brings the tests of a format together, the tests of no format behind them.

    A format makes its expressions when it first reads: `--dist worksteal` gives each process one
    stretch of the tests, so most formats are made by one process, not by each.
    """
    formats = {item: _format_of(item) for item in items}
    left_out = _left_out(formats, _SHARES[config.getoption("formats")])
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = sorted((each for each in items if each not in left_out), key=formats.__getitem__)


def _left_out(formats: dict[pytest.Item, str], share: int) -> set[pytest.Item]:
    """Returns what is left out where each law is held over a share of the formats, each over another one.

    What holds of a page or of the tree is no law: an author of a format wants to see all of it.
    """
    by_law: dict[tuple[Path, str], dict[pytest.Item, str]] = {}
    for item, format_id in formats.items():
        if format_id != _OF_NO_FORMAT and item.path.suffix == ".py" and item.path.parent != _HOUSE:
            name = getattr(item, "originalname", None) or item.name
            by_law.setdefault((item.path, name), {})[item] = format_id
    return {
        item
        for (_, name), found in by_law.items()
        if len(set(found.values())) >= _LAW_FROM
        for item, format_id in found.items()
        if (crc32(name.encode()) + crc32(format_id.encode())) % share
    }


def pytest_collection_finish() -> None:
    """Spares the collector of garbage the many tests: they stay to the end of the run."""
    gc.collect()
    gc.freeze()


def _format_of(item: pytest.Item) -> str:
    """Returns the id of the format that a test, or the page that an example is of, reads."""
    if item.path.suffix == ".md":
        return item.path.stem
    callspec = getattr(item, "callspec", None)
    given = callspec.params.values() if callspec else ()
    return next((x for x in given if isinstance(x, str) and x in _FORMATS), _OF_NO_FORMAT)
