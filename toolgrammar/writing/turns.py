r"""Writes the turns of a conversation as one prompt, as a chat template would.

In: `{"role": "user", "content": "Hi"}`, and `*="<|im_start|>{role}\n{content}<|im_end|>\n"`, the `turns` of
a format's header. Out: `<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n`, after which the model
continues.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Self

from toolgrammar.core.evidence.plain_turns import PLAIN_TURNS
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.writing.results.markup import LINE_START, marks_of_turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Conversation(str):
    """A conversation as the text of one prompt, which the model continues."""

    __slots__ = ("messages", "stop")

    messages: tuple[Mapping[str, str], ...]
    """The messages in it, each with its `role` and its `content` in the format's own text."""
    stop: tuple[str, ...]
    """The strings at which the server should stop."""

    def __new__(cls, text: str, *_: object) -> Self:
        """Makes the text."""
        return super().__new__(cls, text)

    def __init__(
        self, text: str, messages: Iterable[Mapping[str, str]] = (), stop: Iterable[str] = ()
    ) -> None:
        """Stores the turns and the stop strings of the prompt.

        Args:
            text: the prompt.
            messages: its turns.
            stop: the strings at which the server should stop.
        """
        super().__init__()
        self.messages = tuple(messages)
        self.stop = tuple(stop)


class Turns:
    """The text around the messages of one format."""

    def __init__(self, turns: Mapping[str, str]) -> None:
        """Compiles the marks of the header's `turns`; without them, turns are lines such as `User: Hi`."""
        self._turns = turns or PLAIN_TURNS
        marks = sorted(marks_of_turns(self._turns))
        # A word such as `User:` begins a turn only where it begins a line.
        words = "|".join(re.escape(each) for each in marks if each[0].isalpha())
        others = [re.escape(each) for each in marks if not each[0].isalpha()]
        lines = [rf"{LINE_START}(?:{words})"] if words else []
        self._marks = compile_pattern("|".join([*others, *lines]))

    def _around(self, role: str) -> tuple[str, str]:
        """Returns the text before and after the content of a message."""
        before, _, behind = self._turns.get(role, "").partition("{content}")
        return before, behind

    def found(self, text: str) -> str:
        """Returns the first mark in a text that would begin or end a turn, or ""."""
        match = self._marks.search(text)
        return match[0].strip() if match else ""

    def broken(self, text: str) -> str:
        r"""Returns a text that begins and ends no turn: `<\|im_end|>` for `<|im_end|>`."""
        return self._marks.sub(_broken, text)

    def stops(self) -> list[str]:
        """Returns what ends the turn of the assistant, or begins the turn after it."""
        if closer := self._around("assistant")[1].strip():
            return [closer]
        # Nothing visible closes it: the model would go on with the next turn.
        openers = [self._around(role)[0].strip() for role in ("user", "tool")]
        lead = "\n" if self._turns is PLAIN_TURNS else ""
        return [f"{lead}{opener}" for opener in dict.fromkeys(openers) if opener]

    def written(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Returns the messages as one text that ends where the assistant's next turn begins."""
        texts = [self._turns.get("begin", "")]
        waiting = ""
        for message in messages:
            role, content = message["role"], message["content"]
            # A template without a turn of the system has its words in the user's first one.
            if role not in self._turns:
                waiting += f"{content}\n\n"
                continue
            before, behind = self._around(role)
            texts.append(f"{before}{waiting}{content}{behind}")
            waiting = ""
        texts.append(waiting)
        # A blank there would be the first character that the model writes.
        texts.append(self._around("assistant")[0].rstrip(" "))
        return "".join(texts)


def _broken(match: re.Match[str]) -> str:
    mark = match[0]
    place = len(mark) - len(mark.lstrip())
    # Behind a bracket, so that it stays readable.
    place += 0 if mark[place].isalpha() else 1
    return f"{mark[:place]}\\{mark[place:]}"
