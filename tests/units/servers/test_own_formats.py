"""Formats of one's own are listed with the others; in a process of their own, for they stay."""

import os
import subprocess
import sys
from pathlib import Path

GRAMMAR = """\
//@ id: mine
//@ title: Mine (@@call lines)
%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)

start: (TEXT | call)*
call: OPEN name "\\n" arguments "\\n@@end"
OPEN: /^@@call /m
name: /[\\w.-]+/
arguments: JSON_OBJECT
"""
CODE = """
from toolgrammar.servers.own_formats import register_own_formats
from toolgrammar.servers.parser_names import format_of, tool_parser_names

register_own_formats()
register_own_formats()
import toolgrammar

name = "toolgrammar_mine"
assert name in tool_parser_names()
text = '@@call add\\n{"a": 1}\\n@@end'
print(name, toolgrammar.parse(text, format_of(name)).calls[0].arguments)
"""


def _run(value: str) -> subprocess.CompletedProcess[str]:
    own = {**os.environ, "TOOLGRAMMAR_FORMATS": value}
    run = [sys.executable, "-c", CODE]
    return subprocess.run(run, capture_output=True, text=True, check=False, env=own)


def test_a_grammar_that_the_environment_names_is_a_parser(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    run = _run(f"{path}{os.pathsep}")
    assert run.stdout == "toolgrammar_mine {'a': 1}\n", run.stderr


def test_a_path_that_leads_nowhere_is_told() -> None:
    run = _run("/nowhere/mine.lark")
    assert run.returncode
    assert "/nowhere/mine.lark" in run.stderr.splitlines()[-1]
