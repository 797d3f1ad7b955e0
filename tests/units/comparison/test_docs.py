"""The page about comparing formats names every option, and its command is one."""

import argparse
import re
import shlex

from tests.house.checkout import ROOT
from toolgrammar.cli.bench import command

PAGE = (ROOT / "docs" / "comparing-formats.md").read_text(encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    command.add_to(parser.add_subparsers())
    return parser


def test_the_command_of_the_page_is_one() -> None:
    (block,) = re.findall(r"^```bash\ntoolgrammar (.*)\n```$", PAGE, re.MULTILINE)
    given = _parser().parse_args(shlex.split(block))
    assert given.own == ["logs/"]
    assert given.tokenizers == ["model/tokenizer.json"]


def test_every_option_is_explained() -> None:
    parser = argparse.ArgumentParser()
    options = set(re.findall(r"--\w+", _help(parser)))
    assert options - {"--help"} == set(re.findall(r"^\| `(--\w+)", PAGE, re.MULTILINE))


def _help(parser: argparse.ArgumentParser) -> str:
    commands = parser.add_subparsers()
    command.add_to(commands)
    found = commands.choices["bench"].format_usage()
    return str(found)
