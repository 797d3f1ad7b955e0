"""Gives words and texts without names to the properties of a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.values.calls import Status
    from toolgrammar.values.tools import ToolSpec

_WORD = late(r"\S+")


def takes_words(spec: ToolSpec | None) -> bool:
    """Whether a tool has properties for words and for the text below them."""
    return spec is not None and len(spec.properties) > 1


def arguments_of(words: str, body: str, spec: ToolSpec) -> tuple[dict[str, Any], bool]:
    """Gives the arguments that a line of words and the text below it are, and whether all was taken.

    The words fill the properties in order; where there are more words than properties, the last
    takes the rest of the line, and where a word does not fit its property, the first takes the line.
    The text fills the next required property that takes a string, or the only property that does;
    for it the last required one is kept free.
    """
    texts = [name for name in spec.required if is_text_only(spec.properties.get(name))]
    kept = texts[-1:] if body.strip() else []
    names = [name for name in spec.properties if name not in kept]
    found = _filled(words.strip(), names, spec)
    if not body.strip():
        return found, True
    free = next((name for name in texts if name not in found), None)
    free = free or spec.lone_text_parameter
    if free is None or free in found:
        return found, not spec.drops_text(found)
    found[free] = body
    return found, True


def refuse_text(builder: Builder, draft: Draft, status: Status, end: int) -> Status:
    """Reports a text that no argument takes; returns the status that the call then has.

    Without it the tool would run with its defaults.
    """
    builder.report(
        "unplaced-input",
        "error",
        "Found a text where the tool has no argument that it can only be",
        Span(max(0, draft.arguments_start, draft.start), max(end, draft.start, 0)),
        hint="name the argument",
    )
    draft.doubts.append("unplaced-input")
    if draft.members or draft.arguments or draft.error is not None or status == "truncated":
        return status
    draft.error = "input: the tool has no argument that this text can only be"
    return "unreadable"


def _filled(words: str, names: list[str], spec: ToolSpec) -> dict[str, Any]:
    """Gives words to properties; where one does not fit, the first takes the whole line."""
    found: dict[str, Any] = {}
    places = [match.start() for match in _WORD.finditer(words)]
    for number, name in enumerate(names[: len(places)]):
        last = number == len(names) - 1
        end = len(words) if last or number + 1 == len(places) else places[number + 1]
        value, fits = type_text(words[places[number] : end].strip(), spec.properties[name])
        if not fits and number:
            return {names[0]: type_text(words, spec.properties[names[0]])[0]}
        found[name] = value
    return found
