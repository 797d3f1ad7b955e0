"""Reads one message for a server: decides which text is content, and which calls the client gets.

Example: `On it. <tool_call>…</tool_call>` gives `Content("On it.")`, `CallBegun(0, "search", None)`
and `Arguments(0, …)`. A call that may not run is not a call for the client: its text becomes
content if that is still possible, and the log has the reason.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgrammar.catalogue.registry import formats
from toolgrammar.catalogue.several import AnyOf
from toolgrammar.core.message.source import Source
from toolgrammar.interop.exchange import ids_in
from toolgrammar.parsing.parser import Parser
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ReasoningDelta,
    TextDelta,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from toolgrammar.salvage.policy import Tools
    from toolgrammar.servers.giving import Giving
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.events import Event
    from toolgrammar.values.tools import ToolSpec

log = logging.getLogger("toolgrammar.servers")


@dataclass(frozen=True, slots=True)
class Content:
    """More of the message's text."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class CallBegun:
    """The start of a call for the client."""

    index: int
    """Its index among the calls of the client."""
    name: str
    """The tool's name."""
    id: str | None
    """The id that the model wrote; None if it wrote none, or one that was used before."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """More of the arguments of a call."""

    index: int
    """The index of the call among those of the client."""
    json: str
    """The next piece of the JSON."""


Piece: TypeAlias = Content | CallBegun | Arguments


@dataclass(slots=True)
class _OpenCall:
    """A call between its start and its end."""

    start: CallStart
    index: int = -1
    """Its index among the calls of the client, once it was sent; -1 before."""
    held: list[str] = field(default_factory=list)
    """The arguments that were not sent yet."""


class MessageReader:
    """Reads one message as it arrives."""

    def __init__(
        self,
        format_id: str,
        tools: Iterable[ToolSpec],
        *,
        giving: Giving = "stream",
        names: Collection[str] | None = None,
        messages: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Makes a reader for one message.

        Args:
            format_id: the id of the format, or `auto`.
            tools: the tools of the request.
            giving: which calls are sent, and when.
            names: the only names that a call may have; None for any name.
            messages: the conversation: a call that a tool or a user wrote there does not run, and
                none gets an id that an earlier one has.
        """
        known = list(messages)
        wants_all = giving == "all"
        self._parser = Parser(format_id, tools=tools)
        self._source = Source()
        self._giving = giving
        # `all` sends every call, even of a tool that the request does not have.
        self._names = None if wants_all else names
        self._judge = None
        if not wants_all:
            offered: Tools = "any" if names is None else names
            self._judge = SalvagePolicy().judge_stream(tools=offered, messages=known)
        self._calls: dict[int, _OpenCall] = {}
        self._given = 0
        self._ids = ids_in(known)
        self._space = ""
        self._reasons = False
        self._tags: tuple[str, str] | None = None
        self._format_id = format_id

    def feed(self, chunk: str) -> list[Piece]:
        """Accepts the next piece of the message; returns the pieces that are certain by now."""
        self._source.append(chunk)
        if self._judge is not None:
            self._judge.feed(chunk)
        return self._pieces(self._parser.feed(chunk))

    def finish(self) -> list[Piece]:
        """Ends the message; returns the pieces that were held back."""
        pieces = self._pieces(self._parser.close())
        if self._reasons:
            # The end of the text may have cut the reasoning, which then has no closer.
            closer = self._reasoning_tags()[1]
            if self._source.text().rstrip().endswith(closer):
                pieces += self._content(closer)
            self._reasons = False
        # After calls, and between them, white space is dropped.
        if self._space and not self._given:
            pieces.append(Content(self._space))
        self._space = ""
        return pieces

    # ------------------------------------------------------------ events

    def _pieces(self, events: Iterable[Event]) -> list[Piece]:
        """Returns the pieces for a client of some events, in their order."""
        pieces: list[Piece] = []
        for event in events:
            match event:
                case ReasoningDelta(text):
                    if not self._reasons:
                        self._reasons = True
                        pieces += self._content(self._reasoning_tags()[0])
                    pieces += self._content(text)
                case TextDelta(text):
                    pieces += self._reasoning_end() + self._content(text)
                case CallStart():
                    pieces += self._reasoning_end() + self._begun(event)
                case ArgumentsDelta(index, json):
                    pieces += self._arguments(self._calls[index], json)
                case CallEnd(index, call):
                    pieces += self._ended(self._calls.pop(index), call)
                case _:
                    pass  # repairs and losses: the log reports them with the call if they matter
        return pieces

    def _content(self, text: str) -> list[Piece]:
        """Returns a text without white space at its end, which is held until more text comes."""
        body = text.rstrip()
        if not body:
            self._space += text
            return []
        piece = Content(self._space + body)
        self._space = text[len(body) :]
        return [piece]

    # ------------------------------------------------------------ reasoning

    def _reasoning_end(self) -> list[Piece]:
        """Returns the closer of reasoning that was open."""
        if not self._reasons:
            return []
        self._reasons = False
        return self._content(self._reasoning_tags()[1])

    def _reasoning_tags(self) -> tuple[str, str]:
        """Returns the opener and the closer of reasoning in this message.

        Reasoning that arrives here becomes content, as it was written: a server that is to
        separate it has a parser for reasoning, which removed it before.
        """
        if self._tags is None:
            chosen = formats.resolve_any(self._format_id)
            among = chosen.formats if isinstance(chosen, AnyOf) else (chosen,)
            text = self._source.text()
            found = (
                (text.find(opener), opener, closer)
                for each in among
                for closer, opener in each.tables.reasoning_tags.items()
            )
            # The opener that comes first in the text: several formats may have reasoning with
            # different openers.
            first = min((each for each in found if each[0] >= 0), default=(0, "", ""))
            self._tags = first[1:]
        return self._tags

    # ------------------------------------------------------------ calls

    def _begun(self, event: CallStart) -> list[Piece]:
        """Reads the start of a call."""
        call = self._calls[event.index] = _OpenCall(event)
        # The name alone shows it, so not even its start is sent.
        is_unknown = self._names is not None and event.name not in self._names
        if self._giving == "hold" or is_unknown:
            return []
        return self._give(call)

    def _give(self, call: _OpenCall) -> list[Piece]:
        """Sends the start of a call to the client, without arguments."""
        call.index = self._given
        self._given += 1
        written = call.start.id
        # Clients answer calls by their ids, so the same id is never sent twice.
        own = written if written and written not in self._ids else None
        if own is not None:
            self._ids.add(own)
        return [CallBegun(call.index, call.start.name, own)]

    def _arguments(self, call: _OpenCall, json: str) -> list[Piece]:
        """Reads more of the arguments."""
        call.held.append(json)
        # Held until the end of the call shows whether the client gets it.
        if call.index < 0:
            return []
        text = "".join(call.held)
        # The last character may close the JSON: it is held until the call may run.
        kept = 0 if self._giving == "all" else 1
        call.held = [text[len(text) - kept :]]
        return [Arguments(call.index, text[: len(text) - kept])] if len(text) > kept else []

    def _ended(self, open_call: _OpenCall, call: ToolCall) -> list[Piece]:
        """Reads the end of a call."""
        refusal = self._refusal(call)
        # Sent nonetheless: only the log reports it.
        if refusal and self._giving == "all":
            log.warning("%s: a call of %r should not run: %s", call.format, call.name, refusal)
        elif refusal:
            log.warning("%s: a call of %r is refused: %s", call.format, call.name, refusal)
            if open_call.index >= 0:
                return []  # its arguments never get their end: nobody can run them
            return self._content(self._source.slice(call.span.start, call.span.end))
        pieces = self._give(open_call) if open_call.index < 0 else []
        rest = "".join(open_call.held)
        if rest:
            pieces.append(Arguments(open_call.index, rest))
        return pieces

    def _refusal(self, call: ToolCall) -> str:
        """Returns why the client should not get a call; "" if it should."""
        refusal = None if self._judge is None else self._judge.judge(call)
        if refusal is not None:
            # The codes of a call are more precise than that it is not executable.
            return ", ".join([refusal.code, *call.doubts, call.error or call.status])
        if not call.executable:
            return call.error or ", ".join(call.doubts) or call.status
        # Servers can pass the text of a free-text call only as an argument of its tool.
        if call.input and not call.arguments:
            return "its text is no argument of a known tool"
        return ""
