"""Measures the cost of a format: tokens of messages and prompt, and characters until a call."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from toolgrammar.comparison.figures import mean, quotient
from toolgrammar.comparison.messages import bare_json
from toolgrammar.comparison.tokens import Tokenizer, markers
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.errors import RenderError
from toolgrammar.values.events import CallEnd, CallStart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.carried import Wire
    from toolgrammar.comparison.figures import Figure
    from toolgrammar.values.events import Event

_Item = TypeVar("_Item")

AS_TEXT: Final = "text"
AS_ONE: Final = "one"
"""The two ways of counting a format's own markers: as ordinary text, or as one token each."""
ALL: Final = "all"
"""The messages of all shapes."""
_WAITS: Final = 50
"""The maximal number of messages that are read character by character."""
_PROMPTS: Final = 24
"""The maximal number of prompts that are written: their overhead hardly varies."""

Sizes = dict[str, dict[str, "Figure | None"]]
"""By tokenizer and by how markers are counted."""


def sizes(
    form: Format, wires: Sequence[Wire], tokenizers: Mapping[str, Tokenizer]
) -> dict[str, Sizes]:
    """Returns the overhead of messages over the bare JSON of their calls, as a share of that JSON.

    There is one entry for each shape, and `ALL` for all messages.
    """
    marks = markers(form)
    shapes = [wire.message.shape for wire in wires]
    found: dict[str, Sizes] = {}
    for name, tokenizer in tokenizers.items():
        below = [_bare_tokens(tokenizer, bare_json(wire.message)) for wire in wires]
        as_text = [tokenizer.count(wire.text) for wire in wires]
        as_one = [tokenizer.count_marked(wire.text, marks) for wire in wires]
        for shape in (ALL, *dict.fromkeys(shapes)):
            chosen = [place for place, each in enumerate(shapes) if shape in (ALL, each)]
            ways = {}
            for way, counted in ((AS_TEXT, as_text), (AS_ONE, as_one)):
                pairs = [(counted[place], below[place]) for place in chosen]
                figure = quotient(pairs, [shapes[place] for place in chosen])
                # 1.3 times the bare JSON is 0.3 more.
                ways[way] = figure and figure.times(1, -1)
            found.setdefault(shape, {})[name] = ways
    return found


def prompts(form: Format, wires: Sequence[Wire], tokenizers: Mapping[str, Tokenizer]) -> Sizes:
    """Returns the mean number of tokens that a prompt has beyond the JSON of its tools."""
    given = _spread([wire.message.tools for wire in wires if wire.message.tools], _PROMPTS)
    marks = markers(form)
    try:
        texts = [form.prompt(tools) for tools in given]
    except RenderError:
        # The example call of the prompt can't be written for these tools.
        return {name: {AS_TEXT: None, AS_ONE: None} for name in tokenizers}
    bare = [json.dumps(tools, ensure_ascii=False) for tools in given]
    found: Sizes = {}
    for name, tokenizer in tokenizers.items():
        below = [_bare_tokens(tokenizer, text) for text in bare]
        as_text = [tokenizer.count(text) for text in texts]
        as_one = [tokenizer.count_marked(text, marks) for text in texts]
        found[name] = {
            way: mean(over - under for over, under in zip(counted, below, strict=True))
            for way, counted in ((AS_TEXT, as_text), (AS_ONE, as_one))
        }
    return found


@lru_cache(8192)  # the same of every format
def _bare_tokens(tokenizer: Tokenizer, text: str) -> int:
    """Returns the number of tokens of a text that all formats are compared with."""
    return tokenizer.count(text)


def earliness(form: Format, wires: Sequence[Wire]) -> tuple[Figure | None, Figure | None]:
    """Returns how many characters later than in bare JSON a name and a whole call are known.

    In `{"name": "f", "arguments": {}}` the name is known after its quote, the call with the last
    brace. Messages of several calls are omitted: there it would say where a call stands.
    """
    names: list[float] = []
    calls: list[float] = []
    shapes: list[str] = []
    single = [wire for wire in wires if len(wire.message.calls) == 1]
    for wire in _spread(single, _WAITS):
        name = len('{"name": ') + len(json.dumps(wire.message.calls[0].name, ensure_ascii=False))
        places = _known(form, wire)
        if places is not None:
            # Relative to bare JSON, so that the lengths of names and arguments cancel out.
            names.append(places[0] - name)
            calls.append(places[1] - len(bare_json(wire.message)))
            shapes.append(wire.message.shape)
    return mean(names, shapes), mean(calls, shapes)


def _spread(items: Sequence[_Item], most: int) -> list[_Item]:
    """Returns at most so many items, at even distances from the first to the last.

    Messages often come sorted by shape: the first of them would stand for one shape alone.
    """
    count = min(most, len(items))
    # The middle of each of `count` equal parts: the same from either end, but for a half.
    return [items[(2 * place + 1) * len(items) // (2 * count)] for place in range(count)]


def _known(form: Format, wire: Wire) -> tuple[int, int] | None:
    """Returns after how many characters the name and the call are emitted."""
    parser = Parser(form, tools=wire.message.specs)
    events: list[tuple[int, Event]] = []
    # Character by character: with larger chunks a call would only be known at the end of a chunk.
    for place, letter in enumerate(wire.text, 1):
        events += ((place, event) for event in parser.feed(letter))
    # Events of the end of the text count at the last character.
    events += ((len(wire.text), event) for event in parser.close())
    names = [place for place, event in events if isinstance(event, CallStart)]
    calls = [place for place, event in events if isinstance(event, CallEnd)]
    # Without an event there is no figure.
    return (names[0], calls[0]) if names and calls else None
