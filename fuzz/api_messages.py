"""Messages of hosted APIs: text, thoughts and native calls, some of them cut or damaged.

Whether a server sends such a message at once or in chunks, the same is read of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fuzz.mixed import examples, pieces_of
from toolgrammar.interop import anthropic, openai

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from toolgrammar import ParseResult

_ARGUMENTS: Final = json.dumps({"a": "x", "b": [1, 2], "c": {"d": True}})
_MARKS: Final = "{}[]\"',:\\<> \n"
_ENDS: Final = (("stop", "end_turn"), ("tool_calls", "tool_use"), ("length", "max_tokens"))
"""Why a server stopped, in the words of both APIs."""


class Block(NamedTuple):
    """A part of a message."""

    kind: str
    """`text`, `thinking` or `tool_use`."""
    text: str
    """What it says; of a call the arguments."""
    name: str = ""


def contradiction(format_id: str, draw: random.Random) -> tuple[str, str]:
    """Returns a message as JSON, and how its readings contradict each other; empty if they agree."""
    sample = draw.choice(examples(format_id))
    blocks = [_block(sample.text, draw) for _ in range(draw.randint(1, 4))]
    ends = draw.choice(_ENDS)
    how: dict[str, Any] = {"format": draw.choice((format_id, "auto")), "tools": sample.tools}
    said = json.dumps([[*map(list, blocks)], *ends], ensure_ascii=False)
    for whole, streamed in (
        of_openai(blocks, ends[0], how, draw),
        _of_anthropic(blocks, ends[1], how, draw),
    ):
        if told(whole) != told(streamed):
            return said, f"{how['format']}: {told(whole)} whole, {told(streamed)} in chunks"
    return said, ""


def _block(sample: str, draw: random.Random) -> Block:
    """Returns a text, a thought or a call: whole, cut, or damaged."""
    shown = draw.choice(("Ok.", " Hm\n", "", sample, sample[: draw.randrange(len(sample) + 1)]))
    kind = draw.choice(("text", "text", "thinking", "tool_use", "tool_use"))
    if kind != "tool_use":
        return Block(kind, shown)
    arguments = damaged(_ARGUMENTS, draw) if draw.random() < 0.5 else _ARGUMENTS
    return Block(kind, arguments, draw.choice(("get_x", "f", "")))


def damaged(text: str, draw: random.Random) -> str:
    """Returns the beginning of a text in which a mark is dropped, doubled or another."""
    at = draw.choice([at for at, letter in enumerate(text) if letter in _MARKS])
    put_in = draw.choice(("", text[at] * 2, draw.choice(_MARKS)))
    text = text[:at] + put_in + text[at + 1 :]
    return text[: draw.randrange(1, len(text) + 1)]


def of_openai(
    blocks: list[Block], reason: str, how: dict[str, Any], draw: random.Random
) -> tuple[ParseResult, ParseResult]:
    """Returns what is read of a completion with these blocks, whole and streamed."""
    by_kind = {
        kind: "".join(each.text for each in blocks if each.kind == kind)
        for kind in ("text", "thinking")
    }
    calls = [
        {"id": f"c{index}", "function": {"name": each.name, "arguments": each.text}}
        for index, each in enumerate(blocks)
        if each.kind == "tool_use"
    ]
    message = {"role": "assistant", "content": by_kind["text"], "tool_calls": calls}
    message["reasoning_content"] = by_kind["thinking"]
    deltas: list[dict[str, Any]] = [{"reasoning_content": by_kind["thinking"]}]
    for index, call in enumerate(calls):
        function: Any = call["function"]
        deltas.append(
            {"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]}
        )
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in pieces_of(function["arguments"], draw)
        ]
    deltas += [{"content": piece} for piece in pieces_of(by_kind["text"], draw)]
    chunks: list[dict[str, Any]] = [{"choices": [{"delta": each}]} for each in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": reason}]})
    stream = openai.repair_stream(chunks, **how)
    _take_all(iter(stream))
    return openai.repair_message(message, **how, finish_reason=reason).result, stream.result


def _of_anthropic(
    blocks: list[Block], reason: str, how: dict[str, Any], draw: random.Random
) -> tuple[ParseResult, ParseResult]:
    """Returns what is read of a message of Anthropic with these blocks, whole and streamed."""
    content: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"role": "assistant"}}]
    for index, (kind, text, name) in enumerate(blocks):
        key, delta = ("input", "input_json") if kind == "tool_use" else (kind, kind)
        block: dict[str, Any] = {"type": kind, key: text}
        if kind == "tool_use":
            block |= {"id": f"t{index}", "name": name}
        content.append(block)
        begun = {**block, key: {} if kind == "tool_use" else ""}
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        said = "partial_json" if kind == "tool_use" else kind
        events += [
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": f"{delta}_delta", said: piece},
            }
            for piece in pieces_of(text, draw)
        ]
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}})
    stream = anthropic.repair_stream(events, **how)
    _take_all(iter(stream))
    message = {"role": "assistant", "content": content, "stop_reason": reason}
    return anthropic.repair_message(message, **how).result, stream.result


def _take_all(stream: Iterator[object]) -> None:
    for _ in stream:
        pass


def told(result: ParseResult) -> tuple[object, ...]:
    """Returns what a result says, but for ids and places."""
    calls = [(c.name, c.arguments, c.input, c.status, c.doubts) for c in result.calls]
    words = result.text.split(), result.reasoning.split()
    return calls, *words, sorted(each.code for each in result.diagnostics), result.ok
