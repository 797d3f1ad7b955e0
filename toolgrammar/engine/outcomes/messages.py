"""Results of tools as the messages that tell the model.

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
from toolgrammar.writing.results.json_lines import json_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from toolgrammar.values.calls import ToolCall

__all__ = ["Answer", "to_messages"]


Message: TypeAlias = Any
"""A message, as a dict. `Any`, so that it is taken where an API's library has a type of its own."""


# The kinds that the API takes; another kind is told as text.
_ANTHROPIC_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class Answer(Protocol):
    """A `ToolResult`, as far as messages need it."""

    @property
    def call(self) -> ToolCall:
        """The call."""

    @property
    def ok(self) -> bool:
        """Whether it has a value."""

    @property
    def content(self) -> str:
        """What the model is told."""


def to_messages(
    results: Iterable[Answer],
    style: str = "openai",
    *,
    id_prefix: str | None = None,
    tools: Iterable[object] | None = None,
) -> list[Message]:
    """Returns the messages that tell the model the results of its calls; none for no results.

    Of a call that was refused the model is told what was wrong and how to write it again.

    Args:
        results: the results of one message, in any order; those that know their place in it are
            put in its order.
        style: `openai` gives a message for each result, `anthropic` one for all, with the images;
            elsewhere a text stands for an image. The id of a format gives one for all in the
            format's own text for results, or in JSON lines where it has none: for prompts that you
            put together yourself. A server whose chat template writes results would write its
            markup round that again.
        id_prefix: what stands before the index in the id of a call that has none; None: the id is
            made from the call. The same as for the calls themselves in `toolgrammar.interop`.
        tools: all tools of the conversation, or their names: a call of none of them is told the
            nearest.

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
        # Anthropic wants all results of a message in one: a second message of the user would come
        # between.
        return [{"role": "user", "content": blocks}] if blocks else []
    texts = [_Told(answer.call, content) for answer, content in zip(answers, told, strict=True)]
    text = _wire_text(texts, style, "call_" if id_prefix is None else id_prefix)
    return [{"role": "tool", "content": text}] if answers else []


@dataclass(frozen=True, slots=True)
class _Told:
    """A result, as the model is told of it."""

    call: ToolCall
    content: str


def _told(answer: Answer, names: Collection[str] | None) -> str:
    """Returns the text of a result; that of a refused call says how to write it again."""
    # An `Answer` need not have an error: then its text is all there is.
    error = getattr(answer, "error", None)
    if not isinstance(error, ToolError):
        return answer.content
    said = error_feedback(answer.call, error.code, error.message, names)
    return f"Error: {said}" if said else answer.content


def _anthropic_content(answer: Answer, text: str) -> str | list[dict[str, Any]]:
    """Returns the text of a result, or its blocks where it has images that the API takes."""
    # An `Answer` need not have a value: then its text is all there is.
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
        elif text := text_of_block(block):
            content.append({"type": "text", "text": text})
    return content


def _in_order(results: Iterable[Answer]) -> tuple[list[Answer], list[int]]:
    """Returns results and their places in the message; in its order where all know theirs."""
    answers = list(results)
    for answer in answers:
        if not (hasattr(answer, "call") and hasattr(answer, "content")):
            raise TypeError(f"a result has a call and a content, got {answer!r:.80}")
    known = [getattr(answer, "index", None) for answer in answers]
    places = [index if place is None else place for index, place in enumerate(known)]
    # A call that ran alone does not know its place: then the order in which they were given counts.
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
    # A format that says how results are written; the others get lines of JSON.
    if form.tables.results:
        return form.render_results(answers, id_prefix=id_prefix)
    return json_lines(form, answers)
