"""Reads the events of Anthropic's streamed messages: one content block after the other.

A `content_block_delta` with `{"type": "text_delta", "text": "On it."}` is `TextDelta("On it.")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.interop.exchange import (
    key_of,
    mapping_of,
    name_in,
    plain,
    server_problem,
    string_of,
    written_json,
)
from toolgrammar.values.events import Event, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.interop.pieces import AnyPieces


class BlockReader:
    """Turns their events into ours."""

    def __init__(self, pieces: AnyPieces) -> None:
        self._pieces = pieces
        self.finish_reason: str | None = None
        """Why the server stopped, once it said so."""
        self.ended_texts = 0
        """The number of texts that have ended; adjacent text blocks are one text, since citations split it."""

    def feed(self, item: object) -> list[Event]:
        """Returns what one event becomes."""
        chunk = plain(item)
        index = key_of(chunk.get("index"))
        match chunk.get("type"):
            case "content_block_start":
                # A call that is still open here was not cut: the answer goes on.
                over = self._pieces.end_all("tool_use")
                return [*over, *self._start(index, mapping_of(chunk.get("content_block")))]
            case "content_block_delta":
                return self._delta(index, mapping_of(chunk.get("delta")))
            case "content_block_stop" if index in self._pieces:
                return self._pieces.over(index)
            case "message_delta":
                # A call without arguments may have been cut before them: here the server says so.
                reason = mapping_of(chunk.get("delta")).get("stop_reason")
                if not isinstance(reason, str):
                    return []
                self.finish_reason = reason
                return self._pieces.end_all(reason)
            case "error":
                # An error ends the answer as a limit does: open calls count as cut off.
                self.finish_reason = self.finish_reason or "error"
                return [*self._pieces.end_all("max_tokens"), server_problem(chunk.get("error"))]
            case _:
                return []

    def close(self) -> list[Event]:
        """Returns what comes after the last event."""
        # Without a reason: the stream broke off, and nothing open in it is completed.
        return self._pieces.end_all()

    def _start(self, index: object, block: Mapping[str, Any]) -> list[Event]:
        text = string_of(block.get("text") or block.get("thinking"))
        self.ended_texts += block.get("type") != "text"
        match block.get("type"):
            case "tool_use":
                name, told = name_in(block)
                if told:
                    return told
                identity = string_of(block.get("id")) or None
                events = self._pieces.start(index, name, identity)
                # The API itself begins with an empty object and sends pieces; others may send all
                # of it here.
                if block.get("input"):
                    events += self._pieces.add(index, written_json(block["input"]))
                return events
            case "text" if text:
                return [TextDelta(text)]
            case "thinking" if text:
                return [ReasoningDelta(text)]
            case _:
                return []

    def _delta(self, index: object, delta: Mapping[str, Any]) -> list[Event]:
        match delta.get("type"):
            case "text_delta":
                return [TextDelta(string_of(delta.get("text")))]
            case "thinking_delta":
                return [ReasoningDelta(string_of(delta.get("thinking")))]
            case "input_json_delta":
                piece = string_of(delta.get("partial_json"))
                # Server tools stream their input in the same way; those blocks are none of ours.
                if index in self._pieces:
                    return self._pieces.add(index, piece)
                return []
            case _:
                # Signatures and citations go through as they are (`repair.py`), as do kinds yet to come.
                return []
