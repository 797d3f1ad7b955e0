"""Closers that stand on a line of their own are put in there: what is mended so is read strictly."""

from pathlib import Path

import pytest

from tests.units.core.cuts import save
from toolgrammar import load_format, parse
from toolgrammar.testing import Case, laws

FENCED = """%import .common.text (TEXT, FENCE, SAME_FENCE)
%import .common.json (JSON_OBJECT)
start: (TEXT | calls | call)*
calls: "<calls>\\n" call+ "</calls>"
call: FENCE "act " name "\\n" arguments "\\n" SAME_FENCE
"""
MARKED = """%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)
start: (TEXT | calls | call)*
calls: "<calls>\\n" call+ "</calls>"
call: OPEN name "\\n" arguments END
OPEN: /^@@act /m
END: /^@@end$/m
"""
LEAVES = "name: /\\w+/\narguments: JSON_OBJECT\n"


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (FENCED, '<calls>\n```act f\n{"a": 1}</calls>'),
        (FENCED, '<calls>\n```act f\n{"a": 1}\n</calls>'),
        (FENCED, '<calls>\n```act f\n{"a": 1}'),
        (MARKED, '<calls>\n@@act f\n{"a": 1}</calls>'),
        (MARKED, '<calls>\n@@act f\n{"a": 1}\n</calls>'),
        (MARKED, '<calls>\n@@act f\n{"a": 1}\n@@act g\n{}\n@@end\n</calls>'),
        (MARKED, '@@act f\n{"a": 1}'),
    ],
)
def test_a_closer_is_put_in_on_its_own_line(tmp_path: Path, grammar: str, text: str) -> None:
    form = load_format(save(tmp_path, "title: Lines", grammar + LEAVES))
    result = parse(text, format=form)
    assert (result.calls[0].name, result.calls[0].arguments) == ("f", {"a": 1})
    assert "missing-close-tag" in [each.code for each in result.diagnostics]
    laws.edits(Case("closers of lines", form, text, tier="malformed"))
