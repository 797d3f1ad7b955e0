"""Does what vLLM's server does for one answer, whole or delta by delta, with its own classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.servers.examples import Message, dict_of
from tests.servers.tokenizers_of_test import tokenizer_with

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.tools import ToolSpec


@dataclass
class Answer(Message):
    """An answer of vLLM's server."""

    ids: list[str] = field(default_factory=list)

    def add(self, delta: Any) -> None:
        """Adds a delta of a stream."""
        if delta is None:
            return
        self.reasoning += delta.reasoning or ""
        self.content += delta.content or ""
        for call in delta.tool_calls:
            if call.id is not None:
                assert call.index == len(self.calls)
                self.calls.append((call.function.name, ""))
                self.ids.append(call.id)
            name, arguments = self.calls[call.index]
            self.calls[call.index] = name, arguments + (call.function.arguments or "")


class Server:
    """A server with the flags for parsers, and one request."""

    def __init__(
        self,
        tool_parser: str | None,
        reasoning_parser: str | None,
        tools: Iterable[ToolSpec],
        *,
        tool_choice: Any = "auto",
        prompt: str = "",
        special: tuple[str, ...] = (),
    ) -> None:
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.parser.parser_manager import ParserManager
        from vllm.plugins import load_general_plugins

        load_general_plugins()
        self.tokenizer = tokenizer_with(special)
        self._class = ParserManager.get_parser(
            tool_parser_name=tool_parser,
            reasoning_parser_name=reasoning_parser,
            enable_auto_tools=True,
            model_name="m",
            tokenizer=self.tokenizer,
        )
        offered = [dict_of(tool) for tool in tools]
        self.request = ChatCompletionRequest(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            **({"tools": offered, "tool_choice": tool_choice} if offered else {}),
        )
        self.prompt = self.tokenizer.encode(prompt, add_special_tokens=False)
        before = self.parser()
        before.set_prompt_token_ids(self.prompt)
        self.request = before.adjust_request(request=self.request)

    def parser(self) -> Any:
        """Returns a parser, as for one choice of a request."""
        return self._class(
            self.tokenizer, self.request.tools, chat_template_kwargs={}, model_config=None
        )

    def whole(self, text: str) -> Answer:
        """Returns the message of an answer that is not streamed."""
        parser = self.parser()
        parser.set_prompt_token_ids(self.prompt)
        reasoning, content, calls = parser.parse(
            text, self.request, enable_auto_tools=True, model_output_token_ids=self._ids(text)
        )
        found = [(call.name, call.arguments) for call in calls or ()]
        return Answer(reasoning or "", content or "", found, [call.id for call in calls or ()])

    def stream(self, pieces: list[str]) -> Answer:
        """Returns the message of a stream."""
        message = Answer()
        for delta in self.deltas(pieces):
            message.add(delta)
        return message

    def deltas(self, pieces: list[str]) -> list[Any]:
        """Returns what each piece gave."""
        parser = self.parser()
        return [
            parser.parse_delta(
                piece,
                self._ids(piece),
                self.request,
                prompt_token_ids=self.prompt,
                finished=number == len(pieces),
            )
            for number, piece in enumerate(pieces, 1)
        ]

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids
