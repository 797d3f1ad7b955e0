"""Finds what is written like a call in markup that no format has.

Example: in `<|tools|>[{"func": "f", "args": {}}]<|end|>` an object that names a function stands right
behind a special token.
"""

from __future__ import annotations

import re

from toolgrammar.values.patterns import late

_OBJECT = late(
    r"""<[|\uff5c][\w\u2581 ]{1,32}[|\uff5c]>\s{0,16}(?:\[\s{0,16})?\{\s{0,16}
    "(?:func|function|function_name|tool|tool_name|name)"\s{0,16}:\s{0,16}[{"]""",
    re.VERBOSE,
)
"""A special token, and an object that begins with the key of a name right behind it."""
_STRINGS = late(
    r"""\s{0,64}\[\s{0,16}(["'])[^\W\d][\w.]{0,63}\(\w{1,64}\s?=[^\n]{0,1024}\)\1\s{0,16}[,\]]"""
)
"""A list at the beginning, and the first string in it is a call in Python: `['f(a=1)']`."""


def foreign_call(text: str) -> tuple[int, str] | None:
    """Returns the first place of one in a text, and what stands there; None where there is none."""
    found = _OBJECT.search(text) if "<|" in text or "\uff5c" in text else None
    found = found or _STRINGS.match(text)
    return None if found is None else (found.start(), found[0].strip())
