"""Splits the text of one answer into content, reasoning, and calls for the client.

Example: `Hi.<tool_call>…</tool_call>` gives the pieces `content: "Hi."` and `call: {"name": …}`; a
call that may not run stays content.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgrammar.interop.exchange import arguments_or_refusal, ids_in, text_of
from toolgrammar.parsing.call_ids import UniqueIds
from toolgrammar.parsing.checks import is_cut
from toolgrammar.parsing.parser import Parser
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.salvage.refusals import Refusal
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import check_several, check_type, described
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
class Echo:
    """The prompts with which the answers to a request begin, where it says `echo: true`."""

    prompts: tuple[str | None, ...] = ("",)
    """The text of each prompt; None for one in tokens, whose text is not known."""
    answers: int = 1
    """The number of answers to each prompt."""

    def prompt_of(self, index: int) -> str | None:
        """Returns the prompt of the answer with this index; None if its text is not known."""
        at = index // self.answers if len(self.prompts) > 1 else 0
        return self.prompts[at] if 0 <= at < len(self.prompts) else None


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
    echo: Echo = field(default_factory=Echo)
    """The texts with which the answers begin that are not the model's."""


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
    if report is not None and not callable(report):
        raise TypeError(
            f"report must be a function of a call and its refusal, got {described(report)}"
        )
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
    begun = _begun(known)
    # The answer goes on with the last message: then the template does not begin a new one.
    if request.get("continue_final_message") is True and begun is not None:
        prefix = begun
    echo = _echo(request, begun)
    return Reading(format, specs, known, policy or _POLICY, prefix, report, repair, echo)


def _is_function(tool: Mapping[str, Any]) -> bool:
    return bool(tool.get("type", "function") == "function")


def _begun(messages: list[Mapping[str, Any]]) -> str | None:
    """Returns the text of a last message that is the assistant's; None if it is another's."""
    last = messages[-1] if messages else {}
    return text_of(last.get("content")) if last.get("role") == "assistant" else None


def _echo(request: Mapping[str, Any], begun: str | None) -> Echo:
    """Returns the texts with which the answers to a request begin.

    Args:
        request: the body of the request.
        begun: the text of a last message that is the assistant's.
    """
    if request.get("echo") is not True:
        return Echo()
    # vLLM knows `echo` for chats, too, and repeats a last message of the assistant.
    if "messages" in request:
        return Echo((begun or "",))
    prompt, answers = request.get("prompt"), request.get("n")
    # One prompt in tokens is a list of numbers.
    given = prompt if isinstance(prompt, list) else [prompt]
    prompts = given if all(isinstance(each, str | list) for each in given) else [None]
    return Echo(
        tuple(each if isinstance(each, str) else None for each in prompts),
        answers if isinstance(answers, int) and answers > 0 else 1,
    )


class _PromptEnd:
    """Separates the prompt that an answer repeats from the text of the model."""

    def __init__(self, prompt: str | None) -> None:
        self._prompt = prompt
        self.passed = 0
        """The number of characters that belong to the prompt, or may do so."""

    def split(self, text: str) -> tuple[str, str]:
        """Returns the part of the next text that is not the model's, and the rest."""
        size = len(text) if self._prompt is None else len(self._prompt) - self.passed
        part = text[:size]
        # The text is another one than the prompt, so nobody knows where the model's begins.
        if self._prompt is not None and not self._prompt.startswith(part, self.passed):
            self._prompt, part = None, text
        self.passed += len(part)
        return part, text[len(part) :]


