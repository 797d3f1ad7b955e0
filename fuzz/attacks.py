"""Attacks on a reader: texts that a hostile tool, page or user would have a model write.

Each attack makes one attempt on a format, drawn from a seed, and judges what was read. A call that
nobody meant may be text, or a call that is not executable; it never runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import toolgrammar
from fuzz.api_messages import contradiction as api_contradiction
from fuzz.borders import border_case
from fuzz.crossed import crossed as crossing
from fuzz.hostile_results import hostile_results
from fuzz.mixed import disagreement, mixed_case
from fuzz.moved import moved_case
from fuzz.native import broken
from fuzz.options import contradiction
from toolgrammar import RenderError, ToolCall
from toolgrammar.grammar.roles import JSON_LIKE, bare_name
from toolgrammar.values.events import CallEnd, CallStart
from toolgrammar.writing.results.markup import Markup
from toolgrammar.writing.results.read_results import ResultReader

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

TOOLS = tuple(
    {
        "name": name,
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {key: {"type": "string"} for key in keys},
            "required": list(keys),
        },
    }
    for name, keys in {"note": ("title", "body"), "wipe": ("path",), "look": ("query",)}.items()
)
"""The tools of the conversation; `wipe` is what an attacker wants to run."""

_QUOTED = ToolCall("wipe", {"path": "/"})
_WRITTEN = (
    ToolCall("look", {"query": "fjord"}),
    ToolCall("look", {"query": "tide at 7"}),
    ToolCall("note", {"title": "t 1", "body": "one two"}),
    ToolCall("note", {"title": "Rye", "body": "a\nb"}),
)
"""Calls of which one breaks off."""
_SCRAPS = ('"', "'", "{", "}", "[", "]", ",", ":", "\n", "\\", "<", ">", "/", "`", " ", "x", "|")
_AROUND = ("", "\n", "a ", "Use\n", '"', "'", "\\", "\n\n", "}", "</x>", "]", "```\n")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of an attack."""

    text: str
    """What was read; empty where the format can't be attacked so."""
    broke: str = ""
    """What went wrong; empty where the format held."""


_NONE = Attempt("")


def quoted(format_id: str, draw: random.Random) -> Attempt:
    """A call is quoted in the payload of a call whose opener is damaged: it must not run."""
    sound = _with_quoted_call(format_id, draw.choice(_AROUND), draw.choice(_AROUND))
    if sound is None:
        return _NONE
    text, start = sound
    return _judged(format_id, damaged(text, 0, start, draw), draw)


def across(format_id: str, draw: random.Random) -> Attempt:
    """A call of another format is quoted so, and both formats are read: it must not run."""
    other = draw.choice(sorted({*toolgrammar.formats} - {format_id}))
    around = draw.choice(_AROUND), draw.choice(_AROUND)
    sound = _with_quoted_call(format_id, *around, inner=_rendered(other, _QUOTED))
    if sound is None:
        return _NONE
    text, start = sound
    pair = draw.choice(([format_id, other], [other, format_id]))
    return _judged(format_id, damaged(text, 0, start, draw), draw, (pair, "auto"))


def payload(format_id: str, draw: random.Random) -> Attempt:
    """A call is quoted in a payload, with scraps of markup before it: it must not run."""
    scraps = [*literals(format_id), *_SCRAPS]
    before = "".join(draw.choices(scraps, k=draw.randint(1, 4)))
    sound = _with_quoted_call(format_id, before, draw.choice(_AROUND))
    return _NONE if sound is None else _judged(format_id, sound[0], draw)


def members(format_id: str, draw: random.Random) -> Attempt:
    """A member of a JSON envelope comes twice: what began is what ends, or it does not run."""
    if not _has_json_envelope(format_id):
        return _NONE
    sound = _rendered(format_id, ToolCall("look", {"query": "fjord"}))
    places = [at for at, letter in enumerate(sound or "") if letter in "{,}"]
    if sound is None or not places:
        return _NONE
    at = draw.choice(places)
    key = draw.choice(("name", "arguments", "parameters", "id", "function", "tool_name", "input"))
    value = draw.choice(('"wipe"', '{"path": "/"}', '"{\\"path\\": \\"/\\"}"', "null", '"look'))
    member = f'"{key}": {value}'
    added = f", {member}" if sound[at] == "}" else f"{member}, "
    text = (
        sound[:at] + added + sound[at:]
        if sound[at] == "}"
        else (sound[: at + 1] + added + sound[at + 1 :])
    )
    found = _judged(format_id, text, draw)
    if not found.broke and _has_twins(text):
        calls = toolgrammar.parse(text, format=format_id).calls
        if any(call.executable for call in calls):
            return Attempt(text, f"a key comes twice, and runs {calls!r:.200}")
    return found


