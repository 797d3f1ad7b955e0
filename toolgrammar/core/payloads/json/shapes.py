"""Types a raw value by its own shape: what is valid JSON is that value, anything else is text.

Example: `[1, 2]` is an array and `12` a number, `12 apples` a text; `12` is a text where its schema
wants a string.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema

_MEMBER = late(r'"[^"\n]{0,128}"[ \t]{0,16}:')
_ITEMS = late(r'"[^"\n]{0,128}"[ \t]{0,16},[ \t]{0,16}"')  # a list without its bracket
_OPEN_STRING = late(r'"[\w/.~][^"\n]*')
_PAIRS = {"}": "{", "]": "["}
_JSON_STARTS = frozenset("{[-0123456789tfn")


def shaped(text: str, schema: JsonSchema | None) -> tuple[Any, bool]:
    """Returns the value of a text, and whether it fits its schema.

    A schema is asked afterwards: a number where it wants a string goes back to its text.
    """
    found = json_shape(text)
    if found is None:
        return type_text(text, schema)
    (value,) = found
    # What stands in the quotes is what the schema types: `"5"` may be wanted as a number.
    if isinstance(value, str):
        return type_text(value, schema)
    if schema is None:
        return value, True
    # `0012` or `1.50` where a string is wanted keeps its own characters.
    return (text, True) if is_text_only(schema) else type_text(text, schema)


def is_broken_json(text: str, schema: JsonSchema | None) -> bool:
    """Whether a text seems to be JSON that is damaged: `/{"a": 1}`, `"a": 1}`, `["a", {"b"]`.

    But for a string that nothing closes, as `"/home/a`, it is text where its schema wants one.
    """
    stripped = text.strip()
    if _OPEN_STRING.fullmatch(stripped):
        return True
    last = stripped[-1:]
    if last not in _PAIRS or '"' not in stripped or (schema is not None and is_text_only(schema)):
        return False
    first = stripped[0] in "{["
    # Code and prose end with a bracket as well; a member of an object they seldom have.
    is_json = first or _MEMBER.search(stripped) or _ITEMS.match(stripped)
    if not is_json or "\n" in stripped:
        return False
    is_odd = (
        first or stripped[1:2] in ("{", "[") or stripped.count(last) > stripped.count(_PAIRS[last])
    )
    return is_odd and json_shape(stripped) is None


def may_be_json(first: str, schema: JsonSchema | None) -> bool:
    """Whether a value that begins with this character may be anything but its own text."""
    # With a schema, a value without quotes is typed from its text.
    return first == '"' or (schema is None and first in _JSON_STARTS)


def json_shape(text: str) -> tuple[Any] | None:
    """Returns the value of a JSON text, or None where it is none."""
    stripped = text.strip()
    # The blank delimits a number, which at the end of a text might go on.
    whole = read_whole(f"{stripped} ", 0)
    if whole is None or whole[1] != len(stripped):
        return None
    try:
        json.dumps(whole[0], allow_nan=False)
    except ValueError:
        return None  # a number that no JSON number is, such as 1e999
    return (whole[0],)
