"""`grammar/compiling/`: mistakes of authors are told in their words, at their place, all at once.

`author_errors.json` has all that is said of each wrong grammar below and in `test_compile.py`, to the
word: where that is meant to change, `python -m tests.units.grammar.compiling.test_author_errors` writes it anew.
"""

import json
import tempfile
from pathlib import Path

import pytest

from tests.units.grammar.compiling.test_compile import BROKEN, GOOD, HEAD, PAIRS, REST, called
from toolgrammar.grammar.compiling.compile import advice_on, compile_file
from toolgrammar.values.errors import GrammarError

RECORD = Path(__file__).with_name("author_errors.json")


def headed(line: str, text: str = GOOD) -> str:
    """A grammar with another line in its header, the second one."""
    return text.replace("mine\n", f"mine\n{line}\n", 1)


def findings(folder: Path, text: str) -> list[str]:
    """What is said about a grammar, without the folder."""
    path = folder / "mine.lark"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GrammarError) as caught:
        compile_file(path)
    said = [str(caught.value), *getattr(caught.value, "__notes__", ())]
    return [each.replace(f"{path}:", "") for each in said]


ELEMENTS = called('OPEN name argument* "</a>"', PAIRS)
WRONG = [
    ("stop at the opener", headed("//@ stop: @@call", GOOD.replace('OPEN: /^@@call /m', 'OPEN: "@@call "')), "2:1: stop-opener", "closer"),
    ("alike without a literal", headed('//@ alike: "x:", "y"'), "2:1: unread-alike", "spells it"),
    ("alike alone", headed('//@ alike: "x:"'), "2:12: header `x:` has no other", '"x:", "…"'),
    ("entities of nothing", headed("//@ entities: input"), "2:15: unread-entities", "drop it"),
    ("no value", headed("//@ entities:"), "2:14: header `entities` has no value", "drop the line"),
    ("trim without a mode", headed("//@ trim: value=", ELEMENTS), "2:11: header `value=`", "one-newline"),
    ("observation is a role", headed("//@ observation: result"), "2:18: unread-observation", "names terminals"),
    ("observation as a rule", called("OPEN name observation", "observation: /x/\n"), "7:1: undefined-role", "nearest: `results`"),
    ("call in OpenAI's old word", GOOD.replace("| call)", "| function_call)").replace("call:", "function_call:"), "6:1: undefined-role", "nearest: `call`"),
    ("tool as a rule", GOOD.replace("name", "tool"), "8:1: undefined-role", "nearest: `name`"),
    ("key to repeat", called('OPEN name "</" SAME_KEY ">"').replace("RAW)", "SAME_KEY)"), "6:22: nothing-to-repeat", "rule `argument`"),
    ("name to repeat", called('"<" SAME_NAME " " name').replace("RAW)", "SAME_NAME)"), "6:11: nothing-to-repeat", "rule `call`"),
    ("fence to repeat", called("OPEN name input SAME_FENCE", "input: RAW\n").replace("RAW)", "RAW, SAME_FENCE)"), "6:23: nothing-to-repeat", "put FENCE"),
    ("words that have to stand", called("OPEN name SKIPPED arguments").replace("RAW)", "SKIPPED)"), "6:17: skipped-words", "[SKIPPED]"),
    ("name of letters", called('OPEN name "x"').replace("/[\\w.-]+/", '("a".."z")+'), "8:1: empty-role", "one expression"),
    ("name in a part", called("OPEN nick", "nick: _w -> name\n_w: /x+/\n"), "7:1: empty-role", "one expression"),
    ("results that are read", GOOD.replace("| call)", "| call | results)") + 'results: "<r>" RAW "</r>"\n', "5:23: results-in-start", "observation"),
    ("start in itself", GOOD.replace("start: (", "start: start ("), "5:1: recursive `start`", "(TEXT | call)*"),
    ("content misspelt", GOOD + "results: result+\nresult: result__contents\nresult__contents: RAW\n", "12:1: undefined-role", "nearest: `content`"),
    ("name misspelt", GOOD.replace("OPEN name", "OPEN nmae"), "6:12: undefined-name", "nearest: `name`"),
    ("terminal not imported", GOOD.replace(", RAW)", ")") + "_x: RAW\n", "10:5: undefined-name", "`%import .common.text (RAW)`"),
    ("small letters in an import", GOOD.replace("TEXT, RAW)", "text)"), "2:23: missing-import", "nearest: `TEXT`"),
    ("file misspelt", GOOD.replace("n.text", "n.texts"), "2:9: missing-import", "nearest: `text`"),
    ("import without brackets", GOOD.replace("(TEXT, RAW)", "TEXT, RAW"), "2:22: syntax", "an import reads"),
    ("import as in Python", "from .common.text import TEXT\n" + GOOD.partition("\n")[2], "1:7: syntax", "an import reads"),
    ("declared in small letters", GOOD + "%declare raw\n", "10:10: undeclared-terminal", "nearest: `RAW`"),
    ("semicolon", GOOD.replace("JSON_OBJECT\n", "JSON_OBJECT;\n"), "9:23: syntax", "ends with its line"),
    ("rule without a colon", GOOD.replace("arguments: J", "arguments J"), "9:1: unmarked-line", "`arguments: …`"),
    ("slash in an expression", GOOD.replace("[\\w.-]", "[\\w/-]"), "8:12: syntax", "written `\\/`"),
    ("quote in a literal", called('"<a b="" name "\\">"'), "6:22: syntax", 'in a literal `\\"`'),
    ("braces for repeats", called("OPEN {name}"), "6:12: syntax", "`~2..5`"),
    ("comma between parts", called("OPEN, name"), "6:11: syntax", "without commas"),
    ("expression as in Python", GOOD.replace("name: /[\\w.-]+/", 'name: r"x+"'), "8:7: undefined-name", "slashes alone"),
    ("class of another dialect", GOOD.replace("/[\\w.-]+/", "/[[:alpha:]]+/"), "8:7: bad-expression", "`[[:alpha:]]`"),
    ("repeat backwards", called("OPEN name~3..1"), "6:12: bad-repeat", "smaller number"),
    ("range of words", GOOD + 'X: "ab".."c"\n', "10:8: bad-range", '`"a".."z"`'),
    ("template", called("OPEN _t{name, name}", "_t{a}: a\n"), "6:12: template", "`_t{…}: …`"),
    ("template with twins", called("OPEN name", "_t{a, a}: a\n"), "7:1: template", "rename"),
    ("ignore of nothing", GOOD + "%ignore WS\n", "10:9: ignore", "drop the line"),
    ("alias in a terminal", GOOD + "X: /x/ -> y\n", "10:1: alias-in-terminal", "to the rule"),
    ("alike once written out", called("OPEN [name] [name]"), "6:1: same-alternative", "only one"),
    ("alias in a part", called("OPEN _n", "_n: /x/ -> name\n"), "7:1: alias-in-part", "rule `name`"),
    ("part with a question mark", called("OPEN _x", "?_x: name\n"), "5:1: modifier", "`?`"),
    ("literal without a character", called('OPEN "" name'), "6:12: empty-terminal", "`[…]`"),
    ("more of a scanned terminal", GOOD + "%extend TEXT: /x/\n", "10:9: not-imported", "of your own"),
    ("arguments and an argument", called("OPEN name arguments argument*", PAIRS), "6:17: arguments-twice", "`(arguments | argument+)`"),
    ("arguments and arguments in turn", called("OPEN name (arguments | argument)* /!/", PAIRS), "6:18: arguments-twice", "`(arguments | argument+)`"),
    ("arguments twice", called('OPEN name arguments ["!" arguments]'), "6:17: arguments-twice", "read one payload"),
    ("arguments again and again", called('OPEN name arguments+ "!"'), "6:17: arguments-twice", "read one payload"),
    ("white space before a payload of another name", called('OPEN name ": " code "<"', "code: RAW -> input\n"), "6:17: blank-beside-raw the white space before `code`, which plays `input`,", "//@ trim: input=strip"),
    ("value without a key", called('OPEN name argument* "!"', PAIRS + 'body: "<t>" value "</t>" -> argument\n').replace("argument*", "argument* [body]"), "10:1: argument-without-key", "`input`"),
    ("value whose key is optional", called('OPEN name argument* "!"', PAIRS.replace("key", "[key]", 1)), "7:1: argument-without-key", "//@ keys"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said", "hint"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_says_what_where_and_how_to_mend(tmp_path: Path, text: str, said: str, hint: str) -> None:
    found = next((each for each in findings(tmp_path, text) if each.startswith(said)), "")
    assert hint in found.partition("hint: ")[2], findings(tmp_path, text)


def said_of_each(folder: Path) -> dict[str, list[list[str]]]:
    """What is said of each wrong grammar, by its name: the lines of each finding."""
    texts = [row[:2] for row in BROKEN] + [row[:2] for row in WRONG]
    assert len(dict(texts)) == len(texts)
    return {name: [each.splitlines() for each in findings(folder, text)] for name, text in texts}


def test_every_sentence_is_as_recorded(tmp_path: Path) -> None:
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    command = "python -m tests.units.grammar.compiling.test_author_errors"
    assert said_of_each(tmp_path) == recorded, f"where the change is meant: {command}"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (headed("//@ titel: x\n//@ trim: value=stripp\n//@ titel: y"), ["2:5", "3:17", "4:5"]),
        (headed("//@ titel: x", GOOD + "_x: )\n"), ["2:5", "11:5"]),
        (GOOD.replace("(TEXT, RAW)", "(TEXXT, RAWW)"), ["2:23", "2:30"]),
        (called("OPEN nam argument"), ["6:12", "6:16"]),
        (called("OPEN tool arg", "tool: /x(/\narg: /x/\n"), ["7:1", "8:1", "7:9"]),
        (called("OPEN name A B", "A: /x(/\nB: /y(/\n"), ["7:6", "8:6"]),
        (called("OPEN (_a | _b | _c)", "_a: name\n_b: name\n_c: name\n"), ["9:1"]),
    ],
)
def test_findings_that_do_not_follow_come_at_once(
    tmp_path: Path, text: str, places: list[str]
) -> None:
    assert [":".join(each.split(":")[:2]) for each in findings(tmp_path, text)] == places


