"""Checks whether a JSON value satisfies a JSON Schema; everything that may run a call uses it.

`{"n": ["x"], "k": 9}` does not fit `n: array of integers, k: at most 3`; `true` is not `1`. The
keywords of the drafts 4 to 2020-12 are judged, but for `format`, `unevaluatedProperties` and
`unevaluatedItems`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, TypeGuard

from toolgrammar.patterns.exponential import is_exponential
from toolgrammar.values.schemas import is_one_of, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAX_PATTERN = 1000
"""A longer text is not matched with a pattern: the time of a match may grow without bound."""

_Pair = tuple[Any, Any]
_Known = dict[tuple[int, int], bool]
"""By the identities of a value and an alternative, which both live on: whether it satisfies it."""


def fits(value: object, schema: object) -> bool:
    """Whether a value satisfies a schema without references.

    What is unknown, or wrong in the schema, is no reason against a value.
    """
    try:
        return _satisfies(value, schema, {})
    except RecursionError:
        return False  # alternatives nest too deep to say


def _satisfies(value: object, schema: object, known: _Known) -> bool:
    # A list of its own, so that deep values cost no recursion; only combining keywords do.
    pending: list[_Pair] = [(value, schema)]
    while pending:
        part, wanted = pending.pop()
        # `false` admits nothing; `true` and `{}` admit everything.
        if wanted is False:
            return False
        if not isinstance(wanted, dict) or not wanted:
            continue
        if not _is_of_type(part, wanted) or not _is_listed(part, wanted):
            return False
        if not all(test(part, wanted) for test in _tests_of(part)):
            return False
        if not _combines(part, wanted, known):
            return False
        pending.extend(_parts(part, wanted))
    return True


def _is_of_type(value: object, schema: dict[str, Any]) -> bool:
    if "type" not in schema:
        return True
    types = types_of({"type": schema["type"]})
    # Unknown names of types say nothing; OpenAPI writes null as `nullable`.
    if types is None or (value is None and schema.get("nullable") is True):
        return True
    return is_one_of(value, types)


def _is_listed(value: object, schema: dict[str, Any]) -> bool:
    listed = schema.get("enum")
    if isinstance(listed, list) and not any(same(value, each) for each in listed):
        return False
    return "const" not in schema or same(value, schema["const"])


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    pending: list[_Pair] = [(left, right)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending += [(part, other[key]) for key, part in one.items()]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        # In Python `True == 1`; in JSON they differ.
        elif isinstance(one, bool) != isinstance(other, bool) or one != other:
            return False
    return True


def _combines(value: object, schema: dict[str, Any], known: _Known) -> bool:
    """Judges the keywords that hold schemas of the value itself; each costs some frames of Python's stack."""

    def test(part: object) -> bool:
        pair = (id(value), id(part))
        if pair not in known:
            known[pair] = False  # a schema that is its own alternative admits nothing by that
            known[pair] = _satisfies(value, part, known)
        return known[pair]

    for keyword, wanted in (("anyOf", any), ("allOf", all)):
        parts = schema.get(keyword)
        if isinstance(parts, list) and not wanted(map(test, parts)):
            return False
    # Exactly one: a value that fits two alternatives does not fit `oneOf`.
    parts = schema.get("oneOf")
    if isinstance(parts, list) and sum(map(test, parts)) != 1:
        return False
    if "not" in schema and test(schema["not"]):
        return False
    # `then` and `else` say nothing without `if`.
    if "if" in schema and not test(schema.get("then" if test(schema["if"]) else "else", True)):
        return False
    return _contains(value, schema, known)


def _contains(value: object, schema: dict[str, Any], known: _Known) -> bool:
    """Whether an array has as many items that satisfy `contains` as the schema wants."""
    if not isinstance(value, list) or "contains" not in schema:
        return True
    wanted = schema["contains"]
    found = sum(_satisfies(item, wanted, known) for item in value)
    least, most = schema.get("minContains", 1), schema.get("maxContains", found)
    return not (_is_number(least) and found < least) and not (_is_number(most) and found > most)


def _parts(value: object, schema: dict[str, Any]) -> Iterator[_Pair]:
    """Returns the parts of a value, each with a schema for it; there may be several for one."""
    if isinstance(value, dict):
        for name, part in value.items():
            for wanted in schemas_of(name, schema):
                yield part, wanted
            if "propertyNames" in schema:
                yield name, schema["propertyNames"]
            for keyword in ("dependentSchemas", "dependencies"):
                wanted = _object(schema.get(keyword)).get(name, True)
                # `dependencies` also has lists of names, which are required and no schemas.
                if not isinstance(wanted, list):
                    yield value, wanted
    elif isinstance(value, list):
        # `prefixItems` has a schema for each of the first places, `items` one for all others. Up to
        # draft 2019-09 these were `items` and `additionalItems`.
        items = schema.get("items", True)
        is_old = isinstance(items, list)
        first = items if is_old else schema.get("prefixItems")
        first = first if isinstance(first, list) else []
        yield from zip(value, first, strict=False)
        more = schema.get("additionalItems", True) if is_old else items
        for part in value[len(first) :]:
            yield part, more


