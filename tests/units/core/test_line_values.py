"""Values of JSON on lines of their own, in a grammar of one's own: no cut changes what is read."""

from pathlib import Path

import pytest

import toolgrammar
from toolgrammar.testing import Case
from toolgrammar.testing.readings import read, seen

GRAMMAR = """//@ id: lines
%import .common.text (TEXT, NAME)
%declare JSON_VALUE

start: (TEXT | call)*
call: "[[" name "]]\\n" argument* "[[/]]"
argument: key " = " value "\\n"
name: NAME
key: KEY
value: JSON_VALUE
KEY: /(?m:^)[a-z]+/
"""


@pytest.mark.parametrize(
    "lines",
    [
        "y = [1,]\nflags = [true, false]",
        "y = 1\nlimit = 5\nflags = [true]",
        "limit = f\nlags = [true]",
        "limit = flags = [true]",
        'y = {"a": 1,}\nf = nul',
        "y = tru\nflags = [true, false]",
        "y = [1\nflags = [true, false]",
        's = "abc def"\nt = "x\\n\\u00e9y"',
    ],
)
def test_no_cut_changes_what_is_read(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "lines.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    case = Case("own", toolgrammar.load_format(path), f"[[f]]\n{lines}\n[[/]]")
    wanted = seen(read(case, [case.text]))
    for at in range(1, len(case.text)):
        assert seen(read(case, [case.text[:at], case.text[at:]])) == wanted, at
    assert seen(read(case, list(case.text))) == wanted
