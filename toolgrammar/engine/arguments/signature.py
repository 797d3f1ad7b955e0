"""Inspects a function: its parameters, their types, and how to call it.

`def pay(amount: int, context: ToolContext)` has the hints `{"amount": int}`, `required` with
`amount`, and `contexts` with `context`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, Union, get_args, get_origin

from toolgrammar.engine.context import ToolContext
from toolgrammar.tools.signatures import _hints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.engine.arguments.reading import Reading

Function: TypeAlias = Callable[..., Any]

_CONTEXT: Final = ToolContext.__name__


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function."""

    hints: Mapping[str, Any]
    """The type of each parameter that the model fills; `Any` if it can't be resolved."""
    required: frozenset[str]
    """Those of them without a default."""
    takes_more: bool
    """Whether there is a `**kwargs`."""
    contexts: frozenset[str]
    """The parameters that get a `ToolContext`."""
    positional: tuple[tuple[str, Any], ...]
    """The positional-only parameters, with their defaults."""
    first: str | None
    """The name of the first parameter that is not a context."""

    @classmethod
    def of(cls, function: Function) -> Signature:
        """Returns the signature of a function; one without parameters if it can't be read."""
        # Some C functions have no signature; all arguments are passed to them.
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return cls(
                {}, frozenset(), takes_more=True, contexts=frozenset(), positional=(), first=None
            )
        hints = _hints_of(function)
        contexts = frozenset(
            # Annotations are compared as text too: the class may be imported for type checkers only.
            each.name
            for each in parameters
            if _is_context(hints.get(each.name)) or _names_context(each.annotation)
        )
        filled = [
            each
            for each in parameters
            # `*args` can't be filled by name, and `**kwargs` takes all other names.
            if each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD}
            and each.name not in contexts
        ]
        return cls(
            hints={each.name: hints.get(each.name, Any) for each in filled},
            required=frozenset(each.name for each in filled if each.default is each.empty),
            takes_more=any(each.kind is each.VAR_KEYWORD for each in parameters),
            contexts=contexts,
            positional=tuple(
                (each.name, each.default)
                for each in parameters
                if each.kind is each.POSITIONAL_ONLY
            ),
            first=filled[0].name if filled else None,
        )


@dataclass(frozen=True, slots=True)
class Target:
    """A function and how it is called."""

    function: Function
    """The function itself."""
    signature: Signature
    """Its parameters."""
    is_async: bool
    """Whether it runs in an event loop."""
    by_name: bool
    """Whether arguments are passed by their names, and nothing else is."""

    @classmethod
    def of(cls, function: Function, *, is_async: bool = False) -> Target:
        """Returns the target of a function; `is_async`: it is async without `async def`."""
        signature = Signature.of(function)
        return cls(
            function,
            signature,
            is_async=is_async or is_coroutine_function(function),
            by_name=not signature.positional and not signature.contexts,
        )

    def bound(
        self,
        reading: Reading,
        context: ToolContext | None,
        opaque: Any,
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns positional and keyword arguments for one attempt.

        Args:
            reading: the arguments, a copy that this attempt may change.
            context: the context, for tools that have a parameter for it.
            opaque: what an interface passes through to its tools; for targets of its own.
        """
        signature = self.signature
        named = reading.arguments
        leading: tuple[Any, ...] = ()
        if reading.instance is not None:
            # Passed by name if possible, since a context may be the first parameter.
            if signature.first is None:
                leading, named = (reading.instance,), {}
            else:
                named = {signature.first: reading.instance}
        # Replaces an argument of this name: a model can't forge a context.
        for name in signature.contexts:
            named[name] = context
        if not signature.positional or leading:
            return leading, named
        values = []
        for name, default in signature.positional:
            # A missing argument without a default ends the list: Python then reports it.
            if name not in named and default is inspect.Parameter.empty:
                break
            values.append(named.pop(name, default))
        return tuple(values), named


def is_coroutine_function(function: Function) -> bool:
    """Whether calling a function gives a coroutine or an asynchronous generator."""
    while isinstance(function, partial):
        function = function.func
    # An object with `async def __call__` counts as a coroutine function.
    if not inspect.isroutine(function):
        function = getattr(function, "__call__", function)  # noqa: B004 - its code is wanted
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _hints_of(function: Function) -> dict[str, Any]:
    while isinstance(function, partial):
        function = function.func
    # The hints of a callable instance are in its class.
    return _hints(function if hasattr(function, "__name__") else type(function).__call__)


def _is_context(hint: Any) -> bool:
    """Whether a type is `ToolContext`, possibly annotated or optional."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _is_context(get_args(hint)[0])
    if origin in {Union, UnionType}:
        # `ToolContext | None`: the engine always gives one.
        return any(_is_context(member) for member in get_args(hint))
    return hint is ToolContext


def _names_context(annotation: object) -> bool:
    """Whether an annotation names the class as text: it may be imported for types only."""
    return isinstance(annotation, str) and annotation.rpartition(".")[2].strip() == _CONTEXT
