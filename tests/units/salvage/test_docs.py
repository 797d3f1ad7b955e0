"""The page about the policy says what is so."""

import re

from tests.house.checkout import ROOT
from toolgrammar.salvage.refusals import CODES

PAGE = ROOT / "docs" / "salvage.md"


def test_python_blocks_run() -> None:
    """In one namespace, in their order."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(blocks) >= 4
    namespace: dict[str, object] = {"__name__": "salvage_page"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), namespace)


def test_every_code_is_explained_in_the_order_in_which_it_is_looked_at() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE) == list(CODES)
