"""`grammar/header.py`: the metadata at the top of a grammar file."""

from pathlib import Path

import pytest

from toolgrammar.grammar.header import Header, parse_header, read_header, scan_headers
from toolgrammar.values.errors import GrammarError

PATH = Path("mine.lark")

GOOD = [
    ("no header", "start: TEXT\n", Header()),
    ("empty file", "", Header()),
    ("id alone", "//@ id: mine", Header(id="mine", title="mine")),
    ("title", "//@ id: mine\n//@ title:  My: own  \n", Header(id="mine", title="My: own")),
    ("family", "//@ family: JSON in tags\n", Header(family="JSON in tags")),
    ("aliases", "//@ aliases: a, b-c ,d,\n", Header(aliases=("a", "b-c", "d"))),
    ("models", "//@ models: org/A-*, org/B?\n", Header(models=("org/A-*", "org/B?"))),
    ("stop, plain", "//@ stop: <|end|>, </s>\n", Header(stop=("<|end|>", "</s>"))),
    (
        "stop, exact",
        '//@ stop: "a, \\"b\\"\\n" , c d, "é"\n',
        Header(stop=('a, "b"\n', "c d", "é")),
    ),
    (
        "trim",
        "//@ trim: value=strip content=one-newline\n",
        Header(trim={"value": "strip", "content": "one-newline"}),
    ),
    (
        "roles",
        "//@ roles: toolId=id dependsOn=depends_on\n",
        Header(roles={"toolId": "id", "dependsOn": "depends_on"}),
    ),
    (
        "choices",
        "//@ unknown-arguments: drop\n",
        Header(unknown_arguments="drop"),
    ),
    (
        "turns",
        '//@ turns: begin="<s>" *="<{role}>{content}" tool="out" user="{content}\\n"\n',
        Header(
            turns={
                "begin": "<s>",
                "system": "<system>{content}",
                "user": "{content}\n",
                "assistant": "<assistant>{content}",
                "tool": "<out>{content}",
            }
        ),
    ),
    ("tools", "//@ tools: read_file, bash\n", Header(tools=("read_file", "bash"))),
    ("rest", "//@ since: 0.1\n//@ source: a card\n", Header(since="0.1", source="a card")),
    ("ends at the first other line", "//@ since: 1\n\nstart: TEXT\n", Header(since="1")),
    ("no space", "//@id:mine\n", Header(id="mine", title="mine")),
]

BROKEN = [
    ("unknown key", "//@ id: mine\n//@ titel: x\n", 2, 5, "nearest: `title`"),
    ("stranger", "//@ zzz: x\n", 1, 5, "known: id, title"),
    ("not a pair", "//@ id mine\n", 1, 4, "//@ key: value"),
    ("twice", "//@ since: 1\n//@ since: 2\n", 2, 1, "stands twice; first on line 1"),
    ("id below", "//@ title: x\n//@ id: mine\n", 2, 1, "first line"),
    ("another id", "//@ id: other\n", 1, 9, "must equal the file's name `mine`"),
    ("bad id", "//@ id: My Format\n", 1, 9, "lower-case letters"),
    ("late line", "//@ id: mine\nstart: TEXT\n//@ title: x\n", 3, 1, "after other lines"),
    ("open string", '//@ stop: a, "b\n', 1, 14, "close it"),
    ("two strings", '//@ stop: "a" "b"\n', 1, 15, "commas between strings"),
    ("no equals sign", "//@ roles: a=b toolId\n", 1, 16, "name=value"),
    ("role twice", "//@ roles: a=b a=c\n", 1, 16, "stands twice"),
    ("trim", "//@ trim: value=stripp\n", 1, 17, "nearest: `strip`"),
    ("trim, one of two", "//@ trim: strip=none body=strp\n", 1, 27, "nearest: `strip`"),
    ("wire role", "//@ roles: toolId=id after=depends\n", 1, 28, "nearest: `depends_on`"),
    ("no wire role", "//@ roles: tool=name\n", 1, 17, "known: id, depends_on"),
    ("turns, no string", "//@ turns: user={content}\n", 1, 12, 'user="<|user|>{content}"'),
    ("turns, a stranger", '//@ turns: usr="{content}"\n', 1, 12, "nearest: `user`"),
    ("turns, twice", '//@ turns: *="{content}" *="{content}"\n', 1, 26, "stands twice"),
    ("turns, bad JSON", '//@ turns: user="\\d{content}"\n', 1, 17, "string that JSON can't read"),
    ("turns, no content", '//@ turns: *="{content}" user="{content} {content}"\n', 1, 12, "once"),
    ("turns, a word alone", '//@ turns: assistant="{content}" user="me"\n', 1, 12, "once"),
    ("turns, no assistant", '//@ turns: user="{content}"\n', 1, 12, "also of the assistant"),
    ("turns, a stranger in braces", '//@ turns: *="{name}{content}"\n', 1, 15, "`{name}` stands"),
    (
        "turns, a role alone",
        '//@ turns: *="{content}" tool="{role}{content}"\n',
        1,
        32,
        "of `*` alone",
    ),
    ("choice", "//@ unknown-arguments: some\n", 1, 24, "`keep` or `drop`"),
    ("a key that is no more", "//@ whitespace: exact\n", 1, 5, "unknown header key"),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in GOOD], ids=[r[0] for r in GOOD])
def test_reads(text: str, expected: Header) -> None:
    assert parse_header(text, PATH) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "said"), [row[1:] for row in BROKEN], ids=[r[0] for r in BROKEN]
)
def test_points_at_what_is_wrong(text: str, line: int, column: int, said: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_header(text, PATH)
    assert said in str(caught.value)
    assert f"mine.lark:{line}:{column}:" in str(caught.value)
    assert caught.value.hint


def test_reads_windows_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_bytes(b"\xef\xbb\xbf//@ id: mine\r\n//@ title: Mine\r\nstart: TEXT\r\n")
    assert read_header(path) == Header(id="mine", title="Mine")


def test_refuses_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_bytes("//@ title: Größe\n".encode("latin-1"))
    with pytest.raises(GrammarError, match="UTF-8"):
        read_header(path)


def test_scan_leaves_libraries_out(tmp_path: Path) -> None:
    for name, text in (("b", "//@ id: b\n"), ("a", "//@ id: a\n"), ("library", "X: /x/\n")):
        (tmp_path / f"{name}.lark").write_text(text, encoding="utf-8")
    assert [(path.name, header.id) for path, header in scan_headers(tmp_path)] == [
        ("a.lark", "a"),
        ("b.lark", "b"),
    ]
