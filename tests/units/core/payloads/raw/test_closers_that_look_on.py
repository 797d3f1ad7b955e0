"""Closers of raw text that depend on the next character: `/@@end\\Z/` is none in `@@endless`."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read, save

RULES = """\
%import .common.text (TEXT, RAW)

start: (TEXT | call)*
call: OPEN name "]" input END
OPEN: /^@@call /m
END: {}
name: /\\w+/
input: RAW
"""


@pytest.mark.parametrize(
    "closer",
    [
        "/^@@end$/m",
        r"/@@end(?=\s*$)/m",
        r"/@@end\b/",
        "/@@end(?![!x])/",
        r"/@@end\Z/",
        r"/@@end(?=\s*\Z)/",
        r"/@@end(?=[\s<]|\Z)/",
    ],
)
@pytest.mark.parametrize("behind", ["!", "less", "", "\n", " and more", "\n\nmore\n"])
def test_cutting_does_not_matter(tmp_path: Path, closer: str, behind: str) -> None:
    for text in ("rm ", "rm\n"):
        read(save(tmp_path, "", RULES.format(closer)), f"@@call s]{text}@@end{behind}")
