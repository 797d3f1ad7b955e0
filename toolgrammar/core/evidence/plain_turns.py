r"""Detects turns and results that a model writes in plain words, as for a format without turns of its own.

Example: `User: Go on.\n\nAssistant:` before a call is the turn of a user whom the model made up, and
`Observation: 3` between two calls a result. A sentence may begin with such a word, and an answer may
list `System: Linux`. So most of them count only behind a call, and some only as a paragraph.
"""

from __future__ import annotations

import re
from typing import Final

from toolgrammar.values.patterns import late

PLAIN_TURNS: Final = {
    "system": "{content}\n\n",
    "user": "User: {content}\n\n",
    "assistant": "Assistant: {content}\n\n",
    "tool": "Tool: {content}\n\n",
}
"""The turns of a format without `turns`: lines that a base model can continue."""


def _word(role: str) -> str:
    """Returns the word with which `PLAIN_TURNS` begins the turns of a role."""
    return PLAIN_TURNS[role].partition(":")[0]


_OWN: Final = rf"{_word('assistant')}|\u52a9\u624b|\u52a9\u7406|\u30a2\u30b7\u30b9\u30bf\u30f3\u30c8|\u0410\u0441\u0441\u0438\u0441\u0442\u0435\u043d\u0442"
"""The names of the model in its own turns; in Chinese, Japanese and Russian, too."""
_USER: Final = (
    rf"{_word('user')}|Human|\u7528\u6237|\u30e6\u30fc\u30b6\u30fc|\uc0ac\uc6a9\uc790"
    r"|\u041f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442\u0435\u043b\u044c|Benutzer|Nutzer|Utilisateur|Usuario"
)
_OTHERS: Final = rf"{_word('tool')}|System|Function|\u5de5\u5177|\u7cfb\u7edf"
_MARK: Final = r"(?:#{1,6}[ \t]|\*{2}|__)?"
"""The marks of Markdown before a name: those of a heading or of bold text."""
_COLON: Final = r"(?::(?:\*{2}|__)?|\uff1a(?:\*{2})?|(?:\*{2}|__):)"
_TURN = late(
    rf"^[ \t]{{0,16}}(?:{_MARK}(?i:(?P<user>{_USER})|(?P<other>{_OTHERS})|(?P<own>{_OWN})){_COLON}"
    # A word alone on its line, as a heading or as what is left of `<|im_start|>user`.
    rf"|(?:#{{1,6}}[ \t]|\*{{2}})?(?i:(?P<bare>{_USER}|{_OTHERS})|(?P<own_bare>{_OWN}))(?:\*{{2}})?(?=[ \t]*\r?$))"
    r"[ \t]*(?P<content>[^\n]{0,64})",
    re.MULTILINE,
)
"""The line with which a turn begins."""
_LABEL = late(r"(?:[^\W\d][\w.-]*)?\s*\Z")
"""One word or none, as in `Tool: search` and `Tool:`, which name what follows."""
_IS_PARAGRAPH = late(r"(?:\A|\n[ \t\r]*\n)\s*\Z")
"""The text before a line that begins a paragraph."""
_LONGEST_GAP: Final = 64
"""The maximal number of characters before a line that are examined for an empty line."""

_RESULT = late(
    # What the templates of many prompts call a result.
    r"^[ \t]{0,16}(?:\*{2})?(?i:observation|(?:tool|function)[ _](?:results?|responses?|outputs?))"
    r"(?:\*{2})?[ \t]{0,4}[:\uff1a]"
    r"|^[ \t]{0,16}<(?i:observation|results?|outputs?|search_results?)(?:[ \t][^<>\n]{0,256})?>"
    r"|^[ \t]{0,16}(?:`{3,9}|~{3,9})[ \t]*(?i:(?:tool_|code_)?(?:outputs?|results?)|tool_code_output|observation)\b",
    re.MULTILINE,
)
"""The line with which a result begins that a model writes behind its call. `Result: 3` does not count: a
model that numbers its calls writes it below each of them, and means them all."""


def begin_dialogue(text: str) -> bool:
    """Whether a turn of others begins in a text, and one of the model behind it."""
    # Looking for a colon is quick. A word alone on its line may be a heading of an answer.
    if ":" not in text and "\uff1a" not in text:
        return False
    # `Assistant:` alone is how some models begin their answer.
    is_open = False
    for found in _TURN.finditer(text):
        if is_open and found["own"] is not None:
            return True
        is_open = is_open or found["user"] is not None or found["other"] is not None
    return False


def begin_between_calls(text: str) -> bool:
    """Whether a turn of others, or a result, begins in a text between two calls."""
    if _RESULT.search(text):
        return True
    # A line that alone may be a label is a turn if the model takes its own behind it.
    is_open = False
    for found in _TURN.finditer(text):
        if found["own"] is not None or found["own_bare"] is not None:
            if is_open:
                return True
        elif _is_turn(text, found):
            return True
        else:
            is_open = True
    return False


def _is_turn(text: str, found: re.Match[str]) -> bool:
    """Whether a line between two calls begins a turn, although no turn of the model follows."""
    # `user: Ann` in small letters is a key.
    if found["bare"] is not None or (found["user"] or found["other"]).islower():
        return False
    start = found.start()
    is_paragraph = _IS_PARAGRAPH.search(text[max(0, start - _LONGEST_GAP) : start]) is not None
    is_label = _LABEL.match(found["content"]) is not None
    # `User: root` may be an item of a list, and `Tool: search` a label of the next call.
    if found["user"] is not None:
        return is_paragraph or not is_label
    return is_paragraph and not is_label
