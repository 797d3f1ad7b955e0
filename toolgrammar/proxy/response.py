"""Rewrites a whole answer: the calls in its text become `tool_calls`.

Example: `{"choices": [{"message": {"content": "<tool_call>…"}, "finish_reason": "stop"}]}` becomes
`{"choices": [{"message": {"content": None, "tool_calls": […]}, "finish_reason": "tool_calls"}]}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolgrammar.proxy.answer import AnswerReader, Piece, Reading, Report, reading_of
from toolgrammar.proxy.bodies import to_bytes
from toolgrammar.proxy.own_calls import with_own_calls
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.salvage.policy import SalvagePolicy


def rewrite_response(
    response: dict[str, Any],
    request: Mapping[str, Any],
    *,
    format: FormatsLike,
    policy: SalvagePolicy | None = None,
    prefix: str = "",
    report: Report | None = None,
    repair: bool = False,
) -> dict[str, Any]:
    """Returns an answer with the calls in its text as tool calls; the same object if it has none.

    Args:
        response: a chat completion or a text completion. In the latter, whose API has no tool
            calls, `tool_calls` and `reasoning_content` are in the choice beside `text`.
        request: the client's request, with `tools` and `messages`.
        format: the format in which the model writes calls.
        policy: decides which calls may run; the others stay text. None for the default policy.
        prefix: the part of the answer that the chat template writes before the model begins.
        report: called with each call and its refusal.
        repair: whether calls that the server made itself are repaired. One that may not run keeps
            arguments that are not a JSON object.

    Raises:
        UnknownFormat: no format has this id or alias.
        TypeError: a tool of the request, the request or the response has a wrong shape.
        ValueError: a tool of the request costs too much to read.
    """
    check_type("response", response, Mapping, "a model of the API becomes one by .model_dump()")
    reading = reading_of(request, format, policy, prefix, report, repair=repair)
    return response if reading is None else read_response(response, reading)


def read_response(response: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """Returns the rewritten answer; the same object if nothing in it changes."""
    choices = response.get("choices")
    # An error of the server, `{"error": {…}}`, has no choices and is passed on unchanged.
    if not isinstance(choices, list):
        return response
    # The index of the choice is part of the seed: with `n` > 1 two choices may contain the same
    # call, and their ids must differ.
    seed = str(response.get("id") or "")
    found = [_rewritten(choice, reading, at, seed) for at, choice in enumerate(choices)]
    # The same object is returned if nothing was changed.
    same = all(new is old for new, old in zip(found, choices, strict=True))
    return response if same else {**response, "choices": found}


def read_body(body: bytes, reading: Reading) -> bytes:
    """Returns the body of an answer, rewritten; the same object if nothing in it changes."""
    try:
        # An error page of an intermediary: passed on unchanged.
        response = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(response, dict):
        return body
    found = read_response(response, reading)
    return body if found is response else to_bytes(found)


def _rewritten(choice: Any, reading: Reading, index: int, seed: str) -> Any:
    """Returns a choice with its calls read; the same object if nothing changes."""
    if not isinstance(choice, Mapping):
        return choice
    # Before the repairs, by which a call without a name is lost.
    native = _has_own_calls(choice)
    if reading.repair:
        choice = with_own_calls(choice, reading)
    message = choice.get("message")
    is_chat = isinstance(message, Mapping)
    holder: Mapping[str, Any] = message if isinstance(message, Mapping) else choice
    key = "content" if is_chat else "text"
    text = holder.get(key)
    # None beside the server's own calls; any other type belongs to another API.
    if not isinstance(text, str) or not text:
        return choice
    own = holder.get("tool_calls") or []
    # Calls of the text can only be added to a list.
    if not isinstance(own, list):
        return choice
    reader = AnswerReader(reading, f"{seed}/{index}", index=index, native=native)
    for call in own:
        reader.native_id(call)
    reason = choice.get("finish_reason")
    pieces = [*reader.feed(text), *reader.close(reason)]
    said = holder.get("reasoning_content") or ""
    # If the reasoning field has a wrong type, reasoning in the text stays in the content.
    kinds = ("content",) if isinstance(said, str) else ("content", "reasoning")
    parts = {
        "content": _joined(pieces, *kinds),
        "reasoning": "" if len(kinds) > 1 else _joined(pieces, "reasoning"),
    }
    if parts["content"] == text and not parts["reasoning"] and not reader.given:
        return choice
    # The line ends around calls and thoughts belong to the format, not to the answer.
    # A prompt that the server repeats stays: clients count its characters.
    content = text[: reader.echoed] + parts["content"][reader.echoed :].strip()
    # OpenAI's API has `content: null` beside calls. A text completion has no null for `text`.
    new = {**holder, key: content or (None if reader.given and is_chat else "")}
    if thought := parts["reasoning"].strip():
        new["reasoning_content"] = f"{said}\n{thought}" if said else thought
    if reader.given:
        new["tool_calls"] = [*own, *(piece[1] for piece in pieces if piece[0] == "call")]
    outer = {**choice, "message": new} if is_chat else new
    return {**outer, "finish_reason": reader.reason(reason)}


def _has_own_calls(choice: Mapping[str, Any]) -> bool:
    """Whether the server has made calls in a choice, of whatever shape."""
    message = choice.get("message")
    holder = message if isinstance(message, Mapping) else choice
    return bool(holder.get("tool_calls") or holder.get("function_call"))


def _joined(pieces: list[Piece], *kinds: str) -> str:
    return "".join(str(text) for found, text in pieces if found in kinds)
