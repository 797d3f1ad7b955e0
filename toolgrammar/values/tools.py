"""Defines `ToolSpec`: the name, the description and the schema of a tool.

With `{"properties": {"q": {"type": "string"}}, "required": ["q"]}` as its parameters, a spec has the
properties `{"q": {"type": "string"}}`, `required == ("q",)` and `lone_text_parameter == "q"`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolgrammar.values.errors import check_type
from toolgrammar.values.json_types import JsonSchema  # noqa: TC001 - a field's type, read at run time
from toolgrammar.values.schemas import Shape, shape_of

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool: its name, what it does, and the JSON Schema of its arguments."""

    name: str
    """The name that the model writes."""
    description: str = ""
    """What the tool does, for prompts."""
    parameters: JsonSchema | None = field(default=None, hash=False)
    """The JSON Schema of the arguments; None if it is not known."""
    # Computed on first use: most tools of a list are not called in a given message.
    _shape: Shape | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields.

        Raises:
            TypeError: one is of another type.
        """
        check_type("name", self.name, str)
        check_type("description", self.description, str)
        mend = 'a JSON Schema: {"type": "object", "properties": {}}'
        check_type("parameters", self.parameters, (dict, type(None)), mend)

    @property
    def properties(self) -> dict[str, JsonSchema]:
        """The schema of each argument, with local references resolved (don't change them).

        Alternatives at the top (`anyOf`, `oneOf`, `allOf`) are merged. A schema that refers to
        itself becomes a cyclic dict, so walk it along a value.
        """
        return self.shape.properties

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the arguments that are always required."""
        return self.shape.required

    @property
    def lone_text_parameter(self) -> str | None:
        """The argument to which a text without a name belongs; None if there is none, or several.

        It is the only required argument, if it can be a string; if none is required, the only
        argument that can be a string.
        """
        return self.shape.lone_text

    def drops_text(self, given: Collection[str]) -> bool:
        """Whether the tool would run on its defaults if a text that fits no argument were dropped.

        It is False if a required argument is missing, since the tool does not run then, and if
        the schema names no arguments or admits any, since nothing is known then.

        Args:
            given: the names of the arguments beside the text.
        """
        return self.names_arguments and all(name in given for name in self.required)

    @property
    def names_arguments(self) -> bool:
        """Whether the schema names the arguments, and does not explicitly admit any others."""
        parameters = self.parameters or {}
        # `{"properties": {}}` declares that there are no arguments; without the keyword nothing is
        # declared.
        named = bool(self.properties) or "properties" in parameters
        return named and parameters.get("additionalProperties") in (None, False)

    @property
    def shape(self) -> Shape:
        """What the schema says of the names of arguments; `shape.schema_of` is for any name."""
        shape = self._shape
        if shape is None:
            shape = shape_of(self.parameters)
            # Two threads may both compute the shape; they set the same value.
            object.__setattr__(self, "_shape", shape)
        return shape
