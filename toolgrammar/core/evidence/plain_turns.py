r"""Detects turns and results that a model writes in plain words, as for a format without turns of its own.

Example: `User: Go on.\n\nAssistant:` before a call is the turn of a user whom the model made up, and
`Observation: 3` between two calls a result. A sentence may begin with such a word, and an answer may
list `System: Linux`. So most of them count only behind a call, and some only as a paragraph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

PLAIN_TURNS: Final = {
    "system": "{content}\n\n",
    "user": "User: {content}\n\n",
    "assistant": "Assistant: {content}\n\n",
    "tool": "Tool: {content}\n\n",
}
"""The turns of a format without `turns`: lines that a base model can continue."""


def _name(role: str) -> str:
    """Returns the name, in small letters, with which `PLAIN_TURNS` begins the turns of a role."""
    return PLAIN_TURNS[role].partition(":")[0].lower()


_ROLES: Final = {
    **{_name(role): role for role in ("user", "assistant", "tool")},
    **dict.fromkeys(("human", "benutzer", "nutzer", "utilisateur", "usuario"), "user"),
    **dict.fromkeys(("\u7528\u6237", "\u30e6\u30fc\u30b6\u30fc", "\uc0ac\uc6a9\uc790"), "user"),
    "\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442\u0435\u043b\u044c": "user",
    **dict.fromkeys(
        ("\u52a9\u624b", "\u52a9\u7406", "\u30a2\u30b7\u30b9\u30bf\u30f3\u30c8"), "assistant"
    ),
    "\u0430\u0441\u0441\u0438\u0441\u0442\u0435\u043d\u0442": "assistant",
    **dict.fromkeys(("system", "\u7cfb\u7edf"), "system"),
    **dict.fromkeys(("function", "\u5de5\u5177"), "tool"),
}
"""The role of each name that begins a turn: in English, Chinese, Japanese, Korean, Russian and others."""
# A line end begins the expressions, and is put before each text: `re` finds it faster than `^`.
_LINE = late(
    r"\n[ \t]{0,16}(?:#{1,6}[ \t]|\*{2}|__)?(?P<name>[^\W_]{2,16}+)"
    r"(?:(?P<colon>[:\uff1a](?:\*{2}|__)?|(?:\*{2}|__):)|(?:\*{2})?(?=[ \t]*\r?(?:\n|\Z)))"
    r"[ \t]*(?P<content>[^\n]{0,64})"
)
"""A line that begins with a name: before a colon, or alone, as a heading or as what is left of
`<|im_start|>user`. Both may have the marks of Markdown for headings or bold text."""
_LABEL = late(r"(?:[^\W\d][\w.-]*)?\s*\Z")
"""One word or none, as in `Tool: search` and `Tool:`, which name what follows."""
_IS_PARAGRAPH = late(r"(?:\A|\n[ \t\r]*\n)\s*\Z")
"""The text before a line that begins a paragraph."""
_LONGEST_GAP: Final = 64
"""The maximal number of characters before a line that are examined for an empty line."""

_RESULT = late(
    # What the templates of many prompts call a result.
    r"\n[ \t]{0,16}(?:(?:\*{2})?(?i:observation|(?:tool|function)[ _](?:results?|responses?|outputs?))"
    r"(?:\*{2})?[ \t]{0,4}[:\uff1a]"
    r"|<(?i:observation|results?|outputs?|search_results?)(?:[ \t][^<>\n]{0,256})?>"
    r"|(?:`{3,9}|~{3,9})[ \t]*(?i:(?:tool_|code_)?(?:outputs?|results?)|tool_code_output|observation)\b)"
)
"""The line with which a result begins that a model writes behind its call. `Result: 3` does not count: a
model that numbers its calls writes it below each of them, and means them all."""


def begin_dialogue(text: str) -> bool:
    """Whether a turn of others begins in a text, and one of the model behind it."""
    # `Assistant:` alone is how some models begin their answer.
    is_open = False
    for role, line in _turns(text):
        # A name alone on its line may be a heading of an answer.
        if line["colon"] is not None:
            if is_open and role == "assistant":
                return True
            is_open = is_open or role != "assistant"
    return False


def begin_between_calls(text: str) -> bool:
    """Whether a turn of others, or a result, begins in a text between two calls."""
    if _RESULT.search(f"\n{text}"):
        return True
    # A line that alone may be a label is a turn if the model takes its own behind it.
    is_open = False
    for role, line in _turns(text):
        if role != "assistant":
            if _is_turn(role, line):
                return True
            is_open = True
        elif is_open:
            return True
    return False


def _turns(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yields the lines of a text that may begin a turn, each with the role of its name."""
    for line in _LINE.finditer(f"\n{text}"):
        role = _ROLES.get(line["name"].lower())
        if role is not None:
            yield role, line


def _is_turn(role: str, line: re.Match[str]) -> bool:
    """Whether a line between two calls begins a turn, although no turn of the model follows."""
    # `user: Ann` in small letters is a key.
    if line["colon"] is None or line["name"].islower():
        return False
    # The line end before the line is a part of the match.
    start = line.start() + 1
    before = line.string[max(0, start - _LONGEST_GAP) : start]
    is_paragraph = _IS_PARAGRAPH.search(before) is not None
    is_label = _LABEL.match(line["content"]) is not None
    # `User: root` may be an item of a list, and `Tool: search` a label of the next call.
    if role == "user":
        return is_paragraph or not is_label
    return is_paragraph and not is_label
