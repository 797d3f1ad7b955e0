"""Defines the events of a stream.

`Hi <tool_call>{"name": "now", "arguments": {"tz": "UTC"}}</tool_call>` gives `TextDelta("Hi ")`,
`CallStart(0, "now")`, `ArgumentsDelta(0, '{"tz": "UTC"}')` and `CallEnd(0, ToolCall("now", …))`.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgrammar.values.calls import ToolCall
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.plain import check_version, headed

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the message's text."""

    text: str
    """The piece, with white space as written."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "TextDelta", "text": self.text})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TextDelta:
        """Returns the event that `to_dict` wrote."""
        return cls(_body(cls, data)["text"])


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of the reasoning."""

    text: str
    """The piece, with white space as written."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "ReasoningDelta", "text": self.text})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReasoningDelta:
        """Returns the event that `to_dict` wrote."""
        return cls(_body(cls, data)["text"])


@dataclass(frozen=True, slots=True)
class CallStart:
    """A call begins."""

    index: int
    """The call's place in `result.calls`."""
    name: str
    """The tool's name."""
    id: str | None = None
    """The call's id; None if it has not been read yet: the call of `CallEnd` has it."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "CallStart", "index": self.index, "name": self.name, "id": self.id})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CallStart:
        """Returns the event that `to_dict` wrote."""
        body = _body(cls, data)
        return cls(body["index"], body["name"], body.get("id"))


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """More of a call's arguments; the joined pieces are the JSON of `call.arguments`."""

    index: int
    """The call's place in `result.calls`."""
    json: str
    """The piece of JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "ArgumentsDelta", "index": self.index, "json": self.json})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ArgumentsDelta:
        """Returns the event that `to_dict` wrote."""
        body = _body(cls, data)
        return cls(body["index"], body["json"])


@dataclass(frozen=True, slots=True)
class InputDelta:
    """More of the payload of a free-text call."""

    index: int
    """The call's place in `result.calls`."""
    text: str
    """The piece of the payload."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "InputDelta", "index": self.index, "text": self.text})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> InputDelta:
        """Returns the event that `to_dict` wrote."""
        body = _body(cls, data)
        return cls(body["index"], body["text"])


@dataclass(frozen=True, slots=True)
class CallEnd:
    """A call ends."""

    index: int
    """The call's place in `result.calls`."""
    call: ToolCall
    """The whole call."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "CallEnd", "index": self.index, "call": self.call.body()})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CallEnd:
        """Returns the event that `to_dict` wrote."""
        body = _body(cls, data)
        return cls(body["index"], ToolCall.from_dict(body["call"]))


@dataclass(frozen=True, slots=True)
class Problem:
    """Something was repaired, lost, or is doubtful."""

    diagnostic: Diagnostic
    """The diagnostic that describes it."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the event as plain JSON data."""
        return headed({"type": "Problem", "diagnostic": self.diagnostic.body()})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problem:
        """Returns the event that `to_dict` wrote."""
        return cls(Diagnostic.from_dict(_body(cls, data)["diagnostic"]))


Event: TypeAlias = (
    TextDelta | ReasoningDelta | CallStart | ArgumentsDelta | InputDelta | CallEnd | Problem
)
"""Any event of a stream."""

# The event classes, by the names that `to_dict` writes under `type`.
_KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        TextDelta, ReasoningDelta, CallStart, ArgumentsDelta, InputDelta, CallEnd, Problem,
    )
}  # fmt: skip


def event_from_dict(data: Mapping[str, Any]) -> Event:
    """Returns the event, of any type, that its `to_dict` wrote.

    Raises:
        ValueError: no event has this type.
    """
    check_version(data)
    kind = _KINDS.get(data.get("type", ""))
    if kind is None:
        raise ValueError(f"unknown event type {data.get('type')!r}; known: {', '.join(_KINDS)}")
    return kind.from_dict(data)


def _body(kind: type[Event], data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the data after checking its version, its keys and its type."""
    check_version(data, *(each.name for each in fields(kind) if each.default is MISSING))
    # The type may be missing if `from_dict` of an event class is called directly.
    found = data.get("type", kind.__name__)
    if found != kind.__name__:
        raise ValueError(f"expected a {kind.__name__}, got type {found!r}")
    return data
