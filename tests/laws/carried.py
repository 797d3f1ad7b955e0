"""What each format does not carry of a fixed set of calls, and the record of it.

`python -m tests.laws.carried` writes the record anew: what a format no longer carries shows in the
difference, and has to be meant.
"""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import toolgrammar
from tests.laws.drawn import MARKUP, tools_of
from tests.laws.every_case import page_cases
from toolgrammar import ToolCall, parse
from toolgrammar.testing import laws

RECORD = Path(__file__).with_name("not_carried.json")

_VALUES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "word": {"a": "x"},
    "three": {"a": "x", "b": "two words", "c": "z"},
    "empty": {"a": ""},
    "numbers": {"a": 1, "b": -2.5, "c": 10**18},
    "constants": {"a": True, "b": None},
    "list": {"a": [1, "x", None]},
    "nested": {"a": {"b": [{"c": "d"}]}},
    "number in a string": {"a": "42"},
    "json in a string": {"a": '{"b": [1]}'},
    "quotes": {"a": 'it\'s "so" `here`'},
    "slash": {"a": "C:\\new\\table \\n"},
    "letters": {"a": "é🛠️漢"},
    "ampersand": {"a": "a && b &lt; c"},
    "less": {"a": "a < b > c"},
    "lines": {"a": "one\n\ntwo"},
    "line end": {"a": "one\n"},
    "line end before": {"a": "\none"},
    "blanks round": {"a": "  one  "},
    "tab": {"a": "one\ttwo"},
    "carriage return": {"a": "one\r\ntwo"},
    "file": {"path": "a b.py", "content": "def f():\n    return 1\n"},
    "key with a blank": {"a b": "x"},
    "key with a hyphen": {"a-b": "x"},
    "key of letters": {"ключ": "x"},
}
_INPUTS = {
    "input": "ls -l",
    "input of lines": "one\ntwo",
    "input with a line end": "one\n",
    "input with a fence": "```py\nx\n```",
    "input with tags": "<a>b</a>",
}


@cache
def samples() -> dict[str, tuple[list[ToolCall], str]]:
    """Returns lists of calls, each with the text before it, by their names."""
    found = {name: ([ToolCall("f", each)], "") for name, each in _VALUES.items()}
    found |= {f"markup {text!r}": ([ToolCall("f", {"a": text})], "") for text in MARKUP}
    found |= {name: ([ToolCall("f", input=each)], "") for name, each in _INPUTS.items()}
    word = ToolCall("f", {"a": "x"})
    found["two"] = [word, ToolCall("g", {"b": "y"})], ""
    found["an id"] = [ToolCall("f", {"a": "x"}, id="call_1")], ""
    found["name with a dot"] = [ToolCall("a.f", {"a": "x"})], ""
    found["name with a hyphen"] = [ToolCall("a-f", {"a": "x"})], ""
    found["text"] = [word], "I look.\n"
    return found


def own_samples(format_id: str) -> dict[str, tuple[list[ToolCall], str]]:
    """Returns the calls of a format's page, and its first one with other texts in it."""
    found: dict[str, tuple[list[ToolCall], str]] = {}
    for case in page_cases(format_id):
        if case.tier == "well_formed":
            result = parse(case.text, format=format_id, tools=case.tools, prefix=case.prefix)
            if result.ok and result.calls:
                calls = [replace(call, id=None, depends_on=()) for call in result.calls]
                found[f"page {case.id.rpartition('::')[2]}"] = calls, ""
    for calls, _ in list(found.values())[:1]:
        texts = {**_INPUTS, **{name: each["a"] for name, each in _VALUES.items() if "a" in each}}
        for name, text in texts.items():
            if isinstance(text, str):
                found[f"own {name}"] = [_with_text(calls[0], text)], ""
    return found


def _with_text(call: ToolCall, text: str) -> ToolCall:
    """Returns a call with another text: its input, or the last of its strings."""
    strings = [key for key, value in call.arguments.items() if isinstance(value, str)]
    if call.input is not None:
        filled = {key for key in strings if call.arguments[key] == call.input}
        return replace(
            call, input=text, arguments={**call.arguments, **dict.fromkeys(filled, text)}
        )
    return replace(call, arguments={**call.arguments, **dict.fromkeys(strings[-1:], text)})


def not_carried(format_id: str) -> set[str]:
    """Returns the names of what a format does not carry now."""
    every = {**samples(), **own_samples(format_id)}
    return {
        name
        for name, (calls, text) in every.items()
        if laws.round_trip(calls, format_id, tools_of(calls), text) is None
    }


@cache
def recorded() -> dict[str, list[str]]:
    """Returns the names of what each format is known not to carry."""
    found: dict[str, list[str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def carries_inputs(format_id: str) -> bool:
    """Whether a format carries a call of any name with one text."""
    return not set(_INPUTS) <= set(recorded()[format_id])


def _write() -> None:
    every = {format_id: sorted(not_carried(format_id)) for format_id in sorted(toolgrammar.formats)}
    RECORD.write_text(
        json.dumps(every, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    _write()
