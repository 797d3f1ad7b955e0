"""What a suite asks: one message, what a reader is told of it, and who judges the answer.

`{"id": "a", "format": "hermes", "text": "Hi.", "tools": null, "calls": [], "content": "Hi."}` is a
fixture that a reader passes when it finds no call and the text `Hi.`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from harness.truths import alike

if TYPE_CHECKING:
    from collections.abc import Callable

Verdict = Literal["pass", "partly", "fail", "raised"]
Part = Literal["calls", "text", "reasoning"]
Call = tuple[str, Any]
"""Name and arguments; arguments that are no JSON are a `NotJson`."""


@dataclass(frozen=True, slots=True)
class NotJson:
    """Arguments that a reader handed out and that do not decode."""

    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a message in one way of handing it over."""

    calls: tuple[Call, ...] = ()
    text: str = ""
    reasoning: str = ""
    raised: str = ""

    def seen(self) -> Any:
        """Returns what must not depend on the cutting: all, but for white space around texts."""
        return self.calls, self.text.strip(), self.reasoning.strip(), self.raised


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader made of a fixture: at once, and under each cutting."""

    whole: Reading
    streams: dict[str, Reading] = field(default_factory=dict)
    gives: frozenset[Part] = frozenset(("calls", "text", "reasoning"))
    """What the reader hands out at all; the rest is not judged."""

    def readings(self) -> list[Reading]:
        """Returns all of them."""
        return [self.whole, *self.streams.values()]

    @property
    def raised(self) -> bool:
        """Whether the reader raised in any way of handing the message over."""
        return any(each.raised for each in self.readings())

    @property
    def depends_on_cutting(self) -> bool:
        """Whether two cuttings of one message gave different answers."""
        found = [each.seen() for each in self.streams.values()]
        return any(each != found[0] for each in found)


@dataclass(frozen=True, slots=True)
class Fixture:
    """One message of a suite."""

    id: str
    suite: str
    format: str
    """The id of the format, or `auto` where the suite names none."""
    text: str
    judge: Callable[[Answer], tuple[Verdict, str]]
    """Gives the verdict and, where it is no pass, in what the answer differs."""
    tools: tuple[dict[str, Any], ...] | None = None
    """Name, description and parameters of each; None where the suite gives none."""
    names: tuple[str, ...] = ()
    """Tools that the expected calls name: servers read nothing without tools."""
    prefix: str = ""
    """What the chat template had written of the answer before the model began."""
    prompt: str = ""
    """The end of the prompt, with the header of the turn; "" where the suite says nothing."""
    stop: str = ""
    """The stop token that ended the message, where the suite leaves it out and servers keep it."""
    truncated: bool = False
    thinking: bool | None = None
    """Whether the request asked for reasoning; None where it says nothing."""
    reasoning: dict[str, str | None] | None = None
    """The reasoning parsers that the suite names, by server; None where it leaves that to us."""


def judged_by(
    calls: list[Call], text: str | None, reasoning: str | None
) -> Callable[[Answer], tuple[Verdict, str]]:
    """Returns the judge of a fixture that says which calls, text and reasoning are right.

    Args:
        calls: names and arguments in order; a value that differs by the type that a schema gives
            it is the same.
        text: None where the suite says nothing of it; white space around it does not count.
        reasoning: likewise.
    """

    def judge(answer: Answer) -> tuple[Verdict, str]:
        texts = _texts_judged(answer, text, reasoning)
        worst: tuple[Verdict, str] = "pass", ""
        for reading in answer.readings():
            if reading.raised:
                return "raised", reading.raised
            if not same_calls(reading.calls, calls):
                worst = "fail", f"calls {_shown(reading.calls)}, wanted {_shown(calls)}"
            elif worst[0] == "pass":
                for part, wanted in texts.items():
                    found = getattr(reading, part).strip()
                    if found != wanted.strip():
                        worst = "partly", f"{part} {_shown(found)}, wanted {_shown(wanted)}"
        return worst

    return judge


def same_calls(found: tuple[Call, ...], wanted: list[Call]) -> bool:
    """Whether calls have the names and arguments of others, in order."""
    return len(found) == len(wanted) and all(
        name == wanted_name and alike(arguments, wanted_arguments)
        for (name, arguments), (wanted_name, wanted_arguments) in zip(found, wanted, strict=True)
    )


def _texts_judged(answer: Answer, text: str | None, reasoning: str | None) -> dict[str, str]:
    """Returns the parts to compare: text holds the reasoning of a reader that does not part them."""
    wanted: dict[str, str] = {}
    if reasoning is not None and "reasoning" in answer.gives:
        wanted["reasoning"] = reasoning
    if text is not None and "text" in answer.gives and (not reasoning or "reasoning" in wanted):
        wanted["text"] = text
    return wanted


def _shown(value: object) -> str:
    words = repr(value)
    return words if len(words) <= 120 else words[:117] + "..."
