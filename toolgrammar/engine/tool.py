"""Defines `Tool`: a callable with a name, a schema, and options for running it.

`Tool(get_weather)` has the name of the function, the first line of its docstring, and a JSON
Schema made of its type hints.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgrammar.engine.arguments.readers import (
    ModelReader,
    Reader,
    SchemaReader,
    SignatureReader,
    Text,
)
from toolgrammar.engine.arguments.signature import Target
from toolgrammar.engine.extras import require_extra
from toolgrammar.engine.running.retries import Retry
from toolgrammar.tools.signatures import schema_of_callable
from toolgrammar.tools.specs import to_spec
from toolgrammar.values.errors import check_type
from toolgrammar.values.tools import ToolSpec

if TYPE_CHECKING:
    from types import EllipsisType

Function: TypeAlias = Callable[..., Any]


class Tool:
    """A sync function, an async function, or both, with a name, a schema and options."""

    __slots__ = (
        "approval", "async_fn", "asynchronous", "cache", "cache_ttl", "description", "fn", "name",
        "parameters", "reader", "retries", "sync", "timeout",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - one name a choice
        self,
        fn: Function | None = None,
        *,
        async_fn: Function | None = None,
        name: str | None = None,
        description: str | None = None,
        schema: object = None,
        retries: int | Retry | EllipsisType = ...,
        timeout: float | EllipsisType | None = ...,
        cache: bool = True,
        cache_ttl: float | None = None,
        approval: bool | None = None,
    ) -> None:
        """Sets up the tool.

        Args:
            fn: the function for sync code, and for async code if there is no `async_fn`.
            async_fn: the function for async code, and for sync code if there is no `fn`.
            name: the name for the model; if omitted, that of the schema or of the function.
            description: what it does; if omitted, the schema's, or the first line of the docstring.
            schema: a tool of any shape; with a pydantic model class the function gets an instance.
            retries: how often a failure is retried; if omitted, the engine decides.
            timeout: the seconds of an attempt, None for no limit; if omitted, the engine decides.
            cache: whether results may be kept.
            cache_ttl: how many seconds they are kept; None: the cache decides.
            approval: whether a call needs an approval; None: only if the engine has a hook.

        Raises:
            TypeError: there is no function, the schema is not a schema, or an option has another type.
            ValueError: a number is out of its range.
            ImportError: pydantic is not installed.
        """
        require_extra()
        for function in (fn, async_fn):
            if function is not None:
                _check_function(function)
        main = fn if fn is not None else async_fn
        if main is None:
            raise TypeError("a tool needs a function to call: Tool(fn) or Tool(async_fn=…)")
        if timeout is not ...:
            checked_timeout(timeout)
        if retries is not ...:
            checked_retries(retries)
        check_type("approval", approval, (bool, NoneType))
        _check_keeping(cache=cache, seconds=cache_ttl)
        self.fn = fn
        self.async_fn = async_fn
        self.retries = retries
        self.timeout = timeout
        self.cache = cache
        self.cache_ttl = cache_ttl
        self.approval = approval
        # Without `fn` the main function is async, even if it is not a coroutine function.
        self.sync = Target.of(main, is_async=fn is None)
        self.asynchronous = self.sync if async_fn is None else Target.of(async_fn, is_async=True)
        spec, self.reader = _read(schema, main, self.sync, self.asynchronous)
        self.name = checked_name(spec.name if name is None else name)
        self.description = spec.description if description is None else description
        self.parameters: dict[str, Any] = spec.parameters or {"type": "object"}

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


def _check_keeping(*, cache: object, seconds: object) -> None:
    check_type("cache", cache, bool)
    check_type("cache_ttl", seconds, (int, float, NoneType))
    if isinstance(seconds, int | float) and not seconds > 0:
        raise ValueError(f"cache_ttl must be positive or None, got {seconds!r}")


def to_tool(tool: object) -> Tool:
    """Returns the tool for a callable or a `Tool`.

    Raises:
        TypeError: it can't be called.
    """
    if isinstance(tool, Tool):
        return tool
    # A class is callable, but counts as a schema here: its instances are arguments.
    if isinstance(tool, type) or not callable(tool):
        raise TypeError(
            "expected a callable with type hints or a Tool, got "
            f"{_shown(tool)}; give a schema its handler: Tool(handler, schema=…)"
        )
    return Tool(tool)


def checked_name(name: object) -> str:
    """Returns a tool's name after checking it.

    Raises:
        TypeError: it is not a string, or empty.
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"a tool's name must be a string, got {name!r}")
    return name


