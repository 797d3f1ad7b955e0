"""Defines the reasoning parsers for vLLM's flag `--reasoning-parser toolgrammar_hermes`.

Example: `<think>Hm.</think>Hello` has the reasoning `Hm.`; vLLM passes the rest, `Hello`, on to any
tool parser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from vllm.entrypoints.generate.base.protocol import DeltaMessage
from vllm.reasoning.abs_reasoning_parsers import ReasoningParser

from toolgrammar.servers.parser_names import parser_class, reasoning_parser_names
from toolgrammar.servers.prompt_end import TAIL, is_closed, prefix_of
from toolgrammar.servers.reasoning_split import ReasoningSplit, reasoning_tags
from toolgrammar.servers.vllm_tools import keep_special_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class ToolgrammarReasoningParser(ReasoningParser):  # type: ignore[misc]
    """Reads the reasoning of one message; vLLM makes one for each choice of a request."""

    format_id: ClassVar[str]
    """The id of the format."""
    # With this, vLLM asks this parser where the reasoning ends, instead of searching token ids.
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._prefix = ""
        self._split: ReasoningSplit | None = None

    # ------------------------------------------------------------ before the message

    def adjust_request(self, request: Any) -> Any:
        """Requests special tokens in the text, if the format needs them."""
        keep_special_tokens(request, self.format_id, self.model_tokenizer)
        return request

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Reads the prompt, which may have opened the reasoning."""
        self._prefix = prefix_of(self.format_id, self._text(prompt_token_ids[-TAIL:]))

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        """Reads the prompt of a stream."""
        self.set_prompt_token_ids(prompt_token_ids)

    @property
    def reasoning_start_str(self) -> str | None:
        """The opener of reasoning, if it is a fixed text."""
        return next(iter(reasoning_tags(self.format_id)[0]), None)

    @property
    def reasoning_end_str(self) -> str | None:
        """The closer of reasoning, if it is a fixed text."""
        return next(iter(reasoning_tags(self.format_id)[1]), None)

    # ------------------------------------------------------------ ids of tokens

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Whether the ids, which are those of a prompt, end with the closer of reasoning."""
        return is_closed(self.format_id, self._text(input_ids[-TAIL:]))

    def is_reasoning_end_streaming(
        self, input_ids: Sequence[int], delta_ids: Iterable[int]
    ) -> bool:
        """Whether the last ids complete the closer: then vLLM constrains the text after it."""
        new = len(list(delta_ids))
        # A closer may be several tokens, the last of which are new.
        text = self._text(input_ids[-(new + TAIL) :])
        before = self._text(input_ids[-(new + TAIL) : len(input_ids) - new])
        return any(text.count(each) > before.count(each) for each in self._closers())

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        """Returns the ids after the closer; [] without one."""
        end = self._closer_end(input_ids)
        return [] if end is None else input_ids[end:]

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        """Returns the number of tokens up to the closer of the reasoning."""
        text = self._text(token_ids)
        split = ReasoningSplit(self.format_id, prefix=self._prefix)
        reasoning = split.feed(text)[0] + split.finish()[0]
        if not reasoning:
            return 0
        end = self._closer_end(list(token_ids))
        return len(token_ids) if end is None else end

    def _closers(self) -> tuple[str, ...]:
        return reasoning_tags(self.format_id)[1]

    def _closer_end(self, ids: list[int]) -> int | None:
        """Returns the index after the first closer; None if there is none."""
        for closer in self._closers():
            # Searched in the ids: the result has to begin with a whole token.
            wanted = self.model_tokenizer.encode(closer, add_special_tokens=False)
            for start in range(len(ids) - len(wanted) + 1):
                if ids[start : start + len(wanted)] == wanted:
                    return start + len(wanted)
        return None

    def _text(self, ids: Sequence[int]) -> str:
        text: str = self.model_tokenizer.decode(list(ids), skip_special_tokens=False)
        return text

    # ------------------------------------------------------------ the message

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        """Reads a whole message; returns its reasoning and the rest."""
        split = ReasoningSplit(self.format_id, prefix=self._prefix)
        reasoning, rest = split.feed(model_output)
        last, behind = split.finish()
        return reasoning + last or None, rest + behind or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """Accepts the next piece of a message; only `delta_text` is used."""
        if self._split is None:
            self._split = ReasoningSplit(self.format_id, prefix=self._prefix)
        return _delta(*self._split.feed(delta_text))

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Whether the reasoning has ended."""
        return self._split is not None and self._split.ended

    def finish_streaming(self) -> DeltaMessage | None:
        """Ends the message; returns the text that was held back."""
        return None if self._split is None else _delta(*self._split.finish())


def _delta(reasoning: str, rest: str) -> DeltaMessage | None:
    fields = {"reasoning": reasoning, "content": rest}
    given = {name: text for name, text in fields.items() if text}
    return DeltaMessage(**given) if given else None


def __getattr__(name: str) -> type[ToolgrammarReasoningParser]:
    """Returns the parser of this name, made on first use."""
    if name not in reasoning_parser_names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return parser_class(ToolgrammarReasoningParser, name)
