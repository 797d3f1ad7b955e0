"""The page about the proxy says what is so."""

import re
from pathlib import Path

from tests.house.checkout import ROOT
from toolgrammar.proxy.models import read_rules

PAGE = ROOT / "docs" / "proxy.md"


def _blocks(language: str) -> list[tuple[int, str]]:
    text = PAGE.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, block.start(1)), block[1]) for block in found]


def test_python_blocks_run() -> None:
    """In one namespace, in their order."""
    blocks = _blocks("python")
    assert len(blocks) >= 3
    namespace: dict[str, object] = {"__name__": "proxy_page"}
    for line, block in blocks:
        # Too large for every run: tests/fleets has the callback.
        if "import litellm" in block:
            continue
        exec(compile("\n" * line + block, str(PAGE), "exec"), namespace)


def test_the_file_of_formats_is_read(tmp_path: Path) -> None:
    [(_, block)] = _blocks("toml")
    path = tmp_path / "formats.toml"
    path.write_text(block, encoding="utf-8")
    rules = read_rules(path)
    rule = rules["my-base-model"]
    assert rule is not None
    assert rule.prompt
