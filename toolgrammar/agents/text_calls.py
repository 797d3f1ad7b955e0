"""What all agent libraries share: the format in which a model writes calls, and how it is told.

`TextCalls(format, prompt=True)` writes the tools into the system message and earlier calls into
the text of earlier messages, and reads `<tool_call>…</tool_call>` in the answer as a call.
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
    from collections.abc import Mapping, Sequence

    from toolgrammar.agents.answers import Answer
    from toolgrammar.catalogue.registry import FormatsLike


@dataclass(frozen=True, slots=True)
class TextCalls:
    """How a model writes calls, and which of them may run."""

    format: FormatsLike
    """The format, or several; an id, a `Format`, a path to a grammar."""
    prompt: bool = False
    """Whether tools and earlier calls are written into the messages, for models and servers that
    take no tools. Without it, tools are handed to the model as the library does."""
    policy: SalvagePolicy = field(default_factory=SalvagePolicy)
    """Which calls that were found in the text may run."""
    prefix: str = ""
    """What the chat template writes of the answer before the model begins, such as `<think>`."""

    def __post_init__(self) -> None:
        """Looks the format up, so that a mistake is told where it was made.

        Raises:
            UnknownFormat: there is no such format.
            TypeError: a setting is of another type.
            ValueError: there is more than one, and a model can be taught one only.
        """
        check_type("prompt", self.prompt, bool)
        check_type("policy", self.policy, SalvagePolicy)
        check_type("prefix", self.prefix, str)
        chosen = formats.resolve_any(self.format)
        if self.prompt and not isinstance(chosen, Format):
            raise ValueError(f"prompt=True needs one format, got {self.format!r:.80}")

    @property
    def stop(self) -> tuple[str, ...]:
        """The strings at which the server should stop, where the prompt is ours."""
        chosen = formats.resolve_any(self.format)
        # Where the chat template tells of the tools, the server knows itself where to stop.
        return chosen.stop if self.prompt and isinstance(chosen, Format) else ()

    def begin(
        self, tools: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]
    ) -> AnswerReading:
        """Returns what reads the next answer.

        Args:
            tools: the tools that were offered, in the shape of OpenAI's API.
            messages: the conversation before the answer, in the shape of OpenAI's API.
        """
        return AnswerReading(self.format, self.policy, self.prefix, tools, messages)

    def read(
        self,
        text: str,
        tools: Sequence[Mapping[str, Any]],
        messages: Sequence[Mapping[str, Any]],
        finish_reason: str | None = None,
        *,
        native: bool = False,
    ) -> Answer:
        """Returns what a whole answer holds; see `AnswerReading`."""
        # As a stream of one piece: whole and streamed answers can't differ then.
        reading = self.begin(tools, messages)
        reading.feed(text)
        return reading.close(finish_reason, native=native)[1]

    def written(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Returns the messages for a model that knows no tools, as `interop.prompted` writes them.

        Args:
            messages: the conversation, in the shape of OpenAI's API.
            tools: the tools, in the shape of OpenAI's API.

        Raises:
            TypeError: `messages` or `tools` hold something else.
            ValueError: a message is of another shape, or there is more than one format.
        """
        chosen = formats.resolve_any(self.format)
        if isinstance(chosen, Format):
            return prompted_messages(chosen, messages, tools)
        raise ValueError(f"a conversation is written in one format, got {self.format!r:.80}")


def check_settings(settings: object, retries: int = 0) -> None:
    """Makes sure that an adapter is handed how its model writes calls, where it is made.

    Raises:
        TypeError: the settings or the number are something else.
        ValueError: the number is below 0.
    """
    check_type("settings", settings, TextCalls, "TextCalls(format) makes them")
    check_type("retries", retries, int)
    if retries < 0:
        raise ValueError(f"retries must be at least 0, got {retries}")
