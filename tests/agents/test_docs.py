"""The programs of the pages run as printed, and print what the pages say: `make agents`."""

import importlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.house.checkout import ROOT
from toolgrammar.agents.text_calls import TextCalls

PAGES = {
    "langchain": "langchain",
    "pydantic_ai": "pydantic_ai",
    "openai_agents": "agents",
    "smolagents": "smolagents",
    "dspy": "dspy",
}
FENCE = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_a_program_prints_what_its_page_says(page: str, tmp_path: Path) -> None:
    if find_spec(PAGES[page]) is None:
        pytest.skip(f"{PAGES[page]} is not installed; `make agents` installs it")
    text = (ROOT / "docs" / "agents" / f"{page}.md").read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    # One program: a second block goes on where the first one ended.
    program = "\n".join(block for kind, block in blocks if kind == "python")
    said = "".join(block for kind, block in blocks if kind == "text")
    assert program
    # smolagents reads the source of tools.
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(file)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == said


@pytest.mark.parametrize("page", PAGES)
def test_the_lines_for_a_real_model_make_one(page: str) -> None:
    if find_spec(PAGES[page]) is None:
        pytest.skip(f"{PAGES[page]} is not installed; `make agents` installs it")
    if page == "langchain" and find_spec("langchain_openai") is None:
        pytest.skip("langchain-openai is not installed; `make agents` installs it")
    text = (ROOT / "docs" / "agents" / f"{page}.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    module = importlib.import_module(f"toolgrammar.agents.{page}")
    known = {**vars(module), "TextCalls": TextCalls, "dspy": sys.modules.get("dspy")}
    known["adapter"] = getattr(module, "TextCallAdapter", str)(TextCalls("hermes"))
    exec(block, known)
    assert known.get("model") or known.get("lm")


def test_every_page_is_in_the_list() -> None:
    found = {path.stem for path in (ROOT / "docs" / "agents").glob("*.md")}
    assert found == set(PAGES)
