"""The page about other shapes says what is so."""

import contextlib
import io
import re

from tests.house.checkout import ROOT

PAGE = ROOT / "docs" / "interop.md"


def test_the_blocks_run_and_print_what_they_say() -> None:
    """In one namespace; a comment line after a `print` is what it prints."""
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    code = "".join(blocks)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(PAGE), "exec"), {"__name__": "interop_page"})
    assert printed.getvalue().splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)
