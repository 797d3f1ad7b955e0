"""Closers behind JSON that depend on the next character: `/@@end$/` is none in `@@end!`."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read, save

RULES = """\
%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)

start: (TEXT | call)*
call: OPEN name "\\n" arguments "\\n" END
OPEN: /^@@call /m
END: {}
name: /\\w+/
arguments: JSON_OBJECT
"""


@pytest.mark.parametrize(
    "closer", ["/^@@end$/m", r"/@@end(?=\s*$)/m", r"/@@end\b/", "/@@end(?![!x])/"]
)
@pytest.mark.parametrize("behind", ["!", "x", "", "\n", " and more"])
def test_cutting_does_not_matter(tmp_path: Path, closer: str, behind: str) -> None:
    grammar = save(tmp_path, "", RULES.format(closer))
    # More often than the stream's shortcut is tried before it is given up for a while.
    for _ in range(20):
        read(grammar, f'@@call s\n{{"q": "x"}}\n@@end{behind}')
