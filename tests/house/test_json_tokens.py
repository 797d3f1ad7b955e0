"""JSON's numbers, literals, strings and escapes are spelled once, in `tools/json_tokens.py`."""

import ast
import re
from collections.abc import Collection

from tests.house.checkout import ROOT, nodes_of

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


def spellings(nodes: Collection[ast.AST]) -> list[str]:
    """Returns the texts in the nodes of a module's code that spell a token of JSON.

    Docstrings do not count, nor do the rules by which plain Lark reads a payload.
    """
    skipped = {
        id(node.value)
        for node in nodes
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == RULES)
    }
    texts = [
        node.value
        for node in nodes
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
        if (texts := spellings(nodes_of(path)))
    }
    assert not found, f"build these of tools/json_tokens.py, in another notation too: {found}"


def test_a_second_spelling_is_seen() -> None:
    def spelled(source: str) -> list[str]:
        return spellings(tuple(ast.walk(ast.parse(source))))

    assert len(spellings(nodes_of(SPELLED))) >= 8
    assert spelled('x = r"-?(?:0|[1-9][0-9]*)"') != []
    assert spelled('"""Numbers are `[1-9][0-9]*`."""') == []
