"""What the shapes of all APIs share: ids, arguments as JSON, calls that arrive in pieces."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar, overload

from toolgrammar.parsing.checks import is_cut
from toolgrammar.recovery.json_parser import recover_json
from toolgrammar.values.calls import Status, ToolCall
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    Problem,
    TextDelta,
)
from toolgrammar.values.ids import ids_of
from toolgrammar.values.spans import NOWHERE

Taken = TypeVar("Taken")
Given = TypeVar("Given")
Taken_contra = TypeVar("Taken_contra", contravariant=True)
Given_co = TypeVar("Given_co", covariant=True)


Message: TypeAlias = Any
"""A message, as a dict. `Any`, so that it is taken where an API's library has a type of its own."""


class Translator(Protocol[Taken_contra, Given_co]):
    """Turns one stream into another, piece by piece."""

    def feed(self, item: Taken_contra) -> Iterable[Given_co]:
        """Gives what one piece becomes."""
        ...

    def close(self) -> Iterable[Given_co]:
        """Gives what comes after the last piece."""
        ...


@overload
def translated(
    translator: Translator[Taken, Given], items: AsyncIterable[Taken]
) -> AsyncIterator[Given]: ...


@overload
def translated(translator: Translator[Taken, Given], items: Iterable[Taken]) -> Iterator[Given]: ...


def translated(
    translator: Translator[Taken, Given], items: Iterable[Taken] | AsyncIterable[Taken]
) -> Iterator[Given] | AsyncIterator[Given]:
    """Gives the other stream; an async one for an async one."""
    if isinstance(items, AsyncIterable):
        return _translated_async(translator, items)
    return _translated(translator, items)


def _translated(translator: Translator[Taken, Given], items: Iterable[Taken]) -> Iterator[Given]:
    for item in items:
        yield from translator.feed(item)
    yield from translator.close()


async def _translated_async(
    translator: Translator[Taken, Given], items: AsyncIterable[Taken]
) -> AsyncIterator[Given]:
    async for item in items:
        for piece in translator.feed(item):
            yield piece
    for piece in translator.close():
        yield piece


def with_ids(calls: Iterable[ToolCall], prefix: str | None) -> list[tuple[ToolCall, str]]:
    """Gives each call with its id, or with the one that is made for a call without."""
    found = list(calls)
    return list(zip(found, ids_of(found, prefix), strict=True))


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Gives the arguments; APIs without free-text calls get such a text as the argument `input`."""
    text = _text_beside(call)
    return call.arguments if text is None else {**call.arguments, "input": text}


def _text_beside(call: ToolCall) -> str | None:
    """Gives the text of a free-text call, unless an argument holds it already."""
    arguments = call.arguments
    if not call.input or "input" in arguments or call.input in arguments.values():
        return None
    return call.input


def to_json(value: Any) -> str:
    """Gives a value as JSON text that people can read."""
    return json.dumps(value, ensure_ascii=False)


def written_arguments(call: ToolCall) -> str:
    """Gives the arguments of a call as an API hands them out: JSON, if they may be run.

    Those of a call that is not executable are no whole JSON object, so that nobody takes them for
    one: the text that the model wrote, or what was read of it without the bracket that closes it.

    Raises:
        ValueError: the call is executable, and has a number that JSON can't write.
    """
    if call.executable:
        try:
            return json.dumps(arguments_of(call), ensure_ascii=False, allow_nan=False)
        except ValueError as problem:
            raise ValueError(f"the arguments of {call.name!r} are no JSON: {problem}") from problem
    raw = call.raw_arguments
    shows = raw.lstrip().startswith("{") or not arguments_of(call)
    if shows and read_arguments(raw)[1] is not None and mended_arguments(raw) is None:
        return raw
    return to_json(arguments_of(call))[:-1]


class Withheld:
    """Keeps back what closes the arguments of a streamed call until it is known that it may run."""

    def __init__(self) -> None:
        self._kept: dict[int, str] = {}
        self._begun: set[int] = set()
        self._free_text: set[int] = set()

    def see_text(self, index: int) -> None:
        """Notes the text of a free-text call: it is no JSON, and goes out as an argument at last.

        Arguments that began before it, the path of a file say, go on.
        """
        if index not in self._begun:
            self._free_text.add(index)

    def add(self, index: int, piece: str) -> str:
        """Gives what may go out by now, with one more piece of the arguments."""
        if index in self._free_text:
            return ""
        text = self._kept.pop(index, "") + piece
        out = "" if text == "{}" and index not in self._begun else text.removesuffix("}")
        if kept := text[len(out) :]:
            self._kept[index] = kept
        if out:
            self._begun.add(index)
        return out

    def end(self, index: int, call: ToolCall) -> str:
        """Gives the rest of the arguments of a call that has ended."""
        kept = self._kept.pop(index, "")
        text = _text_beside(call)
        if index not in self._begun:
            return kept if kept and call.executable and text is None else written_arguments(call)
        if not call.executable:
            return ""
        if text is None:
            return kept
        return f'{", " if call.arguments else ""}"input": {to_json(text)}{kept}'

    def begun(self, index: int) -> bool:
        """Whether any of a call's arguments went out."""
        return index in self._begun


