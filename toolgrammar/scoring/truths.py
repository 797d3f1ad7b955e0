"""Reads the calls that were right from a row, and compares those of a message with them.

A truth is a list of calls, one call, or its JSON text, in any of the usual shapes:
`{"name": "f", "arguments": {…}}`, OpenAI's `{"function": {"name": "f", "arguments": "{…}"}}`,
Anthropic's `{"name": "f", "input": {…}}`, also with `parameters` or `args`, and under `calls` or
`tool_calls`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.core.evidence.no_arguments import KEYS_OF_ARGUMENTS
from toolgrammar.tools.coerce import type_text
from toolgrammar.tools.fits import same
from toolgrammar.tools.json_texts import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec


_PAIRS: Final = 65_536
"""Pairs of calls that are all compared: 256 calls with 256 that were right."""


class BadTruthError(ValueError):
    """Raised if the truth of a row is not a list of calls."""


class TrueCall(NamedTuple):
    """A call that was right."""

    name: str
    arguments: Mapping[str, Any]


class Agreement(NamedTuple):
    """The agreement of the calls of a message with the true ones."""

    message: bool
    """Whether they are the same calls, in their order, and no others."""
    calls: int
    """The right calls that were found, whatever their order."""
    extra: int
    """The calls that were found and are none of them."""
    named: int
    """The right calls of which one with their name was found."""
    arguments: int
    """The arguments of right calls that the call of their name has with the same value."""


def truth_of(value: object, column: str = "") -> tuple[TrueCall, ...] | None:
    """Returns the calls that were right, or None if nothing was said.

    Args:
        value: what a row has as its truth.
        column: where it has it, which an error says how to go on from.

    Raises:
        BadTruthError: the value is not a list of calls.
        ValueError: it is a text, and no JSON.
    """
    # An empty cell of a table may be "": nothing was said. An empty list says: no call was right.
    if value is None or value == "":
        return None
    if isinstance(value, str):
        # No path leads into a text.
        try:
            value, column = read_json(value), ""
        except json.JSONDecodeError as error:
            raise BadTruthError(f"not JSON: {error.msg} at column {error.colno}") from error
    if isinstance(value, dict):
        for key in ("calls", "tool_calls"):
            if isinstance(value.get(key), list):
                value = value[key]
                break
        else:
            _refuse_holder(value, column)
            value = [value]
    if not isinstance(value, list):
        raise BadTruthError("expected a list of calls")
    return tuple(map(_call, value))


def _refuse_holder(value: dict[str, Any], column: str) -> None:
    """Refuses an object that holds the list of calls, as `{"parser": [call, …]}` in `truth`.

    Raises:
        BadTruthError: the object has no name, and a list of calls under one of its keys.
    """
    if not column or "name" in value or "function" in value:
        return
    # A key with a dot in it can't be a step of a path.
    paths = [f"`{column}.{key}`" for key, each in value.items() if "." not in key and _calls(each)]
    if paths:
        raise BadTruthError(f"expected a list of calls; there is one in {' and in '.join(paths)}")


def _calls(value: object) -> bool:
    """Whether a value is a list of calls, and not empty."""
    if not isinstance(value, list) or not value:
        return False
    try:
        return all(map(_call, value))
    except (ValueError, RecursionError):
        return False


def _call(value: object) -> TrueCall:
    if not isinstance(value, dict):
        raise BadTruthError(f"expected a call, got {json.dumps(value, default=repr)[:40]}")
    # OpenAI puts name and arguments into `function`; others have them in the call itself.
    inner = value.get("function")
    body: dict[str, Any] = inner if isinstance(inner, dict) else value
    name = body.get("name")
    arguments = arguments_in(body)
    if isinstance(arguments, str):
        # OpenAI writes arguments as JSON text; some servers send "" for a call without any.
        arguments = read_json(arguments) if arguments.strip() else {}
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise BadTruthError("a call needs a name, and an object of arguments")
    return TrueCall(name, arguments or {})


def arguments_in(call: Mapping[str, Any]) -> object:
    """Returns what a call has as its arguments, under whichever of their names; None if nothing."""
    # The names of OpenAI and Anthropic come first, where a call has several.
    names = ("arguments", "input", *sorted(KEYS_OF_ARGUMENTS))
    return next((call[name] for name in names if name in call), None)


def agreement(
    calls: Sequence[ToolCall], truth: Sequence[TrueCall], tools: Mapping[str, ToolSpec] | None
) -> Agreement:
    """Returns how far calls are those that were right; the pairs that are most alike come first.

    Of more than 65,536 pairs of calls each is compared with the one in its place alone.
    """
    # All pairs of a log's row with thousands of calls would keep a reader busy for hours.
    if len(calls) * len(truth) > _PAIRS:
        return _in_order(calls, truth, tools)
    message = len(calls) == len(truth) and all(
        _is(call, true, tools) for call, true in zip(calls, truth, strict=True)
    )
    # By their content, so that no figure depends on the order in which a truth is written.
    ordered = sorted(truth, key=lambda true: json.dumps(true, sort_keys=True, default=repr))
    # First those that are the same in all, so that no half-right call takes their place, then
    # those that share the most; of equal pairs that of the first call.
    pairs = sorted(
        (not _is(call, true, tools), -_shared(call, true, tools), place, at)
        for place, call in enumerate(calls)
        for at, true in enumerate(ordered)
        if call.name == true.name
    )
    taken, met = set[int](), set[int]()
    found = arguments = 0
    for differs, lacking, place, at in pairs:
        if place not in taken and at not in met:
            taken.add(place)
            met.add(at)
            found += not differs
            arguments -= lacking
    return Agreement(message, found, len(calls) - found, len(met), arguments)


def _in_order(
    calls: Sequence[ToolCall], truth: Sequence[TrueCall], tools: Mapping[str, ToolSpec] | None
) -> Agreement:
    """Returns how far calls are those that were right, each compared with that in its place."""
    # By place: where the order counts, a call too many moves all after it.
    pairs = list(zip(calls, truth, strict=False))
    found = sum(_is(call, true, tools) for call, true in pairs)
    named = [(call, true) for call, true in pairs if call.name == true.name]
    arguments = sum(_shared(call, true, tools) for call, true in named)
    message = found == len(calls) == len(truth)
    return Agreement(message, found, len(calls) - found, len(named), arguments)


def _is(call: ToolCall, true: TrueCall, tools: Mapping[str, ToolSpec] | None) -> bool:
    # Arguments beyond the right ones make another call, so the names must be the same set.
    if call.name != true.name or call.arguments.keys() != true.arguments.keys():
        return False
    return _shared(call, true, tools) == len(true.arguments)


def _shared(call: ToolCall, true: TrueCall, tools: Mapping[str, ToolSpec] | None) -> int:
    """Counts the arguments that a call has with the value that is right."""
    spec = (tools or {}).get(call.name)
    return sum(
        name in call.arguments
        and _equal(call.arguments[name], value, None if spec is None else spec.properties.get(name))
        for name, value in true.arguments.items()
    )


def _equal(value: object, true: object, schema: Any) -> bool:
    """Whether two values are one, but for the type that the schema gives a text."""
    if same(value, true):
        return True
    # `"5"` and 5 are one where the schema says that it is a number.
    if isinstance(value, str) != isinstance(true, str):
        text, other = (value, true) if isinstance(value, str) else (true, value)
        return same(type_text(str(text), schema)[0], other)
    return False
