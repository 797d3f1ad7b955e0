"""Defines the rules by which plain Lark reads declared payloads, as a grammar that formats include.

Example: the payload `JSON_OBJECT` has the rule `json_object`. Those of JSON are here, the others in
the modules of `core/payloads/literals/`. Plain Lark has tokens of its own, so that a fault in those
of the core is found.
"""

from __future__ import annotations

from toolgrammar.core.payloads.scanners import literal_of
from toolgrammar.grammar.payload_kinds import PAYLOADS

_SHARED = r"""
json_object: _json_object
json_value: _json_value
json_text: P_STRING
_json_value: _json_object | _json_array | P_STRING | P_NUMBER | P_WORD
_json_object: J_LBRACE J_RBRACE | J_LBRACE _json_member (J_COMMA _json_member)* J_RBRACE
_json_member: P_STRING J_COLON _json_value
_json_array: J_LSQB J_RSQB | J_LSQB _json_value (J_COMMA _json_value)* J_RSQB

template_object: _template_object
_template_value: _template_object | _template_array | P_STRING | P_BACKTICKS | P_NUMBER | P_WORD
_template_object: J_LBRACE J_RBRACE
    | J_LBRACE _template_member (J_COMMA _template_member)* J_RBRACE
_template_member: P_STRING J_COLON _template_value
_template_array: J_LSQB J_RSQB | J_LSQB _template_value (J_COMMA _template_value)* J_RSQB

P_STRING: /[ \t\n\r]*"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
P_BACKTICKS: /[ \t\n\r]*`(?:[^`\\]|\\[\s\S])*`/
P_NUMBER: /[ \t\n\r]*-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])/
P_WORD: /[ \t\n\r]*(?:true|false|null)\b/
J_LBRACE: /[ \t\n\r]*\{/
J_RBRACE: /[ \t\n\r]*\}/
J_LSQB: /[ \t\n\r]*\[/
J_RSQB: /[ \t\n\r]*\]/
J_COMMA: /[ \t\n\r]*,/
J_COLON: /[ \t\n\r]*:/
P_LBRACE: /\s*\{/
P_RBRACE: /\s*\}/
P_LSQB: /\s*\[/
P_RSQB: /\s*\]/
P_COMMA: /\s*,/
P_COLON: /\s*:/
"""
"""The rules of JSON, and tokens that several notations share."""


def payload_grammar() -> str:
    """Returns the rules of all declared payloads, as the text of a Lark grammar."""
    literals = dict.fromkeys(name for name, row in PAYLOADS.items() if row.module)
    found = [module for name in literals if (module := literal_of(name)) is not None]
    return _SHARED + "".join(dict.fromkeys(module.RULES for module in found))
