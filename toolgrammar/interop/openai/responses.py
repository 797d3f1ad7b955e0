"""Converts the events of OpenAI's Responses API to the events of a parser.

`{"type": "response.output_text.delta", "delta": "On it."}` becomes `TextDelta("On it.")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.exchange import (
    key_of,
    lost_call,
    mapping_of,
    name_in,
    server_problem,
    string_of,
    written_json,
)
from toolgrammar.parsing.checks import is_cut
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

    from toolgrammar.interop.pieces import AnyPieces

# A refusal is text of the message, too.
_TEXTS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_REASONING: Final = frozenset(
    {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"}
)
_CUT: Final = "length"


def is_responses_event(chunk: Mapping[str, Any]) -> bool:
    """Whether a chunk is an event of this API, not a part of a completion."""
    kind = chunk.get("type")
    return isinstance(kind, str) and (kind.startswith("response.") or kind == "error")


class ResponsesEvents:
    """Turns their events into ours."""

    def __init__(self, pieces: AnyPieces) -> None:
        self._pieces = pieces
        self._texts: dict[object, tuple[int, Mapping[str, Any], list[str]]] = {}
        """The open calls of custom tools, whose payload is a text."""
        self.finish_reason: str | None = None
        """Why the server stopped, once it said so."""
        self.ended_texts = 0
        """The number of texts that have ended; each part of an item is one."""

    def feed(self, chunk: Mapping[str, Any]) -> list[Event]:
        """Returns what one event becomes."""
        # The place of the item in the output tells the pieces of one call from those of another.
        kind, key = str(chunk["type"]), key_of(chunk.get("output_index"))
        item, delta = mapping_of(chunk.get("item")), string_of(chunk.get("delta"))
        if kind in _TEXTS:
            return [TextDelta(delta)] if delta else []
        if kind in _REASONING:
            return [ReasoningDelta(delta)] if delta else []
        match kind.removeprefix("response."):
            case "output_item.added":
                self.ended_texts += 1
                return self._added(key, item)
            case "content_part.added":
                self.ended_texts += 1
                return []
            case "function_call_arguments.delta":
                return self._pieces.add(key, delta) if key in self._pieces else [lost_call(delta)]
            case "function_call_arguments.done" if key in self._pieces:
                return self._late(key, chunk.get("arguments"))
            case "custom_tool_call_input.delta" if key in self._texts:
                return self._more(key, delta)
            case "output_item.done":
                return self._done(key, item)
            case "completed":
                return self._ended("stop")
            case "incomplete":
                response = mapping_of(chunk.get("response"))
                said = mapping_of(response.get("incomplete_details")).get("reason")
                # A reason that is none of those known: the answer is incomplete all the same.
                return self._ended(said if isinstance(said, str) and is_cut(said) else _CUT)
            case "failed" | "error":
                # An event `error` has no response around its error.
                response = mapping_of(chunk.get("response"))
                return [*self._ended("error"), server_problem(response.get("error") or chunk)]
            case _:
                return []

    def _added(self, key: object, item: Mapping[str, Any]) -> list[Event]:
        # The result must name `call_id`; `id` is that of the item.
        identity = string_of(item.get("call_id") or item.get("id")) or None
        name, told = name_in(item)
        match item.get("type"):
            case "function_call" | "custom_tool_call" if told:
                return told
            case "function_call":
                return self._pieces.start(key, name, identity)
            case "custom_tool_call":
                index = self._pieces.take_place()
                self._texts[key] = (index, item, [])
                return [CallStart(index, name, identity)]
            case _:
                return []

    def _late(self, key: object, arguments: object) -> list[Event]:
        """Reads the whole arguments: a server may have streamed none, or not all of them."""
        whole, given = written_json(arguments), self._pieces.given(key)
        return self._pieces.add(key, whole[len(given) :]) if whole.startswith(given) else []

    def _more(self, key: object, text: str) -> list[Event]:
        index, _, parts = self._texts[key]
        parts.append(text)
        return [InputDelta(index, text)] if text else []

    def _done(self, key: object, item: Mapping[str, Any]) -> list[Event]:
        """Ends an item; what came of it whole alone is emitted first."""
        # The item says of itself whether it is whole, before the response says why it ended.
        reason = _CUT if item.get("status") == "incomplete" else "stop"
        if key in self._pieces:
            late = self._late(key, item.get("arguments"))
            return [*late, *self._pieces.end(key, reason)]
        if key in self._texts:
            late = [] if self._texts[key][2] else self._more(key, string_of(item.get("input")))
            return [*late, *self._end_text(key, reason)]
        return []

    def _end_text(self, key: object, reason: str) -> list[Event]:
        index, item, parts = self._texts.pop(key)
        text = "".join(parts)
        call = ToolCall(
            string_of(item.get("name")),
            {},
            id=string_of(item.get("call_id") or item.get("id")) or None,
            input=text,
            raw_arguments=text,
            status="truncated" if is_cut(reason) else "complete",
        )
        # The call has no arguments but its text, and the events say so.
        return [ArgumentsDelta(index, "{}"), CallEnd(index, call)]

    def _ended(self, reason: str) -> list[Event]:
        self.finish_reason = reason
        texts = [event for key in list(self._texts) for event in self._end_text(key, reason)]
        return [*self._pieces.end_all(reason), *texts]

    def close(self) -> list[Event]:
        """Returns what comes after the last event: a call that is open then was cut off."""
        return [event for key in list(self._texts) for event in self._end_text(key, _CUT)]