def schemas_of(name: str, schema: dict[str, Any]) -> list[Any]:
    """Returns the schemas that the member of an object with this name has to satisfy.

    They are the one of `properties` and those of `patternProperties` whose expressions the name
    matches; without any of them, the one of `additionalProperties`.
    """
    properties = _object(schema.get("properties"))
    found = [properties[name]] if name in properties else []
    is_known = True
    for pattern, wanted in _object(schema.get("patternProperties")).items():
        matched = _search(pattern, name)
        is_known = is_known and matched is not None
        if matched:
            found.append(wanted)
    # Where nothing says whether an expression matches, the name may be none of the others.
    return found if found or not is_known else [schema.get("additionalProperties", True)]


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _tests_of(value: object) -> tuple[Callable[[Any, dict[str, Any]], bool], ...]:
    if isinstance(value, dict):
        return (_has_required, _count_of("minProperties", "maxProperties"))
    if isinstance(value, list):
        return (_count_of("minItems", "maxItems"), _is_unique)
    if isinstance(value, str):
        return (_count_of("minLength", "maxLength"), _matches)
    # `true` is not a number in JSON Schema, though it is one for Python.
    if _is_number(value):
        return (_is_within,)
    return ()


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_required(value: dict[str, Any], schema: dict[str, Any]) -> bool:
    lists = [schema.get("required")]
    # The names that a member wants beside it: `{"dependentRequired": {"card": ["address"]}}`.
    for keyword in ("dependentRequired", "dependencies"):
        lists += [names for name, names in _object(schema.get(keyword)).items() if name in value]
    # Anything but a list of names requires nothing: a caller's schema never raises.
    return all(
        name in value
        for names in lists
        if isinstance(names, list)
        for name in names
        if isinstance(name, str)
    )


def _count_of(least: str, most: str) -> Callable[[Any, dict[str, Any]], bool]:
    def test(value: Any, schema: dict[str, Any]) -> bool:
        low, high = schema.get(least), schema.get(most)
        # A bound that is not a number says nothing: the schema is the caller's, and is not judged
        # here.
        if _is_number(low) and len(value) < low:
            return False
        return not _is_number(high) or len(value) <= high

    return test


def _is_unique(value: list[Any], schema: dict[str, Any]) -> bool:
    if schema.get("uniqueItems") is not True:
        return True
    return len(set(map(_identity, value))) == len(value)


def _identity(value: Any) -> Any:
    """Returns something with a hash that is equal for equal JSON values; true is not 1."""
    if isinstance(value, dict):
        return "object", frozenset((name, _identity(part)) for name, part in value.items())
    if isinstance(value, list):
        return "array", tuple(map(_identity, value))
    # In Python `True == 1`; `1 == 1.0` holds in both.
    return isinstance(value, bool), value


def _matches(value: str, schema: dict[str, Any]) -> bool:
    pattern = schema.get("pattern")
    # What can't be said is no reason against a value.
    return not isinstance(pattern, str) or _search(pattern, value) is not False


def _search(pattern: str, text: str) -> bool | None:
    """Whether an expression matches somewhere in a text; None if it can't be said in bounded time."""
    if len(text) > _MAX_PATTERN or is_exponential(pattern):
        return None
    try:
        # Patterns of JSON Schema are not anchored.
        return re.search(pattern, text) is not None
    except re.error:  # in another dialect, such as JavaScript's
        return None


def _is_within(value: float, schema: dict[str, Any]) -> bool:
    return all(
        not _is_number(schema.get(keyword)) or holds(value, schema[keyword])
        for keyword, holds in _BOUNDS.items()
    )


def _is_multiple(value: float, step: float) -> bool:
    # A step of 0 is the schema's mistake, and no reason against a value.
    if step <= 0:
        return True
    # Integers of any size are judged exactly.
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    try:
        ratio = value / step
    # `10**400` by 0.5 is not a float: what can't be judged does not fit.
    except OverflowError:
        return False
    # 0.3 is a multiple of 0.1, though their quotient is 2.9999999999999996.
    return math.isfinite(ratio) and abs(ratio - round(ratio)) < 1e-9


_BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "multipleOf": _is_multiple,
}
