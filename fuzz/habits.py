"""How often does JSON in a habit of its own, and damaged besides, run as another call than was meant?

`python -m fuzz.habits [FORMAT …] [--attempts N]`: so many calls of each format, whose JSON has one or
two habits of models throughout (`HABITS`: keys without quotes, `=` for the colon, semicolons, a token
a line) and then one or two damaged tokens. Damage to a character or two seldom comes together with a
habit, and most rules of recovery are about their mixture: `{"kind": "rye"} kilos = 25}` lost an
argument while `{"kind": "rye"}, "kilos": 25}` was doubted. Values are neither dropped nor written
twice: nobody can see that. With `--into FILE` each text that changed is written as a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import toolgrammar
from fuzz.small_damage import line
from toolgrammar import RenderError, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": "order",
        "parameters": {
            "properties": {
                "kind": {"type": "string"},
                "kilos": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "opts": {"type": "object"},
                "note": {"type": "string"},
                "fast": {"type": "boolean"},
            }
        },
    },
    {"name": "erase", "parameters": {"properties": {"path": {"type": "string"}}}},
]
ARGUMENTS: Final[tuple[dict[str, Any], ...]] = (
    {"kind": "rye", "kilos": 25},
    {"kind": "rye bread", "kilos": 2, "tags": ["a", "b"]},
    {"tags": ["x y", "z"], "opts": {"a": 1, "b": {"c": "d"}}, "kilos": 3},
    {"kilos": 7, "note": "see: a, b; c", "fast": True},
    {"opts": {"kind": "oat", "kilos": 1}, "kilos": 9},
    {"note": 'it\'s "so"', "kind": "a"},
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+|\s+')
_MARKS: Final = "{}[]:,"
_QUOTES: Final = "\"'\u201c"


def _in_quotes(token: str, left: str, right: str) -> str:
    fits = token[0] == '"' and left not in token
    return f"{left}{token[1:-1]}{right}" if fits else token


HABITS: Final[dict[str, Callable[[str, str], str]]] = {
    "bare keys": lambda token, behind: token[1:-1] if behind == ":" and token[0] == '"' else token,
    "single quotes": lambda token, _: _in_quotes(token, "'", "'"),
    "typographic quotes": lambda token, _: _in_quotes(token, "\u201c", "\u201d"),
    "blanks at colons": lambda token, _: " : " if token == ":" else token,
    "equals signs": lambda token, _: " = " if token == ":" else token,
    "Chinese marks": lambda token, _: {":": "\uff1a", ",": "\uff0c"}.get(token, token),
    "semicolons": lambda token, _: ";" if token == "," else token,
    "lines": lambda token, _: f"{token}\n  " if token in ("{", "[", ",") else token,
    "tabs": lambda token, _: f"\t{token}\t" if token in (":", ",") else token,
    "commas at ends": lambda token, _: f",{token}" if token in ("}", "]") else token,
    "words of Python": lambda token, _: token.title() if token in ("true", "false") else token,
}
"""What each habit writes for a token, by the token and the one behind it."""


def main() -> None:
    """Damages calls of the formats that are named, and prints a line a format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", default=sorted(toolgrammar.formats))
    parser.add_argument("--attempts", type=int, default=100)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    total: Counter[str] = Counter()
    rows = []
    for name in given.formats:
        counts, found = measure(toolgrammar.formats[name].id, given.attempts)
        total += counts
        rows += found
        print(line(name, counts), flush=True)
    print(line("all", total))
    if given.into:
        given.into.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def measure(format_id: str, attempts: int) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Returns how many texts were read, in how many a call changed or was lost, and the former."""
    counts: Counter[str] = Counter()
    found = []
    for attempt in range(attempts):
        draw = random.Random(f"{format_id} {attempt}")
        arguments = draw.choice(ARGUMENTS)
        text = damaged(format_id, arguments, draw)
        if text is None:
            continue
        counts["texts"] += 1
        result = toolgrammar.parse(text, format_id, tools=TOOLS)
        runs = [(call.name, call.arguments) for call in result.calls if call.executable]
        if any(each != ("order", arguments) for each in runs):
            counts["changed"] += 1
            found.append({"format": format_id, "text": text, "meant": arguments, "runs": runs})
        counts["lost"] += not result.calls and result.ok
    return counts, found


def damaged(format_id: str, arguments: dict[str, Any], draw: random.Random) -> str | None:
    """Returns a call in some habits with one or two damaged tokens; None if it has no object."""
    try:
        text = toolgrammar.formats[format_id].render([ToolCall("order", arguments)], tools=TOOLS)
    except RenderError:
        return None
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0 or end <= start:
        return None
    tokens = _TOKEN.findall(text[start:end])
    for name in draw.sample(sorted(HABITS), draw.choice((1, 1, 2))):
        pairs = zip(tokens, [*tokens[1:], ""], strict=True)
        tokens = [HABITS[name](token, behind) for token, behind in pairs]
    for _ in range(draw.choice((1, 1, 2))):
        _damage(tokens, draw)
    return text[:start] + "".join(tokens) + text[end:]


def _damage(tokens: list[str], draw: random.Random) -> None:
    """Drops, doubles, moves or replaces a mark, or drops a quote."""
    places = [at for at, token in enumerate(tokens) if token.strip() and token.strip() in _MARKS]
    quoted = [at for at, token in enumerate(tokens) if token[0] in _QUOTES]
    if not places:
        return
    at, way = draw.choice(places), draw.randrange(6)
    if way == 0:
        tokens[at] = ""
    elif way == 1:
        tokens.insert(at, tokens[at])
    elif way == 2:
        tokens[at] = draw.choice(_MARKS)
    elif way == 3:
        tokens.insert(at, draw.choice(f"{_MARKS}\"'"))
    elif way == 4:
        tokens[at : at + 2] = reversed(tokens[at : at + 2])
    elif quoted:
        at = draw.choice(quoted)
        tokens[at] = tokens[at][1:] if draw.random() < 0.5 else tokens[at][:-1]
    tokens[:] = filter(None, tokens)


if __name__ == "__main__":
    main()