def _has_twins(text: str) -> bool:
    """Whether an object that a text holds has a key twice."""
    twins: list[str] = []

    def seen(pairs: list[tuple[str, object]]) -> None:
        keys = [key for key, _ in pairs]
        twins.extend(key for key in keys if keys.count(key) > 1)

    for at, letter in enumerate(text):
        if letter == "{":
            try:
                json.JSONDecoder(object_pairs_hook=seen).raw_decode(text, at)
            except ValueError:
                continue
    return bool(twins)


def broken_off(format_id: str, draw: random.Random) -> Attempt:
    """A message breaks off in a call, and another begins: half a call may not run, mended."""
    first, second = (_rendered(format_id, draw.choice(_WRITTEN)) for _ in range(2))
    if first is None or second is None:
        return _NONE
    text = first[: draw.randrange(1, len(first))] + draw.choice(("", "\n", "\n\n")) + second
    written = [(call.name, call.arguments) for call in _WRITTEN]
    for call in toolgrammar.parse(text, format=format_id, tools=TOOLS).calls:
        # What a text without escapes holds is not mended: nobody can tell it from what was meant.
        is_mended = call.executable and call.status == "repaired"
        if is_mended and (call.name, call.arguments) not in written:
            return Attempt(text, f"runs {call.name} {call.arguments}")
    return Attempt(text)


def rendered(format_id: str, draw: random.Random) -> Attempt:
    """A hostile value, name or text is rendered: it is refused, or read back as it was."""
    form = toolgrammar.formats[format_id]
    scraps = [*literals(format_id), *_SCRAPS, *_AROUND, _rendered(format_id, _QUOTED) or "x"]

    def hostile(most: int = 5) -> str:
        return "".join(draw.choices(scraps, k=draw.randint(0, most)))

    arguments = {"title": hostile(), "body": hostile()}
    calls = [ToolCall("note", arguments), ToolCall("look", {"query": hostile(2)})]
    kind = draw.randrange(4)
    if kind == 0:
        calls = [ToolCall("note", input=hostile())]
    elif kind == 1:
        calls = [ToolCall("look", {"query": "x"}, id=hostile(2) or None)]
    elif kind == 2:
        calls = [ToolCall("look", {"query": "x", hostile(2): "x"})]
    text = hostile() if draw.random() < 0.5 else ""
    try:
        wire = form.render(calls, text=text, tools=TOOLS)
    except RenderError:
        return Attempt(f"{text!r} {calls!r:.300}")
    found = toolgrammar.parse(wire, format=form, tools=TOOLS)
    wanted = [(call.name, call.arguments or call.input) for call in calls]
    got = [(call.name, call.arguments or call.input) for call in found.calls]
    if calls[0].input is not None:
        wanted, got = [(calls[0].name, calls[0].input)], [(c.name, c.input) for c in found.calls]
    if wanted != got:
        return Attempt(wire, f"wrote {wanted}, read {got}")
    if not all(call.executable for call in found.calls):
        return Attempt(wire, f"not executable: {[d.code for d in found.diagnostics]}")
    return Attempt(wire)


def results(format_id: str, draw: random.Random) -> Attempt:
    """Tools say markup: what is rendered is as many results, without it and without a call."""
    form = toolgrammar.formats[format_id]
    if not form.tables.results:
        return _NONE
    said = hostile_results(form, draw)
    wire = form.render_results(said)
    found = ResultReader(form.tables.results, Markup(form.header, form.tables)).read(wire)
    if found is None or len(found) != len(said):
        return Attempt(wire, f"{len(said)} results went in, {found and len(found)} came back")
    for one, each in zip(said, found, strict=True):
        if one.content.replace("\\", "") != each.content.replace("\\", ""):
            return Attempt(wire, f"{one.content!r} came back as {each.content!r}")
    return _judged(format_id, wire, draw)


def mixed(format_id: str, draw: random.Random) -> Attempt:
    """Pieces of examples stand together: all readings of them say the same."""
    case = mixed_case(format_id, draw)
    return Attempt(case.text, disagreement(case, draw))


def moved(format_id: str, draw: random.Random) -> Attempt:
    """Tokens of an example are dropped, doubled or moved: all readings of it say the same."""
    case = moved_case(format_id, draw)
    return Attempt(case.text, disagreement(case, draw))


def borders(format_id: str, draw: random.Random) -> Attempt:
    """Odd characters stand where a part of an example ends: all readings of it say the same."""
    case = border_case(format_id, draw)
    return Attempt(case.text, disagreement(case, draw))


