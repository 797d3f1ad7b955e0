"""JSON's numbers, literals, strings and escapes are spelled once, in `tools/json_tokens.py`."""

import ast
import re

from tests.house.checkout import ROOT

PACKAGE = ROOT / "toolgrammar"
SPELLED = PACKAGE / "tools" / "json_tokens.py"
ORACLE = PACKAGE / "reference"
"""Plain Lark's reading spells its own, so that a fault in the others shows."""
RULES = "RULES"
"""The name of its rules in the module of a payload."""
TOKENS = re.compile(
    r"\[1-9\]\[0-9\]"  # a number
    r"|true\|false\|null"
    r"|/bfnrt"  # a short escape
    r"|\[dD\]\[[89c]"  # half a surrogate pair
    r'|\[\^"\\+(?:x00|\x00)'  # the body of a string
)


def spellings(source: str) -> list[str]:
    """Returns the texts in a module's code that spell a token of JSON.

    Docstrings do not count, nor do the rules by which plain Lark reads a payload.
    """
    tree = ast.parse(source)
    skipped = {
        id(node.value)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == RULES)
    }
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in skipped
    ]
    return [text for text in texts if TOKENS.search(text)]


def test_one_module_spells_the_tokens_of_json() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): texts
        for path in PACKAGE.rglob("*.py")
        if path != SPELLED and ORACLE not in path.parents
        if (texts := spellings(path.read_text(encoding="utf-8")))
    }
    assert not found, f"build these of tools/json_tokens.py, in another notation too: {found}"


def test_a_second_spelling_is_seen() -> None:
    own = SPELLED.read_text(encoding="utf-8")
    assert len(spellings(own)) >= 8
    assert spellings('x = r"-?(?:0|[1-9][0-9]*)"') != []
    assert spellings('"""Numbers are `[1-9][0-9]*`."""') == []
