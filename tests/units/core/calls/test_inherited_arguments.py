"""Arguments that a call has from the call before it, by the header's key `carry`."""

from pathlib import Path
from typing import Any

import pytest

from tests.units.core.cuts import read, save

RULES = r"""
%import .common.text (TEXT, RAW, NAME)
start: (TEXT | call)*
call: "<do " name ">" argument* "</do>"
argument: "<" key ">" value "</v>"
name: NAME
key: /[a-z]+/
value: RAW
"""


def call(**arguments: str) -> str:
    return f"<do f>{''.join(f'<{key}>{value}</v>' for key, value in arguments.items())}</do>"


@pytest.mark.parametrize(
    ("calls", "arguments"),
    [
        ([{"p": "1", "a": "x"}, {"a": "y"}], [{"p": "1", "a": "x"}, {"a": "y", "p": "1"}]),
        ([{"p": "1"}, {"p": "2"}, {"a": "y"}], [{"p": "1"}, {"p": "2"}, {"a": "y", "p": "2"}]),
        ([{"a": "x"}, {"p": "1"}], [{"a": "x"}, {"p": "1"}]),
        ([{"p": "1"}, {}], [{"p": "1"}, {}]),
    ],
)
def test_what_a_call_lacks_comes_from_the_one_before(
    tmp_path: Path, calls: list[dict[str, str]], arguments: list[dict[str, Any]]
) -> None:
    text = "\n".join(call(**each) for each in calls)
    result = read(save(tmp_path, "carry: p", RULES), text)
    assert [each.arguments for each in result.calls] == arguments
    assert {each.status for each in result.calls} == {"complete"}


def test_without_the_header_line_nothing_is_carried(tmp_path: Path) -> None:
    result = read(save(tmp_path, "", RULES), call(p="1") + call(a="x"))
    assert [each.arguments for each in result.calls] == [{"p": "1"}, {"a": "x"}]
