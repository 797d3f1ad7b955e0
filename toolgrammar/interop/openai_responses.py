"""The events of OpenAI's Responses API as the events of a parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.exchange import Pieces, server_problem, written_json
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    InputDelta,
    ReasoningDelta,
    TextDelta,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXTS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_REASONING: Final = frozenset(
    {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"}
)
_CUT: Final = "length"


def is_responses_event(chunk: Mapping[str, Any]) -> bool:
    """Tells whether a chunk is an event of this API, not a part of a completion."""
    kind = chunk.get("type")
    return isinstance(kind, str) and (kind.startswith("response.") or kind == "error")


class ResponsesEvents:
    """Turns their events into ours."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._texts: dict[object, tuple[int, Mapping[str, Any], list[str]]] = {}
        """The open calls of custom tools, whose payload is a text."""

    def feed(self, chunk: Mapping[str, Any]) -> list[Event]:
        """Gives what one event becomes."""
        kind, key = str(chunk["type"]), chunk.get("output_index")
        if kind in _TEXTS:
            return [TextDelta(chunk["delta"])] if chunk.get("delta") else []
        if kind in _REASONING:
            return [ReasoningDelta(chunk["delta"])] if chunk.get("delta") else []
        match kind.removeprefix("response."):
            case "output_item.added":
                return self._added(key, chunk.get("item") or {})
            case "function_call_arguments.delta" if key in self._pieces:
                return self._pieces.add(key, chunk.get("delta") or "")
            case "custom_tool_call_input.delta" if key in self._texts:
                return self._more(key, chunk.get("delta") or "")
            case "output_item.done":
                return self._done(key, chunk.get("item") or {})
            case "completed":
                return self._ended("stop")
            case "incomplete":
                return self._ended(_CUT)
            case "failed" | "error":
                response = chunk.get("response") or {}
                return [*self._ended(_CUT), server_problem(response.get("error") or chunk)]
            case _:
                return []

    def _added(self, key: object, item: Mapping[str, Any]) -> list[Event]:
        identity = item.get("call_id") or item.get("id") or None
        match item.get("type"):
            case "function_call":
                return self._pieces.start(key, item["name"], identity)
            case "custom_tool_call":
                index = self._pieces.take_place()
                self._texts[key] = (index, item, [])
                return [CallStart(index, item["name"], identity)]
            case _:
                return []

    def _more(self, key: object, text: str) -> list[Event]:
        index, _, parts = self._texts[key]
        parts.append(text)
        return [InputDelta(index, text)] if text else []

    def _done(self, key: object, item: Mapping[str, Any]) -> list[Event]:
        """Ends an item; what came of it whole alone is given out first."""
        reason = _CUT if item.get("status") == "incomplete" else "stop"
        if key in self._pieces:
            arguments = written_json(item.get("arguments"))
            late = [] if self._pieces.has_begun(key) else self._pieces.add(key, arguments)
            return [*late, *self._pieces.end(key, reason)]
        if key in self._texts:
            given = item.get("input") or ""
            late = [] if self._texts[key][2] else self._more(key, given)
            return [*late, *self._end_text(key, reason)]
        return []

    def _end_text(self, key: object, reason: str) -> list[Event]:
        index, item, parts = self._texts.pop(key)
        text = "".join(parts)
        call = ToolCall(
            item["name"],
            {},
            id=item.get("call_id") or item.get("id") or None,
            input=text,
            raw_arguments=text,
            status="truncated" if reason == _CUT else "complete",
        )
        return [ArgumentsDelta(index, "{}"), CallEnd(index, call)]

    def _ended(self, reason: str) -> list[Event]:
        texts = [event for key in list(self._texts) for event in self._end_text(key, reason)]
        return [*self._pieces.end_all(reason), *texts]

    def close(self) -> list[Event]:
        """Gives what comes after the last event: a call that is open then was cut off."""
        return [event for key in list(self._texts) for event in self._end_text(key, _CUT)]
