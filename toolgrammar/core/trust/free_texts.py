"""Doubts a call whose free text may contain the arguments of the call, or be another call.

Examples: the text in `<read_file>:<path>a.md</path></read_file>` contains the element of an argument of
`read_file`; `'path': 'a.md'}` is an object of arguments without its brace; `{"nme": "search",
"parameters": {}}` as the code of a tool names another tool; a whole file does not contain `=======` and
`>>>>>>> REPLACE`, which belong to an edit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.no_arguments import KEYS_OF_ARGUMENTS
from toolgrammar.core.message.reports import doubt
from toolgrammar.core.payloads.json.typing_rules import json_shape
from toolgrammar.tools.json_tokens import COLONS
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft

CODE: Final = "bare-text"
_MEMBER = late(rf"\s*+([\"'\u201c]?)([\w-]{{1,64}})[\"'\u201d]?\s{{0,8}}[{COLONS}]")
_OBJECT = late(r"\s*+[^\w\s{]{0,3}_?\{")
"""The brace of an object, with up to three marks or an underscore before it."""
_MIDDLE = late(r"^={5,9}\r?$", re.MULTILINE)
_EDGE = late(r"^(?:>{5,9}(?: |\r?$)|<{2,9} ?(?:SEARCH|ORIGINAL|HEAD)\b)", re.MULTILINE)
"""The beginning or the end of a block that replaces lines, as in an unresolved merge conflict."""
_TAKES_EDITS = late(r"(?<![a-z])(?:patch|diff|edit|replace)", re.IGNORECASE)
"""A word in the name of a tool or an argument that such a block is meant for; `credit` has none."""


def doubt_free_text(builder: Builder, draft: Draft, end: int) -> None:
    """Doubts a call that ends at an offset, if its free text may be something else."""
    if not draft.inputs:
        return
    text, spec = "".join(draft.inputs), builder.tools.get(draft.name or "")
    keys = spec.properties if spec is not None else ()
    if mark := argument_in(text, keys) or _member_in(text, keys):
        message = f"Found `{mark[:40]}` in a text; it may be an argument of its call"
    elif _may_be_call(text, builder.tools):
        message = "Found an object with the name of a tool as a text; it may be a call"
    elif "=====" in text and _may_be_edit(text, (draft.name or "", *keys)):
        message = "Found the marks of an edit in a text; it may be an edit"
    else:
        return
    doubt(builder, draft, CODE, message, Span(draft.start, max(draft.start, end)))


def _may_be_edit(text: str, names: Iterable[str]) -> bool:
    """Whether a text has the marks of an edit, and neither its tool nor an argument takes edits."""
    found = _MIDDLE.search(text) and _EDGE.search(text)
    return found is not None and not any(map(_TAKES_EDITS.search, names))


def argument_in(text: str, keys: Iterable[str]) -> str:
    """Returns the tag of an argument in a text, such as `<path>` or `<parameter name="path">`, or ""."""
    for key in keys if "<" in text else ():
        if key in text:
            name = re.escape(key)
            found = re.search(rf"<{name}>|<[^<>\s][^<>]{{0,32}}[=\"']{name}[\"']?>", text)
            if found is not None:
                return found[0]
    return ""


def _member_in(text: str, keys: Collection[str]) -> str:
    """Returns the first argument if a text is an object without its opening brace, or "".

    The key is in quotes, or there is a closing brace at the end: `'query': 'tides'}`.
    """
    found = _MEMBER.match(text)
    if found is None or found[2] not in keys:
        return ""
    closes = text.rstrip().endswith("}") and text.count("}") > text.count("{")
    return found[0].strip() if found[1] or closes else ""


def _may_be_call(text: str, names: Collection[str]) -> bool:
    """Whether a text is a JSON object that contains the name of a known tool as a string.

    If the object is damaged, it has to contain the key of arguments as well.
    """
    if not _OBJECT.match(text) or not any(f'"{name}"' in text for name in names):
        return False
    return json_shape(text) is not None or any(f'"{key}"' in text for key in KEYS_OF_ARGUMENTS)
