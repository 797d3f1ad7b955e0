"""Types a raw value by its shape: valid JSON is the value that it encodes, anything else is text.

Example: `[1, 2]` is an array and `12` a number, `12 apples` a text; `12` is a text if its schema
wants a string.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.payloads.json.whole import read_all
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema

_MEMBER = late(r'"[^"\n]{0,128}"[ \t]{0,16}:')
_ITEMS = late(r'"[^"\n]{0,128}"[ \t]{0,16},[ \t]{0,16}"')  # a list without its bracket
_BEGUN = late(r'\{\s{0,64}"[^"\n]{0,128}"\s{0,16}:|\[\s{0,64}(?:[\[{]\s{0,64})?"')
"""The beginning of an object with a member, or of a list of strings, lists or objects."""
_OPEN_STRING = late(r'"[\w/.~ \t](?:[^"\\\n]++|\\.)*')
_ENDS_SENTENCE = ".,;:!?)"
_PAIRS = {"}": "{", "]": "["}
_JSON_STARTS = frozenset("{[-0123456789tfn")


def shaped(text: str, schema: JsonSchema | None) -> tuple[Any, bool]:
    """Returns the value of a text, and whether it fits its schema.

    The schema is consulted after the shape: a number becomes its text again if a string is wanted.
    """
    found = json_shape(text)
    if found is None:
        return type_text(text, schema)
    (value,) = found
    # The schema types the content of the quotes: `"5"` may be wanted as a number.
    if isinstance(value, str):
        return type_text(value, schema)
    if schema is None:
        return value, True
    # `0012` or `1.50` keeps its own characters if a string is wanted.
    return (text, True) if is_text_only(schema) else type_text(text, schema)


def is_broken_json(text: str, schema: JsonSchema | None) -> bool:
    """Whether a text seems to be damaged JSON: `"a": 1}`, `["a", {"b"]`, `{"a": 1,`, `{"a": 1}x`.

    If the schema wants a text, only a string without a closing quote, as `"/home/a`, counts.
    """
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```"):
        stripped = stripped.partition("\n")[2].rstrip("`").strip()
    if is_open_string(stripped):
        return True
    last = stripped[-1:]
    if '"' not in stripped or (schema is not None and is_text_only(schema)):
        return False
    # Brackets in strings count, too: `{"a": "x {"}` is whole.
    if _BEGUN.match(stripped) and _leaves_open(stripped):
        return json_shape(stripped) is None
    if last not in _PAIRS:
        return _goes_on(stripped)
    first = stripped[0] in "{["
    # Code and prose end with a bracket as well, but seldom have a member of an object.
    is_json = first or _MEMBER.search(stripped) or _ITEMS.match(stripped)
    if not is_json or "\n" in stripped:
        return False
    is_odd = (
        first or stripped[1:2] in ("{", "[") or stripped.count(last) > stripped.count(_PAIRS[last])
    )
    return is_odd and json_shape(stripped) is None


def _goes_on(text: str) -> bool:
    """Whether a mark or a letter stands behind an object, a list or a string, as in `{"a": 1}x`."""
    if text[-2:-1] not in ("}", "]", '"') or text[-1] in _ENDS_SENTENCE:
        return False
    return json_shape(text[:-1]) is not None


def _leaves_open(text: str) -> bool:
    """Whether a text has more opening brackets than closing ones."""
    return sum(map(text.count, _PAIRS.values())) > sum(map(text.count, _PAIRS))


def is_open_string(text: str) -> bool:
    """Whether a line begins with a quote and words, and nothing in it closes that: `"/home/a`."""
    return text[:1] == '"' and _OPEN_STRING.fullmatch(text) is not None


def may_be_json(first: str, schema: JsonSchema | None) -> bool:
    """Whether a value that begins with this character may be something other than its own text."""
    # With a schema, a value without quotes is typed from its text.
    return first == '"' or (schema is None and first in _JSON_STARTS)


def json_shape(text: str) -> tuple[Any] | None:
    """Returns the value of a JSON text as a tuple of one; None if the text is not JSON."""
    whole = read_all(text.strip())
    try:
        json.dumps(whole, allow_nan=False)
    except ValueError:
        return None  # a number without a JSON spelling, such as 1e999
    return whole
