"""Types a value by its schema, if nothing has to be guessed, and a raw one by its shape.

Examples: if an integer is wanted, `"5"` and `5.0` become `5`; if a string is wanted, `5` becomes
`"5"`; `"five"` is kept. Of raw values without a type `[1, 2]` is an array, and `12 apples` a text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.core.payloads.json.whole import read_all, read_lines
from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.tools.json_tokens import INTEGER, MAX_DIGITS, NUMBER
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.json.guide import Guide
    from toolgrammar.values.json_types import JsonSchema

_INTEGER = late(INTEGER)
_NUMBER = late(NUMBER)
# From here on a float can't distinguish an integer from its neighbour.
_LARGEST_EXACT: Final = 2**53
_CONTAINERS: Final = {"{": "object", "[": "array"}


def needs_typing(value: object, wanted: Guide) -> bool:
    """Whether a part of a value may not have the type that its schema wants: then its text is read."""
    for part, guide in wanted.parts(value):  # noqa: SIM110 - `any` takes half as long again
        # `type`, not `isinstance`: in Python, True is an int.
        if type(part) in guide.converted:
            return True
    return False


def typed_string(body: str, wanted: Guide) -> str | None:
    """Returns the JSON text of the value that a string spells; None if it stays a string.

    Args:
        body: the characters between the quotes, as JSON.
        wanted: the guide of the value; it does not admit strings.
    """
    types = wanted.types or ()
    text = text_of(body)
    # `"5"` becomes 5; `"5 apples"` stays a string, since nothing may be guessed.
    if ("integer" in types or "number" in types) and len(text) <= MAX_DIGITS:
        pattern = _NUMBER if "number" in types else _INTEGER
        if pattern.fullmatch(text):
            return text
    # Models write `"True"` too. `false` is the longest, so a long text is not lowered in vain.
    if "boolean" in types and len(text) <= 5 and text.lower() in ("true", "false"):
        return text.lower()
    return _contained(text, types)


def _contained(text: str, types: tuple[str, ...]) -> str | None:
    """Returns a text that is a whole strict object or array, without the white space around it."""
    stripped = text.strip(" \t\n\r")
    # Any other first character maps to None, which is not a type.
    if _CONTAINERS.get(stripped[:1]) not in types:
        return None
    return stripped if read_all(stripped) is not None else None


def typed_number(number: str, wanted: Guide) -> str | None:
    """Returns the JSON text to which the schema converts a number; None if the number is kept."""
    types = wanted.types
    if types is None or "number" in types:
        return None
    is_integer = _INTEGER.fullmatch(number) is not None
    if "integer" in types:
        if is_integer:
            return None
        value = float(number)
        # `5.0` is 5; `5.5` is not an integer, and stays.
        if value.is_integer() and abs(value) < _LARGEST_EXACT:
            return str(int(value))
    # A number where only a string is wanted keeps its spelling: `1.50` becomes `"1.50"`.
    return f'"{number}"' if "string" in types else None


def cut_container(body: str, wanted: Guide) -> str | None:
    """Returns the JSON text of the object or array that a cut string begins, closed; else None."""
    text = text_of(body).lstrip(" \t\n\r")
    if _CONTAINERS.get(text[:1]) not in (wanted.types or ()):
        return None
    scanner = JsonScanner()
    out: list[str] = []
    scanner.feed(text, 0, out)
    if scanner.failed:
        return None
    # The end of the message cut the string: its content is closed as any cut object is.
    scanner.finish(out)
    return "".join(out)


_MEMBER = late(r'"[^"\n]{0,128}"[ \t]{0,16}:')
_ITEMS = late(r'"[^"\n]{0,128}"[ \t]{0,16},[ \t]{0,16}"')  # a list without its bracket
_BEGUN = late(r'\{\s{0,64}"[^"\n]{0,128}"\s{0,16}:|\[\s{0,64}(?:[\[{]\s{0,64})?"')
"""The beginning of an object with a member, or of a list of strings, lists or objects."""
_OPEN_STRING = late(r'"[\w/.~ \t](?:[^"\\\n]++|\\.)*')
_STRING = late(r'"(?:[^"\\\n]++|\\.)*+"')
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
    r"""Whether a text seems to be damaged JSON: `"a": 1}`, `["a", {"b"]`, `{"a": 1,`, `{"a": 1}x`.

    If the schema wants a text, only a string counts: one without a closing quote, as `"/home/a`, or
    with more behind it than punctuation, as `"a\nb"x`.
    """
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```"):
        stripped = stripped.partition("\n")[2].rstrip("`").strip()
    if is_open_string(stripped) or _goes_on_behind_string(stripped):
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


def _goes_on_behind_string(text: str) -> bool:
    r"""Whether text touches a string with escapes, as in `"a\nb"x`: nobody writes words so."""
    string = _STRING.match(text) if text[:1] == '"' and "\\" in text else None
    if string is None or "\\" not in string[0]:
        return False
    behind = text[string.end() :]
    first = behind[:1].strip()
    return first != "" and (first not in _ENDS_SENTENCE or behind.startswith(".."))


def may_be_json(first: str, schema: JsonSchema | None) -> bool:
    """Whether a value that begins with this character may be something other than its own text."""
    # With a schema, a value without quotes is typed from its text.
    return first == '"' or (schema is None and first in _JSON_STARTS)


def json_shape(text: str) -> tuple[Any] | None:
    """Returns the value of a JSON text as a tuple of one; None if the text is not JSON.

    Strings in an array or an object may contain line ends.
    """
    stripped = text.strip()
    whole = (read_lines if stripped[:1] in _CONTAINERS else read_all)(stripped)
    try:
        json.dumps(whole, allow_nan=False)
    except ValueError:
        return None  # a number without a JSON spelling, such as 1e999
    return whole