UNUSED = [
    ("a rule", GOOD + "id: /x/\n", "10:1: unused nothing leads to `id`"),
    ("a part", GOOD + "_x: Y\nY: /y/\n", "10:1: unused nothing leads to `_x`"),
    ("a terminal", GOOD + "X: /x/\n", "10:1: unused nothing leads to `X`"),
    ("an import", GOOD, "2:29: unused nothing leads to `RAW`"),
    ("a result", GOOD + "result: content\ncontent: RAW\n", "10:1: unused nothing leads to `result`"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"), [row[1:] for row in UNUSED], ids=[row[0] for row in UNUSED]
)
def test_what_nothing_leads_to_is_a_note(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(text, encoding="utf-8")
    [found] = [str(each) for each in advice_on(path) if each.code == "unused" and said in str(each)]
    assert "hint: " in found


def test_what_an_import_is_changed_by_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine.lark").write_text(GOOD, encoding="utf-8")
    other = "//@ id: other\n%import .mine (start, name)\n%override name: /x+/\n"
    (tmp_path / "other.lark").write_text(other, encoding="utf-8")
    assert advice_on(tmp_path / "other.lark") == []


def test_what_an_argument_of_a_template_is_named_is_defined(tmp_path: Path) -> None:
    text = f"{HEAD}call: OPEN _t{{name}}\n_t{{part}}: part arguments\n{REST}"
    (tmp_path / "mine.lark").write_text(text, encoding="utf-8")
    compile_file(tmp_path / "mine.lark")


def test_any_part_of_a_rule_may_read_its_role(tmp_path: Path) -> None:
    parts = "_word: /(?P<name>x+)/\n_comma: /,/\n"
    for nick in ("_word _comma", "_comma _word"):
        text = called("OPEN nick arguments", f"nick: {nick} -> name\n{parts}")
        (tmp_path / "mine.lark").write_text(text, encoding="utf-8")
        compile_file(tmp_path / "mine.lark")


@pytest.mark.parametrize(
    "call",
    ["OPEN name (arguments | argument+)", "OPEN name arguments | OPEN name argument+"],
)
def test_arguments_may_be_read_in_one_of_two_ways(tmp_path: Path, call: str) -> None:
    text = called(f'{call} "!"' if "(" in call else call, PAIRS)
    (tmp_path / "mine.lark").write_text(text, encoding="utf-8")
    compile_file(tmp_path / "mine.lark")


@pytest.mark.parametrize(
    ("header", "call"),
    [
        ("//@ keys: NEW=text", 'OPEN name argument "!"\nargument: NEW value "</>"\nNEW: "<new>"'),
        ("//@ keys: NEW=text", 'OPEN name NEW value "</>"\nNEW: "<new>"'),
    ],
)
def test_the_header_may_give_the_key(tmp_path: Path, header: str, call: str) -> None:
    text = headed(header, called(f"{call}\nvalue: RAW"))
    (tmp_path / "mine.lark").write_text(text, encoding="utf-8")
    assert [each for each in advice_on(tmp_path / "mine.lark") if each.code != "unused"] == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        found = json.dumps(said_of_each(Path(name)), indent=1, ensure_ascii=False)
    RECORD.write_text(found + "\n", encoding="utf-8", newline="\n")
