"""Writes the messages of a conversation, in the shape of OpenAI's API, in a format's wire text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError
from toolgrammar.writing.render import has_place_for, render_message
from toolgrammar.writing.results import render_results
from toolgrammar.writing.stretches import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.values.tools import ToolSpec
    from toolgrammar.writing.read_back import Writable
    from toolgrammar.writing.results import OnMarkup


@dataclass(frozen=True, slots=True)
class _Answer:
    call: ToolCall
    content: str


def render_conversation(
    fmt: Writable,
    messages: Iterable[Mapping[str, Any]],
    tools: Mapping[str, ToolSpec] | None,
    on_markup: OnMarkup,
) -> list[dict[str, str]]:
    """Gives the messages, each with its role and its text; see `Format.render_conversation`.

    Raises:
        RenderError: a message has no place in the format.
        ValueError: a message is of another shape.
    """
    written: list[dict[str, str]] = []
    calls: dict[str, ToolCall] = {}
    answers: list[_Answer] = []
    for number, message in enumerate([*messages, None]):
        role = None if message is None else message.get("role")
        if answers and role != "tool":
            text = render_results(fmt, answers, on_markup=on_markup)
            written.append({"role": "tool", "content": text})
            answers = []
        if message is None:
            break
        if not isinstance(role, str):
            raise ValueError(f"message {number}: `role` must be a string, got {role!r:.40}")  # noqa: TRY004
        if role == "assistant":
            own = _calls(message.get("tool_calls") or (), number)
            calls |= {call.id: call for call in own if call.id is not None}
            text = _assistant(fmt, message, own, tools, number)
            written.append({"role": role, "content": text})
        elif role == "tool":
            answers.append(
                _Answer(_answered(message, calls), _text(message.get("content"), number))
            )
        else:
            written.append({"role": role, "content": _text(message.get("content"), number)})
    return written


def _assistant(
    fmt: Writable,
    message: Mapping[str, Any],
    calls: Sequence[ToolCall],
    tools: Mapping[str, ToolSpec] | None,
    number: int,
) -> str:
    """Gives the wire text of what a model wrote; what has no place is left out: ids, reasoning."""
    reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
    stretches = [
        Stretch("reasoning", _text(reasoning, number) if has_place_for(fmt, "reasoning") else ""),
        Stretch("text", _text(message.get("content"), number)),
    ]
    with_ids = Stretch("calls", calls=tuple(calls))
    bare = Stretch("calls", calls=tuple(ToolCall(call.name, call.arguments) for call in calls))
    problem: RenderError | None = None
    for way in (*stretches, with_ids), (*stretches, bare), (stretches[-1], bare):
        try:
            return render_message(fmt, way, tools)
        except RenderError as error:
            problem = error
    raise RenderError(f"message {number}: {problem}") from problem


def _calls(found: Iterable[Any], number: int) -> list[ToolCall]:
    """Gives the calls of a message; their arguments are a JSON string or an object."""
    calls = []
    for each in found:
        function = each.get("function") if isinstance(each, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str):
            raise ValueError(f"message {number}: no function is named in {each!r:.80}")  # noqa: TRY004
        arguments = function.get("arguments") or {}
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError as problem:
                raise ValueError(
                    f"message {number}: the arguments of {name!r}: {problem}"
                ) from None
        if not isinstance(arguments, dict):
            raise ValueError(f"message {number}: the arguments of {name!r} are no object")  # noqa: TRY004
        calls.append(ToolCall(name, arguments, id=each.get("id")))
    return calls


def _answered(message: Mapping[str, Any], calls: Mapping[str, ToolCall]) -> ToolCall:
    """Gives the call that a result answers."""
    found = calls.get(str(message.get("tool_call_id")))
    return found or ToolCall(str(message.get("name") or ""), id=message.get("tool_call_id"))


def _text(content: Any, number: int) -> str:
    """Gives the text of a message: a string, or blocks of text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    texts = [each.get("text") if isinstance(each, dict) else None for each in blocks]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"message {number}: its content is no text")
    return "".join(text for text in texts if isinstance(text, str))
