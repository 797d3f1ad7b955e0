"""Repairs messages whose calls are broken, or were left in the text.

A text block that holds `<tool_call>…</tool_call>` becomes the text around it and a `tool_use` block;
an input that came as `{'city': 'Oslo',}` becomes `{"city": "Oslo"}`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.interop.anthropic.blocks import BlockReader
from toolgrammar.interop.anthropic.shapes import (
    INVALID,
    BlockWriter,
    begun_message,
    to_message,
    to_tool_calls,
)
from toolgrammar.interop.exchange import (
    key_of,
    mapping_of,
    name_in,
    plain,
    string_of,
    written_json,
)
from toolgrammar.interop.native.pieces import RepairedPieces
from toolgrammar.interop.native.read_events import read_events
from toolgrammar.interop.native.repaired import RepairedMessage, RepairedStream, written
from toolgrammar.interop.streaming import read_both_ways, read_stream
from toolgrammar.parsing.call_ids import check_id_prefix
from toolgrammar.parsing.checks import is_cut
from toolgrammar.parsing.whole import parse
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.events import CallEnd, Problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable, Mapping

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.interop.native.read_events import ReadEvents
    from toolgrammar.interop.streaming import AsyncReadStream, ReadStream
    from toolgrammar.values.diagnostics import Diagnostic
    from toolgrammar.values.events import Event
    from toolgrammar.values.tools import ToolSpec

_REASONS: Final = {
    *("end_turn", "max_tokens", "stop_sequence", "pause_turn", "refusal"),
    "model_context_window_exceeded",
}
# Blocks of other kinds, such as searches of the server, go through as they are.
_READ: Final = {"text", "thinking", "tool_use"}
_BESIDE: Final = {"signature_delta": "thinking", "citations_delta": "text"}
"""By the type of a delta that goes through as it is, the kind of its block."""


def repair_message(
    message: object,
    format: FormatsLike | None = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> RepairedMessage:
    """Returns a message with its calls repaired, and with those that its texts hold.

    One with nothing to repair comes back as it is. What was read and what was wrong is the
    `result` of what comes back.

    Args:
        message: a dict, or the message of the anthropic package.
        format: in which format the model writes calls; None leaves the texts alone.
        tools: the tools that the model had: their names and schemas guide the repairs.
        id_prefix: the text before the index in the generated id of a call; None: made from the
            call's place and text.
    """
    given = dict(plain(message))
    content = given.get("content") or []
    # The content may be one text in place of blocks.
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    # What a server writes there may be anything.
    blocks = list(blocks) if isinstance(blocks, list | tuple) else []
    reason = given.get("stop_reason")
    reason = reason if isinstance(reason, str) else None
    reading = _Blocks(format, tools, id_prefix)
    for index, each in enumerate(blocks):
        # Only the last block can have been cut.
        reading.take(each, reason if index == len(blocks) - 1 else None)
    reading.end_text(reason)
    content, result = reading.content(), reading.result()
    # By identity: nothing was found, so the message is given back as it came.
    if len(content) == len(blocks) and all(map(is_, content, blocks)):
        return RepairedMessage(given, result)
    cut = reason is not None and is_cut(reason)
    # `end_turn` would tell an agent that there is nothing to run.
    repaired = {"stop_reason": "tool_use"} if reason is not None and not cut else {}
    return RepairedMessage({**given, "content": content, **repaired}, result)


def _block_of(each: object) -> Mapping[str, Any]:
    return plain(each) if hasattr(each, "model_dump") else mapping_of(each)


class _Blocks:
    """Reads the blocks of a message, one after the other."""

    def __init__(
        self,
        format: FormatsLike | None,
        tools: Iterable[object] | None,
        id_prefix: str | None,
    ) -> None:
        check_id_prefix(id_prefix)
        self._format = format
        # Every block is parsed with them: an iterator would be empty at the second.
        self._specs: Mapping[str, ToolSpec] = to_specs(tools)
        self._tools = None if tools is None else self._specs
        self._id_prefix = id_prefix
        self._found: list[Any] = []
        """The blocks as they go out, those with nothing to repair as they came; calls for theirs."""
        self._calls: list[ToolCall] = []
        self._ids: set[str | None] = set()
        """The ids of these calls: a call in a later text that has one of them gets another."""
        self._said: dict[str, list[str]] = {"text": [], "thinking": []}
        self._diagnostics: list[Diagnostic] = []
        # Citations cut a text into blocks: those that follow each other are read as one text.
        self._texts: list[object] = []

    def take(self, each: object, reason: str | None) -> None:
        """Accepts the next block; `reason` is why the server stopped after it."""
        block = _block_of(each)
        kind = block.get("type")
        if kind == "text" and self._format is not None:
            self._texts.append(each)
            return
        self.end_text(None)
        if kind == "tool_use":
            self._call(each, block, reason)
        else:
            if isinstance(kind, str) and kind in self._said:
                self._said[kind].append(string_of(block.get(kind)))
            self._found.append(each)

    def end_text(self, reason: str | None) -> None:
        """Reads the text blocks that came last; `reason` is why the server stopped after them."""
        if not self._texts:
            return
        blocks, self._texts = self._texts, []
        text = "".join(string_of(_block_of(each).get("text")) for each in blocks)
        assert self._format is not None
        read = parse(text, self._format, tools=self._tools, finish_reason=reason)
        self._diagnostics += read.diagnostics
        self._said["text"].append(read.text)
        self._said["thinking"].append(read.reasoning)
        if read.calls:
            calls = [replace(c, id=None) if c.id in self._ids else c for c in read.calls]
            self._keep(calls)
            self._found += [*to_message(replace(read, calls=()))["content"], *calls]
        else:
            self._found += blocks

    def _call(self, each: object, block: Mapping[str, Any], reason: str | None) -> None:
        given = block.get("input")
        text = mapping_of(given).get(INVALID) if len(mapping_of(given)) == 1 else given
        (name, told), identity = name_in(block), string_of(block.get("id")) or None
        # Arguments that were no JSON stand there as a text, or under a key of their own.
        # Of a call that was cut the package gives what it could read, as a whole dict: the last
        # bracket may not have come.
        cut = reason is not None and is_cut(reason)
        arguments = text if isinstance(text, str) else written_json(given)[: -1 if cut else None]
        pieces = RepairedPieces(self._specs)
        events = told + pieces.start(0, name, identity)
        events += pieces.add(0, arguments)
        events += pieces.over(0)
        if 0 in pieces:
            events += pieces.end(0, reason or "tool_use")
        calls = [event.call for event in events if isinstance(event, CallEnd)]
        self._diagnostics += [event.diagnostic for event in events if isinstance(event, Problem)]
        self._keep(calls)
        # A text is no input for a client, sound as it may be.
        self._found += calls if pieces.repaired or isinstance(text, str) else [each]

    def _keep(self, calls: list[ToolCall]) -> None:
        self._calls += calls
        self._ids.update(call.id for call in calls)

    def content(self) -> list[Any]:
        """Returns the blocks as they go out, each call with an id of its own."""
        blocks = to_tool_calls(self._calls, id_prefix=self._id_prefix)
        written = dict(zip(map(id, self._calls), blocks, strict=True))
        return [written[id(e)] if isinstance(e, ToolCall) else e for e in self._found]

    def result(self) -> ParseResult:
        """Returns the message as it was read."""
        return ParseResult(
            calls=tuple(self._calls),
            text="\n".join(filter(None, self._said["text"])).strip(),
            reasoning="\n".join(filter(None, self._said["thinking"])).strip(),
            diagnostics=tuple(self._diagnostics),
        )


@read_both_ways
def repair_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    format: FormatsLike | None = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> ReadStream[dict[str, Any]] | AsyncReadStream[dict[str, Any]]:
    """Returns the events of a streamed message with its calls repaired, those in its texts too.

    The reason of its end becomes `tool_use` where there are calls, unless the server cut it.
    Thinking keeps its signatures and text its citations; blocks of other kinds, errors and pings go
    through as they are.
    What comes back has, at the end, the message as `result`, with all that was wrong.

    Args:
        chunks: dicts, or the raw events of the anthropic package.
        format: in which format the model writes calls; None leaves the texts alone.
        tools: the tools that the model had: their names and schemas guide the repairs.
        id_prefix: as for `to_stream`.
    """
    events = read_events(BlockReader, repair=True, format=format, tools=tools)
    return read_stream(_Repaired(events, id_prefix), chunks)


class _Repaired(RepairedStream):
    """Turns their events into events with repaired calls."""

    def __init__(self, events: ReadEvents, id_prefix: str | None) -> None:
        super().__init__(events)
        # Their first event holds the message as it begins; what a server leaves out is added.
        self._head = begun_message()
        check_id_prefix(id_prefix)
        self._id_prefix = id_prefix
        self._stop: Mapping[str, Any] = {}
        self._usage: dict[str, Any] = {"output_tokens": 0}
        self._others: set[object] = set()

    @cached_property
    def _writer(self) -> BlockWriter:
        # Made late: the first event says what the message is called, and ids are made of that.
        return BlockWriter(self._head, self._id_prefix, None, thinking=True)

    def chunk(self, chunk: Mapping[str, Any], events: list[Event]) -> list[dict[str, Any]]:
        kind = chunk.get("type")
        if kind == "ping":
            return [dict(chunk)]
        if kind == "message_start":
            self._head |= mapping_of(chunk.get("message"))
            return self._writer.opening()
        # Citations and signatures are those of their own block: two in a row stay two.
        begun = string_of(mapping_of(chunk.get("content_block")).get("type"))
        out = [*self._writer.end_block(begun), *written(events, self._writer)]
        if kind == "error":
            # A client that gets it raises: an end of its own would make an answer of it.
            self.failed = self.failed or self.finish_reason == "error"
            return [*out, dict(chunk)]
        if kind == "message_delta":
            self._stop = mapping_of(chunk.get("delta"))
            self._usage = dict(mapping_of(chunk.get("usage"))) or self._usage
        return [*out, *self._other(chunk)]

    def _other(self, chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns what an event says that none of ours does."""
        index, delta = key_of(chunk.get("index")), mapping_of(chunk.get("delta"))
        match chunk.get("type"):
            case "content_block_start":
                block = dict(mapping_of(chunk.get("content_block")))
                if not isinstance(block.get("type"), str) or block["type"] in _READ:
                    return []
                # Their deltas name the index of the block, and not its type.
                self._others.add(index)
                return self._writer.other_block(block)
            case "content_block_delta" if index in self._others:
                return self._writer.other_delta(dict(delta))
            case "content_block_delta" if (said := string_of(delta.get("type"))) in _BESIDE:
                return self._writer.beside(_BESIDE[said], dict(delta))
            case _:
                return []

    def end(self, events: list[Event]) -> list[dict[str, Any]]:
        out = written(events, self._writer)
        if self.failed:
            return out
        reason = self.end_reason(_REASONS, "max_tokens")
        stopped = self._stop.get("stop_sequence") if reason == "stop_sequence" else None
        return [*out, *self._writer.close(reason, self._usage, stopped)]
