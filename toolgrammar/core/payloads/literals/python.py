"""Defines the payload of the arguments of a Python call: its scanner, its writer, its rules.

Example: `city='Oslo', days=2` becomes `{"city": "Oslo", "days": 2}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.payloads.literals.scan_python import PythonScanner

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.tools import ToolSpec

RULES: Final = r"""
python_arguments: _python_positional? | _python_named
_python_positional: _python_value (P_COMMA _python_value)* (P_COMMA _python_named? )?
_python_named: _python_member (P_COMMA _python_member)* P_COMMA?
_python_member: PY_NAME PY_EQUALS _python_value | PY_STARS _python_dict
_python_value: PY_TEXT+ | PY_NUMBER | PY_WORD | _python_list | _python_round | _python_brace
_python_items: _python_value (P_COMMA _python_value)* P_COMMA?
_python_list: P_LSQB _python_items? P_RSQB
_python_round: PY_LPAR _python_items? PY_RPAR
_python_brace: P_LBRACE _python_item (P_COMMA _python_item)* P_COMMA? P_RBRACE | _python_dict
_python_item: PY_TEXT+ | PY_NUMBER | PY_WORD | _python_round
_python_dict: P_LBRACE (_python_pair (P_COMMA _python_pair)* P_COMMA?)? P_RBRACE
_python_pair: _python_item P_COLON _python_value

PY_LPAR: /\s*\(/
PY_RPAR: /\s*\)/
PY_EQUALS: /\s*=(?!=)/
PY_STARS: /\s*\*\*/
PY_NAME: /\s*[^\W\d]\w*(?=\s*=(?!=))/
PY_WORD: /\s*(?:True|False|None|true|false|null)\b/
PY_NUMBER: /\s*[+-]?\s*(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?)(?![\w.])/
PY_TEXT: /\s*(?:[rRuUfF]|[rR][fF]|[fF][rR])?(?:\"\"\"(?:[^\\]|\\[\s\S])*?\"\"\"|'''(?:[^\\]|\\[\s\S])*?'''|"(?!"")(?:[^"\\]|\\[\s\S])*"|'(?!'')(?:[^'\\]|\\[\s\S])*')/
"""
"""The rules for plain Lark."""


def scanner(
    _terminal: Terminal, spec: ToolSpec | None, max_depth: int, step: Step | None
) -> PythonScanner:
    """Makes the scanner of a payload."""
    properties = spec.properties if spec is not None else None
    # Without a step nothing may be mended.
    return PythonScanner(properties, max_depth=max_depth, mends=step is not None)


def written(_terminal: Terminal, value: dict[str, Any]) -> str:
    """Returns the text of arguments."""
    # `repr` writes True, None and nested values in Python's notation.
    return ", ".join(f"{key}={part!r}" for key, part in value.items())
