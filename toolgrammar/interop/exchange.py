"""Implements what all API shapes share: ids, arguments as JSON, and how unsafe calls are shown.

The arguments `{"city": "Oslo"}` of an executable call are emitted as they are; those of another lack
their last bracket.
"""

from __future__ import annotations

import json
from collections.abc import (
    Container,
    Iterable,
    Mapping,
)
from typing import (
    TYPE_CHECKING,
    Any,
    TypeAlias,
)

from toolgrammar.core.evidence.no_arguments import are_call, is_definition
from toolgrammar.interop.handed_in import checked_calls
from toolgrammar.parsing.call_ids import ids_of
from toolgrammar.recovery.json_parser import recover_json
from toolgrammar.salvage.refusals import Refusal
from toolgrammar.tools.json_texts import read_json
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.errors import described
from toolgrammar.values.events import (
    CallEnd,
    CallStart,
    Event,
    Problem,
    TextDelta,
)
from toolgrammar.values.feedback import shown_name
from toolgrammar.values.spans import NOWHERE

if TYPE_CHECKING:
    from toolgrammar.values.tools import ToolSpec

Message: TypeAlias = Any
"""A message, as a dict. `Any`, so that type checkers accept it where an API has its own type."""


def with_ids(calls: Iterable[ToolCall], prefix: str | None) -> list[tuple[ToolCall, str]]:
    """Returns each call with its id, or with the one that is made for a call without."""
    found = checked_calls(calls)
    return list(zip(found, ids_of(found, prefix), strict=True))


def ids_in(messages: Iterable[object]) -> set[str]:
    """Returns the ids of the calls in a conversation, in the shape of OpenAI's API.

    Also those that results name alone: the call may be cut off from a long conversation.
    """
    found: set[str] = set()
    for message in map(mapping_of, messages):
        # A client may send anything: a value of a wrong type is not an id.
        calls = message.get("tool_calls")
        named = [mapping_of(call).get("id") for call in (calls if isinstance(calls, list) else ())]
        ids = [*named, message.get("tool_call_id")]
        found.update(identity for identity in ids if isinstance(identity, str))
    return found


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Returns the arguments; APIs without free-text calls get such a text as the argument `input`."""
    text = _text_beside(call)
    return call.arguments if text is None else {**call.arguments, "input": text}


def _text_beside(call: ToolCall) -> str | None:
    """Returns the text of a free-text call, unless an argument holds it already."""
    arguments = call.arguments
    # Some formats have the text in an argument already; and an argument `input` of the tool's own
    # is not written over.
    if not call.input or "input" in arguments or call.input in arguments.values():
        return None
    return call.input


def to_json(value: Any) -> str:
    """Returns a value as JSON text that people can read."""
    return json.dumps(value, ensure_ascii=False)


def written_arguments(call: ToolCall) -> str:
    """Returns the arguments of a call as an API hands them out: JSON, if they may be run.

    Those of a call that is not executable are not a whole JSON object, so that they are not read as
    one: the text that the model wrote, or what was read of it without the bracket that closes it.

    Raises:
        ValueError: the call is executable, and has a number that JSON can't write.
    """
    if call.executable:
        try:
            # Python alone would write `NaN`, which is not JSON.
            return json.dumps(arguments_of(call), ensure_ascii=False, allow_nan=False)
        except ValueError as problem:
            raise ValueError(f"the arguments of {call.name!r} are no JSON: {problem}") from problem
    raw = call.raw_arguments
    shows = raw.lstrip().startswith("{") or not arguments_of(call)
    # The model's own text goes out where it looks like arguments, but neither reads as an object
    # nor can be mended to one, so that no client runs it.
    if shows and read_arguments(raw)[1] is not None and mended_arguments(raw) is None:
        return raw
    # Without its last bracket, `{"city": "Oslo"`: what a call that was cut looks like.
    return to_json(arguments_of(call))[:-1]


def arguments_or_refusal(call: ToolCall) -> str | Refusal:
    """Returns the arguments of a call that may run as JSON, or why it does not run after all."""
    try:
        return written_arguments(call)
    except ValueError as problem:
        # A number such as NaN, which no API accepts.
        message = f"Your call of `{shown_name(call.name)}` did not run: {problem}."
        return Refusal(call, "not-executable", message)


class Withheld:
    """Holds the end of a streamed call's arguments back until it is known that the call may run."""

    def __init__(self) -> None:
        self._kept: dict[int, str] = {}
        self._begun: set[int] = set()
        self._free_text: set[int] = set()

    def see_text(self, index: int) -> None:
        """Notes the text of a free-text call: it is not JSON, and goes out as an argument at last.

        Arguments that began before it, the path of a file say, go on.
        """
        if index not in self._begun:
            self._free_text.add(index)

    def add(self, index: int, piece: str) -> str:
        """Returns what may go out by now, with one more piece of the arguments."""
        if index in self._free_text:
            return ""
        text = self._kept.pop(index, "") + piece
        # A bracket at the end of a piece may be the last of all. Of `{}` nothing goes out: the text
        # of a free-text call may still come, and goes in between.
        out = "" if text == "{}" and index not in self._begun else text.removesuffix("}")
        if kept := text[len(out) :]:
            self._kept[index] = kept
        if out:
            self._begun.add(index)
        return out

    def end(self, index: int, call: ToolCall) -> str:
        """Returns the rest of the arguments of a call that has ended."""
        kept = self._kept.pop(index, "")
        text = _text_beside(call)
        # Nothing went out, so the arguments may be written as a whole.
        if index not in self._begun:
            return kept if kept and call.executable and text is None else written_arguments(call)
        # The bracket that was kept back never goes out, so the pieces are no JSON object.
        if not call.executable:
            return ""
        if text is None:
            return kept
        # The text goes in before the bracket that was kept back.
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
        """Accepts the next event."""
        if isinstance(event, CallStart):
            self.calls += 1
            # Until its end comes: a stream that ends here was cut inside the call.
            self.is_cut = True
        elif isinstance(event, CallEnd):
            self.is_cut = event.call.status == "truncated"
        # Text after a cut call: the answer went on, so it does not end inside one.
        elif isinstance(event, TextDelta) and event.text.strip():
            self.is_cut = False


