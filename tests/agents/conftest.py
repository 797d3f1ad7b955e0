"""The libraries' own warnings are none of ours."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "agents" and item.path.parent.parent.name == "tests":
            item.add_marker(pytest.mark.filterwarnings("ignore"))
