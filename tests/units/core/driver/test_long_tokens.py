"""A limit of the reader says that it struck, alike in every cutting."""

from pathlib import Path

import pytest

from tests.units.core.cuts import read
from toolgrammar import Parser, parse

GRAMMAR = """\
//@ id: bars
//@ title: Values by a pattern
%import .common.text (TEXT)

start: (TEXT | call)*

call: "<<" name argument* ">>"
argument: "|" key "=" value
name: /[a-z_]+/
key: /[a-z]+/
value: /[^|>]+/
"""


@pytest.fixture(name="bars", scope="module")
def _bars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bars") / "bars.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("<<put|a=" + "x" * 1024 + ">>", []),
        ("<<put|a=" + "x" * 1025 + ">>", ["unread-call"]),
        ("<<put|a=" + "x" * 3000 + "|b=1>> and more", ["unread-call"]),
        ("<<put|a=1|b=" + "x" * 1100 + "|c=2>>", ["unread-call"]),
        ("<<put|" + "k" * 1100 + "=1>>", ["unread-call"]),
        ("<<put" + "|a=1" * 60 + ">>", ["unread-call"]),
        ("<<" + "x" * 1100 + ">>", []),  # nothing shows that this is a call
    ],
)
def test_a_call_that_is_lost_by_a_limit_is_told_of(bars: Path, text: str, codes: list[str]) -> None:
    whole = parse(text, bars)
    assert [each.code for each in whole.diagnostics] == codes
    assert whole.ok == (not codes)
    for size in (1, 7, 500):
        parser = Parser(bars)
        for start in range(0, len(text), size):
            parser.feed(text[start : start + size])
        parser.close()
        assert parser.result.to_dict() == whole.to_dict()


def test_a_blank_ahead_of_a_long_member_is_no_run_of_white_space() -> None:
    # The member without a role makes the island long; a blank stands 64 characters behind it.
    behind = r'rning", "arguments": {"hut": "Seracs", "text": "Do not camp here.\n\nAt noon the'
    text = f'<tool_calls>[{{"name": "write_wa{chr(34) * 4300}{behind}'
    schema = {"type": "object", "properties": {"hut": {}, "text": {}}}
    tools: list[dict[str, object]] = [{"name": "write_warning", "parameters": schema}]
    [call] = read("hunyuan_a13b", text, tools).calls
    assert (call.name, call.status) == ("write_wa", "truncated")