def plain(item: object) -> Mapping[str, Any]:
    """Returns what an API's library returns, a dict or one of its models, as a mapping.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(item, Mapping):
        return item
    dump = getattr(item, "model_dump", None)
    # The models of the APIs' libraries are pydantic's. A class of them is not a message.
    if dump is None or isinstance(item, type):
        raise TypeError(f"expected a dict or a model of the API, got {described(item)}")
    found: Mapping[str, Any] = dump()
    return found


def mapping_of(value: object) -> Mapping[str, Any]:
    """Returns a part of a chunk that should be an object; {} if it is not one."""
    return value if isinstance(value, Mapping) else {}


def string_of(value: object) -> str:
    """Returns a part of a chunk that should be a string; "" if there is none."""
    return value if isinstance(value, str) else "" if value is None else str(value)


def key_of(index: object) -> object:
    """Returns the index of a chunk as a key; what a server writes there may be anything."""
    return index if isinstance(index, int | str) or index is None else repr(index)


def text_of(content: object) -> str:
    """Returns the text of a content: one text, or a list of texts and blocks."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        part if isinstance(part, str) else string_of(part.get("text"))
        for part in parts
        if isinstance(part, str) or mapping_of(part).get("type") == "text"
    )


def read_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """Returns the arguments that a JSON text holds and None, or {} and why they can't be read."""
    # Servers send an empty text for a call without arguments.
    if not text.strip():
        return {}, None
    try:
        value = read_json(text)
    except ValueError as problem:
        return {}, f"the arguments are no JSON: {problem}"
    if not isinstance(value, dict):
        return {}, "the arguments are no JSON object"
    return value, None


