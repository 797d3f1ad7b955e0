"""What the reader of a recorded message's own source made of it, as calls to compare with.

`truth` of a row has one key or more, each of a kind of its own; `READERS` has a reader for each
that says which calls stand in a message. A kind without a reader says nothing about calls.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.plain_calls import plain_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toolgrammar import ToolCall

FREE_TEXT = "input"
"""The key that stands for the payload of a call without named arguments."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One call, as far as the source says what it is."""

    name: str | None
    """The name, or None where the source's words for it are its own."""
    matches: Callable[[ToolCall], bool]
    """Whether a call has the arguments that the source read."""
    arguments: Mapping[str, Any]
    """What the source says of them."""

    def is_done_by(self, call: ToolCall) -> bool:
        """Whether a call is the one that the source read."""
        return self.name in (None, call.name) and self.matches(call)

    def equals(self, other: Wanted) -> bool:
        """Whether two sources read the same call."""
        return self.name == other.name and alike(self.arguments, other.arguments)


@dataclass(frozen=True, slots=True)
class Truth:
    """The calls of one message."""

    calls: tuple[Wanted, ...]
    first_only: bool = False
    """Whether the source took the first call and left the rest unread."""
    distinct: bool = False
    """Whether a call that stands there twice counts once."""


def truth_of(row: Mapping[str, Any]) -> Truth | None:
    """Returns what the source read, or None where it doesn't say."""
    kinds = row["truth"]
    for kind, reader in READERS.items():
        if kinds.get(kind) is not None:
            return reader(kinds[kind])
    return None


def judged(truth: Truth, row: Mapping[str, Any]) -> tuple[Truth | None, str]:
    """Returns the truth to compare with, and what is odd about the one of the source.

    It asks the text and the tools alone, not what this library read. None where nothing tells what
    is right: the message has an expression as a value, or the truth is of another message.
    """
    text = row["text"]
    if not all(
        _stands_in(string, text) for each in truth.calls for string in _strings(each.arguments)
    ):
        return None, "a string that does not stand in the message"
    if "parser" not in row["truth"]:
        return truth, ""
    if any(each.name == "" for each in truth.calls):
        return None, "a call without a name"
    plain = plain_calls(text, row["tools"] or {})
    if any(call.arguments is None for call in plain):
        return None, "an expression, taken for its text or worked out"
    wanted = tuple(_named(call.name, call.arguments or {}) for call in plain)
    if _has_less(truth.calls, wanted):
        return Truth(wanted, distinct=True), "calls that the source's reader did not read"
    if _lacks_arguments(truth.calls, wanted):
        return Truth(wanted, distinct=True), "arguments that the source's reader dropped"
    return truth, ""


def _has_less(some: Sequence[Wanted], more: Sequence[Wanted]) -> bool:
    """Whether calls are a part of others."""
    return all(any(each.equals(other) for other in more) for each in some) and not all(
        any(each.equals(other) for other in some) for each in more
    )


def _lacks_arguments(some: Sequence[Wanted], more: Sequence[Wanted]) -> bool:
    """Whether calls are others, but for arguments that are missing or cut."""
    return [each.name for each in some] == [each.name for each in more] and any(
        one.arguments.keys() < other.arguments.keys() for one, other in zip(some, more, strict=True)
    )


def _stands_in(string: str, text: str) -> bool:
    """Whether the letters of a string stand in a text; of what is escaped there, nobody knows."""
    if "\\" in text or "&" in text:
        return True
    return "".join(filter(str.isalnum, string)) in "".join(filter(str.isalnum, text))


def alike(found: object, wanted: object) -> bool:
    """Whether two values are one, but for the types that a schema gives to bare text."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            alike(found[key], wanted[key]) for key in found
        )
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(alike, found, wanted))
    if found == wanted:
        return True
    if isinstance(found, str) != isinstance(wanted, str):
        text, value = (found, wanted) if isinstance(found, str) else (wanted, found)
        return _read(str(text)) == value
    return isinstance(found, str) and isinstance(wanted, str) and found.strip() == wanted.strip()


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return {"True": True, "False": False, "None": None}.get(text, text)


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _strings(value: object) -> Iterator[str]:
    return (each for each in _leaves(value) if isinstance(each, str))


def _named(name: str | None, arguments: dict[str, Any]) -> Wanted:
    return Wanted(name, lambda call: alike(call.arguments, arguments), arguments)


def _free(name: str | None, text: str) -> Wanted:
    """A call whose payload is a text: the whole of it, or its only argument."""

    def matches(call: ToolCall) -> bool:
        given = call.input if call.input is not None else "\n".join(_strings(call.arguments))
        return given.strip() == text.strip()

    return Wanted(name, matches, {FREE_TEXT: text})


def _some(name: str, value: str | None) -> Wanted:
    """A call of which one value is told, or none."""

    def matches(call: ToolCall) -> bool:
        return value is None or any(alike(each, value) for each in call.arguments.values())

    return Wanted(name, matches, {"": value})


def _calls(calls: list[dict[str, Any]]) -> Truth:
    return Truth(tuple(_named(call["name"], call["arguments"]) for call in calls))


def _executed(pair: list[str]) -> Truth:
    if not pair:
        return Truth((), first_only=True)
    value = pair[1] and pair[1].partition("' in '")[0]  # a search is told as: 'text' in 'files'
    return Truth((_some(pair[0], value),), first_only=True)


def _action(text: str) -> Truth:
    return Truth((_free(None, text),) if text.strip() else ())


def _first_input(inputs: list[list[str]]) -> Truth:
    return Truth(tuple(_free(None, text) for _, text in inputs[:1]), first_only=True)


def _edits(blocks: list[list[str | None]]) -> Truth:
    """Edits of files as path, old text and new text; a command for the shell has no path."""
    return Truth(
        tuple(
            _free(None, str(texts[0]))
            if path is None
            else _named(None, {"path": path, "search": texts[0], "replace": texts[-1]})
            for path, *texts in blocks
        )
    )


def _files(files: list[list[str]]) -> Truth:
    def wanted(path: str, text: str) -> Wanted:
        def matches(call: ToolCall) -> bool:
            given = call.input if call.input is not None else call.arguments.get(FREE_TEXT, "")
            return call.arguments.get("path") == path and given.strip() == text.strip()

        return Wanted(None, matches, {"path": path, FREE_TEXT: text})

    return Truth(tuple(wanted(*each) for each in files))


def _react(pair: list[str]) -> Truth:
    """The first action; of its input, which runs to the end of the text, the value it begins with."""
    name, text = pair
    try:
        value, _ = json.JSONDecoder().raw_decode(text.strip())
    except ValueError:
        return Truth((_free(name, text),), first_only=True)
    if isinstance(value, dict):
        return Truth((_named(name, value),), first_only=True)
    return Truth((_free(name, str(value)),), first_only=True)


def _first_object(call: dict[str, Any]) -> Truth:
    return Truth((_named(call["name"], call["arguments"]),), first_only=True)


READERS: dict[str, Callable[[Any], Truth]] = {
    "parser": _calls,
    "xml": _calls,
    "executed": _executed,
    "action": _action,
    "first_input": _first_input,
    "crewai": _react,
    "blocks": _edits,
    "whole": _files,
    "ej": _first_object,
}
