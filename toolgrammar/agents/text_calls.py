"""Defines the settings that all agent libraries share: the format of calls, and the prompt.

Example: `TextCalls(format, prompt=True)` writes the tools into the system message and earlier calls
into the text of earlier messages, and reads `<tool_call>…</tool_call>` in the answer as a call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgrammar.agents.reading import AnswerReading
from toolgrammar.catalogue.format import Format
from toolgrammar.catalogue.registry import formats
from toolgrammar.interop.prompted import prompted_messages
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.agents.answers import Answer
    from toolgrammar.agents.reading import NativeCall
    from toolgrammar.catalogue.registry import FormatsLike


@dataclass(frozen=True, slots=True)
class TextCalls:
    """How a model writes calls, and which of them may run."""

    format: FormatsLike
    """The format, or several: an id, a `Format`, or a path to a grammar."""
    prompt: bool = False
    """Whether tools and earlier calls are written into the messages, for models and servers without
    support for tools. Otherwise tools are passed to the model as the library does."""
    policy: SalvagePolicy = field(default_factory=SalvagePolicy)
    """Decides which calls in the text may run."""
    prefix: str = ""
    """The part of the answer that the chat template writes for the model, such as `<think>`."""
    repair: bool = False
    """Whether native calls are repaired: arguments that are not JSON, joined or under one index.
    One that can't be repaired without doubt is refused, as a call in the text is."""

    def __post_init__(self) -> None:
        """Looks the format up, so that an error is raised where the settings are made.

        Raises:
            UnknownFormat: there is no such format.
            TypeError: a setting is of another type.
            ValueError: there is more than one, and a prompt can describe only one.
        """
        check_type("prompt", self.prompt, bool)
        check_type("policy", self.policy, SalvagePolicy)
        check_type("prefix", self.prefix, str)
        check_type("repair", self.repair, bool)
        chosen = formats.resolve_any(self.format)
        if self.prompt and not isinstance(chosen, Format):
            raise ValueError(f"prompt=True needs one format, got {self.format!r:.80}")

    @property
    def stop(self) -> tuple[str, ...]:
        """The strings at which the server should stop, if the tools are in the prompt."""
        chosen = formats.resolve_any(self.format)
        # If the chat template describes the tools, the server itself knows where to stop.
        return chosen.stop if self.prompt and isinstance(chosen, Format) else ()

    def begin(
        self, tools: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]
    ) -> AnswerReading:
        """Returns the reader of the next answer.

        Args:
            tools: the tools that were offered, in the shape of OpenAI's API.
            messages: the conversation before the answer, in the shape of OpenAI's API.
        """
        return AnswerReading(
            self.format, self.policy, self.prefix, tools, messages, repair=self.repair
        )

    def read(
        self,
        text: str,
        tools: Sequence[Mapping[str, Any]],
        messages: Sequence[Mapping[str, Any]],
        finish_reason: str | None = None,
        *,
        native: Iterable[NativeCall] = (),
        beside: Iterable[Mapping[str, Any]] = (),
    ) -> Answer:
        """Returns the content of a whole answer; see `AnswerReading`.

        Args:
            text: the answer's text.
            tools: as for `begin`.
            messages: as for `begin`.
            finish_reason: why the server stopped.
            native: the answer's native calls, which are among its calls with `repair=True` alone.
            beside: the other parts of the answer, as for `AnswerReading.close`.
        """
        # As a stream of one piece, so that whole and streamed answers can't differ.
        reading = self.begin(tools, messages)
        given = list(native)
        for call in given if self.repair else ():
            reading.add_native(call)
        reading.feed(text)
        return reading.close(finish_reason, native=bool(given), beside=beside)[1]

    def written(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Returns the messages for a model without support for tools; see `interop.prompted`.

        Args:
            messages: the conversation, in the shape of OpenAI's API.
            tools: the tools, in the shape of OpenAI's API.

        Raises:
            TypeError: `messages` or `tools` have another type.
            ValueError: a message is of another shape, or there is more than one format.
        """
        chosen = formats.resolve_any(self.format)
        if isinstance(chosen, Format):
            return prompted_messages(chosen, messages, tools)
        raise ValueError(f"a conversation is written in one format, got {self.format!r:.80}")


def check_settings(settings: object, retries: int = 0) -> None:
    """Checks the arguments of an adapter when it is made.

    Raises:
        TypeError: the settings or the number have another type.
        ValueError: the number is below 0.
    """
    check_type("settings", settings, TextCalls, "TextCalls(format) makes them")
    check_type("retries", retries, int)
    if retries < 0:
        raise ValueError(f"retries must be at least 0, got {retries}")
