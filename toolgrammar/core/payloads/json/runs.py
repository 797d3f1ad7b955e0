"""Defines patterns for pieces that only continue a string, as most chunks of a stream do.

Example: in a string, `the next` only continues it; in `the next",` or `the next}` it may end.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.tools.json_tokens import CONTROLS, HALVES, PLAIN
from toolgrammar.values.patterns import late

TAG: Final = r"<(?=[^/|\uff5c])"
"""The beginning of markup that does not close a call, as `</tool_call>` and `<|call|>` may."""
# A quote may be missing: in `{"a": "x, "b": 1}` the string ends before the comma, in `{"a": "x}`
# before the bracket, if markup follows, or before that markup. So these are not plain characters.
CHARACTERS: Final = rf"[^{PLAIN},}}\]<{HALVES}]*+"
"""Characters of a string that neither end it nor may end it."""

_INNER_COMMA: Final = r",(?! *[,'\\])"
"""A comma that no key in single quotes follows."""
# A piece may not end with a comma or a bracket: the next character decides what it is.
inside_string = late(rf"(?:[^{PLAIN},{HALVES}]|{_INNER_COMMA})*[^{PLAIN}{HALVES}, ] *")
"""A piece of a string that proves that the string did not end before the end of the piece."""
# `${name} is` continues as text; `}` before `<`, before a quote of a key or at the end does not.
BRACKETS: Final = rf"""[}}\]]++(?= *[\w.;()=+\\"':/*&!?%$^~-]|, *[^ ,"'\\{{{CONTROLS}])"""
"""Closing brackets before which a string can't have ended: neither markup nor a key follows."""
inside_framed = late(
    rf"(?:[^{PLAIN},}}\]<{HALVES}]|{_INNER_COMMA}|{BRACKETS}|{TAG})*"
    rf"[^{PLAIN}}}\]<{HALVES}, ] *"
)
"""Like `inside_string`, inside markup: the string may have ended before a tag or a bracket."""
