"""Repairs the calls that a server made itself, as they stream.

Example: the deltas with the arguments `{'city': 'Os` and `lo',}` become deltas that add up to
`{"city": "Oslo"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.exchange import Cut
from toolgrammar.interop.native.pieces import RepairedPieces
from toolgrammar.interop.native.repaired import end_reason
from toolgrammar.interop.openai.repair import repair_message
from toolgrammar.interop.openai.shapes import REASONS, ChunkReader, DeltaWriter, reason_of
from toolgrammar.salvage.refusals import refusal
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import CallEnd, CallStart, Event, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.proxy.answer import Reading, Report
    from toolgrammar.values.diagnostics import Diagnostic

Delta = dict[str, Any]
_KEYS: Final = ("tool_calls", "function_call")


def with_own_calls(choice: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
    """Returns a choice of a whole answer with repaired calls and the finish reason of a stream.

    The same object if neither changes.
    """
    message, reason = choice.get("message"), choice.get("finish_reason")
    if not isinstance(message, Mapping):
        return choice
    own = {key: message.get(key) for key in _KEYS}
    said = reason if isinstance(reason, str) else None
    tools = list(reading.tools.values())
    repaired = repair_message({"role": "assistant", **own}, None, tools, finish_reason=said)
    if reading.report is not None:
        for found in repaired.result.diagnostics:
            _tell_lost(reading.report, found)
    end = Cut()
    for place, call in enumerate(repaired.result.calls):
        if reading.report is not None:
            tell(reading.report, call)
        end.see(CallStart(place, call.name, call.id))
        end.see(CallEnd(place, call))
    # As in a stream: the input of a custom tool is text, so it can't be told whether it was cut.
    new_reason = reason if any(map(_is_custom, _list(own["tool_calls"]))) else _reason(reason, end)
    if not any(own.values()) or all(repaired.get(key) == own[key] for key in _KEYS):
        return choice if new_reason == reason else {**choice, "finish_reason": new_reason}
    kept = {key: part for key, part in message.items() if key not in _KEYS}
    calls = repaired.get("tool_calls")
    new = {**kept, "tool_calls": calls} if calls else kept
    return {**choice, "message": new, "finish_reason": new_reason}


def _list(calls: object) -> list[Any]:
    """Returns the value of `tool_calls` as a list: some servers send one call alone."""
    return calls if isinstance(calls, list) else [calls]


def _is_custom(call: object) -> bool:
    """Whether a call is one of a custom tool."""
    return isinstance(call, dict) and bool(call.get("custom"))


def tell(report: Report, call: ToolCall) -> None:
    """Reports a call; a call that may not run has arguments that are not a JSON object."""
    report(call, None if call.executable else refusal(call, "not-executable"))


def _tell_lost(report: Report, found: Diagnostic) -> None:
    """Reports a call that is lost if a diagnostic tells of one: it has no name."""
    if found.code == "malformed-call":
        tell(report, ToolCall("", status="unreadable", error=found.message))


def _reason(finish_reason: Any, message: Cut) -> Any:
    """Returns the finish reason for the client: calls were made, unless one was cut."""
    if not isinstance(finish_reason, str):
        return finish_reason
    said = end_reason(finish_reason, REASONS, "length", has_calls=message.calls > 0)
    return said or reason_of(message)


class OwnCalls:
    """The calls that a server made itself in one choice."""

    def __init__(self, reading: Reading, seed: str) -> None:
        """Sets up the repairs.

        Args:
            reading: the tools, and the function to which each call is reported.
            seed: a text that is unique to the answer: ids are derived from it.
        """
        self._report = reading.report
        self._pieces = RepairedPieces(reading.tools)
        self._reader = ChunkReader(self._pieces)
        self._writer = DeltaWriter(None, seed, None)
        # The indexes of calls of custom tools, whose input is a text: there is nothing to repair.
        self._custom: dict[object, int] = {}
        self._message = Cut()

    def feed(self, delta: Mapping[str, Any], finish_reason: object = None) -> Delta:
        """Returns a delta with its calls repaired; with a finish reason, all remaining calls.

        Args:
            delta: the delta from the server.
            finish_reason: why the server stopped.
        """
        given = _list(delta.get("tool_calls") or [])
        custom = [each for each in given if _is_custom(each)]
        rest = [each for each in given if each not in custom]
        own = {"tool_calls": rest, "function_call": delta.get("function_call")}
        choice = {"delta": own, "finish_reason": finish_reason}
        calls = self._written(self._reader.feed({"choices": [choice]}))
        calls = [*(self._placed(each) for each in custom), *calls]
        kept = {key: part for key, part in delta.items() if key not in _KEYS}
        return {**kept, "tool_calls": calls} if calls else kept

    def close(self) -> Delta:
        """Ends an answer without a finish reason, whose last call was cut; returns the rest."""
        calls = self._written(self._reader.close())
        return {"tool_calls": calls} if calls else {}

    def reason(self, finish_reason: Any) -> Any:
        """Returns the finish reason for the client."""
        return finish_reason if self._custom else _reason(finish_reason, self._message)

    def _written(self, events: Iterable[Event]) -> list[Delta]:
        """Returns the calls of a delta, one entry each."""
        calls: dict[int, Delta] = {}
        for event in events:
            self._message.see(event)
            if isinstance(event, CallEnd) and self._report is not None:
                tell(self._report, event.call)
            if isinstance(event, Problem) and self._report is not None:
                _tell_lost(self._report, event.diagnostic)
            for piece in (self._writer.delta(event) or {}).get("tool_calls", ()):
                before = calls.setdefault(piece["index"], piece)
                if before is not piece:
                    before["function"]["arguments"] += piece["function"]["arguments"]
        return list(calls.values())

    def _placed(self, call: Delta) -> Delta:
        index = call.get("index")
        if index not in self._custom:
            self._custom[index] = self._pieces.take_place()
        return {**call, "index": self._custom[index]}
