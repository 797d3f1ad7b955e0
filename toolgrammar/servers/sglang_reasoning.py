"""Defines the reasoning detectors for SGLang's flag `--reasoning-parser toolgrammar_hermes`.

Example: `<think>Hm.</think>Hello` becomes a `StreamingParseResult` with the reasoning `Hm.` and the
normal text `Hello`, which SGLang passes on to any tool detector.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sglang.srt.parser.reasoning_parser import BaseReasoningFormatDetector, StreamingParseResult

from toolgrammar.servers.reasoning_split import ReasoningSplit, reasoning_tags


class ToolgrammarReasoningDetector(BaseReasoningFormatDetector):  # type: ignore[misc]
    """Reads the reasoning of one message; SGLang makes one for each choice of a request."""

    format_id: ClassVar[str]
    """The id of the format."""

    def __init__(self, **options: Any) -> None:
        openers, closers, _ = reasoning_tags(self.format_id)
        super().__init__(
            think_start_token=next(iter(openers), ""),
            think_end_token=next(iter(closers), ""),
            # If neither the template nor the request declares reasoning, the text decides.
            reasoning_default=None,
            **options,
        )
        self._split: ReasoningSplit | None = None
        self._held: list[str] = []
        """Reasoning that is held until it ends."""

    def get_think_end_token_ids(self, tokenizer: Any) -> list[int]:
        """Returns the tokens of the closer; [] if it is not a fixed text."""
        # Some tokenizers return a token even for an empty text.
        return super().get_think_end_token_ids(tokenizer) if self.think_end_token else []

    def parse_streaming_increment(self, new_text: str) -> StreamingParseResult:
        """Accepts the next piece of a message."""
        if self._split is None:
            self._split = self._new_split()
        return self._given(*self._split.feed(new_text))

    def finish(self) -> StreamingParseResult:
        """Ends the message; returns the text that was held back."""
        if self._split is None:
            return StreamingParseResult()
        result = self._given(*self._split.finish())
        held, self._held = "".join(self._held), []
        if self._force_nonempty_content and held:
            # The message was reasoning only, and the request wants it as content then.
            result.normal_text += held
        else:
            result.reasoning_text += held
        return result

    def _detect_and_parse_impl(self, text: str) -> StreamingParseResult:
        """Reads a whole message."""
        split = self._new_split()
        reasoning, rest = split.feed(text)
        last, behind = split.finish()
        return StreamingParseResult(normal_text=rest + behind, reasoning_text=reasoning + last)

    def _new_split(self) -> ReasoningSplit:
        """Returns a splitter for the message that accounts for the text before it."""
        if not self.previous_content:
            return ReasoningSplit(self.format_id, perhaps_open=self.force_reasoning)
        # The message continues a text in the request: the base class has checked whether
        # its reasoning is still open.
        is_open = self._in_reasoning and bool(self.think_start_token)
        return ReasoningSplit(self.format_id, prefix=self.think_start_token if is_open else "")

    def _given(self, reasoning: str, rest: str) -> StreamingParseResult:
        """Returns the result for now, according to the options of the request."""
        waits = not self.stream_reasoning or self._force_nonempty_content
        if waits and reasoning:
            self._held.append(reasoning)
            reasoning = ""
        # The rest shows that the reasoning has ended, and that there is content.
        if rest and self._held:
            reasoning, self._held = "".join(self._held), []
        return StreamingParseResult(normal_text=rest, reasoning_text=reasoning)
