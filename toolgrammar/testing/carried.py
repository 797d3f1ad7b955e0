"""Makes sample calls that show which values a format can express."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from toolgrammar.catalogue.format import Format
from toolgrammar.parsing.whole import parse
from toolgrammar.testing.cases import Case
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError
from toolgrammar.writing.conversation import AnsweredCall

Sample = tuple[list[ToolCall], str]
"""Calls, and the text before them."""

# Each breaks some way to write values: lines break line formats, quotes break attributes.
VALUES: dict[str, dict[str, Any]] = {
    "no argument": {},
    "a word": {"a": "x"},
    "three arguments": {"a": "x", "b": "two words", "c": "z"},
    "an empty text": {"a": ""},
    "numbers": {"a": 1, "b": -2.5, "c": 10**18},
    "constants": {"a": True, "b": None},
    "a list": {"a": [1, "x", None]},
    "nested values": {"a": {"b": [{"c": "d"}]}},
    "a number as text": {"a": "42"},
    "JSON as text": {"a": '{"b": [1]}'},
    "quotes": {"a": 'it\'s "so" `here`'},
    "backslashes": {"a": "C:\\new\\table \\n"},
    "letters beyond ASCII": {"a": "é🛠️漢"},
    "an ampersand": {"a": "a && b &lt; c"},
    "angle brackets": {"a": "a < b > c"},
    "lines": {"a": "one\n\ntwo"},
    "a line end at the end": {"a": "one\n"},
    "a line end in front": {"a": "\none"},
    "blanks at both ends": {"a": "  one  "},
    "a tab": {"a": "one\ttwo"},
    "CRLF": {"a": "one\r\ntwo"},
    "a file": {"path": "a b.py", "content": "def f():\n    return 1\n"},
    "a key with a blank": {"a b": "x"},
    "a key with a hyphen": {"a-b": "x"},
    "a key beyond ASCII": {"ключ": "x"},
}
"""Arguments, by what is odd about them."""
TEXTS = {
    "an input": "ls -l",
    "an input of lines": "one\ntwo",
    "an input with a line end": "one\n",
    "an input with a fence": "```py\nx\n```",
    "an input with tags": "<a>b</a>",
}
"""The inputs, by the property that they test."""

RESULTS = {
    "a text": "Sunny, 21 degrees.",
    "lines": "one\n\ntwo",
    "an object": '{"temp": 21, "wind": [1, null]}',
    "no text": "",
    "tags": '<a href="x">y</a> & <b>',
    "letters beyond ASCII": "é🛠️漢",
}
"""What tools say, by the property that it tests."""
CONVERSATION = "a conversation"
"""The name of the sample that is a whole conversation."""


def samples() -> dict[str, Sample]:
    """Returns sample calls of tools of any name, by what is odd about them."""
    found: dict[str, Sample] = {name: ([ToolCall("f", each)], "") for name, each in VALUES.items()}
    found |= {name: ([ToolCall("f", input=each)], "") for name, each in TEXTS.items()}
    word = ToolCall("f", {"a": "x"})
    found["two calls"] = [word, ToolCall("g", {"b": "y"})], ""
    found["an id"] = [ToolCall("f", {"a": "x"}, id="call_1")], ""
    found["a name with a dot"] = [ToolCall("a.f", {"a": "x"})], ""
    found["a name with a hyphen"] = [ToolCall("a-f", {"a": "x"})], ""
    found["text before the call"] = [word], "I look.\n"
    return found


def own_samples(cases: Iterable[Case]) -> dict[str, Sample]:
    """Returns the calls of the sound examples of a format, and its first one with other texts."""
    found: dict[str, Sample] = {}
    for case in cases:
        if case.tier == "well_formed":
            result = parse(case.text, format=case.format, tools=case.tools, prefix=case.prefix)
            if result.ok and result.calls:
                calls = [replace(call, id=None, depends_on=()) for call in result.calls]
                # Ids and order are omitted: what is asked is whether values are carried.
                found[f"page {case.id.rpartition('::')[2]}"] = calls, ""
    # One call is enough to carry the odd texts, in a tool that the format knows.
    for calls, _ in list(found.values())[:1]:
        texts = {**TEXTS, **{name: each["a"] for name, each in VALUES.items() if "a" in each}}
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


def refused(form: Format, cases: Iterable[Case]) -> dict[str, str]:
    """Returns what a format does not write of the samples that are of its kind, with the reasons.

    The calls of its examples are among them (`page NAME`); where its tools have names of their
    own, these alone.
    """
    found: dict[str, str] = {}
    own, strange = own_samples(cases), samples()
    # A format of free text has no named arguments, and any other no free text.
    for name in TEXTS if not form.tables.free_text else VALUES:
        strange.pop(name)
    # A format that has no place for ids refuses them rightly.
    if "id" not in form.tables.leaf_roles:
        strange.pop("an id")
    others = {name: reason for name, each in strange.items() if (reason := _reason(form, each))}
    for name, each in own.items():
        if reason := _reason(form, each):
            found[name] = reason
    # Where not one strange call is written, tools have names of their own: only the page's count.
    return {**found, **others} if len(others) < len(strange) else found


def _reason(form: Format, sample: Sample) -> str:
    """Returns why a format does not write calls; empty where it does."""
    try:
        form.render(sample[0], text=sample[1])
    except RenderError as error:
        return str(error)
    return ""


def refused_results(form: Format, cases: Iterable[Case]) -> dict[str, str]:
    """Returns what a format does not write of the results of a call of its examples, with the reasons.

    A whole conversation (`CONVERSATION`) is among them. Empty if there is no call.
    """
    call = next((calls[0] for calls, _ in own_samples(cases).values()), None)
    if call is None:
        return {}
    found: dict[str, str] = {}
    if form.tables.results:
        one = AnsweredCall(replace(call, id="1"), "x")
        several = {name: [replace(one, content=said)] for name, said in RESULTS.items()}
        for name, answers in {**several, "another behind it": [one, one]}.items():
            with _noted(found, name):
                form.render_results(answers)
    arguments = call.arguments if call.input is None else {**call.arguments, "input": call.input}
    function = {"name": call.name, "arguments": json.dumps(arguments)}
    with _noted(found, CONVERSATION):
        form.render_conversation(
            [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Go on."},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "1", "function": function}],
                },
                {"role": "tool", "tool_call_id": "1", "content": RESULTS["an object"]},
                {"role": "assistant", "content": "Done."},
                {"role": "user", "content": "Thanks."},
            ]
        )
    return found


@contextmanager
def _noted(found: dict[str, str], name: str) -> Iterator[None]:
    """Notes under a name why something is not written."""
    try:
        yield
    except RenderError as error:
        found[name] = str(error)