class AnswerReader:
    """Reads one answer, one choice of a completion, as it comes.

    Its text stays in memory until it has ended: a refused call is passed on as it was written, and at
    the first damage the parser reads the text once more.
    """

    def __init__(
        self, reading: Reading, seed: str, *, index: int = 0, native: bool = False
    ) -> None:
        """Sets up the reading.

        Args:
            reading: how to read it.
            seed: a text that is unique to the answer: ids are derived from it.
            index: its index among the answers to the request.
            native: whether the server has made tool calls of its own.
        """
        self._report = reading.report
        self._prompt_end = _PromptEnd(reading.echo.prompt_of(index))
        self._parser = Parser(reading.format, tools=reading.tools, prefix=reading.prefix)
        self._judge = reading.policy.judge_stream(
            tools=list(reading.tools),
            messages=reading.messages,
            native=native,
            prefix=reading.prefix,
        )
        self._ids = UniqueIds(ids_in(reading.messages), f"{len(reading.messages)} {seed}")
        self._given_ids: set[str] = set()
        self._native_ids: set[str] = set()
        # The places in the answer of text that is not read, and its length up to there: see
        # `note_aside`.
        self._asides: list[int] = []
        self._aside_lengths = [0]
        self.size = 0
        """The length of the text that was read so far."""
        self.given = 0
        """The number of calls that were passed on so far."""
        self.closed = False
        """Whether the answer has ended."""

    def see_native(self) -> None:
        """Records that the server has made a tool call of its own."""
        self._judge.see_native()

    def native_id(self, call: object) -> str | None:
        """Returns the id of a native call, which no call of the text has; None if it has none."""
        identity = call.get("id") if isinstance(call, Mapping) else None
        if not isinstance(identity, str) or not identity:
            return None
        # A call of the text that has it was handed out before.
        while identity in self._given_ids:
            identity += "_"
        self._native_ids.add(identity)
        return identity

    def feed(self, text: str) -> list[Piece]:
        """Accepts more of the text; returns the pieces that are certain."""
        found: list[Piece] = []
        # A prompt holds calls of others: earlier ones, and those in the results of tools.
        echoed, text = self._prompt_end.split(text)
        _add(found, "content", echoed)
        self._judge.feed(text)
        self.size += len(text)
        return self._pieces(self._parser.feed(text), found)

    @property
    def echoed(self) -> int:
        """The number of characters of the text so far that are not the model's."""
        return self._prompt_end.passed

    def note_aside(self, text: str) -> None:
        """Records text that is passed on unread: it has no calls, but may open a block of code."""
        self._judge.feed(text)
        self._asides.append(self.size)
        self._aside_lengths.append(self._aside_lengths[-1] + len(text))

    def close(self, finish_reason: object = None) -> list[Piece]:
        """Ends the text; returns the last pieces. Without a finish reason the answer broke off."""
        self.closed = True
        # Servers that break the API send other types; a model's answer must not raise for them.
        reason = finish_reason if isinstance(finish_reason, str) else ""
        return self._pieces(self._parser.close(reason or _BROKE_OFF), [])

    def reason(self, finish_reason: Any) -> Any:
        """Returns the finish reason for the client: calls were made, unless the answer was cut."""
        # `length` is kept: a client must learn that the answer was cut, even if calls were passed
        # on.
        if not self.given or not isinstance(finish_reason, str) or is_cut(finish_reason):
            return finish_reason
        return "tool_calls"

    def _pieces(self, events: list[Event], found: list[Piece]) -> list[Piece]:
        """Returns the pieces found so far and those for events, with calls at their end."""
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
        # All of it is in the prefix: the client wrote it, and not the model.
        if call.span.end == 0:
            return
        judged = self._refusal(call) or arguments_or_refusal(call)
        refusal = judged if isinstance(judged, Refusal) else None
        if self._report is not None:
            self._report(call, refusal)
        if isinstance(judged, Refusal):
            # The text of a refused call is not lost: the client receives what the model wrote.
            _add(found, "content", self._parser.read_text(call.span.start, call.span.end))
            return
        function = {"name": call.name, "arguments": judged}
        if call.id in self._native_ids:
            call = replace(call, id=None)
        identity = self._ids.next(call, place)
        self._given_ids.add(identity)
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