def doubts_of(name: str, arguments: Mapping[str, Any], text: str = "") -> tuple[str, ...]:
    """Returns the doubts about arguments that can be read: a key that stands twice, say.

    Args:
        name: the name of the call; its tool is not known.
        arguments: the arguments that were read.
        text: the JSON text that they were read from; "" if there is none.
    """
    found = recover_json(text).diagnostics if text.strip() else ()
    codes = [each.code for each in found if each.severity == "error"]
    if reason := doubt_of_nested(name, arguments, None, ()):
        codes.append(reason[0])
    return tuple(dict.fromkeys(codes))


def doubt_of_nested(
    name: str, arguments: Mapping[str, Any], spec: ToolSpec | None, tools: Container[str]
) -> tuple[str, str] | None:
    """Returns the code and the message of the doubt about arguments that are a call or a schema.

    None if they are neither, or if the tool has arguments of these names.

    Args:
        name: the name of the call.
        arguments: its arguments.
        spec: the tool that is called; None if it is not known.
        tools: the names of all tools.
    """
    if are_call(name, arguments, spec, tools):
        return "duplicate-key", "Found a whole call in place of the arguments"
    if is_definition(arguments, spec):
        return "quoted-call", "Found a schema in place of the arguments"
    return None


def mended_arguments(text: str) -> dict[str, Any] | None:
    """Returns the arguments of a text that a server calls whole and that is almost JSON, or None.

    Nothing may be missing at its end, and no repair may be in doubt.
    """
    text = text.strip()
    # Both brackets must be the model's own; only text between them may be repaired.
    if not (text.startswith("{") and text.endswith("}")):
        return None
    found = recover_json(text)
    whole = found.executable and found.rest is None and isinstance(found.value, dict)
    return found.value if whole else None


def server_problem(error: object) -> Problem:
    """Returns the event for an error that a server sent instead of the rest of an answer."""
    said = error.get("message") if isinstance(error, Mapping) else error
    message = f"Found an error of the server: {said or 'it says no more'}"
    # The code of an answer that was cut: its end is missing in the same way.
    return Problem(Diagnostic("truncated", "error", message, NOWHERE))


def lost_call(what: object) -> Problem:
    """Returns the event for an item among the calls that is not a call."""
    message = f"Found what is no call among the calls: {what!r:.80}"
    return Problem(Diagnostic("malformed-call", "error", message, NOWHERE))


def name_in(call: Mapping[str, Any]) -> tuple[str, list[Event]]:
    """Returns the name that a server gives a call, and what tells of a name that is no text.

    The name is "" if there is none, or none that is a text.
    """
    name = call.get("name")
    if name is None or isinstance(name, str):
        return name or "", []
    # The number 5 names no tool: a tool "5" may be another one.
    return "", [lost_call(call)]


def read_call(name: str, text: str, identity: str | None) -> ToolCall:
    """Returns the call whose arguments an API returns as JSON text; never raises on the text."""
    arguments, error = read_arguments(text)
    return ToolCall(
        name,
        arguments,
        id=identity,
        raw_arguments=text,
        status="complete" if error is None else "unreadable",
        error=error,
        doubts=doubts_of(name, arguments, text) if error is None else (),
    )


def call_with(name: str, arguments: object, identity: object) -> ToolCall:
    """Returns the call whose arguments an API returns as an object; a JSON text is read, too.

    Arguments that are neither make the call unreadable.
    """
    own_id = string_of(identity) or None
    if isinstance(arguments, Mapping):
        return ToolCall(name, dict(arguments), id=own_id, doubts=doubts_of(name, arguments))
    return read_call(name, written_json(arguments), own_id)


def written_json(arguments: object) -> str:
    """Returns arguments as the JSON text that they should be: some servers send the object itself.

    Raises:
        TypeError: they hold what no JSON has, so that no server can have sent them.
    """
    if isinstance(arguments, str):
        return arguments
    # Nothing, and not `{}`: pieces of the arguments may still come. PHP writes `{}` as `[]`.
    if arguments is None or arguments in ({}, []):
        return ""
    try:
        return to_json(arguments)
    except TypeError as error:
        raise TypeError(f"arguments must be JSON data, got {described(arguments)}") from error