def checked_timeout(timeout: object) -> float | None:
    """Returns a time limit after checking it.

    Raises:
        TypeError: it is not a number.
        ValueError: it is not positive.
    """
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be seconds or None, got {timeout!r}")
    # `not >` rather than `<=`, so that NaN is refused too.
    if not timeout > 0:
        raise ValueError(f"timeout must be positive or None, got {timeout!r}")
    return float(timeout)


def checked_retries(retries: object) -> Retry:
    """Returns the `Retry` for a number of retries.

    Raises:
        TypeError: it is neither a number nor a `Retry`.
        ValueError: it is negative.
    """
    if isinstance(retries, Retry):
        return retries
    # `retries=True` is ambiguous: once, or without end.
    if isinstance(retries, bool) or not isinstance(retries, int):
        raise TypeError(f"retries must be a number or a Retry, got {retries!r}")
    if retries < 0:
        raise ValueError(f"retries must not be negative, got {retries!r}")
    return Retry(max_retries=retries)


def _check_function(function: object) -> None:
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"expected a function to call, got {_shown(function)}")


def _read(
    schema: object, main: Function, sync: Target, asynchronous: Target
) -> tuple[ToolSpec, Reader]:
    """Returns the specification of the tool, and the reader of its arguments."""
    reserved = sync.signature.contexts | asynchronous.signature.contexts
    if schema is None:
        spec = _spec_of(main, sync)
    # A tool has a `name`, directly or under `function`; a JSON Schema has neither.
    elif isinstance(schema, Mapping) and "name" not in schema and "function" not in schema:
        # A bare JSON Schema of the arguments: the function gives the name.
        spec = _spec_of(main, sync)
        spec = ToolSpec(spec.name, spec.description, dict(schema))
    else:
        spec = to_spec(schema)
        # A pydantic model is named like a class, `WeatherQuery`; the model calls `get_weather`.
        if isinstance(schema, type):
            spec = _named_after(main, spec)
    text = Text(spec, reads_calls=bool(reserved))
    if schema is None:
        reader = SignatureReader(sync.signature, text)
        # The schema for the model is the one that is checked.
        told = reader.told(spec.parameters or {})
        return ToolSpec(spec.name, spec.description, told), reader
    if isinstance(schema, type):
        return spec, ModelReader(schema, text)
    return spec, SchemaReader(spec, reserved, text)


def _named_after(function: Function, spec: ToolSpec) -> ToolSpec:
    """Returns the tool of a pydantic model, named after its function if that has a name."""
    inner = function
    # A `partial` has no name of its own.
    while isinstance(inner, partial):
        inner = inner.func
    name = getattr(inner, "__name__", "")
    # A lambda is named `<lambda>`, which is not a name for a model to write.
    return ToolSpec(name, spec.description, spec.parameters) if name.isidentifier() else spec


def _spec_of(function: Function, target: Target) -> ToolSpec:
    """Returns the name, description and schema of a function, without its context parameters."""
    name, description, schema = schema_of_callable(function)
    contexts = target.signature.contexts
    properties = {key: each for key, each in schema["properties"].items() if key not in contexts}
    required = [key for key in schema["required"] if key not in contexts]
    return ToolSpec(name, description, {**schema, "properties": properties, "required": required})


def _shown(value: object) -> str:
    # Cut, since a wrong argument may be any object, with a text of any length.
    text = inspect.formatannotation(type(value)) + " " + repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
