"""Reads the arguments of a native call: one JSON object, which may be damaged, or several in a row.

`{'city': 'Oslo',}` is emitted as `{"city": "Oslo"}`, `repaired`; `{"n": 1}{"n": 2}` becomes two
sets of arguments, since some servers join the arguments of parallel calls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.core.evidence.member_behind import MOST, goes_on
from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.trust.mended_calls import (
    Mended,
    changes_values,
    reason_to_doubt,
    sure_codes,
)
from toolgrammar.interop.exchange import doubt_of_nested, to_json
from toolgrammar.interop.native.repeated import RepeatedPieces
from toolgrammar.recovery.json_parser import JsonParser, recover_json
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.schemas import type_of
from toolgrammar.values.spans import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.recovery.json_result import RecoveredJson
    from toolgrammar.values.calls import Status
    from toolgrammar.values.tools import ToolSpec

JOINED: Final = "joined-calls"
REPEATED: Final = "repeated-pieces"
_ANOTHER: Final = "extra-value"
"""The code with which JSON recovery reports a second value."""
_OBJECT: Final = {"type": "object"}
_MOST: Final = 64
"""Objects in a row that are told apart; more are no arguments of calls."""
_BETWEEN: Final = " \t\r\n,;"
_EMPTY: Final = frozenset({"", "{", "{}"})
"""A beginning that may be an empty object before the real one, as in `{}{"city": "Oslo"}`."""


@dataclass(frozen=True, slots=True)
class ReadArguments:
    """The arguments of one call."""

    arguments: dict[str, Any]
    raw: str
    """The text from the API."""
    status: Status = "complete"
    error: str | None = None
    doubts: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class ArgumentsReader:
    """Reads the arguments of one native call as they come."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._parser: JsonParser | None = None
        # The parser waits for what follows a quote before it says that a value has ended.
        self._strict = JsonScanner()
        self._unread = ""
        self._held = ""
        self._given = False
        self._pieces = RepeatedPieces()
        self.has_begun = False
        """Whether any of the arguments came."""

    @property
    def text(self) -> str:
        """All that came."""
        # Joined once: the pieces of a long text are asked for again and again.
        self._parts[:] = ["".join(self._parts)]
        return self._parts[0]

    @property
    def given(self) -> str:
        """All that is known so far, with what waits for more."""
        return self.text + self._pieces.held

    def feed(self, piece: str) -> None:
        """Accepts the next piece."""
        self._feed(self._pieces.feed(piece))

    def repeats(self, piece: str) -> bool:
        """Whether a piece holds all the arguments once more, of a server that does so."""
        return self._pieces.repeats(piece)

    def _feed(self, text: str) -> None:
        self._parts.append(text)
        self.has_begun = self.has_begun or bool(text.strip())
        if not (self._strict.done or self._strict.failed):
            self._unread += text if self.has_begun else ""
            self._unread = self._unread[self._strict.feed(self._unread, 0, []) :]
        if self._parser is not None:
            self._parser.feed(text)

    def take(self, tool: ToolSpec | None) -> str:
        """Returns the strict JSON that may go out by now; `tool` must be the same each time."""
        if self._parser is None:
            self._parser = JsonParser(_schema(tool))
            self._parser.feed(self.text)
        return self._go_out(self._parser.take())

    def _go_out(self, json: str) -> str:
        text = self._held + json
        shown = "".join(text.split())
        # An empty object may come before the real one, and a list is never the arguments.
        if not self._given and (shown in _EMPTY or not shown.startswith("{")):
            self._held = text
            return ""
        self._held = ""
        self._given = self._given or bool(text)
        return text

    def end(
        self, tool: ToolSpec | None, *, cut: bool, calls: int = 1, has_other_ids: bool = False
    ) -> tuple[str, list[ReadArguments]]:
        """Returns the rest of the first call's JSON, and the arguments of all calls found.

        Args:
            tool: the tool that is called, where it is known.
            cut: whether the answer may have been cut in this call: then nothing is completed.
            calls: how many calls the server said to be in one.
            has_other_ids: whether some of it came under another id.
        """
        self._feed(self._pieces.close(cut=cut))
        text = self.text
        if not text.strip():
            return "{}", [_without(cut=cut)]
        first = self.take(tool)
        assert self._parser is not None
        found = self._parser.close()
        first += self._go_out(self._parser.take())
        every = [_judged(_read(found, text, cut=cut), found, tool)]
        # Some servers give each piece an id of its own. Sound arguments are those of one call;
        # mended ones may have swallowed another.
        if has_other_ids and every[0].status == "repaired" and not every[0].doubts:
            every = [_with_doubt(every[0], JOINED, "the mended arguments came under several ids")]
        # If the text was cut, it is not known whether the last object is whole.
        if not cut and any(each.code == _ANOTHER for each in found.diagnostics):
            every = _several(text, tool, calls) or every
        if self._pieces.sure:
            every = [_repeated(each, doubt=self._pieces.doubtful) for each in every]
        if self._given:
            return first, every
        # Nothing went out: an empty object, or what is none.
        return to_json(every[0].arguments), every

    @property
    def is_whole(self) -> bool:
        """Whether a sound object has ended."""
        return self._strict.done or self._pieces.is_whole


