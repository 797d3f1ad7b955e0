"""Defines the content of an answer after its text was read: text, reasoning, calls and refusals.

Example: the text `On it. <tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>` gives the
text `On it.` and one `AnswerCall` with the name `add`, its arguments and an id.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgrammar.interop.exchange import arguments_of, arguments_or_refusal, ids_in
from toolgrammar.parsing.call_ids import UniqueIds
from toolgrammar.salvage.refusals import Refusal, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.salvage.policy import Salvage
    from toolgrammar.values.calls import ParseResult, ToolCall


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """A call that may run."""

    id: str
    """An id that no other call of the conversation has."""
    name: str
    """The tool's name."""
    arguments: dict[str, Any]
    """The arguments; the text of a free-text call is the argument `input`."""
    json: str
    """The arguments as JSON."""


@dataclass(frozen=True, slots=True)
class AnswerRefusal:
    """A call that may not run."""

    id: str
    """An id that no other call of the conversation has."""
    name: str
    """The name that the model called."""
    raw_arguments: str
    """The arguments as the model wrote them."""
    code: str
    """The reason, as a code of `toolgrammar.salvage`."""
    message: str
    """The reason and what to do, for the model."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of one answer."""

    text: str = ""
    """The text without calls and reasoning."""
    reasoning: str = ""
    """The reasoning in the text."""
    calls: tuple[AnswerCall, ...] = ()
    """The calls that may run: native ones that were repaired, then those of the text."""
    refused: tuple[AnswerRefusal, ...] = ()
    """The calls that may not."""
    feedback: str = ""
    """A message for the model about refused calls and everything that was lost: a line each."""

    @property
    def failed(self) -> bool:
        """Whether something went wrong and no call may run, so that the model should retry."""
        return bool(self.feedback) and not self.calls


def answer_of(
    result: ParseResult,
    salvage: Salvage,
    messages: Iterable[Mapping[str, Any]],
    native: ParseResult,
) -> Answer:
    """Returns the content of a message that was parsed and judged, with an id for each call.

    Args:
        result: the message, as the parser read it.
        salvage: the decision which of its calls may run.
        messages: the conversation before it, in the shape of OpenAI's API.
        native: the native calls that were repaired.
    """
    known = list(messages)
    # A model may write the same call in two turns, which only the earlier messages distinguish.
    turn = f"{len(known)} {json.dumps(known[-1] if known else None, default=str)}"
    ids = UniqueIds(ids_in(known), turn)
    # By identity: of two equal calls, only one may be refused.
    refusals = {id(each.call): each for each in salvage.refused}
    calls: list[AnswerCall] = []
    refused: list[AnswerRefusal] = []
    for place, call in enumerate((*native.calls, *result.calls)):
        identity = ids.next(call, place)
        # A call that the policy allows may still have arguments that JSON can't represent, such
        # as an infinite number.
        found = refusals.get(id(call)) or _unless_executable(call) or arguments_or_refusal(call)
        if isinstance(found, Refusal):
            said = (call.raw_arguments, found.code, found.message)
            refused.append(AnswerRefusal(identity, call.name, *said))
        else:
            calls.append(AnswerCall(identity, call.name, arguments_of(call), found))
    feedback = _feedback((native, result), refused)
    return Answer(result.text, result.reasoning, tuple(calls), tuple(refused), feedback)


def _unless_executable(call: ToolCall) -> Refusal | None:
    """Returns the refusal of a native call that may not run, about which no policy decides."""
    return None if call.executable else refusal(call, "not-executable")


def _feedback(results: Iterable[ParseResult], refused: Iterable[AnswerRefusal]) -> str:
    """Returns a line for each refusal, and for each loss that does not belong to a call."""
    lines = [each.message for each in refused]
    for result in results:
        # The parser also reports doubts about a refused call; the line of the refusal covers them.
        lines += result.lost_feedback().splitlines()
    # Two calls may have the same sentence, which is sent once.
    return "\n".join(dict.fromkeys(lines))
