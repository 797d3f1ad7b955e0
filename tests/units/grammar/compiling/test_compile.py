"""`grammar/compiling/compile.py`: what is wrong with a grammar is said at its place, in its author's words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolgrammar.grammar.compiling.compile import advice_on, compile_file
from toolgrammar.values.errors import GrammarError

HEAD = """\
//@ id: mine
%import .common.text (TEXT, RAW)
%import .common.json (JSON_OBJECT)

start: (TEXT | call)*
"""
CALL = 'call: OPEN name "\\n" arguments "\\n@@end"\n'
REST = "OPEN: /^@@call /m\nname: /[\\w.-]+/\narguments: JSON_OBJECT\n"
GOOD = HEAD + CALL + REST
PAIRS = 'argument: "<" key ">" value "</>"\nkey: /\\w+/\nvalue: RAW\n'


def named(pattern: str) -> str:
    """The good grammar with another pattern of `name`, on line 8 at column 7."""
    return GOOD.replace("/[\\w.-]+/", pattern)


def called(call: str, more: str = "") -> str:
    """The good grammar with another rule `call`, on line 6."""
    return f"{HEAD}call: {call}\n{more}{REST}"


BROKEN = [
    ("no name", called('OPEN "\\n" arguments'), "6:1", "call-without-name", "`name: /…/`"),
    (
        "one way without a name",
        called('OPEN name arguments | "%%" arguments'),
        "6:1",
        "call-without-name",
        "`name: /…/`",
    ),
    ("no way to the call", GOOD.replace("| call)", ")"), "6:1", "unreached", "(TEXT | call)*"),
    ("change of nothing", GOOD + "%override id: /x/\n", "10:11", "not-imported", "start, id)"),
    ("more of nothing", GOOD + "%extend id: /x/\n", "10:9", "not-imported", "start, id)"),
    (
        "line end before a mark",
        called('OPEN name " <<" MARK NL input "\\n" SAME_MARK', "NL: /\\n/\ninput: RAW\n").replace(
            "RAW)", "RAW, MARK, SAME_MARK)"
        ),
        "6:37",
        "blank-beside-raw",
        "one-newline",
    ),
    (
        "a value in itself",
        called('OPEN name argument "x"', PAIRS.replace("RAW", '/\\w+/ | "[" value "]"')),
        "9:1",
        "recursive",
        "JSON_VALUE",
    ),
    (
        "an argument in itself",
        called('OPEN name argument "x"', PAIRS.replace('value "', '(value | argument) "')),
        "7:1",
        "recursive",
        "JSON_VALUE",
    ),
    ("ignore", GOOD + "%ignore /\\s+/\n", "10:1", "ignore", "drop the line"),
    ("empty pattern", named("/[\\w.-]*/"), "8:7", "empty-terminal", "`[…]`"),
    ("empty terminal", named("WORD") + 'WORD: "x"*\n', "10:1", "empty-terminal", "`[…]`"),
    ("only looks", named("/(?=x)/"), "8:7", "empty-terminal", "`[…]`"),
    ("empty literal", GOOD.replace('"\\n@@end"', '""'), "6:32", "empty-terminal", "`[…]`"),
    ("bad range", named("/[\\w.-+/"), "8:11", "bad-expression", "Python's `re`"),
    ("open group", named("/a(\\w+/"), "8:9", "bad-expression", "Python's `re`"),
    ("bad terminal", named("WORD") + "WORD: /x(/\n", "10:9", "bad-expression", "Python's `re`"),
    ("flags first", named("/a(\\w+/i"), "8:9", "bad-expression", "Python's `re`"),
    ("wide look-behind", named("/(?<=a*)b/"), "8:8", "bad-expression", "Python's `re`"),
    ("far look-behind", named("/(?<!ab)c/"), "8:7", "wide-look-behind", "that one alone"),
    ("back reference", named("/(\\w)\\1+/"), "8:7", "back-reference", "SAME_NAME"),
    ("condition", named("/(a)?(?(1)b|c)/"), "8:7", "back-reference", "alternatives"),
    ("no file", GOOD.replace("n.text", "n.txt"), "2:9", "missing-import", "common/txt.lark"),
    ("no such name", GOOD.replace("RAW)", "RAWW)"), "2:29", "missing-import", "nearest: `RAW`"),
    ("names nothing", GOOD + "%import .common.json\n", "10:9", "missing-import", "(NAME)"),
    ("no start", GOOD.replace("start:", "_start:"), "5:1", "missing-start", "`start: "),
    ("no rule", GOOD.replace("arguments \"", "argument \""), "6:22", "undefined-name", "define"),
    ("no terminal", GOOD.replace(": JSON_OB", ": JSON_ARR"), "9:12", "undefined-name", "nearest"),
    ("goes on", called('OPEN name "\\n"\n   arguments "x"'), "7:4", "unmarked-line", "a `|`"),
    ("goes on alone", called('OPEN name\n  arguments'), "7:3", "unmarked-line", "a `|`"),
    ("goes on with a literal", called('OPEN name\n "x" name'), "7:2", "unmarked-line", "a `|`"),
    ("bar at the end", called('OPEN name |\n  OPEN arguments'), "7:3", "unmarked-line", "a `|`"),
    ("twice", GOOD + "name: /x/\n", "10:1", "defined-twice", "rename"),
    ("open literal", GOOD.replace('@@end"', "@@end"), "6:32", "syntax", "between `\"`"),
    ("stray bracket", GOOD + "_x: )\n", "10:5", "syntax", "alternatives"),
    ("open bracket", GOOD.replace("OPEN n", "(OPEN n"), "6:42", "syntax", "close what is open"),
    ("stray word", GOOD + "@foo\n", "10:1", "syntax", "`name: …`"),
    ("brackets left open", HEAD + "call: (((\n", "6:10", "syntax", "close what is open"),
    ("open at the end", HEAD + 'call: "x" (', "6:12", "syntax", "close what is open"),
    ("bare import", GOOD + "%import\n", "10:8", "syntax", "`%import .common.text (TEXT)`"),
    ("import of no path", GOOD + "%import .", "10:10", "syntax", "`%import .common.text (TEXT)`"),
    ("imports itself", GOOD + "%import .mine (W)\nW: /x/\n", "10:9", "endless-import", "third one"),
    ("nests too deeply", called("(" * 3000 + '"x"' + ")" * 3000), "5:1", "too-deep", "`_part: …`"),
    ("bad escape", GOOD.replace("\\n@@end", "\\xZZ"), "6:32", "bad-escape", "twice"),
    ("rule in terminal", GOOD + "X: name\nid: X\n", "10:4", "rule-in-terminal", "lower case"),
    ("scanned in a terminal", GOOD + "X: TEXT /x/\nid: X\n", "10:4", "declared-in-terminal", "`_x: …`"),
    ("endless", named("WORD") + 'WORD: WORD "x"\n', "10:1", "endless-terminal", "only rules"),
    ("alias", called("OPEN name _x", "_x: arguments -> value\n"), "7:1", "alias-in-part", "alias"),
    ("group", named("/(?P<nam>x+)/"), "8:12", "undefined-role", "nearest: `name`"),
    ("rule", GOOD.replace("name", "named"), "8:1", "undefined-role", "nearest: `name`"),
    (
        "declared",
        GOOD.replace(": JSON_OBJECT", ": RAWS") + "%declare RAWS\n",
        "9:12",
        "undeclared-terminal",
        "nearest: `RAW`",
    ),
    (
        "undecided",
        called("OPEN name arguments\n    | OPEN id name arguments", "id: W\nW: /x+/\n").replace(
            "name: /[\\w.-]+/", "name: W"
        ),
        "7:12",
        "undecided-role",
        "a literal before",
    ),
    (
        "two ends",
        called('OPEN (_a | _b) "x"', "_b: name arguments\n_a: name arguments\n"),
        "8:1",
        "reduce-reduce",
        "drop one",
    ),
    (
        "repeated twice",
        called('OPEN name argument* argument* "x"', PAIRS),
        "6:1",
        "reduce-reduce",
        "drop one",
    ),
    (
        "same pattern",
        called("OPEN (A name | B name) arguments", "A: /x+/\nB: /x+/\n"),
        "6:22",
        "terminal-collision",
        "one terminal in both",
    ),
    (
        "same but for white space",
        called('"<a>\\n" name arguments | "<a>" name "!"'),
        "6:32",
        "terminal-collision",
        "one terminal in both",
    ),
    (
        "trim of nothing",
        GOOD.replace("mine\n", "mine\n//@ trim: inptu=strip\n"),
        "2:11",
        "unread-trim",
        "roles that read RAW",
    ),
    (
        "roles of members",
        GOOD.replace("mine\n", "mine\n//@ roles: ref=id\n"),
        "2:1",
        "unread-roles",
        "a rule of its own",
    ),
    (
        "expression without slashes",
        GOOD.replace("name: /[\\w.-]+/", "name: [\\w.-]+"),
        "8:8",
        "syntax",
        "an expression stands between `/`",
    ),
    (
        "capitals and small letters",
        GOOD.replace("call:", "Call:"),
        "6:2",
        "syntax",
        "lower-case letters",
    ),
    (
        "import without its dot",
        GOOD.replace("%import .common.text", "%import common.text"),
        "2:9",
        "missing-import",
        "write `%import .common.text`",
    ),
    (
        "import of nothing",
        GOOD.replace("%import .common.text", "%import nowhere.text"),
        "2:9",
        "missing-import",
        "begins with a dot",
    ),
    (
        "equals sign",
        GOOD.replace("call:", "call ="),
        "6:6",
        "syntax",
        "a rule reads `name: …`",
    ),
    (
        "mark of BNF",
        GOOD.replace("call:", "call ::="),
        "6:6",
        "syntax",
        "a rule reads `name: …`",
    ),
    (
        "blank before RAW",
        called('OPEN name ": " value "</a>"', "value: RAW\n"),
        "6:17",
        "blank-beside-raw",
        "`/: |:/`, or write `//@ trim: value=strip`",
    ),
    (
        "blanks on both sides before RAW",
        called('OPEN name " := " value "</a>"', "value: RAW\n"),
        "6:17",
        "blank-beside-raw",
        '`" " /:= |:=/`, or write `//@ trim: value=strip`',
    ),
    (
        "line end before RAW",
        called('OPEN name "\\n" value "</a>"', "value: RAW\n"),
        "6:17",
        "blank-beside-raw",
        "`/\\n/`, or write `//@ trim: value=one-newline`",
    ),
    (
        "line end alone behind RAW",
        called('OPEN name ":" value "\\n"', "value: RAW\n"),
        "6:27",
        "blank-closer",
        "`/\\n/`",
    ),
    (
        "blank behind RAW",
        called('OPEN name ":" value " </a>"', "value: RAW\n"),
        "6:27",
        "blank-beside-raw",
        "value=right",
    ),
]  # fmt: skip


def compiled(folder: Path, text: str) -> None:
    path = folder / "mine.lark"
    path.write_text(text, encoding="utf-8")
    compile_file(path)


@pytest.mark.parametrize(
    ("text", "place", "code", "hint"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_points_at_what_is_wrong(
    tmp_path: Path, text: str, place: str, code: str, hint: str
) -> None:
    with pytest.raises(GrammarError) as caught:
        compiled(tmp_path, text)
    error = caught.value
    assert (f"{error.line}:{error.column}", error.code) == (place, code)
    assert error.file == str(tmp_path / "mine.lark")
    assert hint in error.hint
    assert "NonTerminal" not in str(error)
    assert "Terminal(" not in str(error)
    assert "__" not in error.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            called('OPEN (_b | _a) "x"', "_b: name arguments\n_a: name arguments\n"),
            (
                'before `"x"` the grammar can\'t tell which rule ended: '
                "`_a: name arguments`, `_b: name arguments`"
            ),
        ),
        (
            called('OPEN name argument* argument* "x"', PAIRS),
            (
                'before `"<"`, `"x"` the grammar can\'t tell which rule ended: '
                "`argument+: argument`, `argument+: argument+ argument`"
            ),
        ),
    ],
)
def test_a_collision_is_told_alike_in_every_process(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(text, encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from toolgrammar.grammar.compiling.compile import compile_file\n"
        "try: compile_file(Path(sys.argv[1]))\nexcept Exception as error: print(error.message)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout.strip()
        for seed in ("1", "2", "3")
    }
    assert found == {said}


def test_the_place_may_be_in_an_imported_file(tmp_path: Path) -> None:
    parts = tmp_path / "parts.lark"
    text = f"{HEAD}%import .parts (name)\n{CALL}OPEN: /^@@call /m\narguments: JSON_OBJECT\n"
    for part, place in (
        ("// what calls share\nname: WORD\nWORD: /(x/\n", (3, 8)),
        ("name: WORD\n\nname: WORD\nWORD: /x/\n", (3, 1)),
        ("name: WORD\nWORD: /x*/\n", (2, 7)),
        ("name: WORDS\nWORD: /x/\n", (1, 7)),
        ("name: WORD\n  WORD\nWORD: /x/\n", (2, 3)),
        ("%import .common.text (NAME, WORD)\nname: NAME\n", (1, 29)),
    ):
        parts.write_text(part, encoding="utf-8")
        with pytest.raises(GrammarError) as caught:
            compiled(tmp_path, text)
        found = (caught.value.file, caught.value.line, caught.value.column)
        assert found == (str(parts), *place), str(caught.value)


def test_all_findings_come_at_once(tmp_path: Path) -> None:
    text = called('OPEN ": " value "\\n"', "value: RAW\n") + "%ignore /x/\n"
    with pytest.raises(GrammarError) as caught:
        compiled(tmp_path, text)
    others = " ".join(caught.value.__notes__)
    assert caught.value.code == "ignore"
    assert all(code in others for code in ("call-without-name", "blank-beside-raw", "blank-closer"))


ADVICE = [
    (
        "calls in order without ids",
        GOOD.replace("| call)*", "| call | sequential)*") + 'sequential: "<s>" call+ "</s>"\n',
        "calls-without-ids",
        "5:23",
    ),
    (
        "value without a key",
        called('OPEN name LINE value "</a>"', "LINE: /\\n/\nvalue: RAW\n"),
        "value-without-key",
        "6:22",
    ),
    (
        "an argument whose text is that of the message",
        called(
            'OPEN name (argument | block)* "</a>"',
            PAIRS.replace("RAW", "JSON_OBJECT")
            + 'block: "<" key ">>" text "<<" -> argument\ntext: RAW\n',
        ),
        "argument-without-value",
        "10:21",
    ),
    (
        "optional twice",
        called('OPEN name _x ["!" id] "y"', '_x: arguments ["!" id]\nid: /\\d+/\n'),
        "shift-reduce",
        "7:16",
    ),
    (
        "a line end before an argument",
        called("OPEN name argument+ | OPEN name END", "END: /\\n/\n" + PAIRS),
        "blank-before-token",
        "7:6",
    ),
    (
        "a line end before a key",
        called('OPEN name (key "=" input | END)', "END: /[ \\t]*\\n/\nkey: /\\w+/\ninput: RAW\n"),
        "blank-before-token",
        "7:6",
    ),
]


@pytest.mark.parametrize(
    ("text", "code", "place"), [row[1:] for row in ADVICE], ids=[row[0] for row in ADVICE]
)
def test_advises_where_something_else_may_be_meant(
    tmp_path: Path, text: str, code: str, place: str
) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(text, encoding="utf-8")
    compile_file(path)
    [advice] = [each for each in advice_on(path) if each.code != "unused"]
    assert (advice.code, f"{advice.line}:{advice.column}") == (code, place)
    assert advice.hint


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        called('OPEN name ":" input "\\n</a>"', "input: RAW\n"),
        called("OPEN name [arguments] | OPEN"),
        called("OPEN name argument+ | OPEN name END", "END: /\\n(?!\\s*<)/\n" + PAIRS),
        called("OPEN name argument+ | OPEN name END", "END: /\\s+/\n" + PAIRS),
        called("OPEN name [END] argument+", "END: /\\n/\n" + PAIRS),
        called('OPEN name (END input | "<") "</a>"', "END: /\\n/\ninput: RAW\n"),
        HEAD.replace("mine\n", "mine\n//@ trim: input=strip\n")
        + f'call: OPEN name ": " input " </a>"\ninput: RAW\n{REST}',
        called(
            'OPEN name argument* "\\n@@end"',
            'argument: "<" key ">" value "</" SAME_KEY ">"\nkey: /\\w+/\nvalue: RAW\n',
        )
        .replace("mine\n", "mine\n//@ roles: toolId=id\n")
        .replace("| call", "| sequential")
        + '%declare SAME_KEY\nsequential: "<s>" call+ "</s>"\n',
    ],
)
def test_says_nothing_about_a_sound_grammar(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(text, encoding="utf-8")
    compile_file(path)
    assert [each for each in advice_on(path) if each.code != "unused"] == []


@pytest.mark.heavy
def test_every_shipped_grammar_compiles() -> None:
    for path in sorted((Path(__file__).parents[4] / "grammars").glob("*.lark")):
        compile_file(path)


GUIDE = (Path(__file__).parents[4] / "docs" / "writing-a-format.md").read_text(encoding="utf-8")
RELAY_CALL = 'call: OPEN name "\\n" arguments "\\n@@end"'
TRAPS = [
    (RELAY_CALL, 'call: OPEN name "\\n"\n      arguments "\\n@@end"'),
    (
        f"{RELAY_CALL}\n\nOPEN: /^@@call /m\nname",
        f"{RELAY_CALL.replace('name', 'tool')}\n\nOPEN: /^@@call /m\ntool",
    ),
    (
        f"{RELAY_CALL}\n\nOPEN: /^@@call /m\nname: /[\\w.-]+/",
        (
            'call: OPEN name arguments "\\n@@end"\n    | OPEN id name arguments "\\n@@end"\n'
            "name: WORD\nid: WORD\nWORD: /[\\w.-]+/\nOPEN: /^@@call /m"
        ),
    ),
    (
        RELAY_CALL,
        'call: OPEN (_one | _two) "\\n@@end"\n_one: name arguments\n_two: name arguments',
    ),
]


@pytest.mark.parametrize(("old", "new"), TRAPS, ids=["line", "role", "undecided", "collision"])
def test_the_guide_quotes_what_is_said(tmp_path: Path, old: str, new: str) -> None:
    relay = GUIDE.split("```lark\n", 1)[1].split("```", 1)[0]
    assert old in relay
    path = tmp_path / "relay.lark"
    path.write_text(relay.replace(old, new), encoding="utf-8")
    with pytest.raises(GrammarError) as caught:
        compile_file(path)
    said, hint = str(caught.value).replace(str(path), "relay.lark").split("\n")
    assert said in GUIDE
    assert hint[:40] in GUIDE
