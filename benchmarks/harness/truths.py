"""What the reader of a recorded message's own source made of it, as calls to compare with.

`truth` of a row has one key or more, each of a kind of its own; `READERS` has a reader for each
that says which calls stand in a message. A kind without a reader says nothing about calls.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from toolgrammar import ToolCall

_ARITHMETIC = re.compile(r"[\d.)]\s*(?:[*/+-]|\*\*)\s*[\d.(]")
_NUMBERED = re.compile(r"_\d+$")
_UNDERSCORE = r"\\?_"
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


@dataclass(frozen=True, slots=True)
class Truth:
    """The calls of one message."""

    calls: tuple[Wanted, ...]
    first_only: bool = False
    """Whether the source took the first call and left the rest unread."""


def truth_of(row: Mapping[str, Any]) -> Truth | None:
    """Returns what the source read, or None where it doesn't say."""
    kinds = row["truth"]
    for kind, reader in READERS.items():
        if kinds.get(kind) is not None:
            return reader(kinds[kind])
    return None


def gold_of(row: Mapping[str, Any]) -> list[dict[str, dict[str, list[Any]]]] | None:
    """Returns the calls that answer the question, each value with its alternatives."""
    kinds = row["truth"]
    if kinds.get("gold") is not None:
        gold = kinds["gold"]
        return [
            {name: values}
            for each in (gold if isinstance(gold, list) else [gold])
            for name, values in each.items()
        ]
    if kinds.get("goldlist") is not None:
        return [{each["name"]: each["arguments"]} for each in kinds["goldlist"]]
    return None


def answers(calls: tuple[ToolCall, ...], gold: list[dict[str, dict[str, list[Any]]]]) -> bool:
    """Whether the calls are what answers the question, whatever the source's reader says."""
    return len(calls) == len(gold) and all(
        any(_answers(call, *next(iter(each.items()))) for each in gold) for call in calls
    )


def _answers(call: ToolCall, name: str, values: dict[str, list[Any]]) -> bool:
    # Of several calls of one tool each has a number; some models may not write the dot in a name.
    names = {_letters(name), _letters(_NUMBERED.sub("", name))}
    if _letters(call.name) not in names or not call.arguments.keys() <= values.keys():
        return False
    given = call.arguments
    return all(
        any(alike(given[key], each) for each in allowed) if key in given else "" in allowed
        for key, allowed in values.items()
    )


def why_apart(truth: Truth, row: Mapping[str, Any], calls: tuple[ToolCall, ...]) -> str:
    """Returns why the truth can't be what the message says; "" where it can."""
    text, gold = row["text"], gold_of(row)
    if gold and answers(calls, gold):
        return "our calls are the ones that answer the question"
    if any(each.name == "" for each in truth.calls):
        return "a call without a name"
    if not all(
        _stands_in(string, text) for each in truth.calls for string in _strings(each.arguments)
    ):
        return "a string that does not stand in the message"
    leaves = (leaf for each in truth.calls for leaf in _leaves(each.arguments))
    if "parser" in row["truth"] and any(_is_expression(leaf, text) for leaf in leaves):
        return "an expression, taken for its text or worked out"
    if any(_is_inner_call(key, text) for each in truth.calls for key in _keys(each.arguments)):
        return "a call inside of a call, taken for an object"
    tools = row["tools"] or {}
    if not calls or any(call.name not in tools for call in calls):
        return ""
    if not truth.calls and all(call.arguments for call in calls):
        return "calls of given tools, none of them read"
    if _drops_unnamed(truth, calls):
        return "arguments without names, dropped"
    return ""


def _stands_in(string: str, text: str) -> bool:
    """Whether the letters of a string stand in a text; of what is escaped there, nobody knows."""
    if "\\" in text or "&" in text:
        return True
    return "".join(filter(str.isalnum, string)) in "".join(filter(str.isalnum, text))


def _is_expression(leaf: object, text: str) -> bool:
    if isinstance(leaf, str):
        written = re.escape(leaf)
        bare = re.search(rf"[=:\[,(]\s*(?:{written}|{written.replace('_', _UNDERSCORE)})", text)
        return bool(leaf and bare) and f"'{leaf}" not in text and f'"{leaf}' not in text
    if isinstance(leaf, bool) or not isinstance(leaf, int | float):
        return False
    return repr(leaf) not in text and _ARITHMETIC.search(text) is not None


def _is_inner_call(key: str, text: str) -> bool:
    return f"{key}(" in text and f"'{key}'" not in text and f'"{key}"' not in text


def _keys(value: object) -> Iterator[str]:
    """Gives the keys of the objects inside of an object."""
    if isinstance(value, dict):
        for each in value.values():
            if isinstance(each, dict):
                yield from each
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _drops_unnamed(truth: Truth, calls: tuple[ToolCall, ...]) -> bool:
    """Whether the source read the same calls, but for arguments that have no names."""
    return len(calls) == len(truth.calls) and all(
        call.name == each.name and each.arguments.items() <= call.arguments.items()
        for call, each in zip(calls, truth.calls, strict=True)
        if all(not isinstance(value, dict | list) for value in each.arguments.values())
    )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


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
