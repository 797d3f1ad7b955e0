r"""Detects the beginning of another turn in a text: one of the user, the system or a tool.

Example: in `Done.<|im_end|>\n<|im_start|>user\nGo on.` the token and the role begin a user's turn.
A list of tools is a sign of the system's turn, too: if a model repeats its prompt, the examples in it are
not calls.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.plain_turns import begin_dialogue
from toolgrammar.core.evidence.used import is_quoted
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Iterable

_BRACKETS: Final = "<[]"
"""The first characters of all marks, except those that are words."""
_ROLES: Final = (
    r"(?:user|system|developer|tool(?:_response)?|functions?|ipython|environment|observation)\b"
)
"""The roles of other turns, as chat templates write them behind a token."""
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
"""The beginnings of other turns in chat templates, whatever the format."""
_SCHEMA: Final = (
    r"[ \t]*:\s{0,16}\{\s{0,64}"
    r'"(?:type"[ \t]*:[ \t]*"(?:object|dict)"|properties"[ \t]*:[ \t]*\{)'
)
"""The beginning of a JSON schema for arguments, behind its key."""
_WORDS: Final = tuple(
    (sign, late(expression, re.MULTILINE))
    for sign, expression in (
        # Templates without tokens: Alpaca's, the first Claude's and Vicuna's.
        ("###", r"^[ \t]*### ?(?:Instruction|Human|User|Input):"),
        ("Human:", r"^[ \t]*Human:"),
        ("USER:", r"^[ \t]*USER:"),
        # A ReAct model that goes on behind its answer asks itself the next question.
        ("Final Answer:", r"^[ \t]*Final Answer:[\s\S]{0,4096}?^[ \t]*(?:Question|User):"),
    )
)
"""Other beginnings of such turns: a literal that has to be in the text, and the expression."""
_LISTS: Final = tuple(
    (sign, late(expression, re.MULTILINE))
    for sign, expression in (
        # Lists of tools, as prompts have them: those of APIs, and what
        # `writing/prompts/tool_lists.py` writes.
        ('"parameters"', rf'"parameters"{_SCHEMA}'),
        ('"input_schema"', rf'"input_schema"{_SCHEMA}'),
        ('"inputSchema"', rf'"inputSchema"{_SCHEMA}'),
        (
            "Parameters:",
            r"^#{2,3} [\w.-]{1,128}\r?\n(?:Description: [^\n]*\n(?:\r?\n)?)?Parameters:",
        ),
        ("Arguments: {", r"^[\w.-]{1,128}: [^\n]*Arguments: \{"),
        ("namespace functions {", r"^namespace functions \{"),
        ("<name>", r"^<function>\r?\n<name>"),
        ('"""', r'^def \w{1,128}\([^\n]*\):\r?\n    """'),
    )
)
"""The beginnings of lists of tools, in the same form."""


class OtherTurns:
    """Detects other turns, with the results of tools as one format writes them."""

    def __init__(self, results: Iterable[str]) -> None:
        """Takes the openers of results of tools in the format."""
        results = tuple(results)
        marks = [re.escape(each) for each in results if each[0] in _BRACKETS]
        self._marks = late("|".join([*_MARKS, *marks]))
        self._lines = tuple(each for each in results if each[0] not in _BRACKETS)
        """Openers of results that are words, such as `## Return of`: they count at the start of a line only."""

    def begin_in(self, text: str) -> bool:
        """Whether such a turn begins in a text."""
        # Most texts contain no bracket, and looking for one costs a hundredth of the search.
        if any(each in text for each in _BRACKETS) and self._marks.search(text):
            return True
        words = chain(_WORDS, _LISTS)
        if any(sign in text and expression.search(text) for sign, expression in words):
            return True
        return self._begin_line(text) or begin_dialogue(text)

    def begin_in_thought(self, text: str) -> bool:
        """Whether such a turn begins in reasoning, where it is not only mentioned in quotes or code.

        A list of tools does not count: a model that reasons about its tools repeats their schemas.
        """
        if any(each in text for each in _BRACKETS):
            marks = self._marks.finditer(text)
            if any(not is_quoted(text, each.start()) for each in marks):
                return True
        if any(sign in text and expression.search(text) for sign, expression in _WORDS):
            return True
        return self._begin_line(text)

    def _begin_line(self, text: str) -> bool:
        """Whether a line of a text begins with words that open a result of a tool in the format."""
        lines = self._lines
        return bool(lines) and (
            text.startswith(lines)
            or any(f"{end}{each}" in text for each in lines for end in ("\n", "\r"))
        )
