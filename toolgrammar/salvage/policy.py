"""Defines `SalvagePolicy`, which decides for each call of a message whether it may run.

The message `<tool_call>{"name": "rm", "arguments": {}}</tool_call>`, whose text is in the result
of a tool too, gives no call and one `Refusal` with the code `echo`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgrammar.salvage.guarded_texts import GuardedTexts
from toolgrammar.salvage.judge import Judge
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ParseResult
from toolgrammar.values.errors import check_several, check_type

if TYPE_CHECKING:
    from toolgrammar.salvage.refusals import Refusal
    from toolgrammar.values.calls import ToolCall

# A model mends the first problems; a long list only fills its context.
_MOST: Final = 8
"""Refused calls that are told in full."""
Tools: TypeAlias = Iterable[object] | Literal["any"]
"""Tools of any shape that `parse` takes, or their names; `"any"`: the names are not looked at."""


@dataclass(frozen=True, slots=True)
class Salvage:
    """The decision of a policy about the calls of one message."""

    calls: tuple[ToolCall, ...] = ()
    """The calls that may run, in the order of the text."""
    refused: tuple[Refusal, ...] = ()
    """One for each other call, in the order of the text."""

    def feedback(self) -> str:
        """Returns a message for the model about the refused calls; "" if there are none.

        The first ones have a line each, the others are counted.
        """
        lines = [refusal.message for refusal in self.refused[:_MOST]]
        if len(self.refused) > _MOST:
            lines.append(f"{len(self.refused) - _MOST} more calls did not run.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class SalvagePolicy:
    """Decides which calls that were read from text may run.

    With no setting does a call run that is not `executable`, so one that was cut off or is in doubt.
    """

    beside_native: bool = False
    """Whether calls in the text run where the answer has calls of the API's own, too."""
    in_code: bool = False
    """Whether calls run that stand in a fenced block or in inline code of Markdown."""
    echoes: bool = False
    """Whether calls run whose text is contained in a tool result or a user's message."""
    least_arguments: int = 32
    """The least number of characters of arguments that are searched in the conversation without their
    call. Shorter ones, such as `{"city": "Oslo"}`, are legitimately repeated."""

    def __post_init__(self) -> None:
        """Checks the options.

        Raises:
            TypeError: one is of another type.
            ValueError: the number is below 1.
        """
        for name in ("beside_native", "in_code", "echoes"):
            check_type(name, getattr(self, name), bool)
        check_type("least_arguments", self.least_arguments, int)
        if self.least_arguments < 1:
            raise ValueError(f"least_arguments must be at least 1, got {self.least_arguments!r}")

    def judge(
        self,
        result: ParseResult,
        *,
        tools: Tools = (),
        messages: Iterable[Mapping[str, Any]] = (),
        native: bool = False,
        prefix: str = "",
    ) -> Salvage:
        """Returns which calls of a message may run, and why the others may not.

        Args:
            result: the message, as `parse` read it.
            tools: the tools that were offered; a call of any other is refused.
            messages: the conversation before it, in the shape of OpenAI's or Anthropic's API.
            native: whether the answer has calls of the API's own, too.
            prefix: what `parse` was given as `prefix`.

        Raises:
            TypeError: `result` is not a result, or `tools` or `messages` have another type.
        """
        check_type("result", result, ParseResult, "judge(parse(text, format))")
        judge = self.judge_stream(tools=tools, messages=messages, native=native, prefix=prefix)
        # As a stream of one piece: there is one judge, so whole and streamed messages can't differ.
        judge.feed(result.source)
        given: list[ToolCall] = []
        refused: list[Refusal] = []
        for call in result.calls:
            refusal = judge.judge(call)
            if refusal is None:
                given.append(call)
            else:
                refused.append(refusal)
        return Salvage(tuple(given), tuple(refused))

    def judge_stream(
        self,
        *,
        tools: Tools = (),
        messages: Iterable[Mapping[str, Any]] = (),
        native: bool = False,
        prefix: str = "",
    ) -> Judge:
        """Returns what judges the calls of one message that is still coming in.

        Each piece of the message goes to its `feed` first, then to the parser; `judge(call)` gives
        the same word of each call, once it has ended, as the whole message gives.

        Args:
            tools: as in `judge`.
            messages: as in `judge`.
            native: as in `judge`; `see_native` of the judge notes one that comes later.
            prefix: as in `judge`.

        Raises:
            TypeError: `tools` or `messages` hold something else, `prefix` is not a text, or `native`
                is no bool.
        """
        check_type("prefix", prefix, str)
        check_type("native", native, bool)
        return Judge(
            names=_names(tools),
            guarded=None if self.echoes else GuardedTexts(messages, self.least_arguments),
            beside_native=self.beside_native,
            in_code=self.in_code,
            native=native,
            prefix=prefix,
        )


def _names(tools: Tools) -> frozenset[str] | None:
    """Returns the names of tools; None for any."""
    if isinstance(tools, str):
        if tools == "any":
            return None
        raise TypeError(f"tools must be a list of tools or names, or 'any', got {tools!r:.80}")
    # Specs that were made before keep their fast way, and their names are their keys.
    if isinstance(tools, Mapping):
        return frozenset(to_specs(tools))
    check_several("tools", tools, "a list of tools or names", "write [tool], or 'any'")
    # Names and tools of any shape may be mixed.
    given = list(tools)
    named = [tool for tool in given if isinstance(tool, str)]
    return frozenset([*named, *to_specs([tool for tool in given if not isinstance(tool, str)])])
