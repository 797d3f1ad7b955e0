"""Broken native calls as servers stream them, and the calls that are to be read of them.

A case is written as the pieces of its calls: the index, the id, the name and the arguments of each,
None where the server left it out. `deltas` gives the chunks of a completion; the arguments of a
piece may be cut anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS: list[dict[str, Any]] = [
    {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "near": {"type": "array", "items": {"type": "string"}},
                "exact": {"type": "boolean"},
            },
            "required": ["city"],
        },
    },
    {
        "name": "save",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
            "required": ["path", "text"],
        },
    },
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]
OSLO = ("weather", {"city": "Oslo"})
ROME = ("weather", {"city": "Rome"})
NOW: tuple[str, dict[str, Any]] = ("now", {})


@dataclass(frozen=True)
class Piece:
    """A piece of a call."""

    arguments: str | None = None
    name: str | None = None
    id: str | None = None
    index: int | None = 0


@dataclass(frozen=True)
class Case:
    """A broken stream."""

    name: str
    pieces: tuple[Piece, ...] = ()
    runs: tuple[tuple[str, dict[str, Any]], ...] = ()
    """The calls that may run, in their order."""
    refused: tuple[str, ...] = ()
    """The names of those that may not."""
    codes: tuple[str, ...] = ()
    """What must be told, in any order; nothing else may be an error."""
    finish: str | None = "tool_calls"
    content: str = ""
    text: str = ""
    """What is left of the content."""
    error: object = None

    def pieces_in(self, size: int) -> Iterator[Piece]:
        """Yields the pieces with their arguments cut into parts of so many characters."""
        for piece in self.pieces:
            given = piece.arguments or ""
            parts = [given[at : at + size] for at in range(0, len(given), size)]
            yield Piece(parts[0] if parts else piece.arguments, piece.name, piece.id, piece.index)
            # What was cut off has no name: the name came with the first part.
            yield from (Piece(part, None, None, piece.index) for part in parts[1:])


def call(
    arguments: str | None, name: str = "weather", id: str | None = "c1", index: int = 0
) -> Piece:
    """Returns the one piece of a whole call."""
    return Piece(arguments, name, id, index)


def one(name: str, arguments: str, *codes: str, **fields: Any) -> Case:
    """Returns a case of one call of `weather`."""
    return Case(name, (call(arguments),), codes=codes, **fields)


CASES = [
    # Arguments that are almost JSON.
    one("single-quotes", "{'city': 'Oslo'}", "quote-style", runs=(OSLO,)),
    one("trailing-comma", '{"city": "Oslo",}', "stray-comma", runs=(OSLO,)),
    one("bare-key", '{city: "Oslo"}', "bare-key", runs=(OSLO,)),
    one("bare-text", '{"city": Oslo}', "bare-text", runs=(OSLO,)),
    one("comment", '{"city": "Oslo" /* capital */}', "comment", runs=(OSLO,)),
    one("line-end-in-string", '{"city": "Os\nlo"}', "control", runs=(("weather", {"city": "Os\nlo"}),)),
    one("python-literal", '{"city": "Oslo", "exact": True}', "literal",
        runs=(("weather", {"city": "Oslo", "exact": True}),)),
    one("missing-comma", '{"city": "Oslo" "days": 2}', "comma",
        runs=(("weather", {"city": "Oslo", "days": 2}),)),
    one("missing-colon", '{"city" "Oslo"}', "colon", runs=(OSLO,)),
    one("wrong-last-bracket", '{"city": "Oslo"]', "bracket", runs=(OSLO,)),
    one("missing-inner-bracket", '{"city": "Oslo", "near": ["Moss"}', "bracket",
        runs=(("weather", {"city": "Oslo", "near": ["Moss"]}),)),
    one("bracket-too-many", '{"city": "Oslo"}}', "extra-closer", runs=(OSLO,)),
    one("without-first-bracket", '"city": "Oslo"}', "bracket", runs=(OSLO,)),
    one("json-in-a-string", '"{\\"city\\": \\"Oslo\\"}"', "decoded", runs=(OSLO,)),
    one("escaped-once-too-often", '{\\"city\\": \\"Oslo\\"}', "unescaped-once", runs=(OSLO,)),
    one("fenced", '```json\n{"city": "Oslo"}\n```', "around", runs=(OSLO,)),
    one("prose-before", 'Sure: {"city": "Oslo"}', "around", runs=(OSLO,)),
    one("closing-tag-behind", '{"city": "Oslo"}</tool_call>', "around", runs=(OSLO,)),
    one("number-in-quotes", '{"city": "Oslo", "days": "2"}', "schema-type",
        runs=(("weather", {"city": "Oslo", "days": 2}),)),
    one("object-twice-as-keys", '{"city": "Oslo", "city": "Rome"}', "duplicate-key",
        refused=("weather",)),
    one("inner-quotes", '{"city": "Oslo "S"", "days": 1}', "inner-quote",
        runs=(("weather", {"city": 'Oslo "S"', "days": 1}),)),
    one("inner-quote-in-doubt", '{"city": "it"s"}', "inner-quote", refused=("weather",)),
    one("nan", '{"city": "Oslo", "days": NaN}', "nonfinite", refused=("weather",)),
    one("no-json-at-all", "the weather of Oslo", "malformed-arguments", refused=("weather",)),
    one("list", '["Oslo"]', "malformed-arguments", refused=("weather",)),
    one("null", "null", "malformed-arguments", refused=("weather",)),
    # What was cut off.
    one("cut-in-a-string", '{"city": "Os', "truncated", refused=("weather",), finish="length"),
    one("cut-and-said-to-be-whole", '{"city": "Os', "truncated", refused=("weather",)),
    one("cut-before-the-last-bracket", '{"city": "Oslo"', "truncated", refused=("weather",)),
    one("broken-and-cut", "{'city': 'Oslo'}", "truncated", "quote-style", refused=("weather",),
        finish="length"),
    one("stream-broke-off", '{"city": "Os', "truncated", refused=("weather",), finish=None),
    one("cut-before-the-arguments", "", "truncated", refused=("weather",), finish="length"),
    one("whole-before-the-cut", '{"city": "Oslo"}', runs=(OSLO,), finish="length"),
    one("filtered", '{"city": "', "truncated", refused=("weather",), finish="content_filter"),
    one("aborted", '{"city": "Oslo"', "truncated", refused=("weather",), finish="abort"),
    Case("second-of-two-cut", (call('{"city": "Oslo"}'), call('{"city": "Ro', id="c2", index=1)),
         runs=(OSLO,), refused=("weather",), codes=("truncated",), finish="length"),
    Case("first-mended-second-cut", (call("{'city': 'Oslo'}"), call('{"ci', id="c2", index=1)),
         runs=(OSLO,), refused=("weather",), codes=("quote-style", "truncated"), finish="length"),
    # Calls that the API ran together.
    one("two-objects", '{"city": "Oslo"}{"city": "Rome"}', "joined-calls", runs=(OSLO, ROME)),
    one("two-objects-on-lines", '{"city": "Oslo"}\n{"city": "Rome"}', "joined-calls", runs=(OSLO, ROME)),
    one("three-objects", '{"city": "Oslo"}{"city": "Rome"}{"city": "Oslo", "days": 1}', "joined-calls",
        runs=(OSLO, ROME, ("weather", {"city": "Oslo", "days": 1}))),
    one("same-object-twice", '{"city": "Oslo"}{"city": "Oslo"}', "joined-calls", runs=(OSLO,)),
    one("empty-object-first", '{}{"city": "Oslo"}', "joined-calls", runs=(OSLO,)),
    one("first-object-with-a-key-of-no-tool", '{"city": "Oslo", "x": 1}{"city": "Rome"}', "joined-calls",
        refused=("weather", "weather")),
    one("second-object-of-no-tool", '{"city": "Oslo"}{"town": "Rome"}', "joined-calls",
        refused=("weather", "weather")),
    one("second-object-cut", '{"city": "Oslo"}{"city": "Ro', "extra-value", refused=("weather",)),
    Case("names-and-objects-joined", (call('{"city": "Oslo"}{}', "weathernow"),), runs=(OSLO, NOW),
         codes=("joined-calls", "doubled-name")),
    Case("all-at-index-0", (call('{"city": "Oslo"}'), call('{"city": "Rome"}', id="c2"), call("{}", "now", "c3")),
         runs=(OSLO, ROME, NOW)),
    Case("all-at-index-0-without-ids",
         (call('{"city": "Oslo"}', id=None), call('{"city": "Rome"}', id=None), call("", "now", None)),
         runs=(OSLO, ROME, NOW)),
    Case("without-indexes", (Piece('{"city": "Oslo"}', "weather", "c1", None),
         Piece("{}", "now", "c2", None)), runs=(OSLO, NOW)),
    Case("two-without-arguments", (Piece(None, "now", "c1"), Piece(None, "now", "c2")), runs=(NOW, NOW)),
    Case("broken-ones-at-index-0", (call("{'city': 'Oslo'}"), call("{city: 'Rome'}", id="c2")),
         runs=(OSLO, ROME), codes=("quote-style", "bare-key")),
    # Names.
    Case("name-in-pieces", (Piece(None, "wea", "c1"), Piece(None, "ther"), Piece('{"city": "Oslo"}')),
         runs=(OSLO,)),
    Case("name-with-each-piece", (call('{"city"'), call(': "Oslo"'), call("}")), runs=(OSLO,)),
    Case("name-again-at-the-end", (call('{"city": "Oslo"}'), call("")), runs=(OSLO,)),
    Case("name-growing", (Piece(None, "wea", "c1"), Piece(None, "weather"), Piece('{"city": "Oslo"}')),
         runs=(OSLO,), codes=("doubled-name",)),
    Case("name-doubled", (call('{"city": "Oslo"}', "weatherweather"),), runs=(OSLO,), codes=("doubled-name",)),
    Case("name-doubled-in-pieces", (Piece(None, "weather", "c1"), Piece('{"city": "Oslo"}', "weather")),
         runs=(OSLO,), codes=("doubled-name",)),
    Case("name-after-the-arguments", (Piece('{"city": "Oslo"}'), Piece(None, "weather", "c1")), runs=(OSLO,)),
    Case("name-with-blanks", (call('{"city": "Oslo"}', " weather\n"),), runs=(OSLO,), codes=("doubled-name",)),
    Case("new-id-with-each-piece",
         (call('{"city"'), call(': "Os', id="c2"), call('lo"}', id="c3")), runs=(OSLO,)),
    Case("no-name-ever", (Piece('{"city": "Oslo"}', None, "c1"),), codes=("malformed-call",)),
    # Calls in the text.
    Case("call-in-the-text", content='On it.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
         text="On it.", runs=(OSLO,), finish="stop"),
    Case("calls-of-both-kinds", (call("{}", "now", "c2"),),
         content='<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
         runs=(OSLO, NOW)),
    Case("call-cut-in-the-text", content='<tool_call>\n{"name": "weather", "arguments": {"city": "Os',
         refused=("weather",), codes=("truncated",), finish="length"),
    Case("broken-call-in-the-text",
         content="<tool_call>\n{'name': 'weather', 'arguments': {'city': 'Oslo'}}\n</tool_call>",
         runs=(OSLO,), codes=("quote-style",), finish="stop"),
    # Errors of the server.
    # The beginning of another call has no arguments, and what came before it is no JSON.
    Case("new-id-and-arguments-behind-it",
         (call("{'city': 'Oslo', 'days': 2}"), call("", id="c2"), Piece('"city": "Rome"}')),
         refused=("weather",), codes=("quote-style", "extra-value")),
    Case("error-alone", error={"message": "overloaded", "type": "server_error"}, codes=("truncated",),
         finish=None),
    Case("error-in-a-call", (call('{"city": "Oslo"'),), refused=("weather",), codes=("truncated",),
         error="overloaded", finish=None),
    Case("error-behind-text", content="Well", text="Well", error={"message": "overloaded"},
         codes=("truncated",), finish=None),
]  # fmt: skip


def deltas(case: Case, size: int) -> list[dict[str, Any]]:
    """Returns the chunks of a completion, with arguments and content in parts of `size`."""
    out: list[dict[str, Any]] = [{"role": "assistant"}]
    out += [{"content": case.content[at : at + size]} for at in range(0, len(case.content), size)]
    for piece in case.pieces_in(size):
        function = {"name": piece.name, "arguments": piece.arguments}
        given = {"index": piece.index, "id": piece.id}
        shown = {key: part for key, part in given.items() if part is not None}
        inner = {key: part for key, part in function.items() if part is not None}
        out.append({"tool_calls": [{**shown, "function": inner}]})
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in out
    ]
    if case.error is not None:
        chunks.append({"error": case.error})
    if case.finish is not None:
        choice = {"index": 0, "delta": {}, "finish_reason": case.finish}
        chunks.append({**head, "choices": [choice]})
    return chunks


def blocks(case: Case, size: int) -> list[dict[str, Any]]:
    """Returns the events of Anthropic's API that say the same, a block for each name."""
    message: dict[str, Any] = {
        "id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    out: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    index = -1
    if case.content:
        index += 1
        block = {"type": "text", "text": ""}
        out.append({"type": "content_block_start", "index": index, "content_block": block})
        for at in range(0, len(case.content), size):
            delta = {"type": "text_delta", "text": case.content[at : at + size]}
            out.append({"type": "content_block_delta", "index": index, "delta": delta})
        out.append({"type": "content_block_stop", "index": index})
    for piece in case.pieces:
        index += 1
        use: dict[str, Any] = {"type": "tool_use", "id": piece.id, "name": piece.name, "input": {}}
        out.append({"type": "content_block_start", "index": index, "content_block": use})
        text = piece.arguments or ""
        for at in range(0, len(text), size):
            pair = {"type": "input_json_delta", "partial_json": text[at : at + size]}
            out.append({"type": "content_block_delta", "index": index, "delta": pair})
        out.append({"type": "content_block_stop", "index": index})
    if case.error is not None:
        out.append({"type": "error", "error": case.error})
    if case.finish is not None:
        reason = {"tool_calls": "tool_use", "stop": "end_turn", "length": "max_tokens"}
        end: dict[str, Any] = {
            "stop_reason": reason.get(case.finish, case.finish),
            "stop_sequence": None,
        }
        out.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}})
        out.append({"type": "message_stop"})
    return out
