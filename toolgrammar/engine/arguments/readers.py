"""Reads the arguments of a call by type hints, a pydantic model or a JSON Schema.

For `def search(limit: int)`, `{"limit": "5"}` is read as `{"limit": 5}`, and `{"limit": "5.0"}`
is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from toolgrammar.engine.arguments.parameter_model import model_of, told_schema
from toolgrammar.engine.arguments.reading import Reading, of_instance
from toolgrammar.engine.arguments.schema_values import Expected
from toolgrammar.engine.arguments.unknown_names import UNEXPECTED
from toolgrammar.tools.fits import fits, schemas_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic import BaseModel

    from toolgrammar.engine.arguments.signature import Signature
    from toolgrammar.engine.arguments.strict_types import StrictModel
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

MISSING: Final = "Field required"
UNFIT: Final = "Input should satisfy its schema"
TOGETHER: Final = "The arguments together should satisfy the schema of the tool"
UNPLACED: Final = "the tool has no argument that this text can only be"


class BadArguments(Exception):  # noqa: N818 - inside the engine only: becomes an error value
    """Raised if arguments do not fit; the text has the places and reasons, without values."""


class Reader(Protocol):
    """Reads the arguments of a call as those of its tool."""

    def read(self, call: ToolCall) -> Reading:
        """Returns the arguments for the tool.

        Raises:
            BadArguments: the arguments of the call do not fit.
        """
        ...


class SignatureReader:
    """Reads arguments by the type hints of a Python function."""

    def __init__(self, signature: Signature, text: Text) -> None:
        self._required = signature.required
        self._takes_more = signature.takes_more
        self._reserved = signature.contexts
        self._text = text
        # A value of exactly one of these types needs no check by pydantic.
        # `hint in (…)` compares with `==`, since some hints have no hash.
        self._plain = {
            name: hint for name, hint in signature.hints.items() if hint in (str, int, float, bool)
        }
        # Fields get generated names, since pydantic refuses some legal names of parameters.
        self._fields = {name: f"p{index}" for index, name in enumerate(signature.hints)}
        self._model = model_of(signature, self._fields)

    def told(self, known: dict[str, Any]) -> dict[str, Any]:
        """Returns the JSON Schema of the arguments that this reader accepts, based on `known`."""
        return told_schema(self._model.model, known)

    def read(self, call: ToolCall) -> Reading:
        """Returns the arguments with their types."""
        given = self._text.given(call)
        plain = self._plain
        # The shortcut: every value has exactly the type of its parameter.
        for name, value in given.items():
            # A name that is not a parameter has no kind here, and ends the shortcut too.
            kind = plain.get(name)
            # Pydantic refuses lone surrogates, which an ASCII string can't contain.
            if type(value) is not kind or (kind is str and not value.isascii()):
                return self._converted(given)
        if not self._required.issubset(given):
            return self._converted(given)
        return Reading(given, flat=True)

    def _converted(self, given: dict[str, Any]) -> Reading:
        fields = self._fields
        unknown = [name for name in given if name not in fields]
        problems = _unexpected(unknown, self._reserved, refused=not self._takes_more)
        arguments = {name: value for name, value in given.items() if name in fields}
        validated, more = _validated(self._model, arguments)
        if more or problems:
            raise BadArguments("; ".join([*more, *problems]))
        values = vars(validated)
        # Only the given arguments: for absent ones Python uses the defaults.
        for name in arguments:
            arguments[name] = values[fields[name]]
        # They are passed to `**kwargs` unchanged, since their types are not known.
        for name in unknown:
            arguments[name] = given[name]
        return Reading(arguments)


class ModelReader:
    """Reads arguments into an instance of a pydantic model."""

    def __init__(self, model: type[BaseModel], text: Text) -> None:
        from toolgrammar.engine.arguments.strict_types import StrictModel

        self._model = StrictModel(model)
        self._text = text

    def read(self, call: ToolCall) -> Reading:
        """Returns the validated instance."""
        instance, problems = _validated(self._model, self._text.given(call))
        if problems:
            raise BadArguments("; ".join(problems))
        return of_instance(instance)


class SchemaReader:
    """Reads arguments by a JSON Schema: top-level types are converted, then the schema is checked."""

    def __init__(self, spec: ToolSpec, reserved: Collection[str], text: Text) -> None:
        self._schema = spec.shape.schema
        self._properties = spec.properties
        # Computed once per tool, not per call, since schemas may be deep.
        self._expected = {name: Expected.of(each) for name, each in spec.properties.items()}
        self._required = spec.required
        self._text = text
        self._reserved = reserved

    def read(self, call: ToolCall) -> Reading:
        """Returns the arguments with the types of the schema."""
        given = self._text.given(call)
        problems = {name: MISSING for name in self._required if name not in given}
        arguments: dict[str, Any] = {}
        for name, value in given.items():
            wanted = self._schemas_of(name)
            expected = self._expected.get(name) or Expected.of(wanted[0] if wanted else {})
            # First the type of the value, then everything below it.
            arguments[name], problem = expected.fitted(value)
            if name in self._reserved and name not in self._expected:
                problem = UNEXPECTED
            if problem:
                problems[name] = problem
        if problems or not fits(arguments, self._schema):
            # A wrong type is told as such.
            for name, problem in self._unfit(arguments).items():
                problems.setdefault(name, problem)
            told = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
            raise BadArguments(told or TOGETHER)
        return Reading(arguments)

    def _schemas_of(self, name: str) -> list[Any]:
        """Returns the schemas of an argument; of several the first gives its type."""
        known = self._properties.get(name)
        return schemas_of(name, self._schema) if known is None else [known]

    def _unfit(self, arguments: dict[str, Any]) -> dict[str, str]:
        """Returns the problems of arguments that have the right type, each by itself."""
        found: dict[str, str] = {}
        for name, value in arguments.items():
            wanted = self._schemas_of(name)
            if not all(fits(value, each) for each in wanted):
                found[name] = UNEXPECTED if False in wanted else UNFIT
        others = arguments.keys() - self._expected.keys()
        known = {name: value for name, value in arguments.items() if name not in others}
        # A schema may also be closed by one of its alternatives.
        if not found and others and fits(known, self._schema):
            return {name: UNEXPECTED for name in arguments if name in others}
        return found


class Text:
    """Assigns the text of a free-text call to the only argument that it can be."""

    __slots__ = ("_drops", "_lone", "_needs", "_reads_calls")

    def __init__(self, spec: ToolSpec, *, reads_calls: bool = False) -> None:
        """Stores the tool's parameters.

        Args:
            spec: the tool.
            reads_calls: whether the tool gets a context, in which it can read the text.
        """
        self._lone = spec.lone_text_parameter
        self._needs = self._lone in spec.required
        self._drops = spec.drops_text
        self._reads_calls = reads_calls

    def given(self, call: ToolCall) -> dict[str, Any]:
        """Returns the arguments of a call, including its text.

        Raises:
            BadArguments: they are not an object, or no argument takes the text, without which the
                tool would run on its defaults.
        """
        given = call.arguments
        if not isinstance(given, dict):
            raise BadArguments("Arguments should be an object")
        text = call.input
        # In some formats the text is an argument already, such as a patch in `{"input": …}`.
        if text is None or text in given.values():
            return given
        name = self._lone
        # A blank text is passed only to a required argument.
        if name is not None and name not in given and (text.strip() or self._needs):
            return {**given, name: text}
        # The text may be dropped: it is blank, the tool can read it in its context, or the tool
        # would not run on its defaults without it.
        if not text.strip() or self._reads_calls or not self._drops(given):
            return given
        raise BadArguments(f"input: {UNPLACED}")


def _unexpected(names: list[str], reserved: Collection[str], *, refused: bool) -> list[str]:
    """Returns a problem for each name that can't reach the tool."""
    return [f"{name}: {UNEXPECTED}" for name in names if refused or name in reserved]


def _validated(model: StrictModel, arguments: dict[str, Any]) -> tuple[Any, list[str]]:
    """Returns the instance of a model, or the problems with its arguments."""
    from pydantic import ValidationError

    try:
        return model.validate(arguments), []
    except ValidationError as error:
        return None, model.problems(error, arguments)
    except Exception as error:  # raised by a validator: its text may contain anything
        return None, [type(error).__name__]
