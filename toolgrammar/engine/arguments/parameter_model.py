"""Makes a pydantic model of a function's parameters, for any type hints.

`def search(day: date, limit: int = 5)` becomes a model with two fields, `p0` read from `day` and
`p1` read from `limit`.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel
    from pydantic.json_schema import GenerateJsonSchema

    from toolgrammar.engine.arguments.signature import Signature
    from toolgrammar.engine.arguments.strict_types import StrictModel

_DEEPEST: Final = 10
"""The levels of nested types that are rewritten: a type may contain itself."""


def model_of(signature: Signature, fields: Mapping[str, str]) -> StrictModel:
    """Returns the model of a signature's parameters; a hint that pydantic can't read is `Any`.

    Args:
        signature: the parameters.
        fields: the names of the model's fields, by the parameters.

    Raises:
        TypeError: a hint has a validator that pydantic refuses.
    """
    from pydantic import ConfigDict, Field, create_model

    from toolgrammar.engine.arguments.strict_types import StrictModel

    settings = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=())

    def built(hints: Mapping[str, Any]) -> StrictModel:
        types: dict[str, Any] = {
            # A parameter without a default must be given; None stands for a default that is never
            # read, since only given arguments are passed on.
            fields[name]: (hint, Field(... if name in signature.required else None, alias=name))
            for name, hint in hints.items()
        }
        return StrictModel(create_model("Arguments", __config__=settings, **types))

    hints = signature.hints
    try:
        return built(hints)
    # All hints at once, which is the common case; one by one only if that fails.
    except Exception:  # a hint may be any expression, and may fail in any way
        return built({name: _usable(name, hint, built) for name, hint in hints.items()})


def told_schema(model: type[BaseModel], known: dict[str, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of a function's arguments as pydantic checks them.

    Args:
        model: the model of the parameters.
        known: what the signature says: defaults, descriptions, and types that pydantic has no
            schema for.
    """
    try:
        schema = model.model_json_schema(schema_generator=_generator())
    except Exception:  # the hooks of a type are foreign code
        return known
    checked = schema.get("properties", {})
    properties: dict[str, Any] = {}
    for name, own in known["properties"].items():
        # The defaults in the model are the None's of `model_of`, not those of the function.
        found = {key: part for key, part in checked.get(name, {}).items() if key != "default"}
        properties[name] = {**found} if found else {**own}
        # The signature's description and default fill in where pydantic has none.
        for key in ("description", "default"):
            if key in own:
                properties[name].setdefault(key, own[key])
    definitions = {**known.get("$defs", {}), **schema.get("$defs", {})}
    return {**known, "properties": properties, **({"$defs": definitions} if definitions else {})}


@cache
def _generator() -> type[GenerateJsonSchema]:
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        """Gives types that JSON lacks an empty schema, and fields no titles."""

        # Warnings about types that JSON lacks, and about defaults that can't be written: they are
        # expected here, and of no use to a user.
        ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

        def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
            return {}

        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    return Generator


def _usable(name: str, hint: Any, built: Callable[[Mapping[str, Any]], object]) -> Any:
    """Returns a hint that pydantic reads: the same, a rewritten one, or `Any`."""
    from pydantic.errors import PydanticUserError

    try:
        built({name: hint})
    except PydanticUserError as error:
        # Before Python 3.12 pydantic reads `typing_extensions.TypedDict` only, not that of
        # `typing`.
        if error.code == "typed-dict-version":
            rewritten = _rewritten(hint)
            # Unchanged: another try would fail again, without end.
            return Any if rewritten == hint else _usable(name, rewritten, built)
        if error.code is not None and error.code.startswith("validator-"):
            # Replacing the hint by `Any` would drop a check that its author wanted.
            raise TypeError(f"the type of the parameter {name!r}: {error.message}") from error
        return Any
    except Exception:
        return Any
    return hint


def _rewritten(hint: Any, depth: int = 0) -> Any:
    """Returns a hint with the typed dicts that pydantic reads before Python 3.12, too."""
    if depth == _DEEPEST:
        return Any
    if is_typeddict(hint):
        return _rewritten_dict(hint, depth + 1)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Required, NotRequired}:
        return origin[_rewritten(arguments[0], depth + 1)]
    if origin is None or origin is Literal or not arguments:
        return hint
    if origin is Annotated:
        # The first argument is the type; the others are metadata, which is kept.
        return Annotated[(_rewritten(arguments[0], depth + 1), *arguments[1:])]
    inner = tuple(
        # The list in `Callable[[int], str]`, and the dots in `tuple[int, ...]`, are not types.
        each if isinstance(each, list) or each is ... else _rewritten(each, depth + 1)
        for each in arguments
    )
    if inner == arguments:
        return hint
    # `Union`, since the number of types is known only at run time.
    return Union[inner] if origin in {Union, UnionType} else origin[inner]  # noqa: UP007


def _rewritten_dict(hint: Any, depth: int) -> Any:
    from typing_extensions import TypedDict

    members: dict[str, Any] = {}
    for name, part in get_type_hints(hint, include_extras=True).items():
        member = _rewritten(part, depth)
        # If annotations are strings, the class itself does not see `NotRequired`.
        said = get_origin(part) in {Required, NotRequired}
        members[name] = member if said or name in hint.__required_keys__ else NotRequired[member]
    return _configured_like(hint, TypedDict(hint.__name__, members))  # type: ignore[operator]


def _configured_like(hint: Any, rewritten: Any) -> Any:
    """Returns a rewritten typed dict with the config of the hint, which may admit unknown names."""
    from pydantic import with_config

    config = getattr(hint, "__pydantic_config__", None)
    return rewritten if config is None else with_config(config)(rewritten)
