"""Writes results of tools as messages for the model.

A result `21 °C` becomes `{"role": "tool", "tool_call_id": …, "content": "21 °C"}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolgrammar.catalogue.registry import formats
from toolgrammar.engine.outcomes.failures import ToolError
from toolgrammar.engine.outcomes.media import blocks_of, media_of, text_of_block
from toolgrammar.parsing.call_ids import ids_of
from toolgrammar.values.calls import names_of
from toolgrammar.values.errors import UnknownFormat, check_several
from toolgrammar.values.feedback import error_feedback
from toolgrammar.values.plain import sound
from toolgrammar.writing.results.json_lines import json_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from toolgrammar.values.calls import ToolCall

__all__ = ["Answer", "to_messages"]


Message: TypeAlias = Any
"""A message, as a dict. `Any`, so that type checkers accept it where an API has its own type."""


# The types that the API accepts; others are written as a placeholder.
_ANTHROPIC_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class Answer(Protocol):
    """The members of a `ToolResult` that messages need."""

    @property
    def call(self) -> ToolCall:
        """The call."""

    @property
    def ok(self) -> bool:
        """Whether it has a value."""

    @property
    def content(self) -> str:
        """The text for the model."""


def to_messages(
    results: Iterable[Answer],
    style: str = "openai",
    *,
    id_prefix: str | None = None,
    tools: Iterable[object] | None = None,
) -> list[Message]:
    """Returns the messages with the results of the model's calls; [] if there are no results.

    For a refused call, the message says what was wrong and how to write the call again.

    Args:
        results: the results of one message, in any order; they are sorted by their index if all
            of them have one.
        style: `openai` gives a message for each result; `anthropic` gives one message for all,
            with images, which are placeholders in all other styles. The id of a format gives one
            message in the format's own text for results, or in JSON lines if it defines none: for
            prompts without a chat template, which would add its own markup again.
        id_prefix: the text before the index in the generated id of a call without one; None: the
            id is a hash of the call. Use the same as for the calls in `toolgrammar.interop`.
        tools: all tools of the conversation, or their names: the result of an unknown tool then
            names similar ones.

    Raises:
        ValueError: there is no such style.
        TypeError: the results are none.
    """
    check_several("results", results, "a list of results", "Engine.run_all_sync(calls) gives them")
    answers, places = _in_order(results)
    names = names_of(tools)
    told = [_told(answer, names) for answer in answers]
    ids = ids_of((answer.call for answer in answers), id_prefix, places)
    if style == "openai":
        return [
            {
                "role": "tool",
                "tool_call_id": identity,
                "content": content,
            }
            for content, identity in zip(told, ids, strict=True)
        ]
    if style == "anthropic":
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": identity,
                "content": _anthropic_content(answer, content),
                "is_error": not answer.ok,
            }
            for answer, content, identity in zip(answers, told, ids, strict=True)
        ]
        # Anthropic requires all results of a message in one message of the user.
        return [{"role": "user", "content": blocks}] if blocks else []
    texts = [_Told(answer.call, content) for answer, content in zip(answers, told, strict=True)]
    text = _wire_text(texts, style, "call_" if id_prefix is None else id_prefix)
    return [{"role": "tool", "content": text}] if answers else []


@dataclass(frozen=True, slots=True)
class _Told:
    """A result with its text for the model."""

    call: ToolCall
    content: str


def _told(answer: Answer, names: Collection[str] | None) -> str:
    """Returns the text of a result; for a refused call, how to write it again."""
    # An `Answer` need not have an `error`: its text is then used.
    error = getattr(answer, "error", None)
    if not isinstance(error, ToolError):
        return answer.content
    said = error_feedback(answer.call, error.code, error.message, names)
    return f"Error: {sound(said)}" if said else answer.content


def _anthropic_content(answer: Answer, text: str) -> str | list[dict[str, Any]]:
    """Returns the text of a result, or its blocks if it has images that the API accepts."""
    # An `Answer` need not have a `value`: its text is then used.
    blocks = blocks_of(getattr(answer, "value", None)) if answer.ok else None
    if blocks is None:
        return text
    content: list[dict[str, Any]] = []
    for block in blocks:
        media = media_of(block)
        if media is not None and media.kind in _ANTHROPIC_IMAGES:
            source = {"type": "base64", "media_type": media.kind, "data": media.data}
            content.append({"type": "image", "source": source})
        # The API refuses an empty text.
        elif text := sound(text_of_block(block)):
            content.append({"type": "text", "text": text})
    return content


def _in_order(results: Iterable[Answer]) -> tuple[list[Answer], list[int]]:
    """Returns the results and their indexes in the message, sorted if all have an index."""
    answers = list(results)
    for answer in answers:
        if not (hasattr(answer, "call") and hasattr(answer, "content")):
            raise TypeError(f"a result has a call and a content, got {answer!r:.80}")
    known = [getattr(answer, "index", None) for answer in answers]
    places = [index if place is None else place for index, place in enumerate(known)]
    # A call that ran alone has no index: the given order is then used.
    if None not in known:
        order = sorted(range(len(answers)), key=places.__getitem__)
        answers, places = [answers[each] for each in order], [places[each] for each in order]
    return answers, places


def _wire_text(answers: list[_Told], style: str, id_prefix: str) -> str:
    """Returns the text of results in a format."""
    try:
        form = formats[style]
    except UnknownFormat as problem:
        raise ValueError(
            f"unknown style {style!r}: a style is 'openai', 'anthropic' or a format ({problem})"
        ) from problem
    # A format may define how results are written; for others they are lines of JSON.
    if form.tables.results:
        return form.render_results(answers, id_prefix=id_prefix)
    return json_lines(form, answers)
