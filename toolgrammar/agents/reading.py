r"""Reads one answer of a model as it arrives: text and reasoning at once, its calls at the end.

Example: fed with `On it.\n<tool_call>…</tool_call>`, in pieces of any size, it returns
`TextDelta("On it.")`, and when it is closed an `Answer` with the call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolgrammar.agents.answers import Answer, answer_of
from toolgrammar.interop.native.read_events import read_events
from toolgrammar.interop.openai.shapes import ChunkReader
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.events import ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.salvage.policy import SalvagePolicy
    from toolgrammar.values.events import Event

_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens")
"""The names in APIs and libraries for the maximal number of tokens in an answer."""
Delta: TypeAlias = TextDelta | ReasoningDelta
"""The pieces that are emitted before the end."""


class NativeCall(NamedTuple):
    """A call of the API's own as it came, or a piece of one; nothing in it is checked yet."""

    name: str | None
    id: str | None
    arguments: object
    """Text, which may be damaged; or what the library has made of it."""


def is_full(output_tokens: object, *options: object) -> bool:
    """Whether an answer has reached its maximal number of tokens, so that it was probably cut.

    Some libraries drop the finish reason; this is the best substitute.

    Args:
        output_tokens: the number of tokens, if it is known.
        options: dicts of options of the request, which may contain a limit.
    """
    found = [each.get(name) for each in options if isinstance(each, Mapping) for name in _LIMITS]
    limits = [limit for limit in found if isinstance(limit, int)]
    # The least of all limits: several may be given under different names, and all of them apply.
    return isinstance(output_tokens, int) and bool(limits) and output_tokens >= min(limits)


class AnswerReading:
    """Reads one answer; it must be used by one thread or task.

    Calls are returned only at the end: until then a native call may come, beside which those
    of the text do not run, and no library runs a call sooner. The deltas add up to the text and the
    reasoning of the answer, without the white space around them.
    """

    def __init__(
        self,
        format: FormatsLike,
        policy: SalvagePolicy,
        prefix: str,
        tools: Sequence[Mapping[str, Any]],
        messages: Sequence[Mapping[str, Any]],
        *,
        repair: bool = False,
    ) -> None:
        self.repair = repair
        """Whether native calls are read, too, and are among the calls of the answer."""
        self._policy = policy
        self._prefix = prefix
        self._tools = tools
        self._messages = messages
        self._parser = Parser(format, tools=tools, prefix=prefix)
        self._text = _Trimmed()
        self._reasoning = _Trimmed()
        self._native = read_events(ChunkReader, repair=True, format=None, tools=tools)
        # The next index of a native call that has none.
        self._free = 0

    def add_native(self, call: NativeCall, index: int | None = None) -> None:
        """Accepts a native call, or a piece of one: the pieces of a call have the same index.

        Args:
            call: the call or the piece.
            index: its index in the answer; None for a whole call.
        """
        place = self._free if index is None else index
        self._free = max(self._free, place + 1)
        said = call.arguments
        text = said if isinstance(said, str) else "" if said is None else json.dumps(said)
        function = {"name": call.name, "arguments": text}
        piece = {"index": place, "id": call.id, "type": "function", "function": function}
        self._native.feed({"choices": [{"delta": {"tool_calls": [piece]}}]})

    def feed(self, text: str) -> list[Delta]:
        """Accepts the next piece of the answer's text; returns the deltas that are certain."""
        return self._deltas(self._parser.feed(text))

    def close(
        self,
        finish_reason: str | None = None,
        *,
        native: bool = False,
        beside: Iterable[Mapping[str, Any]] = (),
    ) -> tuple[list[Delta], Answer]:
        """Ends the answer; returns the last deltas, and its content.

        Args:
            finish_reason: why the server stopped; a call that it cut does not run.
            native: whether the answer has native calls that are not read.
            beside: the parts of the answer beside its text, in the shape of messages or items: a
                server may run a tool itself, and its result is guarded as those before the answer.
        """
        # A library that does not say why the server stopped says nothing of a cut.
        self._native.feed({"choices": [{"delta": {}, "finish_reason": finish_reason or "stop"}]})
        self._native.close()
        deltas = self._deltas(self._parser.close(finish_reason))
        result = self._parser.result
        salvage = self._policy.judge(
            result,
            tools=self._tools,
            messages=[*self._messages, *beside],
            native=native or self._free > 0,
            prefix=self._prefix,
        )
        return deltas, answer_of(result, salvage, self._messages, self._native.result)

    def _deltas(self, events: Iterable[Event]) -> list[Delta]:
        """Returns the deltas of events, without white space around the text and the reasoning."""
        found: list[Delta] = []
        for event in events:
            if isinstance(event, TextDelta):
                if text := self._text.add(event.text):
                    found.append(TextDelta(text))
            elif isinstance(event, ReasoningDelta) and (text := self._reasoning.add(event.text)):
                found.append(ReasoningDelta(text))
        return found


class _Trimmed:
    """Holds back white space until more text follows it."""

    def __init__(self) -> None:
        self._begun = False
        self._held: list[str] = []

    def add(self, text: str) -> str:
        """Accepts one more piece; returns the text that may be emitted."""
        rest = text.rstrip()
        space = text[len(rest) :]
        if not rest:
            if self._begun:
                self._held.append(space)
            return ""
        # Before the first character it is around the text and dropped; later it is inside.
        out = "".join([*self._held, rest]) if self._begun else rest.lstrip()
        self._begun = True
        self._held = [space] if space else []
        return out
