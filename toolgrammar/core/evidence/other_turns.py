r"""Finds where a turn begins in a text that is not the model's: a user's, a system's or a tool's.

Example: in `Done.<|im_end|>\n<|im_start|>user\nGo on.` the token and the role begin a user's turn.
A system's turn also shows by its list of tools: a model that repeats its prompt means none of the
examples in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable

_BRACKETS: Final = "<[]"
"""The first characters of all marks but those that are words."""
_ROLES: Final = (
    r"(?:user|system|developer|tool(?:_response)?|functions?|ipython|environment|observation)\b"
)
"""The roles of turns that are not the model's, as templates write them behind a token."""
_MARKS: Final = (
    # `<|im_start|>user`, `<start_of_turn>user`, `]~b]user`
    (
        r"(?:<\|(?:im_start|start_header_id|header_start|start_of_role|start)\|>"
        rf"|<start_of_turn>|<\|turn>|<seed:bos>|\]~b\]){_ROLES}"
    ),
    # `[INST]`
    r"\[(?:INST|TOOL_RESULTS)\]",
    # `<|user|>`
    r"<[|\uff5c](?:[Uu]ser|system|observation|tool)[|\uff5c]>",
    r"<\|(?:im_user|im_system|USER_TOKEN|SYSTEM_TOKEN|prompter)\|>",
    # `<tool_response>`, `<|START_TOOL_RESULT|>`
    (
        r"<[|\uff5c]?(?:start_|START_)?(?i:(?:tool|function)[_\u2581](?:response|result|output)s?)"
        r"(?:\u2581begin)?[|\uff5c]?>"
    ),
)
"""What chat templates begin such a turn with, whatever the format."""
_SCHEMA: Final = (
    r"[ \t]*:\s{0,16}\{\s{0,64}"
    r'"(?:type"[ \t]*:[ \t]*"(?:object|dict)"|properties"[ \t]*:[ \t]*\{)'
)
"""The beginning of a JSON schema of arguments, behind its key."""
_WORDS: Final = tuple(
    (sign, late(expression, re.MULTILINE))
    for sign, expression in (
        # Templates without tokens: Alpaca's, the first Claude's and Vicuna's.
        ("###", r"^[ \t]*### ?(?:Instruction|Human|User|Input):"),
        ("Human:", r"^[ \t]*Human:"),
        ("USER:", r"^[ \t]*USER:"),
        # Lists of tools, as prompts have them: those of APIs, and what
        # `writing/prompts/tool_lists.py` writes.
        ('"parameters"', rf'"parameters"{_SCHEMA}'),
        ('"input_schema"', rf'"input_schema"{_SCHEMA}'),
        ('"inputSchema"', rf'"inputSchema"{_SCHEMA}'),
        ("Parameters:", r"^#{2,3} [\w.-]{1,128}\n(?:Description: [^\n]*\n\n?)?Parameters:"),
        ("Arguments: {", r"^[\w.-]{1,128}: [^\n]*Arguments: \{"),
        ("namespace functions {", r"^namespace functions \{"),
        ("<function>\n<name>", r"^<function>\n<name>"),
        ('):\n    """', r'^def \w{1,128}\([^\n]*\):\n    """'),
    )
)
"""What else begins such a turn: a text that the expression needs, and the expression."""


class OtherTurns:
    """What begins the turns of others, given the results of a format."""

    def __init__(self, results: Iterable[str]) -> None:
        """Takes the texts with which results of tools begin in the format."""
        results = tuple(results)
        marks = [re.escape(each) for each in results if each[0] in _BRACKETS]
        self._marks = late("|".join([*_MARKS, *marks]))
        self._lines = tuple(each for each in results if each[0] not in _BRACKETS)
        """Result openers that are words, as `## Return of`: prose holds them but where a line begins."""

    def begin_in(self, text: str) -> bool:
        """Whether such a turn begins in a text."""
        # Most texts hold no bracket, and a look for one costs a hundredth of the search.
        if any(each in text for each in _BRACKETS) and self._marks.search(text):
            return True
        if any(sign in text and words.search(text) for sign, words in _WORDS):
            return True
        lines = self._lines
        return bool(lines) and (
            text.startswith(lines)
            or any(f"{end}{each}" in text for each in lines for end in ("\n", "\r"))
        )
