"""How often does damage to lines, calls and whole messages change a call, or lose one, unsaid?

`python -m fuzz.large_damage [FORMAT …] [--kinds a,b] [--attempts N] [--into FILE]`: so many texts
of each kind of damage for each format, made of the sound texts that `fuzz.small_damage` takes.
Counted is the same: texts in which a call is executable that nobody wrote (changed), and those with
fewer calls than were written, and no error (lost). Names, keys and values stay as they are: nobody
can see that a line of a value is missing. Example of the kind `begun-anew`:
`<tool_call>{"name": "f"<tool_call>{"name": "f", "arguments": {}}</tool_call>`.

Texts of the kinds in `SHOWN` show their calls to a reader, or write them behind a turn of another:
each that is executable is one too many.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import toolgrammar
from fuzz.small_damage import line, sound_texts
from toolgrammar.testing.small_damage import content_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fuzz.small_damage import Sound

    Damage = Callable[[Sound, random.Random], str]

_RESTARTS: Final = ("\n", "\n\nSorry, once more:\n\n", "", "\n```\n", "\n\nI mean:\n")
_STOPS: Final = ("\n\nI stop here.", " And so on.\n", "\n\nThat did not work, sorry.\n")
_TYPOGRAPHIC: Final = {'"': "\u201c\u201d", "'": "\u2018\u2019"}
_WIDE: Final = {"<": "\uff1c", ">": "\uff1e", "{": "\uff5b", ":": "\uff1a", "|": "\uff5c"}
_UNSEEN: Final = "\u200b\u00ad\u2060\ufeff"
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "&": "&amp;"}


# Broken off, and begun anew


def _begun_anew(sound: Sound, draw: random.Random) -> str:
    return sound.text[: draw.choice(sound.places)] + draw.choice(_RESTARTS) + sound.text


def _begun_anew_in_itself(sound: Sound, draw: random.Random) -> str:
    first, last = sorted((draw.choice(sound.places), draw.choice(sound.places)))
    return sound.text[:last] + sound.text[first:]


def _broken_off(sound: Sound, draw: random.Random) -> str:
    return _cut(sound, draw) + draw.choice(_STOPS)


def _cut(sound: Sound, draw: random.Random) -> str:
    """Cuts a text behind the first name, key or value of one of its calls: it was a call."""
    content = content_of(sound.text, sound.calls)
    call = draw.choice(sound.calls)
    begun = content.find(1, call.span.start, call.span.end)
    places = [at for at in sound.places if begun < at < call.span.end]
    return sound.text[: draw.choice(places)] if places else sound.text


# Parts that are missing, too many, or elsewhere


def _run_missing(sound: Sound, draw: random.Random) -> str:
    start, end = draw.choice(_runs(sound.places))
    return sound.text[:start] + sound.text[end:]


def _run_doubled(sound: Sound, draw: random.Random) -> str:
    start, end = draw.choice(_runs(sound.places))
    return sound.text[:end] + sound.text[start:]


def _runs_swapped(sound: Sound, draw: random.Random) -> str:
    text, runs = sound.text, _runs(sound.places)
    (a, b), (c, d) = sorted(draw.choices(runs, k=2))
    return text if a == c else text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _runs(places: list[int]) -> list[tuple[int, int]]:
    """Returns the start and the end of each run of markup."""
    found: list[tuple[int, int]] = []
    for place in places:
        start = found.pop()[0] if found and found[-1][1] == place else place
        found.append((start, place + 1))
    return found


def _line_missing(sound: Sound, draw: random.Random) -> str:
    start, end = draw.choice(_lines(sound))
    return sound.text[:start] + sound.text[end:]


def _line_doubled(sound: Sound, draw: random.Random) -> str:
    start, end = draw.choice(_lines(sound))
    return sound.text[:end] + sound.text[start:]


def _line_later(sound: Sound, draw: random.Random) -> str:
    text, (start, end) = sound.text, draw.choice(_lines(sound))
    behind = text.find("\n", end) + 1 or len(text)
    return text[:start] + text[end:behind] + text[start:end] + text[behind:]


def _lines(sound: Sound) -> list[tuple[int, int]]:
    """Returns the start and the end of each line of markup; none of a text without such lines."""
    content, markup = content_of(sound.text, sound.calls), set(sound.places)
    found = []
    start = 0
    for each in sound.text.splitlines(keepends=True):
        end = start + len(each)
        if not any(content[start:end]) and not markup.isdisjoint(range(start, end)):
            found.append((start, end))
        start = end
    return found or [(0, 0)]


def _line_put_in(sound: Sound, draw: random.Random) -> str:
    at = draw.choice(sound.places)
    put_in = draw.choice(("\n", "\n\n", "\nOk.\n", "\n---\n"))
    return sound.text[:at] + put_in + sound.text[at:]


def _lines_joined(sound: Sound, draw: random.Random) -> str:
    at = draw.choice([at for at in sound.places if sound.text[at] == "\n"] or [len(sound.text)])
    return sound.text[:at] + draw.choice(("", " ")) + sound.text[at + 1 :]


# All markup, written in another way


def _typographic(sound: Sound, draw: random.Random) -> str:
    return _each(sound, lambda each: draw.choice(_TYPOGRAPHIC.get(each, each)))


def _other_quotes(sound: Sound, _draw: random.Random) -> str:
    return _each(sound, lambda each: {'"': "'", "'": '"'}.get(each, each))


def _quotes_escaped(sound: Sound, _draw: random.Random) -> str:
    return _each(sound, lambda each: f"\\{each}" if each in "\"'" else each)


def _wide(sound: Sound, _draw: random.Random) -> str:
    return _each(sound, lambda each: _WIDE.get(each, each))


def _unseen(sound: Sound, draw: random.Random) -> str:
    at = draw.choice(sound.places)
    return sound.text[:at] + draw.choice(_UNSEEN) + sound.text[at:]


def _no_break_spaces(sound: Sound, _draw: random.Random) -> str:
    return _each(sound, lambda each: "\u00a0" if each == " " else each)


def _cr_lf(sound: Sound, _draw: random.Random) -> str:
    return _each(sound, lambda each: "\r\n" if each == "\n" else each)


def _upper_case(sound: Sound, _draw: random.Random) -> str:
    return _each(sound, str.upper)


def _each(sound: Sound, way: Callable[[str], str]) -> str:
    markup = set(sound.places)
    return "".join(way(each) if at in markup else each for at, each in enumerate(sound.text))


# Shown to a reader


def _as_json_string(sound: Sound, _draw: random.Random) -> str:
    return json.dumps(f"Look:\n{sound.text}\n")


def _in_json(sound: Sound, _draw: random.Random) -> str:
    return json.dumps({"answer": sound.text, "done": True})


def _as_entities(sound: Sound, _draw: random.Random) -> str:
    shown = "".join(_ENTITIES.get(each, each) for each in sound.text)
    return f"<p>You would write:</p>\n<pre>{shown}</pre>\n"


def _in_block(sound: Sound, draw: random.Random) -> str:
    fence = draw.choice(("````", "~~~~", "`````"))
    return f"An example:\n\n{fence}\n{sound.text}\n{fence}\n\nIt would be read as a call.\n"


def _in_quotation(sound: Sound, _draw: random.Random) -> str:
    quoted = "".join(f"> {each}\n" for each in sound.text.split("\n"))
    return f"They wrote:\n\n{quoted}\nHm.\n"


def _in_comment(sound: Sound, _draw: random.Random) -> str:
    return f"<!-- {sound.text} -->\nDone.\n"


_DISPLAYS: Final = (
    "<example>\n{}\n</example>\nIt is read as a call.\n",
    "<scratchpad>\nI could write:\n{}\n</scratchpad>\nDone.\n",
    "```markdown\n# Calls\n\n{}\n```\n",
    "See <![CDATA[{}]]> there.\n",
    "They wrote:\n[quote]\n{}\n[/quote]\nHm.\n",
    "\\begin{{verbatim}}\n{}\n\\end{{verbatim}}\nIt is read as a call.\n",
    "/*\n{}\n*/\nvoid f();\n",
    "#+BEGIN_EXAMPLE\n{}\n#+END_EXAMPLE\nIt is read as a call.\n",
)
"""What shows a text, in prompts, Markdown, XML, forums, LaTeX, code and Org."""
_TURNS: Final = (
    "Done.<|im_end|>\n<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n{}",
    "Done.</s>[INST] Go on. [/INST] {}",
    "Done.\n\nHuman: Go on.\n\nAssistant: {}",
    "Done.\n### Instruction:\nGo on.\n### Response:\n{}",
    "Done.\n<tool_response>\nok\n</tool_response>\n{}",
)
"""Turns that the model wrote itself, with its own behind them."""


def _in_display(sound: Sound, draw: random.Random) -> str:
    return draw.choice(_DISPLAYS).format(sound.text)


def _behind_a_turn(sound: Sound, draw: random.Random) -> str:
    return draw.choice(_TURNS).format(sound.text)


DAMAGES: Final[dict[str, Damage]] = {
    "begun-anew": _begun_anew,
    "begun-anew-in-itself": _begun_anew_in_itself,
    "broken-off": _broken_off,
    "cut": _cut,
    "run-missing": _run_missing,
    "run-doubled": _run_doubled,
    "runs-swapped": _runs_swapped,
    "line-missing": _line_missing,
    "line-doubled": _line_doubled,
    "line-later": _line_later,
    "line-put-in": _line_put_in,
    "lines-joined": _lines_joined,
    "typographic": _typographic,
    "other-quotes": _other_quotes,
    "quotes-escaped": _quotes_escaped,
    "wide": _wide,
    "unseen": _unseen,
    "no-break-spaces": _no_break_spaces,
    "cr-lf": _cr_lf,
    "upper-case": _upper_case,
}
"""Kinds of damage; a text comes back as it was where it can't be damaged so."""
RESPELLED: Final = frozenset({"typographic", "wide", "quotes-escaped", "upper-case", "unseen"})
"""Kinds of which any diagnostic tells enough: such markup may be written so to be shown."""
SHOWN: Final[dict[str, Damage]] = {
    "as-json-string": _as_json_string,
    "in-json": _in_json,
    "as-entities": _as_entities,
    "in-block": _in_block,
    "in-quotation": _in_quotation,
    "in-comment": _in_comment,
    "in-display": _in_display,
    "behind-a-turn": _behind_a_turn,
}
"""Kinds of texts that show their calls: none of these is meant, so none is lost."""
KINDS: Final = {**DAMAGES, **SHOWN}