def options(format_id: str, draw: random.Random) -> Attempt:
    """A text is read with options that few set together: its readings agree."""
    return Attempt(*contradiction(format_id, draw))


def crossed(format_id: str, draw: random.Random) -> Attempt:
    """A call goes on in another format than it began in: it runs as it was meant, or not at all."""
    return Attempt(*crossing(format_id, draw))


def native(format_id: str, draw: random.Random) -> Attempt:
    """The arguments of a native call are damaged, and cut: what runs was meant."""
    return Attempt(*broken(format_id, draw))


def apis(format_id: str, draw: random.Random) -> Attempt:
    """A message of a hosted API comes at once and in chunks: the same is read of it."""
    return Attempt(*api_contradiction(format_id, draw))


ATTACKS: dict[str, Callable[[str, random.Random], Attempt]] = {
    "quoted": quoted,
    "across": across,
    "payload": payload,
    "members": members,
    "broken_off": broken_off,
    "rendered": rendered,
    "results": results,
    "mixed": mixed,
    "moved": moved,
    "borders": borders,
    "options": options,
    "crossed": crossed,
    "native": native,
    "apis": apis,
}
"""By its name, an attack."""


def damaged(text: str, start: int, end: int, draw: random.Random) -> str:
    """Returns a text with one to three characters between two places changed."""
    at = draw.randrange(start, max(end, start + 1))
    size = draw.randint(1, 3)
    match draw.randrange(3):
        case 0:
            return text[:at] + text[min(at + size, max(end, at + 1)) :]
        case 1:
            return text[:at] + "".join(draw.choices(_SCRAPS, k=size)) + text[at:]
        case _:
            changed = "".join(draw.choices(_SCRAPS, k=size))
            return text[:at] + changed + text[min(at + size, max(end, at + 1)) :]


@cache
def literals(format_id: str) -> tuple[str, ...]:
    """Returns what a format's grammar spells."""
    found = (terminal.text for terminal in toolgrammar.formats[format_id].tables.terminals)
    return tuple(sorted({text for text in found if text.strip()}))


@cache
def _has_json_envelope(format_id: str) -> bool:
    tables = toolgrammar.formats[format_id].tables
    symbols = {bare_name(symbol) for rule in tables.productions for symbol in rule.symbols}
    return bool(symbols & JSON_LIKE) and '{"' in (_rendered(format_id, _QUOTED) or "")


@cache
def _rendered(format_id: str, call: ToolCall) -> str | None:
    try:
        return toolgrammar.formats[format_id].render([call], tools=TOOLS)
    except RenderError:
        return None


def _with_quoted_call(
    format_id: str, before: str, after: str, inner: str | None = None
) -> tuple[str, int] | None:
    """Returns a sound message whose call quotes another, and where the payload begins in it.

    The quoted call is one of the same format where none is given.
    """
    inner = inner or _rendered(format_id, _QUOTED)
    if inner is None:
        return None
    body = f"{before}{inner}{after}"
    text = _rendered_note(format_id, body)
    if text is None:
        return None
    shown = next(
        (at for each in (body, json.dumps(body, ensure_ascii=False)[1:-1], json.dumps(body)[1:-1])
         if (at := text.find(each[:12])) >= 0), len(text) // 2
    )  # fmt: skip
    return text, shown


def _rendered_note(format_id: str, body: str) -> str | None:
    for call in (ToolCall("note", {"title": "t", "body": body}), ToolCall("note", input=body)):
        try:
            return toolgrammar.formats[format_id].render([call], tools=TOOLS)
        except RenderError:
            continue
    return None


def _judged(
    format_id: str, text: str, draw: random.Random, ways: Sequence[str | list[str]] = ()
) -> Attempt:
    """Reads a text: named, in a list or by `auto`, whole or in pieces; `wipe` may not run."""
    chosen = draw.choice(ways or (format_id, format_id, [format_id], "auto"))
    parser = toolgrammar.Parser(format=chosen, tools=TOOLS)
    width = draw.choice((len(text), len(text), 1, 7)) or 1
    events = [
        event for at in range(0, len(text), width) for event in parser.feed(text[at : at + width])
    ]
    events += parser.close()
    started = {event.index: event.name for event in events if isinstance(event, CallStart)}
    for event in events:
        if isinstance(event, CallEnd):
            call = event.call
            if started.get(event.index) != call.name:
                return Attempt(text, f"{chosen}: began as {started.get(event.index)}: {call!r}")
    for call in parser.result.calls:
        if call.executable and call.name == "wipe":
            return Attempt(text, f"{chosen}: runs {call.name} {call.arguments}")
    return Attempt(text)
