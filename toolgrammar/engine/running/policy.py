"""Defines the policy of the engine, which other interfaces on the pipeline may override."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from toolgrammar.engine.exact import cache_key
from toolgrammar.engine.outcomes.failures import TIMEOUT, UserError, text_of
from toolgrammar.engine.outcomes.normal_form import normal_form
from toolgrammar.engine.outcomes.text_json import compact_json
from toolgrammar.tools.json_texts import read_json
from toolgrammar.values.plain import copy_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ToolCall

# Immutable types, whose values need no copy.
_NO_COPY = frozenset({str, int, float, bool, type(None)})


class Running(Protocol):
    """The members of a run that a policy uses."""

    @property
    def call(self) -> ToolCall:
        """The object that was passed in, not a copy."""

    @property
    def opaque(self) -> Any:
        """Whatever an interface passes through to its guardrails and tools."""

    @property
    def limit(self) -> int | None:
        """The characters of a result, or None."""

    def identity(self) -> dict[str, Any]:
        """Returns what stands in every event of this run."""

    def call_copy(self) -> ToolCall:
        """Returns a copy of the call that a hook may change as it likes."""


class Policy:
    """The rules of the engine; another interface overrides those in which it differs.

    The tool defines how arguments are read (`Bound.reader`), and how they are passed
    (`Bound.sync`, `Bound.asynchronous`).
    """

    threads_for_sync_tools: ClassVar[bool] = True
    """Whether the async driver calls sync tools in threads of their own; else in the loop."""
    limits_in_sync_runs: ClassVar[bool] = True
    """Whether a time limit holds in the sync driver, too."""
    user_errors: ClassVar[tuple[type[Exception], ...]] = (UserError,)
    """The exceptions of a tool that report a mistake of the model; they are never retried."""

    def cache_key(self, call: ToolCall) -> tuple[str, str] | None:
        """Returns the cache key of a call; None if it is not cached."""
        return cache_key(call)

    def normal(self, run: Running, value: Any) -> Any:
        """Returns the return value of a tool in the form of a result.

        Raises:
            Unserialisable: it can't be turned.
        """
        return normal_form(value, run.limit)

    def copied(self, value: Any) -> Any:
        """Returns a copy of a result's value, for a guardrail."""
        # A result in normal form is JSON data, so `copy_json` copies all of it.
        return value if type(value) in _NO_COPY else copy_json(value)

    def failure_text(self, error: BaseException) -> str:
        """Returns the text of a tool's exception; `timeout` alone is reserved for the engine."""
        # `Exception("timeout")` of a tool becomes `Exception: timeout`, to distinguish it from the
        # engine's time limit.
        text = text_of(error)
        return f"{type(error).__name__}: {text}" if text == TIMEOUT else text

    def traced(self, arguments: dict[str, Any]) -> Any:
        """Returns arguments as plain JSON data, for the trace."""
        # Without a limit: a sink may cut the value itself.
        return normal_form(arguments, None)

    def guard_arguments(self, run: Running, data: Any) -> tuple[Any, ...]:
        """Returns the arguments for a guardrail; `data` is a copy made for it."""
        return run.call_copy(), data

    def packed(self, value: Any) -> Any:
        """Returns the text under which the cache stores a value."""
        # ASCII by default: a lone surrogate could not be stored as UTF-8.
        return compact_json(value) if type(value) is str and value.isascii() else json.dumps(value)

    def unpacked(self, stored: Any) -> Any:
        """Returns the value of a text from the cache.

        Raises:
            ValueError: it is not JSON text.
        """
        # A client that gives bytes, say; `pipeline` takes the exception for a miss.
        if not isinstance(stored, str):
            raise TypeError(f"a cache gives str or None, got {type(stored).__name__}")
        return read_json(stored)

    def events(
        self,
        run: Running,
        name: str,
        details: dict[str, Any],
        error: BaseException | None,
    ) -> Iterable[tuple[str, dict[str, Any]]]:
        """Returns the trace events, name and payload, that one event of the pipeline becomes.

        Args:
            run: the call's run.
            name: the event's name in the pipeline.
            details: what belongs to the event.
            error: what a tool or guardrail raised, where the event is about that.
        """
        return ((name, {**run.identity(), **details}),)
