"""JSON payloads as models write them for tools, drawn from a seed, with the schema of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

_WORDS = [
    "heron",
    "note",
    "café",
    "river",
    "7th",
    "of",
    "an",
    "the",
    "open",
    "close",
    "list",
    "price",
    "Oslo",
    "map",
    "blue",
]
_TEXTS = (
    'He said "{}" and left.',
    "it's {}, isn't it?",
    "def run():\n    return {{'{}': [1, 2]}}\n",
    "C:\\data\\{}\\new",
    "SELECT * FROM {} WHERE id = 3;",
    '<a href="{}">x</a>',
    "- {}\n- two\n",
    "{}, then more; see https://example.org/a?b=c",
    "{}",
)


def text(draw: random.Random) -> str:
    """Returns a string as it stands in the arguments of a tool."""
    words = " ".join(draw.choices(_WORDS, k=draw.randint(1, 6)))
    return draw.choice(_TEXTS).format(words)


def _value(draw: random.Random, depth: int) -> Any:
    roll = draw.random()
    if roll < 0.5:
        return text(draw)
    if roll < 0.65:
        return draw.choice([0, 1, -3, 42, 1999, 2.5, -0.25, 1e6])
    if roll < 0.72:
        return draw.choice([True, False, None])
    if depth == 0:
        return draw.choice(_WORDS)
    if roll < 0.86:
        return [_value(draw, depth - 1) for _ in range(draw.randint(1, 4))]
    return {name: _value(draw, depth - 1) for name in _names(draw)}


def _names(draw: random.Random) -> list[str]:
    names = ["path", "content", "query", "limit", "tags", "user_id", "max-results", "filter"]
    return draw.sample(names, draw.randint(2, 4))


def payload(draw: random.Random) -> dict[str, Any]:
    """Returns the arguments of a call: an object with two to four members."""
    return {name: _value(draw, 2) for name in _names(draw)}


def schema_of(value: Any) -> dict[str, Any]:
    """Returns the schema that a tool with such arguments has."""
    match value:
        case dict():
            parts = {name: schema_of(part) for name, part in value.items()}
            return {"type": "object", "properties": parts, "required": list(parts)}
        case list():
            kinds = [schema_of(part) for part in value]
            same = kinds and all(kind == kinds[0] for kind in kinds)
            return {"type": "array", **({"items": kinds[0]} if same else {})}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case None:
            return {}
        case _:
            return {"type": "string"}


def written(value: Any, draw: random.Random) -> str:
    """Returns the payload as a model writes it: on one line, or indented."""
    return json.dumps(value, ensure_ascii=False, indent=draw.choice([None, None, 2]))
