"""Stores the calls that were sent, in the attributes that servers read from a parser.

Example: after `CallBegun(0, "search", None)` and `Arguments(0, "{}")`, `prev_tool_call_arr` is
`[{"name": "search", "arguments": "{}"}]` and `streamed_args_for_tool` is `["{}"]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.servers.message_reader import Arguments, CallBegun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.servers.message_reader import Piece


class GivenCalls:
    """The calls of one message that were sent so far: a base class for the parsers of servers."""

    # The servers' own base classes assign the two lists when they are set up, but never append to
    # them here. Pieces are joined on access: growing strings would take quadratic time.
    _names: list[str]
    _arguments: list[list[str]]

    current_tool_id: int
    current_tool_name_sent: bool

    def forget_calls(self) -> None:
        """Clears the calls, for a new message."""
        self._names = []
        self._arguments = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False

    def note(self, pieces: Iterable[Piece]) -> None:
        """Records the pieces that are sent."""
        for piece in pieces:
            match piece:
                case CallBegun(index, name):
                    self._names.append(name)
                    self._arguments.append([])
                    self.current_tool_id = index
                    self.current_tool_name_sent = True
                case Arguments(index, json):
                    self._arguments[index].append(json)
                case _:
                    pass

    @property
    def prev_tool_call_arr(self) -> list[dict[str, Any]]:
        """The calls, with the arguments that were sent."""
        given = zip(self._names, self.streamed_args_for_tool, strict=True)
        return [{"name": name, "arguments": arguments} for name, arguments in given]

    @prev_tool_call_arr.setter
    def prev_tool_call_arr(self, calls: list[dict[str, Any]]) -> None:
        self.forget_calls()

    @property
    def streamed_args_for_tool(self) -> list[str]:
        """The arguments of each call that were sent."""
        return ["".join(pieces) for pieces in self._arguments]

    @streamed_args_for_tool.setter
    def streamed_args_for_tool(self, arguments: list[str]) -> None:
        self.forget_calls()
