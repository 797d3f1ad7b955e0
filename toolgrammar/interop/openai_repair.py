"""Completions whose calls the server left as text, as completions that have them."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, overload

from toolgrammar.interop.exchange import Message, plain, translated
from toolgrammar.interop.openai_shapes import chunk_reader, chunk_writer, to_message
from toolgrammar.interop.rereading import Reread
from toolgrammar.parsing.checks import is_cut
from toolgrammar.parsing.whole import parse

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping

    from toolgrammar.catalogue.registry import FormatsLike

_KEPT = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


def repair_message(
    message: object,
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    finish_reason: str | None = None,
    id_prefix: str | None = None,
    reasoning_key: str = "reasoning_content",
) -> Message:
    """Returns a message with the calls that its content holds as text among its `tool_calls`.

    One without such calls comes back as it is.

    Args:
        message: a dict, or the message of the openai package.
        format: in which format the model writes calls.
        tools: the tools that the model had.
        finish_reason: why the server stopped.
        id_prefix: what stands before the index in the id of a call; None: it is made from the
            call's place and text.
        reasoning_key: under which key reasoning goes that is found in the content.
    """
    given = {key: part for key, part in plain(message).items() if part is not None}
    content = given.get("content")
    if not isinstance(content, str):
        return {"content": None, **given}
    result = parse(content, format, tools=tools, finish_reason=finish_reason)
    if not result.calls:
        return given
    read = to_message(result, id_prefix=id_prefix, reasoning_key=reasoning_key)
    read["tool_calls"] = [*given.get("tool_calls", ()), *read["tool_calls"]]
    return {**read, **{key: part for key, part in given.items() if key not in read}}


@overload
def repair_stream(
    chunks: AsyncIterable[object],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
    reasoning_key: str = "reasoning_content",
) -> AsyncIterator[dict[str, Any]]: ...


@overload
def repair_stream(
    chunks: Iterable[object],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
    reasoning_key: str = "reasoning_content",
) -> Iterator[dict[str, Any]]: ...


def repair_stream(
    chunks: Iterable[object] | AsyncIterable[object],
    format: FormatsLike = "auto",
    tools: Iterable[object] | None = None,
    *,
    id_prefix: str | None = None,
    reasoning_key: str = "reasoning_content",
) -> Iterator[dict[str, Any]] | AsyncIterator[dict[str, Any]]:
    """Returns the chunks of a completion with the calls that its content holds as text read.

    The reason of its end becomes `tool_calls` where there are calls, unless the server cut it.
    Chunks of usage and errors go through as they are; of several choices the first is left.

    Args:
        chunks: dicts, or the chunks of the openai package.
        format: in which format the model writes calls.
        tools: the tools that the model had.
        id_prefix: as for `to_stream`.
        reasoning_key: under which key reasoning goes.
    """
    return translated(_Repaired(Reread(format, tools), id_prefix, reasoning_key), chunks)


class _Repaired:
    """Turns their chunks into chunks with calls."""

    def __init__(self, reread: Reread, id_prefix: str | None, reasoning_key: str) -> None:
        self._reread = reread
        self._reader = chunk_reader()
        # The first chunk says what the others are called.
        self._head: dict[str, Any] = {"id": "", "object": "chat.completion.chunk"}
        self._write = partial(chunk_writer, id_prefix=id_prefix, reasoning_key=reasoning_key)
        self._begun = False
        self._reason: str | None = None
        self._behind: list[dict[str, Any]] = []

    def feed(self, item: object) -> list[dict[str, Any]]:
        chunk = plain(item)
        if not self._begun:
            self._begun = True
            self._head |= {key: chunk[key] for key in _KEPT if chunk.get(key) is not None}
        self._note_end(chunk)
        if chunk.get("error"):
            return [dict(chunk)]
        if not chunk.get("choices"):
            self._behind.append(dict(chunk))
        return [
            out
            for event in self._reader.feed(chunk)
            for read in self._reread.feed(event)
            for out in self._writer.feed(read)
        ]

    @cached_property
    def _writer(self) -> Any:
        return self._write(self._head)

    def _note_end(self, chunk: Mapping[str, Any]) -> None:
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) == 0 and choice.get("finish_reason"):
                self._reason = choice["finish_reason"]

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
        out += self._writer.close(self._reason if cut else None)
        return [*out, *self._behind]
