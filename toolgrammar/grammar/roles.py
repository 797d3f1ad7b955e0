"""Defines the roles that grammar rules may have and the payload terminals that a grammar declares.

Example: the rule `name: /[a-z]+/` has the role `name`; `JSON_OBJECT` is a payload.

A rule's name is its role. The driver reads roles and never the name of a format.
"""

from __future__ import annotations

from toolgrammar.grammar.payload_kinds import PAYLOADS, named

KNOWN_TOOL = "tool"
"""The group of an expression that has to match the name of a known tool; it fills no role."""

RESULTS = "results"
"""The rule from which all rules of tool results are reached."""

MISSPELT = "misspelt"
"""The header's entry for a terminal that misspells another text; it fills no role."""

LEAF_ROLES = {
    "name": "the tool that is called",
    "id": "the id of the call",
    "depends_on": "ids of the calls that must be done first, separated by commas or blanks",
    "arguments": "all arguments at once: a payload such as JSON, or the arguments of a Python call",
    "key": "the name of the argument whose value follows",
    "value": "the value of one argument: bare text that the schema types, or JSON",
    "input": "the payload of a free-text call",
    "words": "arguments on the line of the call, without their names",
    "body": "more of the payload of a free-text call, on lines of its own",
    "text": "text of the message that the format marks as such",
    "content": "text of the message that stands in an envelope of its own",
    "reasoning": "what the model thinks aloud",
    "mode": "how the calls of a group run: `parallel` or `sequential`",
}
"""Roles of text that is read: one scanned terminal each."""

PROSE_ROLES = frozenset({"reasoning", "content", "text"})
"""The roles of what is said in a message, and not in a call: their text may end anywhere."""

GROUP_ROLES = {
    "calls": "a section of calls",
    "parallel": "a section of calls that do not wait for each other",
    "sequential": "a section of calls that run one after the other",
}

STRUCTURE_ROLES = {
    "start": "the whole message",
    "call": "one call, from its opener to its closer",
    "argument": "one argument: a key and its value",
    **GROUP_ROLES,
    "results": "tool results written back to the model",
    "result": "one tool result",
}
"""Roles of rules that contain others."""

PAYLOAD_TERMINALS = {name: payload.meaning for name, payload in PAYLOADS.items()}
"""Declared terminals that a scanner reads."""

SAME_TERMINALS = {
    "SAME_NAME": "the name of the open call again",
    "SAME_KEY": "the key of the open argument again",
    "SAME_FENCE": "a line of as many backticks as opened the block, or more",
    "SAME_MARK": "a line with the last mark alone",
}
"""Declared terminals that repeat text that was read."""

CLOSING_LINES = frozenset({"SAME_FENCE", "SAME_MARK"})
"""Terminals that repeat what opened a block, on a line of their own."""

TOOL_TERMINAL = "TOOL"
"""Declared terminal that is the name of a known tool."""

COUNT_TERMINAL = "COUNT"
"""Declared terminal that numbers the calls."""

FENCE_TERMINAL = "FENCE"
"""Declared terminal that opens a block of code."""

MARK_TERMINAL = "MARK"
"""Declared terminal that determines which line ends a payload, as in `<<EOF`."""

DECLARED_TERMINALS = {
    **PAYLOAD_TERMINALS,
    **SAME_TERMINALS,
    COUNT_TERMINAL: "the number of the call, from 1; any digits are read",
    TOOL_TERMINAL: "the name of a known tool",
    FENCE_TERMINAL: "three or more backticks at the start of a line",
    MARK_TERMINAL: "a word that stands alone on the line that ends the payload",
}

# The following are derived from the table of payloads: a new one needs no line here.
TEXT_LIKE = frozenset(named("text"))
RAW_LIKE = frozenset(named("raw"))
TYPED_JSON = {name: payload.json_types for name, payload in PAYLOADS.items() if payload.json_types}
"""Payloads of strict JSON that are used to write one type, with the exact types of their values."""
ANY_JSON = frozenset({"JSON_VALUE", *TYPED_JSON} - {"JSON_OBJECT"})
"""Payloads that read any JSON value."""
STRICT_JSON = ANY_JSON | {"JSON_OBJECT"}
# `JSON_NUMBER` and the like differ in writing alone: any JSON value is read.
PAYLOAD_RULES = {
    name: ("JSON_VALUE" if name in ANY_JSON else name).lower()
    for name in PAYLOAD_TERMINALS
    if name not in RAW_LIKE | TEXT_LIKE
}
"""The rule by which plain Lark reads each payload that has a scanner of its own."""
JSON_LIKE = STRICT_JSON | {name for name, payload in PAYLOADS.items() if payload.backticks}


def breadth(payload: str) -> int:
    """Returns a sort key: raw text can begin with anything, so it is tried after all others."""
    return 2 if payload in RAW_LIKE else int(payload in ANY_JSON)


def bare_name(symbol: str) -> str:
    """Returns a name without what imports and templates add: `common__json__name` is `name`."""
    name = symbol.split("{", 1)[0]
    # `_common__part` has no role, whatever it is called after the last underscores.
    if name.startswith("_"):
        return name
    return name.rsplit("__", 1)[-1]


BARE_QUOTES = ('"', "'")
"""The quotes of a `BARE_OBJECT` if the format defines none."""
