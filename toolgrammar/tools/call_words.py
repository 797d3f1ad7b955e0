"""Assigns words and texts without names to the properties of a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.values.tools import ToolSpec

_WORD = late(r"\S+")


class Shared(NamedTuple):
    """A line of words and the text below it, shared out to the properties of a tool."""

    arguments: dict[str, Any]
    placed: bool = True
    """Whether the text has a place: without it, the tool would run on its defaults."""
    misfit: str = ""
    """The property that got a word which it does not take; mostly empty."""


def takes_words(spec: ToolSpec | None) -> bool:
    """Whether a tool has properties for words and for the text below them."""
    # With one property there is nothing to share out: the words are the input, as the text below
    # is.
    return spec is not None and len(spec.properties) > 1


def arguments_of(words: str, body: str, spec: ToolSpec) -> Shared:
    """Returns the arguments that a line of words and the text below it are.

    The words fill the properties in order; where there are more words than properties, the last
    takes the rest of the line, and where a word does not fit its property, the first takes the line.
    The text fills the next required property that takes a string, or the only property that does;
    for it the last required one is kept free.
    """
    texts = [name for name in spec.required if is_text_only(spec.properties.get(name))]
    # `save notes.txt` with a text below: for the properties `path` and `content`, the text is
    # `content`.
    kept = texts[-1:] if body.strip() else []
    names = [name for name in spec.properties if name not in kept]
    found, misfit = _filled(words.strip(), names, spec)
    if not body.strip():
        return Shared(found, misfit=misfit)
    free = next((name for name in texts if name not in found), None)
    # No required string is left: an optional one takes the text only if it is the only string.
    free = free or spec.lone_text_parameter
    if free is None or free in found:
        # The text has no place: a loss where the tool would run on its defaults without it.
        return Shared(found, placed=not spec.drops_text(found), misfit=misfit)
    found[free] = body
    return Shared(found, misfit=misfit)


def _filled(words: str, names: list[str], spec: ToolSpec) -> tuple[dict[str, Any], str]:
    """Returns the words by property, and the property that does not take its word.

    Where a word does not fit its property, the first takes the whole line.
    """
    found: dict[str, Any] = {}
    misfit = ""
    places = [match.start() for match in _WORD.finditer(words)]
    for number, name in enumerate(names[: len(places)]):
        last = number == len(names) - 1
        end = len(words) if last or number + 1 == len(places) else places[number + 1]
        value, fits = type_text(words[places[number] : end].strip(), spec.properties[name])
        # In `alarm wake me at 7` the word `me` is not a number of minutes: it is one sentence.
        # The first property takes it.
        if not fits and number:
            value, fits = type_text(words, spec.properties[names[0]])
            return {names[0]: value}, "" if fits else names[0]
        # In `wait soon` the word `soon` is not a number of minutes either: it stays as text there.
        misfit = misfit if fits else name
        found[name] = value
    return found, misfit
