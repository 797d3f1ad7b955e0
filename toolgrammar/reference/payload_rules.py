"""The rules by which plain Lark reads the declared payloads: one grammar, joined to that of a format.

Each payload that a scanner reads has a rule here, its terminal's name in lower case. Example: `TOML_TABLE`
would be read by a rule `toml_table`. Plain Lark spells its own tokens, so that a fault in those of
the core shows. What depends on a header (the quotes of `BARE_OBJECT`) `strict_terminals.py` fills in.
"""

from __future__ import annotations

PAYLOAD_GRAMMAR = r"""
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

bare_object: _bare_object
_bare_object: P_LBRACE P_RBRACE | P_LBRACE _bare_member (P_COMMA _bare_member)* P_COMMA? P_RBRACE
_bare_member: (B_STRING | B_KEY) P_COLON _bare_value?
_bare_value: B_STRING | B_WORD | _bare_object | _bare_array
_bare_array: P_LSQB P_RSQB | P_LSQB _bare_value (P_COMMA _bare_value)* P_COMMA? P_RSQB

elements: _element+
_element: E_OPEN (E_TEXT | _element)* E_CLOSE

python_arguments: _python_positional? | _python_named
_python_positional: _python_value (P_COMMA _python_value)* (P_COMMA _python_named? )?
_python_named: _python_member (P_COMMA _python_member)* P_COMMA?
_python_member: P_NAME P_EQUALS _python_value | P_STARS _python_dict
_python_value: P_TEXT+ | P_PYTHON_NUMBER | P_PYTHON_WORD | _python_list | _python_round | _python_brace
_python_items: _python_value (P_COMMA _python_value)* P_COMMA?
_python_list: P_LSQB _python_items? P_RSQB
_python_round: P_LPAR _python_items? P_RPAR
_python_brace: P_LBRACE _python_items P_RBRACE | _python_dict
_python_dict: P_LBRACE (_python_pair (P_COMMA _python_pair)* P_COMMA?)? P_RBRACE
_python_pair: _python_value P_COLON _python_value

B_KEY: /x/
B_WORD: /x/
B_STRING: /x/
E_OPEN: /x/
E_CLOSE: /x/
E_TEXT: /x/
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
P_LPAR: /\s*\(/
P_RPAR: /\s*\)/
P_COMMA: /\s*,/
P_COLON: /\s*:/
P_EQUALS: /\s*=(?!=)/
P_STARS: /\s*\*\*/
P_NAME: /\s*[^\W\d]\w*(?=\s*=(?!=))/
P_PYTHON_WORD: /\s*(?:True|False|None|true|false|null)\b/
P_PYTHON_NUMBER: /\s*[+-]?\s*(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?)(?![\w.])/
P_TEXT: /\s*(?:[rRuUfF]|[rR][fF]|[fF][rR])?(?:\"\"\"(?:[^\\]|\\[\s\S])*?\"\"\"|'''(?:[^\\]|\\[\s\S])*?'''|"(?!"")(?:[^"\\]|\\[\s\S])*"|'(?!'')(?:[^'\\]|\\[\s\S])*')/
"""
"""What the declared payloads are, as rules of plain Lark; those with `B_` and `E_` depend on the header.

That the tags of `ELEMENTS` agree is not checked, and what would be a tag inside a string is one."""
