"""Gives the words of a call's line to the properties of its tool, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.tools.coerce import is_text_only, type_text
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.values.tools import ToolSpec

_WORD = late(r"\S+")


def takes_words(spec: ToolSpec | None) -> bool:
    """Whether a tool has properties for words and for the text below them."""
    return spec is not None and len(spec.properties) > 1


def arguments_of(words: str, body: str, spec: ToolSpec) -> dict[str, Any]:
    """Gives the arguments that a line of words and the text below it are.

    The words fill the properties in order; where there are more words than properties, the last
    takes the rest of the line, and where a word does not fit its property, the first takes the line.
    The text fills the next required property that takes a string; for
    it the last such property is kept free.
    """
    texts = [name for name in spec.required if is_text_only(spec.properties.get(name))]
    kept = texts[-1:] if body.strip() else []
    names = [name for name in spec.properties if name not in kept]
    found = _filled(words.strip(), names, spec)
    free = [name for name in texts if name not in found]
    if body.strip() and free:
        found[free[0]] = body
    return found


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
