"""Splits the text of one answer into content, reasoning, and calls for the client.

Example: `Hi.<tool_call>…</tool_call>` gives the pieces `content: "Hi."` and `call: {"name": …}`; a
call that may not run stays content.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgrammar.interop.exchange import arguments_or_refusal, ids_in
from toolgrammar.parsing.call_ids import UniqueIds
from toolgrammar.parsing.checks import is_cut
from toolgrammar.parsing.parser import Parser
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.salvage.refusals import Refusal
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import check_several, check_type
from toolgrammar.values.events import CallEnd, Event, ReasoningDelta, TextDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.values.tools import ToolSpec

Report: TypeAlias = Callable[[ToolCall, Refusal | None], None]
"""A function that is called with each call and its refusal; None if the call was passed on."""
Piece: TypeAlias = (
    tuple[Literal["content", "reasoning"], str] | tuple[Literal["call"], dict[str, Any]]
)
"""A piece of an answer; a call has the shape of a `tool_calls` entry."""

_POLICY: Final = SalvagePolicy()
_BROKE_OFF: Final = "incomplete"
"""The reason of an answer that ends without one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The settings for reading the answers to one request."""

    format: FormatsLike
    """The format in which the model writes calls."""
    tools: Mapping[str, ToolSpec]
    """The tools that were offered."""
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    """The conversation."""
    policy: SalvagePolicy = _POLICY
    """Decides which calls may run."""
    prefix: str = ""
    """The part of the answer that the chat template writes before the model begins."""
    report: Report | None = None
    """Called for each call."""
    repair: bool = False
    """Whether calls that the server made itself are repaired."""


def reading_of(
    request: Mapping[str, Any],
    format: FormatsLike,
    policy: SalvagePolicy | None = None,
    prefix: str = "",
    report: Report | None = None,
    *,
    repair: bool = False,
) -> Reading | None:
    """Returns how the answers to a request are read; None if no tools are offered or may be called.

    Raises:
        TypeError: a tool of the request has no name, or it or the request has a wrong shape.
        ValueError: a tool of the request costs too much to read.
    """
    check_type("request", request, Mapping, "hand in the body of the request")
    check_type("policy", policy, (SalvagePolicy, type(None)))
    check_type("prefix", prefix, str)
    check_type("repair", repair, bool)
    tools = request.get("tools")
    # Without tools no text is a call: the answer passes unchanged.
    if not tools or request.get("tool_choice") == "none":
        return None
    check_several("tools", tools, "a list of dicts", "write [tool]")
    # Custom and built-in tools have no schema, and are not functions.
    functions = [tool for tool in tools if not isinstance(tool, Mapping) or _is_function(tool)]
    messages = request.get("messages")
    given = messages if isinstance(messages, list) else []
    specs = to_specs(functions)
    known = [message for message in given if isinstance(message, Mapping)]
    return Reading(format, specs, known, policy or _POLICY, prefix, report, repair)


def _is_function(tool: Mapping[str, Any]) -> bool:
    return bool(tool.get("type", "function") == "function")


class AnswerReader:
    """Reads one answer, one choice of a completion, as it comes."""

    def __init__(self, reading: Reading, seed: str, *, native: bool = False) -> None:
        """Sets up the reading.

        Args:
            reading: how to read it.
            seed: a text that is unique to the answer: ids are derived from it.
            native: whether the server has made tool calls of its own.
        """
        self._report = reading.report
        self._parser = Parser(reading.format, tools=reading.tools, prefix=reading.prefix)
        self._judge = reading.policy.judge_stream(
            tools=list(reading.tools),
            messages=reading.messages,
            native=native,
            prefix=reading.prefix,
        )
        self._ids = UniqueIds(ids_in(reading.messages), f"{len(reading.messages)} {seed}")
        # The places in the answer of text that is not read, and its length up to there: see
        # `note_aside`.
        self._asides: list[int] = []
        self._aside_lengths = [0]
        self._read = 0
        self.given = 0
        """The number of calls that were passed on so far."""
        self.closed = False
        """Whether the answer has ended."""

    def see_native(self) -> None:
        """Records that the server has made a tool call of its own."""
        self._judge.see_native()

    def feed(self, text: str) -> list[Piece]:
        """Accepts more of the text; returns the pieces that are certain."""
        self._judge.feed(text)
        self._read += len(text)
        return self._pieces(self._parser.feed(text))

    def note_aside(self, text: str) -> None:
        """Records text that is passed on unread: it has no calls, but may open a block of code."""
        self._judge.feed(text)
        self._asides.append(self._read)
        self._aside_lengths.append(self._aside_lengths[-1] + len(text))

    def close(self, finish_reason: object = None) -> list[Piece]:
        """Ends the text; returns the last pieces. Without a finish reason the answer broke off."""
        self.closed = True
        # Servers that break the API send other types; a model's answer must not raise for them.
        reason = finish_reason if isinstance(finish_reason, str) else ""
        return self._pieces(self._parser.close(reason or _BROKE_OFF))

    def reason(self, finish_reason: Any) -> Any:
        """Returns the finish reason for the client: calls were made, unless the answer was cut."""
        # `length` is kept: a client must learn that the answer was cut, even if calls were passed
        # on.
        if not self.given or not isinstance(finish_reason, str) or is_cut(finish_reason):
            return finish_reason
        return "tool_calls"

    def _pieces(self, events: list[Event]) -> list[Piece]:
        """Returns the pieces for events, with calls at their end."""
        found: list[Piece] = []
        for event in events:
            if isinstance(event, TextDelta):
                _add(found, "content", event.text)
            elif isinstance(event, ReasoningDelta):
                _add(found, "reasoning", event.text)
            # Only the end of a call shows whether it may run.
            elif isinstance(event, CallEnd):
                self._take(event.call, event.index, found)
        return found

    def _take(self, call: ToolCall, place: int, found: list[Piece]) -> None:
        """Adds a call that has ended to the pieces, or its text if it may not run."""
        judged = self._refusal(call) or arguments_or_refusal(call)
        refusal = judged if isinstance(judged, Refusal) else None
        if self._report is not None:
            self._report(call, refusal)
        if isinstance(judged, Refusal):
            # The text of a refused call is not lost: the client receives what the model wrote.
            _add(found, "content", self._parser.read_text(call.span.start, call.span.end))
            return
        function = {"name": call.name, "arguments": judged}
        identity = self._ids.next(call, place)
        found.append(("call", {"id": identity, "type": "function", "function": function}))
        self.given += 1

    def _refusal(self, call: ToolCall) -> Refusal | None:
        """Returns the refusal of a call; None if it may run."""
        if not self._asides:
            return self._judge.judge(call)
        # The text of the judge contains the asides, that of the parser does not.
        start, end = (self._placed(at) for at in (call.span.start, call.span.end - 1))
        found = self._judge.judge(replace(call, span=Span(start, end + 1)))
        # Text that was not read is inside the call.
        if found is None and end - start >= call.span.end - call.span.start:
            return Refusal(call, "not-executable", "Your call did not run: it was interrupted.")
        return None if found is None else replace(found, call=call)

    def _placed(self, at: int) -> int:
        """Returns the place in the whole answer of a character that was read."""
        return at + self._aside_lengths[bisect_right(self._asides, at)]


def _add(found: list[Piece], kind: Literal["content", "reasoning"], text: str) -> None:
    """Adds a text, joined to the previous piece if that is of the same kind."""
    if not text:
        return
    if found and found[-1][0] == kind:
        found[-1] = (kind, f"{found[-1][1]}{text}")
    else:
        found.append((kind, text))
