r"""Reads one answer of a model as it arrives: text and reasoning at once, its calls at the end.

Fed with `On it.\n<tool_call>…</tool_call>`, in pieces of any size, it gives `TextDelta("On it.")`,
and when it is closed an `Answer` with the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgrammar.agents.answers import Answer, answer_of
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.events import ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgrammar.catalogue.registry import FormatsLike
    from toolgrammar.salvage.policy import SalvagePolicy
    from toolgrammar.values.events import Event

_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens")
"""How APIs and libraries call the most tokens of an answer."""
Delta: TypeAlias = TextDelta | ReasoningDelta
"""What goes out before the end."""


def is_full(output_tokens: object, *options: object) -> bool:
    """Whether an answer has all the tokens that it may have: most likely it was cut.

    Some libraries drop why the server stopped; this is what they leave of it.

    Args:
        output_tokens: how many it has, as far as that is known.
        options: of the request, each a dict that may hold a limit.
    """
    found = [each.get(name) for each in options if isinstance(each, Mapping) for name in _LIMITS]
    limits = [limit for limit in found if isinstance(limit, int)]
    # The least of all limits: several may be said under different names, and each of them holds.
    return isinstance(output_tokens, int) and bool(limits) and output_tokens >= min(limits)


class AnswerReading:
    """Reads one answer; it belongs to one thread or task.

    Calls go out at the end alone: until then a call of the API's own may come, beside which those
    of the text do not run, and no library runs a call sooner. The deltas join to the text and the
    reasoning of the answer, without the white space around them.
    """

    def __init__(
        self,
        format: FormatsLike,
        policy: SalvagePolicy,
        prefix: str,
        tools: Sequence[Mapping[str, Any]],
        messages: Sequence[Mapping[str, Any]],
    ) -> None:
        self._policy = policy
        self._prefix = prefix
        self._tools = tools
        self._messages = messages
        self._parser = Parser(format, tools=tools, prefix=prefix)
        self._text = _Trimmed()
        self._reasoning = _Trimmed()

    def feed(self, text: str) -> list[Delta]:
        """Takes the next piece of the answer's text; returns what can be shown by now."""
        return self._deltas(self._parser.feed(text))

    def close(
        self, finish_reason: str | None = None, *, native: bool = False
    ) -> tuple[list[Delta], Answer]:
        """Ends the answer; returns the last deltas, and all that it holds.

        Args:
            finish_reason: why the server stopped; what it cut does not run.
            native: whether the answer has calls of the API's own, too.
        """
        deltas = self._deltas(self._parser.close(finish_reason))
        result = self._parser.result
        salvage = self._policy.judge(
            result,
            tools=self._tools,
            messages=self._messages,
            native=native,
            prefix=self._prefix,
        )
        return deltas, answer_of(result, salvage, self._messages)

    def _deltas(self, events: Iterable[Event]) -> list[Delta]:
        found: list[Delta] = []
        for event in events:
            if isinstance(event, TextDelta):
                if text := self._text.add(event.text):
                    found.append(TextDelta(text))
            elif isinstance(event, ReasoningDelta) and (text := self._reasoning.add(event.text)):
                found.append(ReasoningDelta(text))
        return found


class _Trimmed:
    """Holds back white space until it is known that something follows it."""

    def __init__(self) -> None:
        self._begun = False
        self._held: list[str] = []

    def add(self, text: str) -> str:
        """Returns what may go out with one more piece."""
        rest = text.rstrip()
        space = text[len(rest) :]
        if not rest:
            if self._begun:
                self._held.append(space)
            return ""
        # Before the first character it is white space around the text; later it stands in it.
        out = "".join([*self._held, rest]) if self._begun else rest.lstrip()
        self._begun = True
        self._held = [space] if space else []
        return out
