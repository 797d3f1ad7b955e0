"""Looks up what a schema wants at each place of a JSON value, while the value is read.

Example: of `{"properties": {"n": {"type": "integer"}}}` the guide of the member `n` has the types
`("integer",)`, and the member `m` has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.values.schemas import is_one_of, resolved, said_of, shape_of, types_of

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema, JsonValue
    from toolgrammar.values.schemas import Shape
    from toolgrammar.values.tools import ToolSpec

_ADMITTED: Final = {str: {"string"}, int: {"integer", "number"}, float: {"number"}}
"""The types of a schema that admit a string or a number as it is; `5.0` may be meant as an integer."""
_STARTS: Final = {
    "object": "{",
    "array": "[(",  # a tuple of Python, `(1, 2)`, is read as an array
    "string": "\"'`\u201c\u201d\u2018\u2019\u201e",
    "number": "-+.0123456789",
    "integer": "-+.0123456789",
    "boolean": "tfTF",
    "null": "nN",
}


class Guide:
    """A schema with its references resolved; the guides of its parts are made on first use."""

    def __init__(
        self,
        types: tuple[str, ...] | None,
        shape: Shape,
        *,
        judged: bool,
        items: object = None,
    ) -> None:
        self.types = types
        """The types that the schema admits, or None if it doesn't restrict them."""
        self.converted = frozenset[type]() if types is None else _converted(types)
        """The Python types whose values have another type than the schema admits."""
        self.properties = shape.properties
        self.required = shape.required
        self.judged = judged
        """Whether the schema lists all keys that an object may have here."""
        self._items = items
        self._item: Guide | None = None
        self._others = shape.others
        self._other: Guide | None = None
        self._members: dict[str, Guide | None] = {}

    def member(self, key: str) -> Guide | None:
        """Returns the guide of the member with this key; None if the schema says nothing of it."""
        if key in self._members:
            return self._members[key]
        schema = self.properties.get(key)
        # The model chooses the keys: only those of the schema are cached.
        if schema is not None:
            return self._members.setdefault(key, _guide(schema))
        if self._other is None and self._others is not None:
            self._other = _guide(self._others)
        return self._other

    def is_text(self, key: str) -> bool:
        """Whether the raw value of a key is a string, whatever it contains."""
        found = self.member(key)
        return found is None or found.types in (None, ("string",))

    def item(self) -> Guide | None:
        """Returns the guide of each item of an array."""
        if self._item is None and isinstance(self._items, dict):
            self._item = _guide(self._items)
        return self._item

    def parts(self, value: object) -> list[tuple[object, Guide]]:
        """Returns each part of a value for which there is a guide, with that guide."""
        found: list[tuple[object, Guide]] = [(value, self)]
        for part, guide in found:  # what is added here is walked, too
            if isinstance(part, dict):
                for key, each in part.items():
                    if (member := guide.member(key)) is not None:
                        found.append((each, member))
            elif isinstance(part, list) and (item := guide.item()) is not None:
                found += [(each, item) for each in part]
        return found

    def admits(self, value: JsonValue) -> bool:
        """Whether a value and its parts have the wanted types, and its objects only wanted keys."""
        for part, guide in self.parts(value):
            if guide.types is not None and not is_one_of(part, guide.types):
                return False
            if isinstance(part, dict):
                # A key that the schema does not list: the value is meant for another schema.
                if guide.judged and not part.keys() <= guide.properties.keys():
                    return False
                if not part.keys() >= set(guide.required):
                    return False
        return True

    @property
    def takes_text(self) -> bool:
        """Whether the schema admits strings."""
        return self.types is None or "string" in self.types

    def may_begin(self, character: str) -> bool:
        """Whether a value that begins with this character can be of a wanted type."""
        return self.types is None or any(character in _STARTS[name] for name in self.types)


def guide_of(schema: object) -> Guide | None:
    """Returns the guide of a whole value; None if its schema wants nothing."""
    if not isinstance(schema, dict) or not schema:
        return None
    return _guide(resolved(schema))


def guide_of_tool(spec: ToolSpec) -> Guide:
    """Returns the guide of a tool's arguments; it is made once for each tool."""
    known = _known.get(id(spec))
    if known is None:
        # Bounded: a server may create its tools again for each request.
        if len(_known) >= _KEPT:
            _known.clear()
        judged = bool(spec.properties) and _is_closed(spec.parameters or {})
        guide = Guide(("object",), spec.shape, judged=judged)
        known = _known[id(spec)] = (spec, guide)
    return known[1]


_KEPT: Final = 256
_known: dict[int, tuple[ToolSpec, Guide]] = {}
"""The tool and its guide, by the identity of the tool, which is unique while the tool is stored."""


def _guide(schema: Any) -> Guide | None:
    if not isinstance(schema, dict):
        return None
    shape = shape_of(schema)
    judged = bool(shape.properties) and _is_closed(schema)
    return Guide(types_of(schema), shape, judged=judged, items=said_of(schema, "items"))


def _converted(types: tuple[str, ...]) -> frozenset[type]:
    return frozenset(kind for kind, admitted in _ADMITTED.items() if admitted.isdisjoint(types))


def _is_closed(schema: JsonSchema) -> bool:
    # In JSON Schema, silence admits every key. Here it does not: tools list the keys that they
    # accept.
    return schema.get("additionalProperties", False) is False
