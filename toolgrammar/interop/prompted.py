r"""Writes a conversation for a model without native tool calls: all of it becomes text.

The messages `{"role": "assistant", "tool_calls": [add(1, 2)]}` and `{"role": "tool", "content": "3"}`
become `{"role": "assistant", "content": "<tool_call>…</tool_call>"}` and
`{"role": "user", "content": "<tool_response>\n3\n</tool_response>"}`, after a system message that
lists the tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgrammar.interop.exchange import to_json, written_json
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.calls import ToolCall
from toolgrammar.values.errors import RenderError, check_several
from toolgrammar.writing.conversation import (
    SYSTEM,
    AnsweredCall,
    answered_call,
    assistant_text,
    calls_as_written,
    calls_of,
    check_message,
    functions_of,
    results_text,
    with_prompt,
)
from toolgrammar.writing.read_back import read_message
from toolgrammar.writing.results.json_lines import json_lines
from toolgrammar.writing.results.markup import Markup
from toolgrammar.writing.stretches import said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.catalogue.format import Format
    from toolgrammar.values.tools import ToolSpec

Messages: TypeAlias = list[dict[str, Any]]


def prompted_messages(
    chosen: Format, messages: Iterable[object], tools: Iterable[object] | None
) -> Messages:
    """Returns a conversation as text, with the format's prompt in its system message.

    Args:
        chosen: the format in which the model is to write calls.
        messages: the conversation, in the shape of OpenAI's API.
        tools: the tools that are offered; without any there is no prompt.

    Raises:
        ValueError: a message has a wrong shape.
        TypeError: so has a tool.
    """
    specs = to_specs(tools)
    written = written_messages(chosen, messages, specs)
    return with_prompt(written, chosen.prompt(specs)) if specs else written


def written_messages(
    chosen: Format, messages: Iterable[Any], tools: Iterable[object] | None
) -> Messages:
    r"""Returns a conversation with its calls and results as text.

    Other messages stay as they are, but for markup of the format in those of users: in it a visible
    `\` is put, so that none is taken for a result.

    What models wrote never raises. Calls are written as the format does; where it can't carry them
    beside the text of their message, which may show a call that was refused, they follow that text,
    and what it can't carry at all is told in plain words. Results are messages of the user, in the
    format's own text or as lines of JSON, in which markup is escaped; their images stay.

    Args:
        chosen: the format.
        messages: the conversation, in the shape of OpenAI's API.
        tools: the tools that are offered.

    Raises:
        ValueError: a message has a wrong shape.
        TypeError: so has a tool, or `messages` is not a list.
    """
    check_several("messages", messages, "a list of dicts", "write [message]")
    writer = _Writer(chosen, to_specs(tools))
    for number, message in enumerate(messages):
        check_message(message, number)
        writer.add(message, number)
    writer.end_results()
    return writer.written


class _Writer:
    """The messages of one conversation as they are written, one by one.

    Each by itself: a message that the format can't carry changes nothing of those before it, so the
    server finds them in its cache.
    """

    def __init__(self, chosen: Format, tools: Mapping[str, ToolSpec]) -> None:
        self._format = chosen
        # No tools are given where none may be called; what was called before has a name all the same.
        self._tools = tools or None
        self._of_users = Markup(chosen.header, chosen.tables, "user")
        self.written: Messages = []
        # By id, as they stand on the wire: results name them so.
        self._calls: dict[str, ToolCall] = {}
        # The results at the end so far, and what of them is not a text.
        self._answers: list[AnsweredCall] = []
        self._images: list[Any] = []

    def add(self, message: Mapping[str, Any], number: int) -> None:
        """Writes one message; `number` is its place."""
        # Gathered: results that follow each other become one message, as many chat templates refuse
        # two messages of the user in a row.
        if message.get("role") == "tool":
            text, images = _split(message, number)
            self._answers.append(AnsweredCall(answered_call(message, self._calls), text))
            self._images += images
            return
        self.end_results()
        if message.get("role") == "assistant" and message.get("tool_calls"):
            text, images = _split(message, number)
            written = self._alone({**message, "content": text}, text, number)
            self.written.append({"role": "assistant", "content": _content(written, images)})
        else:
            # A server that knows no tools may refuse an empty list of calls, too.
            kept = {key: value for key, value in message.items() if key != "tool_calls"}
            if message.get("role") not in {*SYSTEM, "assistant"}:
                kept["content"] = self._without_markup(message.get("content"))
            self.written.append(kept)

    def _without_markup(self, content: Any) -> Any:
        """Returns the content of a user in whose texts no markup of the format stands.

        Results of tools are messages of the user, too: nothing else may look like one.
        """
        if isinstance(content, str):
            return self._of_users.broken(content)
        if isinstance(content, list):
            return [self._without_markup(part) for part in content]
        if isinstance(content, Mapping) and isinstance(content.get("text"), str):
            return {**content, "text": self._of_users.broken(content["text"])}
        return content

    def _alone(self, message: Mapping[str, Any], text: str, number: int) -> str:
        """Returns the text of a message with calls."""
        try:
            calls = calls_of(message, number)
        except ValueError:
            # The model's own arguments may be broken; a wrong shape raises again.
            return f"{text}\n{self._in_words(message, number)}".strip()
        bare: Mapping[str, Any] = {}
        # Behind the text, and as calls of tools that are no longer offered.
        ways = [(text, bare, self._tools), (text, bare, None)]
        # Asked first: all the ways to write a text that would be read as a call take long.
        if self._is_text(text, calls):
            # Best is the whole message as the format writes it, its text among the calls.
            ways = [("", message, self._tools), *ways]
        for before, beside, tools in ways:
            try:
                written = assistant_text(self._format, beside, calls, tools, number)
            except RenderError:
                continue
            wired = calls_as_written(self._format, written, calls, tools)
            self._calls |= {
                call.id: each for call, each in zip(calls, wired, strict=True) if call.id
            }
            return f"{before}\n{written}" if before else written
        return f"{text}\n{self._in_words(message, number)}".strip()

    def _is_text(self, text: str, calls: list[ToolCall]) -> bool:
        """Whether a text is read as the text that it is."""
        read = said(read_message(self._format, text, calls, self._tools))
        return [(each.kind, each.text.strip()) for each in read] in ([], [("text", text.strip())])

    def _in_words(self, message: Mapping[str, Any], number: int) -> str:
        """Returns calls that the format can't carry, a line each."""
        lines = []
        for identity, function in functions_of(message, number):
            name, arguments = function["name"], written_json(function.get("arguments"))
            lines.append(f"Called the tool {to_json(name)} with: {arguments or '{}'}")
            if identity:
                self._calls[identity] = ToolCall(name, id=identity)
        return "\n".join(lines)

    def end_results(self) -> None:
        """Writes the results so far, which follow each other, as one message of the user."""
        if not self._answers:
            return
        answers, images = self._answers, self._images
        self._answers, self._images = [], []
        # A result may stand for a tool that is no longer offered, and has to be escaped all the
        # same.
        known = {*(self._tools or ()), *(answer.call.name for answer in answers)}
        try:
            text = results_text(self._format, answers, "escape", known)
        except RenderError:
            # A name or an id that the format's own text for results has no place for.
            text = json_lines(self._format, answers, known=known)
        # A server that knows no tools knows no role for their results.
        self.written.append({"role": "user", "content": _content(text, images)})


def _split(message: Mapping[str, Any], number: int) -> tuple[str, list[Any]]:
    """Returns the text of a message, and the parts of its content that are none."""
    content = message.get("content")
    if isinstance(content, str | None):
        return content or "", []
    if not isinstance(content, list):
        raise ValueError(f"message {number}: its content is no text and no list of parts")  # noqa: TRY004
    texts: list[str] = []
    others: list[Any] = []
    for part in content:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            texts.append(text)
        else:
            others.append(part)
    return "".join(texts), others


def _content(text: str, others: list[Any]) -> Any:
    """Returns the content of a message: one text, or it and the parts that are none."""
    return [{"type": "text", "text": text}, *others] if others else text
