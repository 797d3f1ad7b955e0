"""Draws grammars as an author may write them, and reads with each what it writes, whole and damaged.

`python -m fuzz.grammars [--attempts N] [--seed S]`: so many grammars. Each is put together from
parts: what opens a call, where its name stands, how its arguments are written, what closes it, and
what stands around several calls. Calls are rendered with it, and the laws are asked of the texts
as they are, with a character taken away, twice or replaced, and broken off. What breaks a law is
printed with the grammar. The same seed draws the same.

Example: `@@call ` at the start of a line, the name, `key = value` lines, and no closer.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import toolgrammar
from toolgrammar import GrammarError, RenderError, ToolCall
from toolgrammar.testing import Case, laws
from toolgrammar.testing.carried import TEXTS, VALUES
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WORDS: Final = ("call", "tool_use", "act", "do", "invoke", "λ", "fn-run")
_HEAD: Final = """\
%import .common.text (TEXT, SKIPPED, RAW, RAW_STRING, SAME_NAME, SAME_KEY, FENCE, SAME_FENCE, MARK, SAME_MARK)
%import .common.json (JSON_OBJECT, JSON_VALUE, JSON_STRING)
%declare PYTHON_ARGUMENTS BARE_OBJECT ELEMENTS
"""
_DAMAGED: Final = 6
"""How many damaged texts are read of each text."""
_TOLD: Final = 3
"""How many findings are printed whole."""


class Envelope(NamedTuple):
    """What stands around a call: its opener up to the name, what follows the name, its closer."""

    before: str
    behind: str
    close: str
    rules: str = ""


class Arguments(NamedTuple):
    """How the arguments of a call are written: a part of the rule of the call, and its own rules."""

    part: str
    rules: str
    header: str = ""


def draw_grammar(draw: random.Random) -> str:
    """Returns the text of a grammar file with the id `drawn`."""
    word = draw.choice(_WORDS)
    envelope = draw.choice(_envelopes(word, draw))
    arguments = draw.choice(_arguments(draw))
    close, headers = envelope.close, [line for line in _HEADERS if draw.random() < _RARELY]
    # Where a call may end anywhere, one that was cut runs, as the author has it.
    if arguments.part == "arguments" and close and "FENCE" not in close and draw.random() < _RARELY:
        close = f"[{close}]"
    if "value: RAW" not in arguments.rules:
        headers = [line for line in headers if "roles" not in line]
    # Without a closer that has to come, no call would be closed.
    if not close or close.startswith("["):
        headers = [line for line in headers if "unclosed" not in line]
    identity = draw.choice(("", "", "", '"#" id ', '["#" id] '))
    call = f"{envelope.before} name {identity}{envelope.behind} {arguments.part} {close}"
    body = f"call: {call}\n{envelope.rules}{arguments.rules}"
    start, section = draw.choice(_SECTIONS)
    header = [arguments.header, *headers]
    parts = ["//@ id: drawn", "//@ title: drawn", *header, _HEAD, start, section, body]
    parts.append(r"name: /[A-Za-z_][\w.-]*/")
    if identity:
        parts.append(r"id: /\w+/")
    if "reasoning" in start:
        parts.append('reasoning: "<think>" RAW "</think>"')
    return "\n".join(filter(None, parts)) + "\n"


_HEADERS: Final = tuple(
    f"//@ {line}"
    for line in (
        "types: shape", "unclosed: text", "misfit: text", "unknown-arguments: drop", "unwrap: a",
        "doubled: .", "calls: last", "carry: path", "no-calls: search", "messages: lines",
        "roles: a=id", "roles: b=depends_on", "bare: literal",
    )
)  # fmt: skip
_RARELY: Final = 0.06
_SECTIONS: Final = (
    ("start: (TEXT | call)*", ""),
    ("start: (TEXT | call)*", ""),
    ("start: (TEXT | call | reasoning)*", ""),
    ("start: (TEXT | calls)*", 'calls: "<|begin_calls|>\\n" call+ "<|end_calls|>"'),
    ("start: (TEXT | calls | call)*", 'calls: "<calls>\\n" call+ "</calls>"'),
    ("start: (TEXT | calls)*", 'calls: "[[BEGIN]]" call (";" call)* "[[END]]"'),
    ("start: (TEXT | calls)*", 'calls: "<calls>\\n" (SKIPPED | call)* "</calls>"'),
    ("start: (TEXT | calls | call)*", 'calls: "BEGIN CALLS\\n" call+ ["END CALLS"]'),
)


def _envelopes(word: str, draw: random.Random) -> list[Envelope]:
    """Returns the ways in which a call may begin and end."""
    gap = draw.choice(("", "\\n"))
    return [
        Envelope(f'"<{word}>{gap}"', f'"{gap or " "}"', f'"{gap}</{word}>"'),
        Envelope(f'"<{word} name=\\""', f'"\\">{gap}"', f'"</{word}>"'),
        Envelope(f'"<{word}="', f'">{gap}"', f'"</{word}>{gap}"'),
        Envelope(f'"<|{word}|>"', f'"<|args|>{gap}"', f'"<|end_{word}|>"'),
        Envelope("OPEN", '"\\n"', '"\\n@@end"', f"OPEN: /^@@{word} /m\n"),
        Envelope("OPEN", "/\\n/", "END", f"OPEN: /^@@{word} /m\nEND: /^@@end$/m\n"),
        Envelope(f'"{word.upper()}: "', '" -> "', '" ."'),
        Envelope(f'"⟦{word}:"', '"⟧"', '"⟦/⟧"'),
        Envelope('"[["', '"|"', '"]]"'),
        Envelope(f'"{word}://"', '"?"', ""),
        Envelope('"<t:"', '">"', '"</t:" SAME_NAME ">"'),
        Envelope('"{\\"tool\\": \\""', '"\\", \\"with\\": "', '"}"'),
        Envelope(f'"<{word}>" "{{\\"fn\\": \\""', '"\\", \\"args\\": "', f'"}}" "</{word}>"'),
        Envelope(f'FENCE "{word} "', '"\\n"', '"\\n" SAME_FENCE'),
        Envelope(f'"{word} <<"', 'MARK "\\n"', '"\\n" SAME_MARK'),
    ]


def _arguments(draw: random.Random) -> list[Arguments]:
    """Returns the ways in which arguments may be written."""
    gap = draw.choice(("", "\\n"))
    key = "key: /[A-Za-z_][\\w-]*/\n"
    raw = draw.choice(("value: RAW\n", "value: JSON_VALUE | RAW\n"))
    json_value = "value: JSON_VALUE\n"
    strict = "//@ trim: value=strip"
    trim = f"//@ trim: input={draw.choice(('strip', 'one-newline'))}"
    return [
        Arguments("arguments", "arguments: JSON_OBJECT\n"),
        Arguments("[arguments]", "arguments: JSON_OBJECT\n"),
        Arguments("(arguments | input)", "arguments: JSON_OBJECT\ninput: RAW\n", trim),
        Arguments("input", "input: RAW\n", trim),
        Arguments('"(" arguments ")"', "arguments: PYTHON_ARGUMENTS\n"),
        Arguments("arguments", "arguments: BARE_OBJECT\n"),
        Arguments("[arguments]", "arguments: ELEMENTS\n"),
        Arguments(
            "argument*", f'argument: "<arg name=\\"" key "\\">" value "</arg>{gap}"\n{key}{raw}'
        ),
        Arguments(
            "argument*",
            f'argument: "<k>" key "</k>{gap}" "<v>" value "</v>{gap}"\n{key}{raw}',
            draw.choice(("", "//@ entities: value")),
        ),
        Arguments("argument*", f'argument: "<" key ">" value "</" SAME_KEY ">{gap}"\n{key}{raw}'),
        Arguments(
            "argument*",
            f'argument: KEY ": " value /\\n/\nKEY: /^(?P<key>[a-z]\\w*)/m\n{raw}',
            strict,
        ),
        Arguments("argument*", f'argument: " :" key " " value\n{key}{json_value}'),
        Arguments('[argument (", " argument)*]', f'argument: key "=" value\n{key}{json_value}'),
        Arguments(
            '[argument ("&" argument)*]', f'argument: key "=" value\n{key}value: /[^&\\s]+/\n'
        ),
    ]


def _calls(draw: random.Random) -> list[ToolCall]:
    """Draws one to three calls."""
    names = ("f", "get_time", "search")
    return [_call(draw, name) for name in names[: draw.choice((1, 1, 2, 3))]]


def _call(draw: random.Random, name: str) -> ToolCall:
    if draw.random() < 0.25:
        return ToolCall(name, input=draw.choice([*TEXTS.values()]))
    arguments: dict[str, Any] = {}
    for _ in range(draw.choice((0, 1, 1, 2))):
        arguments |= draw.choice([*VALUES.values()])
    return ToolCall(name, arguments)


def _cases(form: toolgrammar.Format, draw: random.Random) -> Iterator[Case]:
    """Yields texts that the grammar writes, with words around their calls, some with the tools."""
    for _ in range(6):
        calls = _calls(draw)
        tools = draw.choice((None, tuple(to_specs(map(_tool, calls)).values())))
        try:
            wire = form.render(calls, tools=tools)
        except RenderError:
            continue
        before, behind = draw.choice(
            (("", ""), ("Let me see.\n", "\nSo it is."), ("I: ", " and more"))
        )
        yield Case("drawn", form, f"{before}{wire}{behind}", tools=tools)


def _tool(call: ToolCall) -> dict[str, Any]:
    """Returns a tool that takes the arguments of a call, or its text."""
    values = {"text": ""} if call.input is not None else call.arguments
    properties = {key: {"type": _TYPES[type(value)]} for key, value in values.items()}
    return {"name": call.name, "parameters": {"type": "object", "properties": properties}}


_TYPES: Final[dict[type, str]] = {
    str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object",
    type(None): "null",
}  # fmt: skip


def damaged(text: str, draw: random.Random) -> str:
    """Returns a text with one fault."""
    at = draw.randrange(len(text))
    kind = draw.randrange(4)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + draw.choice('x"<>[]{}(),:\n é|/') + text[at + 1 :]
    if kind == 2:
        return text[: at + 1] + text[at:]
    return text[:at]


OF_ANY: Final[dict[str, Callable[[Case], object]]] = {
    name: law
    for name, law in laws.laws_of(Case("", "hermes", "", tier="malformed"))
    if name not in ("expected", "linear")
}
"""The laws of any text; what a drawn one means nobody wrote down, and none is long."""
OF_SOUND: Final[dict[str, Callable[[Case], object]]] = {
    name: law for name, law in laws.laws_of(Case("", "hermes", "")) if name != "expected"
}
"""The laws of a sound text."""


def faults(source: str, folder: Path, draw: random.Random) -> Iterator[str]:
    """Yields what breaks a law with a grammar: the law, how, and the text."""
    path = folder / "drawn.lark"
    path.write_text(source, encoding="utf-8", newline="\n")
    form = toolgrammar.load_format(path)
    for case in _cases(form, draw):
        yield from broken(case, OF_SOUND)
        for _ in range(_DAMAGED):
            text = damaged(case.text, draw)
            yield from broken(replace(case, text=text, tier="malformed"), OF_ANY)


def broken(case: Case, asked: dict[str, Callable[[Case], object]]) -> Iterator[str]:
    """Yields the laws that a case breaks, each with what broke it."""
    for name, law in asked.items():
        try:
            law(case)
        except AssertionError as error:
            yield f"{name}: {error}"


def main() -> int:
    """Draws the grammars, prints what broke, and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=100)
    parser.add_argument("--seed", default="")
    given = parser.parse_args()
    read = broke = 0
    with tempfile.TemporaryDirectory() as folder:
        for attempt in range(given.attempts):
            draw = random.Random(f"{given.seed} {attempt}")
            source = draw_grammar(draw)
            try:
                found = list(faults(source, Path(folder), draw))
            except GrammarError:
                continue
            read += 1
            broke += bool(found)
            if found and broke <= _TOLD:
                print(source, *found[:3], sep="\n")
    print(f"{given.attempts} grammars drawn, {read} of them load, {broke} break a law")
    return int(bool(broke))


if __name__ == "__main__":
    sys.exit(main())