class Cut:
    """Whether the message so far ends inside a call."""

    def __init__(self) -> None:
        self.calls = 0
        """The calls so far."""
        self.is_cut = False

    def see(self, event: Event) -> None:
        """Takes the next event."""
        if isinstance(event, CallStart):
            self.calls += 1
            self.is_cut = True
        elif isinstance(event, CallEnd):
            self.is_cut = event.call.status == "truncated"
        elif isinstance(event, TextDelta) and event.text.strip():
            self.is_cut = False


def plain(item: object) -> Mapping[str, Any]:
    """Gives what an API's library hands out, a dict or one of its models, as a mapping.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(item, Mapping):
        return item
    dump = getattr(item, "model_dump", None)
    if dump is None or isinstance(item, type):
        raise TypeError(f"expected a dict or a model of the API, got {type(item).__name__}")
    found: Mapping[str, Any] = dump()
    return found


def read_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """Gives the arguments that a JSON text holds and None, or {} and why they can't be read."""
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        return {}, f"the arguments are no JSON: {problem}"
    if not isinstance(value, dict):
        return {}, "the arguments are no JSON object"
    return value, None


def mended_arguments(text: str) -> dict[str, Any] | None:
    """Gives the arguments of a text that a server calls whole and that is almost JSON, or None.

    Nothing may be missing at its end, and no repair may be in doubt.
    """
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    found = recover_json(text)
    whole = found.executable and found.rest is None and isinstance(found.value, dict)
    return found.value if whole else None


def server_problem(error: object) -> Problem:
    """Gives the event that tells of an error which a server sent in place of an answer's rest."""
    said = error.get("message") if isinstance(error, Mapping) else error
    message = f"Found an error of the server: {said or 'it says no more'}"
    return Problem(Diagnostic("truncated", "error", message, NOWHERE))


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def read_call(name: str, text: str, identity: str | None) -> ToolCall:
    """Gives the call whose arguments an API hands out as JSON text; never raises on the text."""
    arguments, error = read_arguments(text)
    return ToolCall(
        name,
        arguments,
        id=identity,
        raw_arguments=text,
        status="complete" if error is None else "unreadable",
        error=error,
    )


def written_json(arguments: object) -> str:
    """Gives arguments as the JSON text that they should be: some servers send the object itself."""
    if isinstance(arguments, str):
        return arguments
    return to_json(arguments) if arguments else ""


class Pieces:
    """Calls that arrive in pieces, under keys of the API's own."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[object, _Arriving] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._open

    def take_place(self) -> int:
        """Gives the index of a call that somebody else keeps."""
        self._count += 1
        return self._count - 1

    def has_begun(self, key: object) -> bool:
        """Whether any arguments of an open call have come."""
        return any(self._open[key].parts)

    def is_another(self, key: object, name: str | None, identity: str | None) -> bool:
        """Whether a piece begins another call than the open one under its key, as its id tells.

        Some servers give all calls of a message one index, or none.
        """
        call = self._open.get(key)
        return (
            bool(name and identity) and call is not None and call.identity not in {None, identity}
        )

    def start(self, key: object, name: str, identity: str | None) -> list[Event]:
        """Begins a call."""
        call = self._open[key] = _Arriving(self.take_place(), name, identity)
        return [CallStart(call.index, name, identity)]

    def add(self, key: object, text: str) -> list[Event]:
        """Adds to the arguments of an open call."""
        call = self._open[key]
        call.parts.append(text)
        return [ArgumentsDelta(call.index, text)] if text else []

    def end(self, key: object, reason: str | None = None) -> list[Event]:
        """Ends an open call.

        Args:
            key: whose it is.
            reason: why the server stopped, where it says so.
        """
        call = self._open.pop(key)
        text = "".join(call.parts)
        cut = reason is not None and is_cut(reason)
        if not text.strip():
            error = "the answer was cut before the arguments" if cut else None
            return [ArgumentsDelta(call.index, "{}"), call.ended("", {}, error)]
        arguments, error = read_arguments(text)
        if error is not None and reason is not None and not cut:
            mended = mended_arguments(text)
            if mended is not None:
                return [call.ended(text, mended, None, whole="repaired")]
        return [call.ended(text, arguments, error)]

    def end_whole(self) -> list[Event]:
        """Ends the open calls whose arguments are whole; the others may still go on."""
        whole = [
            key
            for key, call in self._open.items()
            if call.parts and read_arguments("".join(call.parts))[1] is None
        ]
        return [event for key in whole for event in self.end(key)]

    def end_all(self, reason: str | None = None) -> list[Event]:
        """Ends all open calls, in their order."""
        return [event for key in list(self._open) for event in self.end(key, reason)]


class _Arriving:
    """One call of which not all has come."""

    __slots__ = ("identity", "index", "name", "parts")

    def __init__(self, index: int, name: str, identity: str | None) -> None:
        self.index = index
        self.name = name
        self.identity = identity
        self.parts: list[str] = []

    def ended(
        self,
        text: str,
        arguments: dict[str, Any],
        error: str | None,
        whole: Status = "complete",
    ) -> CallEnd:
        # What was given out of broken arguments can't be taken back: the call counts as cut off.
        call = ToolCall(
            self.name,
            arguments,
            id=self.identity,
            raw_arguments=text,
            status=whole if error is None else "truncated",
            error=error,
        )
        return CallEnd(self.index, call)
