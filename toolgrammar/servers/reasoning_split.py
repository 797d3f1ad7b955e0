r"""Separates the reasoning at the beginning of a message from the rest, which is unchanged.

Example: `<think>Hm.</think>\n\nHello` has the reasoning `Hm.` and the rest `\n\nHello`. Servers use
two parsers, one after the other: the second one, for calls, reads the rest from its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.catalogue.registry import formats
from toolgrammar.core.message.source import Source
from toolgrammar.grammar.roles import bare_name
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.events import CallStart, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from toolgrammar.values.events import Event


class ReasoningSplit:
    """Reads one message up to the end of its reasoning."""

    def __init__(self, format_id: str, *, prefix: str = "", perhaps_open: bool = False) -> None:
        """Makes a splitter for one message.

        Args:
            format_id: the id of the format.
            prefix: the opener of reasoning, if the prompt ended with it.
            perhaps_open: whether the message may be reasoning without its opener: for a server
                that does not pass the prompt.
        """
        self._format = formats[format_id]
        self._openers, self._closers, self._are_all = reasoning_tags(format_id)
        self._longest = max(map(len, self._closers), default=0)
        self.ended = False
        """Whether the reasoning has ended, so that all further text is the rest."""
        self._parser = Parser(self._format, prefix=prefix) if prefix else None
        self._perhaps_open = perhaps_open and bool(self._openers)
        self._source = Source()
        self._read = 0
        """The number of characters that the parser has received."""
        self._tail = 0
        """The offset of the rest, as far as it is known."""
        self._word = -1
        """The index of the first character after `_tail` that is not white space, or -1."""
        self._found = False
        """Whether any reasoning was found."""

    def feed(self, chunk: str) -> tuple[str, str]:
        """Accepts the next piece of the message.

        Returns:
            The reasoning and the rest that the piece contains.
        """
        if self.ended:
            return "", chunk
        reasoning: list[str] = []
        # One character at a time: so an event belongs to the character that caused it.
        for at, character in enumerate(chunk):
            self._source.append(character)
            if self._word < 0 and not character.isspace():
                self._word = self._source.length - 1
            # There is no parser before the beginning of the message is decided: a message without
            # reasoning needs none.
            if self._parser is not None or self._begins():
                reasoning += self._catch_up()
            if self.ended:
                return "".join(reasoning), self._rest() + chunk[at + 1 :]
        return "".join(reasoning), ""

    def finish(self) -> tuple[str, str]:
        """Ends the message; returns the reasoning and the rest that were held back."""
        if self.ended:
            return "", ""
        # Without a parser there is at most the beginning of an opener, which is text.
        reasoning = "" if self._parser is None else self._follow(self._parser.close())
        if not self.ended:
            self._pass_closer()
        self.ended = True
        rest = self._rest()
        return reasoning, "" if self._found and rest.isspace() else rest

    def _rest(self) -> str:
        return self._source.slice(self._tail, self._source.length)

    def _begins(self) -> bool:
        """Decides whether the message begins with reasoning, and makes the parser for it."""
        # If the format opens reasoning by a pattern, only its parser can decide.
        if not self._are_all and not self._perhaps_open:
            self._parser = Parser(self._format)
            return True
        if self._word < 0:
            return False
        begun = self._source.slice(self._word, self._source.length)
        if begun.startswith(self._openers):
            self._parser = Parser(self._format)
        # `<thi` may still become the opener: nothing is returned yet.
        elif any(each.startswith(begun) for each in self._openers):
            return False
        elif self._perhaps_open:
            # As if the prompt had ended with it: chat templates write the opener for the model.
            self._parser = Parser(self._format, prefix=self._openers[0])
        else:
            self.ended = True
        return self._parser is not None

    def _catch_up(self) -> list[str]:
        """Feeds the parser the characters that it has not received; returns their reasoning."""
        parser, found = self._parser, []
        assert parser is not None
        end = self._source.length
        text = self._source.slice(self._read, end)
        for character in text:
            self._read += 1
            reasoning = self._follow(parser.feed(character))
            found.append(reasoning)
            # The closer causes no event by itself, and the text after it may arrive late.
            if not self.ended and not reasoning and self._found:
                self._look_for_closer()
            if self.ended:
                break
        return found

    def _look_for_closer(self) -> None:
        """Ends the reasoning after a closer and one more character without new reasoning."""
        # No closer is longer, so this text is not one.
        if self._word < 0 or self._read - self._word > self._longest + 1:
            return
        begun = self._source.slice(self._word, self._read)
        if any(begun.startswith(each) and begun != each for each in self._closers):
            self._pass_closer()
            self.ended = True

    def _follow(self, events: list[Event]) -> str:
        """Processes events up to the end of the reasoning; returns the reasoning in them."""
        reasoning = ""
        for number, event in enumerate(events):
            if isinstance(event, ReasoningDelta):
                reasoning += event.text
                self._pass(event.text)
            elif isinstance(event, TextDelta) and (self._found or event.text.strip()):
                self.ended = True
                if self._found and not self._pass_closer():
                    # The markup between has no fixed text: the rest begins with the first text.
                    # A broken call, `<tool_call>{` say, becomes text in several events. The first,
                    # `<`, alone might be found at a later place.
                    self._tail += max(0, self._unread().rfind(_text_of(events[number:])))
                break
            elif isinstance(event, CallStart):
                self.ended = True
                self._pass_closer()
                break
        return reasoning

    def _unread(self) -> str:
        """Returns the text that the parser has received after the last piece of reasoning."""
        end = self._read if self._parser is not None else self._source.length
        return self._source.slice(self._tail, end)

    def _pass(self, text: str) -> None:
        """Records where a piece of reasoning ends."""
        unread = self._unread()
        # The first piece of a section has markup before it, later pieces follow directly.
        at = 0 if self._found and unread.startswith(text) else max(0, unread.rfind(text))
        self._found = True
        self._tail += at + len(text)
        behind = unread[at + len(text) :]
        word = behind.lstrip()
        self._word = self._tail + len(behind) - len(word) if word else -1

    def _pass_closer(self) -> bool:
        """Skips the closer of the reasoning if it has arrived; returns whether it has."""
        rest = self._unread()
        begun = rest.lstrip()
        for closer in self._closers:
            if self._found and begun.startswith(closer):
                self._tail += len(rest) - len(begun) + len(closer)
                return True
        return False


def _text_of(events: list[Event]) -> str:
    """Returns the joined text of the events up to the first one without text."""
    text = ""
    for event in events:
        if not isinstance(event, TextDelta):
            break
        text += event.text
    return text


def reasoning_tags(format_id: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Returns the openers and the closers of the reasoning in a format.

    Returns:
        The fixed openers, the fixed closers, and whether there are no other openers.
    """
    tables = formats[format_id].tables
    tags = tables.reasoning_tags
    openers = tuple(dict.fromkeys(tags.values()))
    texts = {each.name: each.text.strip() for each in tables.terminals if each.kind == "literal"}
    # If a rule for reasoning has another opener, such as a pattern, a text without a fixed opener
    # may be reasoning as well.
    are_all = all(
        any(texts.get(bare_name(symbol)) in openers for symbol in production.symbols)
        for production in tables.productions
        if production.role == "reasoning"
    )
    return openers, tuple(tags), are_all and bool(openers)