def _schema(tool: ToolSpec | None) -> dict[str, Any]:
    # That an object is wanted decides what becomes of a string that holds one.
    return _OBJECT if tool is None or tool.parameters is None else {**_OBJECT, **tool.parameters}


def _without(*, cut: bool) -> ReadArguments:
    if not cut:
        return ReadArguments({}, "")
    error = "the answer was cut before the arguments"
    return ReadArguments({}, "", "truncated", error, (), (_diagnostic("truncated", error),))


def _read(found: RecoveredJson, text: str, *, cut: bool) -> ReadArguments:
    """Returns the arguments of a text in which one object is meant."""
    diagnostics = tuple(replace(each, span=NOWHERE, edits=()) for each in found.diagnostics)
    if found.status == "unreadable" or not isinstance(found.value, dict):
        read = found.status != "unreadable"
        what = f"JSON of the type {type_of(found.value)}" if read else "no JSON"
        error = f"the arguments are {what}; a call wants a JSON object"
        status: Status = "truncated" if cut else "unreadable"
        code = "truncated" if cut else "malformed-arguments"
        return ReadArguments({}, text, status, error, (), (_diagnostic(code, error),))
    # Types by the schema are no repair.
    mended = [each for each in diagnostics if each.severity != "info"]
    status = found.status if mended or found.status == "truncated" else "complete"
    doubts = tuple(
        dict.fromkeys(
            each.code
            for each in diagnostics
            if each.severity == "error" and each.code != "truncated"
        )
    )
    # Of a text that was cut nothing is completed: what is missing may be what would have decided.
    if cut and status == "repaired":
        status = "truncated"
        diagnostics += (_diagnostic("truncated", "the answer was cut in the arguments"),)
    return ReadArguments(found.value, text, status, None, doubts, diagnostics)


def doubt_if_nested(read: ReadArguments, name: str, tools: Mapping[str, ToolSpec]) -> ReadArguments:
    """Returns the arguments, doubted if they are a whole call or a schema.

    Args:
        read: the arguments of a call.
        name: the name of the call.
        tools: all tools.
    """
    # Of a call that does not run anyway, more reasons would help nobody.
    if read.status not in ("complete", "repaired") or read.doubts:
        return read
    reason = doubt_of_nested(name, read.arguments, tools.get(name), tools)
    return read if reason is None else _with_doubt(read, *reason)


def _judged(read: ReadArguments, found: RecoveredJson, tool: ToolSpec | None) -> ReadArguments:
    """Returns the arguments with the doubts that mended ones of a call in a text have, too."""
    # A call that is in doubt already is not run: more reasons would help nobody.
    if read.status != "repaired" or read.doubts:
        return read
    if _go_on_behind(read, found, tool):
        message = "Found what may be another argument behind the object of arguments"
        return _with_doubt(read, "skipped-markup", message)
    codes = sure_codes(found.diagnostics)
    name = tool.name if tool is not None else ""
    mended = Mended(name, read.arguments, found.diagnostics, codes, tool)
    reason = reason_to_doubt(mended, inside=changes_values(codes)) if codes else None
    return read if reason is None else _with_doubt(read, *reason)


