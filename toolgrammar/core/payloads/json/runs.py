"""Patterns of pieces of a string that only go on in it: what a chunk of a stream mostly is.

Example: in a string, `the next` only goes on; behind `the next",` or `the next}` it may have ended.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.tools.json_tokens import CONTROLS, HALVES, PLAIN
from toolgrammar.values.patterns import late

TAG: Final = r"<(?=[^/|\uff5c])"
"""The beginning of markup that closes no call, as `</tool_call>` and `<|call|>` do."""
# A quote may be missing: in `{"a": "x, "b": 1}` the string ends before the comma, in `{"a": "x}`
# before the bracket, where markup follows, or before that markup. So these are no plain characters.
CHARACTERS: Final = rf"[^{PLAIN},}}\]<{HALVES}]*+"
"""Characters of a string that neither end it nor may end it."""

_INNER_COMMA: Final = r",(?! *[,'\\])"
"""A comma behind which no key stands in single quotes."""
# A piece may not end with a comma or a bracket: what comes next decides about it.
inside_string = late(rf"(?:[^{PLAIN},{HALVES}]|{_INNER_COMMA})*[^{PLAIN}{HALVES}, ] *")
"""A piece of a string after which the string can't have ended before."""
# `${name} is` goes on as text; `}` before `<`, before a quote of a key or at the end does not.
BRACKETS: Final = rf"""[}}\]]++(?= *[\w.;()=+\\"':/*&!?%$^~-]|, *[^ ,"'\\{{{CONTROLS}])"""
"""Closing brackets in a string before which it can't have ended: neither markup nor a key follows."""
inside_framed = late(
    rf"(?:[^{PLAIN},}}\]<{HALVES}]|{_INNER_COMMA}|{BRACKETS}|{TAG})*"
    rf"[^{PLAIN}}}\]<{HALVES}, ] *"
)
"""The same where markup stands around the value: the string may have ended before it or a bracket."""
