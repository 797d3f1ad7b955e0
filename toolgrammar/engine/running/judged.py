"""Asks a salvage policy about each call of a message, before the plan gets the call.

A call that is quoted from the result of a tool is refused with the sentence "Your call of `rm` did
not run: …".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.parsing.streams import AsyncEventStream, EventStream
from toolgrammar.values.calls import ParseResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.salvage.policy import SalvagePolicy
    from toolgrammar.values.calls import ToolCall


class Judged:
    """The refused calls of one message."""

    def __init__(
        self,
        policy: SalvagePolicy | None,
        tools: Iterable[str],
        messages: Iterable[Mapping[str, Any]],
        source: object = None,
    ) -> None:
        """Starts judging the calls of a message.

        Args:
            policy: the policy; None refuses nothing.
            tools: the names of the engine's tools.
            messages: the conversation before the message.
            source: where its text is: a result, or the stream that reads it. Of anything else the
                calls alone are known.
        """
        self.refusals: dict[int, str] = {}
        """Why a call does not run, by its place in the message."""
        self._count = 0
        self._judge = None
        if policy is not None:
            self._judge = policy.judge_stream(tools=list(tools), messages=messages)
            if isinstance(source, ParseResult):
                self._judge.feed(source.source)
        self._stream = source if isinstance(source, EventStream | AsyncEventStream) else None

    def take(self, call: ToolCall) -> None:
        """Judges the next call."""
        index = self._count
        self._count += 1
        if self._judge is None:
            return
        if self._stream is not None:
            # The judge first needs the text up to the end of this call, which the stream has read.
            self._judge.feed(self._stream.text_from(self._judge.fed))
        refusal = self._judge.judge(call)
        if refusal is not None:
            self.refusals[index] = refusal.message
