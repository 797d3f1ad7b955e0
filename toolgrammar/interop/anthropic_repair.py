"""Messages whose calls the server left as text, as messages that have them."""

from __future__ import annotations

from functools import cached_property, partial
from operator import is_
from typing import TYPE_CHECKING, Any, overload

from toolgrammar.interop.anthropic_shapes import Blocks, event_reader, event_writer, to_message
from toolgrammar.interop.exchange import Message, plain, translated
from toolgrammar.interop.rereading import Reread
from toolgrammar.parsing.checks import is_cut
from toolgrammar.parsing.whole import parse

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from toolgrammar.catalogue.registry import FormatsLike


def repair_message(
    message: object,
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> Message:
    """Returns a message with the calls that its texts hold as `tool_use` blocks.

    One without such calls comes back as it is.

    Args:
        message: a dict, or the message of the anthropic package.
        format: in which format the model writes calls.
        tools: the tools that the model had.
        id_prefix: what stands before the index in the id of a call; None: it is made from the
            call's place and text.
    """
    given = dict(plain(message))
    content = given.get("content") or []
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    known = list(tools) if tools is not None else None
    reason = given.get("stop_reason")
    found: list[Any] = []
    for index, each in enumerate(blocks):
        block = plain(each)
        last = index == len(blocks) - 1
        result = parse(
            block.get("text") if block.get("type") == "text" else None,
            format,
            tools=known,
            finish_reason=reason if last else None,
        )
        if result.calls:
            found += to_message(result, id_prefix=id_prefix)["content"]
        else:
            found.append(each)
    if len(found) == len(blocks) and all(map(is_, found, blocks)):
        return given
    cut = isinstance(reason, str) and is_cut(reason)
    repaired = {"stop_reason": "tool_use"} if reason is not None and not cut else {}
    return {**given, "content": found, **repaired}


@overload
def repair_stream(
    chunks: AsyncIterable[object],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> AsyncIterator[dict[str, Any]]: ...


@overload
def repair_stream(
    chunks: Iterable[object],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> Iterator[dict[str, Any]]: ...


def repair_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
) -> Iterator[dict[str, Any]] | AsyncIterator[dict[str, Any]]:
    """Returns the events of a streamed message with the calls that its texts hold read.

    The reason of its end becomes `tool_use` where there are calls, unless the server cut it.
    Thinking goes through without its signatures, errors and pings as they are.

    Args:
        chunks: dicts, or the raw events of the anthropic package.
        format: in which format the model writes calls.
        tools: the tools that the model had.
        id_prefix: as for `to_stream`.
    """
    return translated(_Repaired(Reread(format, tools), id_prefix), chunks)


class _Repaired:
    """Turns their events into events with calls."""

    def __init__(self, reread: Reread, id_prefix: str | None) -> None:
        self._reread = reread
        self._reader = event_reader()
        # Their first event holds the message as it begins.
        self._head: dict[str, Any] = {"id": "", "role": "assistant", "content": []}
        self._write = partial(event_writer, id_prefix=id_prefix)
        self._reason: str | None = None
        self._usage: dict[str, Any] = {"output_tokens": 0}

    def feed(self, item: object) -> list[dict[str, Any]]:
        chunk = plain(item)
        kind = chunk.get("type")
        if kind in {"error", "ping"}:
            return [dict(chunk)]
        if kind == "message_start":
            self._head |= chunk["message"]
            return self._writer.opening()
        if kind == "message_delta":
            self._reason = (chunk.get("delta") or {}).get("stop_reason") or self._reason
            self._usage = dict(chunk.get("usage") or self._usage)
        return [
            out
            for event in self._reader.feed(chunk)
            for read in self._reread.feed(event)
            for out in self._writer.feed(read)
        ]

    @cached_property
    def _writer(self) -> Blocks:
        return self._write(self._head)

    def close(self) -> list[dict[str, Any]]:
        out = [
            chunk
            for event in self._reader.close()
            for read in self._reread.feed(event)
            for chunk in self._writer.feed(read)
        ]
        for read in self._reread.close(self._reason):
            out += self._writer.feed(read)
        cut = self._reason is not None and is_cut(self._reason)
        return [*out, *self._writer.close(self._reason if cut else None, self._usage)]
