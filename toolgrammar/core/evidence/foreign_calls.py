"""Finds what is written like a call in markup that no format has.

Example: in `<|tools|>[{"func": "f", "args": {}}]<|end|>` an object that names a function stands right
behind a special token.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toolgrammar.values.patterns import late

_OBJECT = late(
    r"""<[|\uff5c][\w\u2581 ]{1,32}[|\uff5c]>\s{0,16}(?:\[\s{0,16})?\{\s{0,16}
    "(?:func|function|function_name|tool|tool_name|name)"\s{0,16}:\s{0,16}
    (?:\{|"(?P<name>[^"\n]{0,256}))""",
    re.VERBOSE,
)
"""A special token, and an object that begins with the key of a name right behind it."""
_STRINGS = late(
    r"""\s{0,64}\[\s{0,16}(["'])(?P<name>[^\W\d][\w.]{0,63})\(\w{1,64}\s?=[^\n]{0,1024}\)\1\s{0,16}[,\]]"""
)
"""A list at the beginning, and the first string in it is a call in Python: `['f(a=1)']`."""


class ForeignCall(NamedTuple):
    """What is written like a call."""

    place: int
    """Where it stands in the text."""
    text: str
    """Its beginning."""
    name: str
    """What it calls; "" where that is no string."""


def foreign_call(text: str) -> ForeignCall | None:
    """Returns the first of them in a text; None where there is none."""
    found = _OBJECT.search(text) if "<|" in text or "\uff5c" in text else None
    found = found or _STRINGS.match(text)
    if found is None:
        return None
    return ForeignCall(found.start(), found[0].strip(), found["name"] or "")
