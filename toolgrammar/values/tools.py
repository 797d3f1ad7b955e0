"""What the parser knows about a tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
    """The JSON Schema of the arguments; None when it is not known."""
    # Most tools of a list are not called in a given message: their schemas are never looked at.
    _shape: Shape | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def properties(self) -> dict[str, JsonSchema]:
        """The schema of each argument, with local references resolved (don't change them).

        Alternatives at the top (`anyOf`, `oneOf`, `allOf`) are laid together. A schema that
        refers to itself becomes a dict that holds itself: walk it along a value.
        """
        return self._known_shape().properties

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the arguments that have to be there in any case."""
        return self._known_shape().required

    @property
    def lone_text_parameter(self) -> str | None:
        """The argument that a text without a name is; None where there is none, or several.

        It is the one required argument, if it can be a string; where none is required, the one
        that can.
        """
        return self._known_shape().lone_text

    def drops_text(self, given: Collection[str]) -> bool:
        """Says whether the tool would run on its defaults without a text that none of them is.

        One that lacks a required argument does not run, and of one whose schema names no
        arguments, or admits any, nothing is known.

        Args:
            given: the names of the arguments beside the text.
        """
        return self.names_arguments and all(name in given for name in self.required)

    @property
    def names_arguments(self) -> bool:
        """Whether the schema names the arguments, and does not say that it admits any."""
        parameters = self.parameters or {}
        # `{"properties": {}}` says that there are no arguments; without the keyword nothing is
        # said.
        named = bool(self.properties) or "properties" in parameters
        return named and parameters.get("additionalProperties") is not True

    def _known_shape(self) -> Shape:
        shape = self._shape
        if shape is None:
            shape = shape_of(self.parameters)
            # Two threads may both come here: they set the same shape.
            object.__setattr__(self, "_shape", shape)
        return shape
