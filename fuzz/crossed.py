r"""Writes calls that begin in one format, and go on, or begin anew, in another.

Models that know several formats mix them. Example, of `qwen3_xml` and `hermes`:
`<tool_call>\n<function=find>\n<parameter=query>{"name": "find", "arguments": {"query": "fjord"}}`.
Whatever is read of such a text, what runs is one of the calls that were meant, whole.
"""

from __future__ import annotations

import html
import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import toolgrammar
from toolgrammar import RenderError
from toolgrammar.comparison.messages import drawn
from toolgrammar.testing.small_damage import markup_of

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from toolgrammar import ToolCall

_MESSAGES: Final = tuple(each for each in drawn(7, 48) if each.calls)
_BREAKS: Final = ("", "", "\n", "\n\nSorry, once more:\n\n", "\n```\n")


class _Sound(NamedTuple):
    """A message as a format writes it."""

    text: str
    meant: frozenset[str]
    """Its calls."""
    places: Sequence[int]
    """Where its markup is."""


def crossed(format_id: str, draw: random.Random) -> tuple[str, str]:
    """Returns a text of two formats, and what runs of it that was not meant; "" where nothing does.

    Args:
        format_id: the format in which the text begins.
        draw: what the other format, the calls and the places are drawn from.
    """
    other = draw.choice(sorted({*toolgrammar.formats} - {format_id}))
    number = draw.randrange(len(_MESSAGES))
    message = _MESSAGES[number]
    first, second = _sound(format_id, number), _sound(other, number)
    if first is None or second is None:
        return "", ""
    begun, rest = draw.choice(first.places), draw.choice(second.places)
    text = draw.choice(
        (
            first.text[:begun] + draw.choice(_BREAKS) + second.text,
            first.text[:begun] + second.text + first.text[begun:],
            first.text + draw.choice(_BREAKS) + second.text[rest:],
        )
    )
    chosen = draw.choice((format_id, other, [format_id, other], "auto"))
    read = toolgrammar.parse(text, chosen, tools=message.tools)
    for call in read.calls:
        # No engine runs a call of an unknown tool, or one that lacks an argument.
        spec = message.specs.get(call.name)
        runs = spec is not None and call.executable and call.arguments.keys() >= set(spec.required)
        if runs and _said(call) not in first.meant:
            return text, f"{chosen}: runs {call.name} {call.arguments}"
    return text, ""


@cache
def _sound(format_id: str, number: int) -> _Sound | None:
    """Returns a message in a format; None where that can't write it, or reads it otherwise."""
    message = _MESSAGES[number]
    try:
        text = toolgrammar.formats[format_id].render(message.calls)
    except RenderError:
        return None
    read = toolgrammar.parse(text, format_id, tools=message.tools)
    meant = frozenset(map(_said, message.calls))
    places = markup_of(text, read.calls)
    is_sound = read.ok and meant == frozenset(map(_said, read.calls)) and len(places) > 0
    return _Sound(text, meant, places) if is_sound else None


def _said(call: ToolCall) -> str:
    """Returns a call as JSON, without what formats differ in: white space around a text, and entities."""
    return json.dumps([call.name, _plain(call.arguments)], sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    # Two formats that write the same text may differ in whether `&lt;` is `<`: `auto` can't know.
    return html.unescape(value).strip() if isinstance(value, str) else value