def _go_on_behind(read: ReadArguments, found: RecoveredJson, tool: ToolSpec | None) -> bool:
    """Whether an argument of the tool that the call lacks follows its object: `{"a": 1} days=3`.

    A key in quotes counts for any tool: the recovery of JSON doubts it already.
    """
    if found.rest is None:
        return False
    awaited = tool.properties.keys() - read.arguments.keys() if tool is not None else frozenset()
    # White space is a part of what follows: a key may stand on a line of its own.
    end = len(read.raw[: found.rest].rstrip())
    return goes_on(read.raw[end : end + MOST], awaited.__contains__, final=True) is True


def _several(text: str, tool: ToolSpec | None, calls: int) -> list[ReadArguments]:
    """Returns the arguments of several calls in a row; none where something else is between."""
    parts = _objects(text, tool)
    if len(parts) < 2:
        return []
    values = [found.value for _, found in parts]
    # The same once more: a server that sends the arguments in pieces and then whole.
    if all(value == values[0] for value in values):
        return [_told(parts[0], f"the same arguments stand {len(parts)} times", doubt=False)]
    # `{}{"city": "Oslo"}`: servers send an empty object first, and the arguments when they come.
    if len(parts) == 2 and not values[0]:
        said = "an empty object stands before the arguments"
        # Where the tool could run without arguments, these may be two calls.
        sure = tool is not None and not recover_json("{}", _schema(tool)).executable
        return [_told(parts[1], said, doubt=not sure)]
    said = f"the arguments of {len(parts)} calls stand in one"
    # Where the server named so many calls; or where each object fits the tool by itself, and has no
    # key but the tool's.
    sure = calls == len(parts) or (
        tool is not None
        and all(
            found.executable and value.keys() <= tool.properties.keys()
            for (_, found), value in zip(parts, values, strict=True)
        )
    )
    return [_told(part, said, doubt=not sure) for part in parts]


def _objects(text: str, tool: ToolSpec | None) -> list[tuple[str, RecoveredJson]]:
    """Returns the texts of several objects in a row; none if one is doubtful."""
    schema = _schema(tool)
    parts: list[tuple[str, RecoveredJson]] = []
    while text:
        rest = recover_json(text, schema).rest
        part = text if rest is None else text[:rest]
        found = recover_json(part, schema)
        # Told apart are sound objects alone: a repair that guesses may have put the border
        # elsewhere.
        clean = isinstance(found.value, dict) and found.status in {"complete", "repaired"}
        if not clean or any(each.severity == "error" for each in found.diagnostics):
            return []
        parts.append((part, found))
        text = text[len(part) :].lstrip(_BETWEEN)
        if len(parts) > _MOST or (text and not text.startswith("{")):
            return []
    return parts


def _repeated(read: ReadArguments, *, doubt: bool) -> ReadArguments:
    """Returns arguments whose pieces each repeated all before, with a diagnostic."""
    said = "the pieces of the arguments each repeat all that came before"
    return replace(
        read,
        status="repaired" if read.status == "complete" else read.status,
        doubts=(*read.doubts, REPEATED) if doubt else read.doubts,
        diagnostics=(*read.diagnostics, _diagnostic(REPEATED, said, doubt=doubt)),
    )


def _told(part: tuple[str, RecoveredJson], said: str, *, doubt: bool) -> ReadArguments:
    """Returns the arguments of one of several objects, with what was made of them."""
    text, found = part
    read = _read(found, text, cut=False)
    return replace(
        read,
        status="repaired",
        doubts=(*read.doubts, JOINED) if doubt else read.doubts,
        diagnostics=(*read.diagnostics, _diagnostic(JOINED, said, doubt=doubt)),
    )


def _with_doubt(read: ReadArguments, code: str, said: str) -> ReadArguments:
    """Returns the arguments with one more doubt."""
    told = (*read.diagnostics, _diagnostic(code, said))
    return replace(read, doubts=(*read.doubts, code), diagnostics=told)


def _diagnostic(code: str, message: str, *, doubt: bool = True) -> Diagnostic:
    sentence = message[:1].upper() + message[1:]
    return Diagnostic(code, "error" if doubt else "warning", sentence, NOWHERE)