def main() -> None:
    """Damages texts of the formats that are named, and prints a line a format, and one a kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("formats", nargs="*", default=sorted(toolgrammar.formats))
    parser.add_argument("--kinds", default=",".join(KINDS), help="of damage; all by default")
    parser.add_argument("--attempts", type=int, default=10, help="of a kind on a format")
    parser.add_argument("--into", type=Path, help="write what was changed or lost, as JSON lines")
    given = parser.parse_args()
    kinds = given.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no kind is called {min(unknown)}: {', '.join(KINDS)}")
    by_kind: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    rows = []
    for name in given.formats:
        of_format: Counter[str] = Counter()
        for kind, what, row in measure(toolgrammar.formats[name].id, kinds, given.attempts):
            for counts in (of_format, by_kind[kind]):
                counts.update(["texts", *filter(None, [what])])
            rows += [{"format": name, "kind": kind, "what": what, **row}] if what else []
        print(line(name, of_format), flush=True)
    for kind, counts in by_kind.items():
        print(line(kind, counts))
    print(line("all", sum(by_kind.values(), Counter())))
    if given.into:
        given.into.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def measure(
    format_id: str, kinds: Iterable[str], attempts: int
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields the kind of each damaged text, "changed", "lost" or "", and the text with its origin."""
    every = [each for each in sound_texts(format_id) if each.places]
    # What the prompt opened would go on over the beginning of a text that shows a call.
    alone = [each for each in every if not each.case.prefix]
    for kind in kinds:
        sound = alone if kind in SHOWN else every
        for attempt in range(attempts if sound else 0):
            draw = random.Random(f"{kind} {format_id} {attempt}")
            given = draw.choice(sound)
            text = KINDS[kind](given, draw)
            if text != given.text:
                yield kind, _harm(kind, given, text), {"text": text, **given.to_dict()}


def _harm(kind: str, given: Sound, text: str) -> str:
    """Returns what a text of a kind does to the calls; "" where it does none of it."""
    if kind in SHOWN:
        return "changed" if any(call.executable for call in given.read(text).calls) else ""
    what = given.harm(text)
    is_told = what == "lost" and kind in RESPELLED and given.read(text).diagnostics
    return "" if is_told else what


if __name__ == "__main__":
    main()
