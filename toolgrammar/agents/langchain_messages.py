"""Converts messages of LangChain to the shape of OpenAI's API, and changes the text of their blocks.

Example: `ToolMessage("3", tool_call_id="c1")` becomes the message
`{"role": "tool", "tool_call_id": "c1", "content": "3"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    convert_to_openai_messages,
)
from langchain_core.messages.ai import add_ai_message_chunks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from langchain_core.messages import BaseMessage

_KEPT: Final = "kept"
"""A type of blocks that LangChain does not know, so that it passes the block on as it is."""


def plain(messages: Iterable[BaseMessage]) -> list[dict[str, Any]]:
    """Returns messages in the shape of OpenAI's API; blocks that it doesn't have stay as they are."""
    converted = (
        each
        for message in messages
        for each in convert_to_openai_messages([_with_known_blocks(message)])
    )
    return [{**each, "content": _unkept(each["content"])} for each in converted]


def _with_known_blocks(message: BaseMessage) -> BaseMessage:
    """Returns a message with each block that LangChain can't convert inside another."""
    if isinstance(message.content, str):
        return message
    blocks = [
        block if _is_known(message, block) else {"type": _KEPT, _KEPT: block}
        for block in message.content
    ]
    return message.model_copy(update={"content": blocks})


def _is_known(message: BaseMessage, block: Any) -> bool:
    """Whether LangChain can convert a block of a message."""
    try:
        convert_to_openai_messages([message.model_copy(update={"content": [block]})])
    except (KeyError, TypeError, ValueError):
        return False
    return True


def _unkept(content: Any) -> Any:
    """Returns the content of a converted message with the blocks that were put inside another."""
    if not isinstance(content, list):
        return content
    return [block[_KEPT] if block.get("type") == _KEPT else block for block in content]


def results_in(messages: Iterable[BaseMessage]) -> Iterator[dict[str, Any]]:
    """Yields the results of tools that a server ran: they are parts of the model's messages."""
    for message in messages:
        if not isinstance(message, AIMessage):
            continue
        if isinstance(message.content, list):
            yield {"role": "assistant", "content": message.content}
        # Where the integration for OpenAI stores them unless told otherwise.
        outputs = message.additional_kwargs.get("tool_outputs")
        yield from outputs if isinstance(outputs, list) else ()


class StreamedResults:
    """The results of tools in the chunks of one answer, whose pieces are joined at its end."""

    def __init__(self) -> None:
        self._chunks: list[AIMessageChunk] = []

    def add(self, chunk: AIMessageChunk) -> None:
        """Accepts the next chunk."""
        content = chunk.content
        blocks = content if isinstance(content, list) else []
        others = [part for part in blocks if not is_text(part)]
        outputs = chunk.additional_kwargs.get("tool_outputs")
        if others or outputs:
            kwargs = {"tool_outputs": outputs} if outputs else {}
            self._chunks.append(AIMessageChunk(content=others, additional_kwargs=kwargs))

    def found(self) -> Iterator[dict[str, Any]]:
        """Yields the results, as `results_in`."""
        return results_in([add_ai_message_chunks(*self._chunks)] if self._chunks else [])


def is_text(part: Any) -> bool:
    """Whether a part of a content is text."""
    return isinstance(part, str) or part.get("type") == "text"


def with_text(content: str | list[Any], text: str) -> str | list[Any]:
    """Returns a content with another text; blocks of other types are kept."""
    if isinstance(content, str):
        return text
    others = [part for part in content if not is_text(part)]
    texts = [part for part in content if isinstance(part, dict) and is_text(part)]
    # A block of a stream has an index, by which LangChain joins it to earlier ones.
    block = {**(texts[0] if texts else {"type": "text"}), "text": text}
    return [*others, block] if text else others
